"""Base classes for two kinds of operators that the compiler knows: elementwise, and copies with a different shape."""

from .op import Op

__all__ = ["Elementwise", "View"]


class Elementwise(Op):
    """Base of operators whose out[i] depends only on the inputs' [i].

    data (any shape) | out like data
    """

    elementwise = True


class View(Op):
    """Base of operators that return a copy of their first input's elements, in the same order."""

    is_view = True

    @property
    def in_place(self):
        return self.list_arguments()[:1]
