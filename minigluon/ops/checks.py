"""Shape and type checks that all operators share, and the wording of their messages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..base import DTypeError, ShapeError
from ..common.dtypes import is_float
from .rank_checks import RankChecks, other_count, shown
from .shapes import PartialShape, merge

__all__ = ["Checks"]


class Checks(RankChecks):
    """Methods for `infer_shape` and `infer_dtype`. Subclasses define `name` and `argument_names`."""

    variadic: ClassVar[bool]

    if TYPE_CHECKING:
        def argument_names(self, count: int) -> Sequence[str]: ...
        def list_arguments(self) -> Sequence[str]: ...

    @property
    def num_inputs(self) -> int | None:
        """The number of inputs that the attributes require; None if any positive number is valid.

        >>> nd.FullyConnected.op(num_hidden=4, no_bias=True).num_inputs, nd.concat.op(num_args=3).num_inputs
        (2, 3)
        """
        return self.__dict__.get("num_args") if self.variadic else len(self.list_arguments())

    def require_count(self, count: int, absent: Sequence[int] = ()) -> None:
        """Raise MXNetError unless the attributes require `count` inputs.

        Everything that depends on such an attribute is checked later, so that a wrong number in a file causes no work
        for nonexistent inputs. absent: the positions of missing inputs.

        >>> nd.SequenceMask.op(use_sequence_length=True).require_count(1)
        Traceback (most recent call last):
        minigluon.base.MXNetError: SequenceMask(use_sequence_length=True, value=0.0, axis=0) takes 2 inputs (data, \
sequence_length): sequence_length missing.
        """
        wanted = self.num_inputs
        if wanted not in (None, count) or absent or self.variadic and not count:
            raise other_count(self, wanted, count, absent)

    def require(self, argument: str, found: PartialShape, required: PartialShape,
                remedy: str | None = None) -> PartialShape:
        """Return `found` and `required` merged, each filling the other's unknown parts. Raises ShapeError.

        argument: the input's name, for the message.
        remedy: what the user should write instead if they do not match.

        >>> nd.dot.op().require("lhs", (2, None), (None, 3))
        (2, 3)
        >>> nd.dot.op().require("lhs", (2, 4), (None, 3))
        Traceback (most recent call last):
        minigluon.base.ShapeError: dot: lhs has shape (2, 4), expected (?, 3)
        """
        merged = merge(found, required)
        if merged is False:
            raise ShapeError(f"{self.name}: {argument} has shape {shown(found)}, expected {shown(required)}", argument,
                             remedy)
        return merged

    def normalize_axis(self, axis: int, ndim: int) -> int:
        """Return `axis` as a non-negative axis of an array with `ndim` axes. Raises ShapeError if it is out of range.

        >>> nd.softmax.op().normalize_axis(-1, ndim=3)
        2
        """
        if not -ndim <= axis < ndim:
            range_ = f"; the axes are {-ndim} to {ndim - 1}" if ndim else ""
            raise self.shape_clash(f"axis {axis} is out of range for {ndim} dimensions{range_}")
        return axis % ndim

    def require_float(self, argument: str, dtype: np.dtype[Any] | None) -> None:
        """Check that a dtype, if known, is a floating-point type, for operators whose results cannot be integers.

        argument: the input's name, for the message.

        >>> nd.dot.op().require_float("lhs", np.dtype("int8"))
        Traceback (most recent call last):
        minigluon.base.DTypeError: dot: lhs is int8, expected a floating-point dtype. Convert with .astype('float32').
        """
        if dtype is not None and not is_float(np.dtype(dtype)):
            raise DTypeError(f"{self.name}: {argument} is {dtype}, expected a floating-point dtype. "
                             "Convert with .astype('float32').")

    def require_dtype(self, argument: str, found: np.dtype[Any] | None,
                      required: np.dtype[Any] | None) -> np.dtype[Any] | None:
        """Return whichever of `found` and `required` is known. Raises DTypeError if both are known and differ.

        argument: the input's name, for the message.

        >>> nd.dot.op().require_dtype("lhs", None, np.dtype("float16"))
        dtype('float16')
        """
        # `is None` first: numpy.dtype("float64") equals None
        if found is not None and required is not None and found != required:
            raise DTypeError(f"{self.name}: {argument} is {found}, expected {required}. "
                             f"Convert with .astype('{required}').")
        return required if found is None else found

    def require_numbers(self, *dtypes: np.dtype[Any] | None) -> None:
        """Raise DTypeError if `dtypes` contain booleans, which have no arithmetic.

        >>> nd.dot.op().require_numbers(np.dtype("float32"), np.dtype("int32"))     # both are numbers
        """
        if any(d is not None and d.kind == "b" for d in dtypes):
            raise DTypeError(f"{self.name}: there is no arithmetic with inputs of dtype bool. Convert them with "
                             ".astype('float32'), or use nd.logical_and, nd.logical_or, nd.logical_xor, "
                             "nd.logical_not.")
