"""What cells of `gluon.rnn` and of `mx.rnn` have in common: inside a modifier, a cell makes no states of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..base import MXNetError

__all__ = ["Modifiable"]


class Modifiable:
    """Mixin of cells that a modifier such as ZoneoutCell can wrap. The modifier sets `_modified`."""

    _modified: bool

    @contextlib.contextmanager
    def unmodified(self) -> Iterator[None]:
        """`with` form in which the cell makes its states itself, as outside of the modifier around it."""
        self._modified = False
        try:
            yield
        finally:
            self._modified = True

    def _require_unmodified(self) -> None:
        if self._modified:
            raise MXNetError(f"{type(self).__name__} {self._name_in_messages()} is inside of a modifier such as "
                             "ZoneoutCell, so its states are made by that one: call the modifier's begin_state.")

    def _name_in_messages(self) -> str:
        raise NotImplementedError
