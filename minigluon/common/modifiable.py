"""A mixin for cells in `gluon.rnn` and `mx.rnn`: inside a modifier, a cell does not create its own states."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..base import MXNetError
from ..diagnostics.keywords import ChecksKeywords

__all__ = ["Modifiable"]


class Modifiable(ChecksKeywords):
    """Mixin for cells that a modifier such as ZoneoutCell can wrap. The modifier sets `_modified`."""

    _modified: bool

    @contextlib.contextmanager
    def without_modifier(self) -> Iterator[None]:
        """Allow the cell to create its own states inside a `with` block, as it would outside its modifier."""
        self._modified = False
        try:
            yield
        finally:
            self._modified = True

    def _require_unmodified(self) -> None:
        if self._modified:
            raise MXNetError(f"{type(self).__name__} {self._name_in_messages()} is inside a modifier such as "
                             "ZoneoutCell, which creates its states: call the modifier's begin_state.")

    def _name_in_messages(self) -> str:
        raise NotImplementedError
