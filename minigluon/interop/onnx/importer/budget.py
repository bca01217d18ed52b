"""The budget for one import, from which all stages take bytes, nodes and seconds."""

from __future__ import annotations

import time

from ....base import MXNetError
from ....ops.symbolic_dimensions import SymbolicDim
from .table import NotRepresentableError

__all__ = ["Budget", "BudgetError", "require_simple"]

NODES = 2_000              # the number of nodes allowed in addition to a multiple of the file's nodes
SECONDS = 60                # the number of seconds allowed in addition to a time that depends on the file's size
MAX_TERMS, MAX_DEGREE, MAX_FACTOR, MAX_NAMES = 64, 16, 1 << 62, 1 << 12     # limits for a symbolic dimension's formula


class BudgetError(MXNetError):
    """Raised if reading exceeds the budget for a file of its size. No stage continues after this error."""


class Budget:
    """The remaining budget for a file, shared by the entire import.

    file_size: the file's size in bytes. nodes: the number of nodes in the file, including those in subgraphs and
    functions.
    """

    def __init__(self, file_size: int, nodes: int = 0):
        self.bytes: int = 4 * file_size + (16 << 20)
        self.nodes: int = NODES + 16 * nodes
        self._first = self.nodes
        self._seconds = SECONDS + file_size / (1 << 20)
        self._end = time.monotonic() + self._seconds

    def take(self, count: int, itemsize: int = 8) -> None:
        """Take elements from the budget. Raise NotRepresentableError if it is used up."""
        self.check_time()
        self.bytes -= count * itemsize
        if self.bytes < 0:
            raise NotRepresentableError(f"its result from known numbers has {count} elements, more than a file of this "
                                        "size may require")

    def take_nodes(self, count: int = 1) -> None:
        """Take nodes from the budget, because loops and functions repeat them. Raise BudgetError if it is used up."""
        self.check_time()
        self.nodes -= count
        if self.nodes < 0:
            raise BudgetError(f"with its loops and functions written out the file has more than {self._first} nodes, "
                              "which is more than a file of this size may require")

    def check_time(self) -> None:
        """Raise BudgetError if reading has taken too long."""
        if time.monotonic() > self._end:
            raise BudgetError(f"reading the file takes more than {self._seconds:.0f} seconds, which is more than a "
                              "file of this size may require")


def require_simple(shape: object) -> None:
    """Raise NotRepresentableError for lengths that no array can have, and formulas longer than any network needs."""
    for n in shape if isinstance(shape, (tuple, list)) else ():
        if isinstance(n, int) and n > MAX_FACTOR:
            raise NotRepresentableError(f"its result would have an axis of more than {MAX_FACTOR} elements")
        if not isinstance(n, SymbolicDim):
            continue
        if (len(n.terms) > MAX_TERMS or max(map(len, n.terms)) > MAX_DEGREE
                or max(map(abs, n.terms.values())) > MAX_FACTOR
                or sum(len(name) for names in n.terms for name in names) > MAX_NAMES):
            raise NotRepresentableError("a length that the file leaves open becomes a formula of more than "
                                   f"{MAX_TERMS} terms, {MAX_DEGREE} factors or {MAX_NAMES} characters")
