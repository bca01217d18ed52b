"""An Updater's states as bytes and in files, in MXNet's format."""

from __future__ import annotations

import os
from typing import Any, cast

from ..base import FileFormatError
from ..ndarray import NDArray
from ..serialization.atomic_write import unreadable
from ..serialization.reading import content_of
from . import states_file
from .states_check import check_states

__all__ = ["UpdaterStates", "load_states"]


class UpdaterStates:
    """Mixin for Updater that writes and reads its states and moves them between devices."""

    optimizer: Any
    states: dict[Any, Any]
    states_synced: dict[Any, bool]

    def set_states(self, states: Any) -> None:
        """Set the states from the result of `get_states`, ours or MXNet's.

        states: the bytes.

        Raises FileFormatError, without changing the states, if they are damaged, or if they name anything except
        arrays, optimizers and schedulers. Whether a state matches its weight is checked at the weight's next step.
        """
        self.take_states(self.read_states(states, {}))

    def read_states(self, content: Any, weights: Any) -> Any:
        """Return (states, optimizer) from bytes written by `get_states`. Raises FileFormatError like `set_states`.

        weights: {index: weight}, if known: the states must be valid for these weights and the optimizer.
        """
        loaded = states_file.load(content)
        loaded, optimizer = loaded if isinstance(loaded, tuple) and len(loaded) == 2 else (loaded, self.optimizer)
        if not isinstance(loaded, dict) or not hasattr(optimizer, "update_multi_precision"):
            raise FileFormatError(f"the {len(content)} bytes are not states of an Updater, but a "
                                  f"{type(loaded).__name__} and a {type(optimizer).__name__}")
        check_states(loaded, optimizer, weights)
        return loaded, optimizer

    def take_states(self, content: Any) -> None:
        """Set the states from the result of `read_states`."""
        self.states, self.optimizer = content
        self.states_synced = dict.fromkeys(self.states, False)

    def sync_state_context(self, state: Any, context: Any) -> Any:
        """Return the state with its arrays on `context`."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, (tuple, list)):
            arrays = cast("list[Any]", state)
            return type(arrays)(self.sync_state_context(s, context) for s in arrays)
        return state

    def get_states(self, dump_optimizer: bool = False) -> Any:
        """Return the states as bytes; if dump_optimizer=True, include the optimizer with its update counts.

        MXNet can read them. Raises MXNetError for an optimizer with an attribute that `set_states` would refuse.
        """
        return states_file.dump((self.states, self.optimizer) if dump_optimizer else self.states)


def load_states(path, updaters, weights):
    """Load the states in a file into all updaters or, if anything is wrong, into none of them.

    weights: {index: weight} for each updater, if known. Raises FileFormatError, and MXNetError for an unreadable
        file.
    """
    try:
        content = content_of(path)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        loaded = [updater.read_states(content, arrays) for updater, arrays in zip(updaters, weights, strict=True)]
    except FileFormatError as error:
        raise FileFormatError(f"cannot load {os.fspath(path)!r}: {error}") from error
    for updater, states in zip(updaters, loaded, strict=True):
        updater.take_states(states)
