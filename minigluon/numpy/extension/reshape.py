"""`npx.reshape`, whose shape may contain codes for the lengths of the array."""

from __future__ import annotations

from typing import Any

from ..array import ndarray, refuse_mixture
from ..namespace import lookup

__all__ = ["reshape"]


def reshape(a: Any, newshape: Any, reverse: bool = False, order: str = "C") -> Any:
    """Return the elements in another shape.

    a: an array of `mx.np`.
    newshape: an integer or a tuple of lengths and codes. -1 is inferred, for one axis. -2 copies the next length of a,
        -3 drops the next length, which must be 1, -4 copies all remaining lengths, -5 multiplies the next two, and -6
        splits the next length into the two lengths that follow the code.
    reverse: True reads the codes and the lengths from the right.
    order: must be 'C'.

    Raises ShapeError.

    >>> from minigluon import np, npx
    >>> npx.reshape(np.ones((2, 3, 4)), (-5, -4)).shape
    (6, 4)
    """
    if a.__class__ is not ndarray:
        raise refuse_mixture("npx.reshape", a)
    return lookup("_npx_reshape")(a, newshape, reverse, order)
