"""Checks of the numbers of dimensions, positions and inputs in operators."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..base import DTypeError, MXNetError, ShapeError
from ..common.dtypes import is_float
from ..diagnostics.strictness import refuse
from .shapes import PartialShape

__all__ = ["RankChecks", "other_count", "shape_text", "whole_numbers"]


class RankChecks:
    """Mixin for Checks that counts dimensions and creates errors. Subclasses define `name` and `argument_names`."""

    name: ClassVar[str]

    if TYPE_CHECKING:
        def argument_names(self, count: int) -> Sequence[str]: ...

    def require_rank(self, argument: str, shape: PartialShape, *ranks: int, meaning: str = "") -> None:
        """Checks the number of dimensions of a known shape.

        argument: the input's name, for the message.
        shape: the input's shape, or None if it is unknown.
        ranks: the allowed numbers of dimensions.
        meaning: the names of the axes, such as ": batch, channels".

        >>> nd.dot.op().require_rank("lhs", (2, 3), 4, 5)
        Traceback (most recent call last):
        minigluon.base.ShapeError: dot: lhs has shape (2, 3), expected 4 or 5 dimensions
        """
        if shape is not None and len(shape) not in ranks:
            counts = " or ".join(str(r) for r in ranks)
            remedy = None
            if len(shape) + 1 in ranks:
                wider = shape_text((1, *shape))
                remedy = f"{argument}.expand_dims(0), which has shape {wider}, adds an axis of length 1"
            raise ShapeError(f"{self.name}: {argument} has shape {shape_text(shape)}, expected {counts} "
                             f"dimensions{meaning}", argument, remedy)

    def require_least_rank(self, argument: str, shape: PartialShape, least: int) -> None:
        """Checks that a known shape has at least `least` dimensions.

        argument: the input's name, for the message. shape: its shape, or None if it is unknown.

        >>> nd.dot.op().require_least_rank("lhs", (), 1)
        Traceback (most recent call last):
        minigluon.base.ShapeError: dot: lhs has shape (), expected at least 1 dimension
        """
        if shape is not None and len(shape) < least:
            raise ShapeError(f"{self.name}: {argument} has shape {shape_text(shape)}, expected at least {least} "
                             f"dimension{'s' if least > 1 else ''}", argument)

    def shape_clash(self, problem: str, argument: str | None = None, remedy: str | None = None) -> ShapeError:
        """Returns a ShapeError that begins with the operator's name, for the caller to raise.

        problem: what is wrong.
        argument: the name of the input with the problem, if it is an input.
        remedy: a hint on what to write instead.

        >>> print(nd.dot.op().shape_clash("the vectors are too long"))
        dot: the vectors are too long
        """
        return ShapeError(f"{self.name}: {problem}", argument, remedy)

    def dtype_clash(self, dtypes: Sequence[np.dtype[Any] | None]) -> DTypeError:
        """Return a DTypeError that lists the type of each input, for the caller to raise. dtypes: one for each input.

        >>> print(nd.dot.op().dtype_clash([np.dtype("float32"), np.dtype("int32")]))
        dot: inputs have different dtypes: lhs float32, rhs int32. Convert with .astype(dtype).
        """
        names = self.argument_names(len(dtypes))
        listed = ", ".join(f"{n} {d}" for n, d in zip(names, dtypes, strict=True))
        return DTypeError(f"{self.name}: inputs have different dtypes: {listed}. Convert with .astype(dtype).")

    def require_positions(self, count: int | None, dtype: str) -> None:
        """Checks that dtype can hold `count` positions without wrapping around or rounding.

        count: None if it is unknown.

        >>> nd.argsort.op().require_positions(200, "int8")
        Traceback (most recent call last):
        minigluon.base.ShapeError: argsort: positions up to 199 do not fit into dtype='int8'. Choose dtype='int32'.
        """
        if count is not None and count - 1 > whole_numbers(dtype):
            refuse(self.shape_clash(f"positions up to {count - 1} do not fit into dtype={dtype!r}. "
                                    f"Choose dtype='{'int32' if count <= 2 ** 31 else 'int64'}'."))


def shape_text(shape: PartialShape) -> str:
    """Returns a shape as text for messages, with '?' for unknown lengths."""
    if shape is None:
        return "?"
    body = ", ".join("?" if d is None else str(d) for d in shape)
    return f"({body},)" if len(shape) == 1 else f"({body})"


def other_count(op: Any, expected: int | None, count: int, absent: Sequence[int]) -> MXNetError:
    """Return the error for `count` inputs instead of `expected`; the inputs at the positions `absent` are missing."""
    if op.variadic and not count:
        return MXNetError(f"{op.name} takes one array or more, found none")
    if op.variadic and not absent:
        return MXNetError(f"{op.name} takes {expected} inputs, as its attributes say, found {count}")
    names = op.argument_names(count)
    missing = [name for i, name in enumerate(names) if i >= count or i in absent]
    problem = f"{', '.join(missing)} missing" if missing else f"{count} were given"
    return MXNetError(f"{op!r} takes {len(names)} inputs ({', '.join(names)}): {problem}.")


def whole_numbers(dtype: Any) -> int:
    """Returns the largest n such that a type can represent all integers up to n: 127 for int8, 2048 for float16, 2²⁴
    for float32."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return 2 ** (np.finfo(dtype).nmant + 1)
    if is_float(dtype):
        return 2 ** 8           # bfloat16 has 8 significant bits
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)
