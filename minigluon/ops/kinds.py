"""Base classes for two kinds of operators that the compiler treats specially: elementwise operators and reshaped
copies.
"""

from .op import Op

__all__ = ["Elementwise", "View"]


class Elementwise(Op):
    """Base class of operators whose out[i] depends only on element i of each input.

    data (any shape) | out like data
    """

    elementwise = True


class View(Op):
    """Base class of operators that return a copy of their first input's elements in the same order."""

    is_view = True

    @property
    def in_place(self):
        return self.list_arguments()[:1]
