"""An Updater's states as bytes and in files, as MXNet writes them."""

from __future__ import annotations

import os
from typing import Any

from ..base import FileFormatError
from ..serialization.reading import content_of
from ..serialization.whole_files import unreadable
from . import states_file
from .states_check import check_states

__all__ = ["UpdaterStates", "load_states"]


class UpdaterStates:
    """The part of Updater that writes and reads its states."""

    def set_states(self, states: Any) -> None:
        """Take what `get_states` gave, here or in MXNet.

        states: its bytes.

        Raises FileFormatError when it is damaged, or names anything that is neither an array nor an optimizer or
        scheduler; the states are then as before. That a state belongs to its weight is checked at the weight's next
        step.
        """
        self.take_states(self.read_states(states, {}))

    def read_states(self, content: Any, weights: Any) -> Any:
        """(states, optimizer) of the bytes that `get_states` gave. Raises FileFormatError as `set_states` does.

        weights: {index: weight} as far as they are known: their states must be such as the optimizer makes for them.
        """
        loaded = states_file.load(content)
        loaded, optimizer = loaded if isinstance(loaded, tuple) and len(loaded) == 2 else (loaded, self.optimizer)
        if not isinstance(loaded, dict) or not hasattr(optimizer, "update_multi_precision"):
            raise FileFormatError(f"the {len(content)} bytes are no states of an Updater, but a "
                                  f"{type(loaded).__name__} and a {type(optimizer).__name__}")
        check_states(loaded, optimizer, weights)
        return loaded, optimizer

    def take_states(self, content: Any) -> None:
        """Go on with what `read_states` gave."""
        self.states, self.optimizer = content
        self.states_synced = dict.fromkeys(self.states, False)

    def get_states(self, dump_optimizer: bool = False) -> Any:
        """The states as bytes; with the optimizer itself (its update counts, too) if dump_optimizer=True.

        MXNet reads them, too. Raises MXNetError for an optimizer with an attribute that could not be read again.
        """
        return states_file.dump((self.states, self.optimizer) if dump_optimizer else self.states)


def load_states(path, updaters, weights):
    """Let each updater go on from the states in a file, or, if there is anything wrong, none of them.

    weights: for each updater {index: weight}, as far as they are known. Raises FileFormatError, and MXNetError for a
        file that cannot be read.
    """
    try:
        content = content_of(path)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        loaded = [updater.read_states(content, known) for updater, known in zip(updaters, weights, strict=True)]
    except FileFormatError as error:
        raise FileFormatError(f"cannot load {os.fspath(path)!r}: {error}") from error
    for updater, states in zip(updaters, loaded, strict=True):
        updater.take_states(states)
