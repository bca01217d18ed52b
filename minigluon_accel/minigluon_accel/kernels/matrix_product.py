"""Matrix products: each factor is a `Matrix`, and `product` returns the Phase that multiplies two of them.

Fully connected layers, dot, batch_dot, linalg_gemm, recurrent and deformable layers, and all their gradients use these
products (see `csrc/nn/matrix_product.c`).
"""

from typing import NamedTuple

from minigluon.backend import Spec

from ..engine import Call, Phase
from .registry import parts

__all__ = ["Matrix", "product", "product_call"]

MAX_NARROW = 8              # with at most this many rows or columns, most of the time is spent reading the other matrix
LEAST = 2 ** 10             # the minimum number of elements in such a matrix in a batch; with fewer, packing is as fast
MACS = 2 ** 20              # the number of multiplications in a part, which takes about 20 microseconds
READS = 2 ** 15             # the number of matrix elements that a part reads, each of them once
MIN_COLUMNS = 256         # the minimum number of columns of a strip, because reading narrow strips is slow
LONG, CHUNK = 2 ** 12, 2 ** 10      # the minimum depth that is divided, and the depth of its pieces
MOST_SUMS = 2 ** 22         # the maximum number of elements in memory for the products of the pieces
MOST_BATCHES = 64           # larger batches are not divided


class Matrix(NamedTuple):
    """A factor in memory: its index in io, its strides between rows, columns and batches, and its first element."""

    place: int
    row: int
    column: int
    batch: int = 0
    first: int = 0

    @property
    def T(self):
        return self._replace(row=self.column, column=self.row)


def product(dtype, shape, depth, a, b, out, bias=-1, relu=False, batches=1, matrix=False, alpha=1.0, beta=0.0,
            out_first=0, bias_first=0):
    """Returns the Phase for out (batches, rows, columns) = alpha · a · b + beta · c in C order; shape: (rows, columns).

    a (rows, depth), b (depth, columns): Matrix. out: an index in io. bias: the index of an array with one element per
    column or, with matrix=True, of c, which has the shape of out; -1 for neither. out_first, bias_first: the offsets of
    their first elements.
    """
    rows, columns = shape
    if alpha == 1 and not matrix:
        phase = _few(dtype, rows, columns, depth, a, b, out, bias, relu, out_first, bias_first, batches)
        if phase is not None:
            return phase
    return Phase(
        "matrix_product", dtype, parts(batches * rows * columns * max(depth, 1), MACS),
        a=a.place, b=b.place, c=bias, out=out, a_first=a.first, b_first=b.first, c_first=bias_first,
        out_first=out_first, batches=batches, rows=rows, columns=columns, depth=depth,
        a_batch=a.batch, a_row=a.row, a_depth=a.column, b_batch=b.batch, b_depth=b.row, b_column=b.column,
        relu=relu, has_matrix=matrix, alpha=alpha, beta=beta)


def product_call(dtype, shape, depth, a, b, out, batches=1, bias=-1, **how):
    """Returns the Call for `product`. A large depth is divided into pieces whose products are added.

    If a million numbers were added sequentially, the sum would lose three digits.
    """
    rows, columns = shape
    pieces = min(-(-depth // CHUNK), MOST_SUMS // max(rows * columns * batches, 1))
    if depth <= LONG or pieces < 2 or batches > MOST_BATCHES or how.get("relu"):
        return Call(product(dtype, shape, depth, a, b, out, batches=batches, bias=bias, **how))
    length = -(-depth // pieces)
    pieces = -(-depth // length)
    whole, size, phases = (pieces - 1) * length, rows * columns, []
    for batch in range(batches):
        first, last = [[m._replace(first=m.first + batch * m.batch + start * step, batch=length * step)
                        for m, step in ((a, a.column), (b, b.row))] for start in (0, whole)]
        place = batch * pieces * size
        alpha = how.get("alpha", 1.0)
        phases += [
            product(dtype, shape, length, *first, out + 1, batches=pieces - 1, alpha=alpha, out_first=place),
            product(dtype, shape, depth - whole, *last, out + 1, bias=bias, out_first=place + (pieces - 1) * size,
                    bias_first=batch * size if how.get("matrix") else 0, **how)]
    kind = "sum_rows" if size == 1 else "sum_columns"
    phases.append(Phase(kind, dtype, parts(batches * pieces * size), source=out + 1, target=out, outer=batches,
                        rows=pieces, inner=size, chunks=1, finish=0, divisor=1.0))
    return Call(*phases, scratch=[Spec((batches * pieces * size,), dtype)])


def _few(dtype, rows, columns, depth, a, b, out, bias, relu, out_first, bias_first, batches):
    """Returns the Phase for products with few rows or columns, or None. In a batch, parts consist of whole products."""
    wide = (rows, columns, a, b, columns, 1, False)         # if a has few rows, the matrix is b
    tall = (columns, rows, b.T, a.T, 1, columns, True)      # if b has few columns, the matrix is a
    for few, many, short, large, out_few, out_many, bias_few in (wide, tall) if rows <= columns else (tall, wide):
        if (0 < few <= MAX_NARROW and 1 in (large.row, large.column)
                and (batches == 1 or batches > 1 and many * depth >= LEAST)):
            along = large.row == 1 and (depth > 1 or large.column != 1)
            most = min(batches, 64) if batches > 1 else 64 if along else max(many // MIN_COLUMNS, 1)
            return Phase(
                "few_dots" if along else "few_sums", dtype,
                parts(batches * many * max(depth, 1), READS, most) if many else 0,
                few_at=short.place, many_at=large.place, bias_at=bias, out_at=out, few_first=short.first,
                many_first=large.first, bias_first=bias_first, out_first=out_first, few=few, many=many, depth=depth,
                few_step=short.row, few_depth=short.column, many_step=large.column if along else large.row,
                out_few=out_few, out_many=out_many, bias_few=bias_few, relu=relu, batches=batches,
                few_batch=short.batch, many_batch=large.batch, out_batch=rows * columns)
    return None
