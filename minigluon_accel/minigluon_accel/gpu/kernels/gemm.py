"""Matrix products: the choice of the kernel, the tiles, and the number of parts into which the depth is split.

All matrix multiplications use `product`: fully connected layers, dot, linalg, recurrent layers. Sufficiently large
products are passed to cuBLAS if it is installed.
"""

import math
import os
from typing import NamedTuple

import numpy as np

from minigluon.backend import Spec

from ..launch import THREADS, Launch, Scratch, SourceFile, Work, blocks, types
from .gemm_library import by_library

__all__ = ["Matrix", "Tiles", "all_tiles", "cut", "finished", "product", "processors", "tiles_for"]

SOURCE = SourceFile("gemm.cu")
SIMPLE_SOURCE = SourceFile("gemm_simple.cu")
INT_MAX = 2 ** 31 - 1
MAX_STEP = 2 ** 24          # how many rows a grid advances at a time, so that a 32-bit index does not wrap around
MAX_GRID = 2 ** 31 - 1      # blocks
MIN_DEPTH = 256             # the minimum depth of a part: with less depth, writing and adding the parts would dominate
MIN_VECTOR_ROWS = 64        # minimum number of rows with one column: fewer rows do not fill a GPU with one warp per row

ADDED = {None: 0, "column": 1, "row": 2, "matrix": 3}       # as in gemm.cu


class Matrix(NamedTuple):
    """A matrix in memory: an operand, strides (in elements) to the next row, column and matrix, and the first element.

    batch: strides along the two axes of a batch, (outer, inner).
    """

    operand: object
    row: int
    column: int
    batch: tuple = (0, 0)
    offset: int = 0

    @property
    def T(self):
        return self._replace(row=self.column, column=self.row)


class Tiles(NamedTuple):
    """A block's share of a product, as in tile.cuh. mma: the depth of a tensor core step, or 0 without tensor cores."""

    rows: int
    columns: int
    depth: int
    thread_rows: int = 0
    thread_columns: int = 0
    blocks: int = 2  # blocks on a multiprocessor, which limit a thread's registers to 65536 / 256 / blocks
    mma: int = 0

    @property
    def threads(self):
        if self.mma:
            return 256
        return self.rows // self.thread_rows * self.columns // self.thread_columns

    def count(self, rows, columns):
        """Returns how many tiles cover a matrix."""
        return -(-rows // self.rows) * -(-columns // self.columns)

    def defines(self, dtype, number):
        """Returns the macros of tile.cuh."""
        macros = {**types(dtype), "A": sums_type(dtype), "BM": self.rows, "BN": self.columns, "BK": self.depth,
                  "BLOCKS": self.blocks, "TM": self.thread_rows, "TN": self.thread_columns, "NUMBER": number}
        macros["S"] = macros["T"] if self.mma else macros["A"]
        return {**macros, "MMA": self.mma} if self.mma else macros


def sums_type(dtype):
    """Returns the type in which kernels sum.

    Integers wrap around, so their type has as few bits as possible: GPUs multiply 32-bit numbers.
    """
    if np.dtype(dtype).kind == "f":
        return types(dtype)["A"]
    return "unsigned long long" if np.dtype(dtype).itemsize == 8 else "unsigned"


def sums_dtype(dtype):
    """Returns the dtype of sums in scratch memory."""
    return np.dtype({"float": "float32", "double": "float64", "unsigned": "int32"}.get(sums_type(dtype), "int64"))


# A thread of the first tile holds 64 sums, 16 elements to multiply and 8 elements in flight, which fit in 128
# registers, so that a multiprocessor holds two blocks. These 512 threads hide the latency of shared memory, because
# each of them has 64 products to compute in the meantime. The other tiles are for fewer rows, and for products that are
# too small to fill a GPU with large tiles. A thread then reads more shared memory per product; a depth of 16 per step
# gives the reads of factors as much time to complete. benchmarks/gpu-kernels.md shows the compiler's results.
BIG, MEDIUM = Tiles(128, 128, 8, 8, 8), Tiles(64, 128, 16, 4, 8)
SMALL, FLAT = Tiles(64, 64, 16, 4, 4, 3), Tiles(32, 128, 16, 4, 4, 3)
# Eight-byte sums need twice the registers and shared memory, so there are fewer of them.
WIDE, WIDE_FLAT = Tiles(64, 64, 8, 4, 4), Tiles(32, 128, 8, 4, 4)

# The speed of a multiprocessor with each tile, relative to the first: estimated from products per read of shared memory
# (two reads of four elements for 16 products are half as fast as four reads for 64, and so on), not measured on a GPU.
SPEED = {BIG: 1.0, MEDIUM: 0.85, SMALL: 0.65, FLAT: 0.65, WIDE: 1.0, WIDE_FLAT: 1.0}
TENSOR_SPEED = {128: 1.0, 64: 0.6}              # keyed by the rows of the tile


def processors(device):
    """Returns how many multiprocessors a device has."""
    from ..driver import loaded
    return device.handle.get_attribute(loaded().device_attribute.MULTIPROCESSOR_COUNT)


def tiles_for(dtype, rows, columns, depth, batches, device):
    """Returns the Tiles for a product that minimize the work of the busiest multiprocessor."""
    dtype = np.dtype(dtype)
    step = _tensor_step(dtype, device)
    tensor = step and min(rows, columns, depth) >= 16
    speed = {tiles: TENSOR_SPEED[tiles.rows] if tensor else SPEED[tiles]
             for tiles in (_tensor_tiles(step) if tensor else _plain_tiles(dtype))}
    parts = max(1, depth // MIN_DEPTH)

    def time(tiles):
        area = tiles.rows * tiles.columns
        return max(batches * tiles.count(rows, columns) / processors(device), 1 / parts) * area / speed[tiles]
    return min(speed, key=time)


def all_tiles(dtype):
    """Returns all Tiles for a dtype; those for tensor cores come last."""
    step = {"float16": 16, "float32": 8}.get(np.dtype(dtype).name)
    return [*_plain_tiles(np.dtype(dtype)), *(_tensor_tiles(step) if step else [])]


def _plain_tiles(dtype):
    return (WIDE, WIDE_FLAT) if dtype.itemsize == 8 else (BIG, MEDIUM, SMALL, FLAT)


def _tensor_tiles(step):
    return [Tiles(side, side, 16, blocks=2 if side == 128 else 3, mma=step) for side in TENSOR_SPEED]


def _tensor_step(dtype, device):
    """Returns the depth of a tensor core step for a dtype, or 0 if tensor cores are not used.

    They are used for float16 with compute capability 8.0 or higher, and for float32, rounded to 10 bits, with
    MINIGLUON_TF32=1.
    """
    if device.capability < (8, 0):
        return 0
    if dtype == np.float16:
        return 16
    return 8 if dtype == np.float32 and os.environ.get("MINIGLUON_TF32") == "1" else 0


def cut(tiles, count, depth, device):
    """Returns (number of parts of the depth, their length), chosen so that each multiprocessor gets two blocks."""
    target = 2 * processors(device)
    parts = 1
    if count and 2 * count <= target:
        parts = max(1, min(target // count, depth // MIN_DEPTH))
    length = -(-depth // parts // tiles.depth) * tiles.depth if depth else 0
    return (-(-depth // length), length) if depth else (1, 0)


def product(dtype, rows, columns, depth, a, b, out, device, batches=(1, 1), added=None, by=None, relu=False, alpha=1.0,
            beta=1.0, scratch=0, way=None):
    """Returns the Work for out = alpha · a · b + an addend, followed by relu if set.

    a (rows, depth), b (depth, columns), out (rows, columns): Matrix objects, with `batches` matrices along (outer,
    inner). added: an operand. by: "column" or "row" if the addend has one value for each column or row, or "matrix" if
    it has the layout of out and is multiplied by `beta`. scratch: the index of the Work's first scratch buffer. way:
    None, or "tiles", "vector" or "plain" for tests.
    """
    count = math.prod(batches)
    if not rows * columns * count:
        return Work()
    if rows == 1 and columns > 1:           # the same, but with rows and columns exchanged
        rows, columns, a, b, out = columns, rows, b.T, a.T, out.T
        by = {"row": "column", "column": "row"}.get(by, by)
    number = _number(rows, columns, depth, batches, a, b, out)
    call = _ProductCall(dtype, rows, columns, depth, a, b, out, batches, added, by, relu, alpha, beta, number)
    if way == "plain":
        return Work(call.launch("gemm_plain", blocks(rows * columns * count), THREADS))
    outcome = by_library(call, device, scratch) if way is None else ""
    if isinstance(outcome, Work):
        return outcome
    dense = 1 in (a.row, a.column)
    if way == "vector" or (way is None and columns == count == 1 and rows >= MIN_VECTOR_ROWS and dense):
        work = Work(_vector(call))
    else:
        work = _tiled(call, device, scratch)
    work.note = f"own kernels: {outcome}"
    return work


def finished(dtype, rows, columns, out, batches=1, added=None, by=None, relu=False):
    """Returns the Launch that adds to a library's result, and applies relu. See `product`."""
    count, shape = batches * rows * columns, (batches, 1)
    call = _ProductCall(dtype, rows, columns, 0, out, out, out, shape, added, by, relu, 1.0, 0.0,
                        _number(rows, columns, 0, shape, out))
    return call.launch("gemm_finish", blocks(count), THREADS)


def _number(rows, columns, depth, batches, *matrices):
    """Returns the type of indices: "int" if all offsets are below 2^31."""
    sides = [(rows, depth), (depth, columns), (rows, columns)]
    ends = [m.offset + np.dot((m.row, m.column, *m.batch), (*side, *batches))
            for m, side in zip(matrices, sides[-len(matrices):], strict=True)]
    return "int" if max(*ends, rows * columns * math.prod(batches), depth) < INT_MAX - MAX_STEP else "long long"


class _ProductCall(NamedTuple):
    """A product with all arguments of its kernels."""

    dtype: object
    rows: int
    columns: int
    depth: int
    a: Matrix
    b: Matrix
    out: Matrix
    batches: tuple
    added: object
    by: str
    relu: bool
    alpha: float
    beta: float
    number: str

    def launch(self, function, grid, block, tiles=None, parts=None, splits=1, length=None):
        """Returns a Launch. The functions take different operands, but their other arguments are the same. tiles: for
        gemm_tiles."""
        out, a, b = self.out.operand, self.a.operand, self.b.operand
        added = self.added if self.by else a            # not read, but must be an address
        operands = {"gemm_tiles": [out, a, b, added, parts or a], "gemm_sum": [out, added, parts],
                    "gemm_finish": [out, added]}.get(function, [out, a, b, added])
        source, defines = SOURCE, None
        if tiles is None:
            source = SIMPLE_SOURCE
            defines = {**types(self.dtype), "A": sums_type(self.dtype), "NUMBER": self.number}
        return Launch(source, function, defines or tiles.defines(self.dtype, self.number), grid, block,
                      [*operands, self.numbers(splits, length), float(self.alpha), float(self.beta)])

    def numbers(self, splits, length):
        """Returns struct Product of gemm.cu."""
        factors = [(m.offset, m.row, m.column, *m.batch) for m in (self.a, self.b, self.out)]
        return np.array([self.rows, self.columns, self.depth, math.prod(self.batches), self.batches[1], splits,
                         self.depth if length is None else length, ADDED[self.by], self.relu, *sum(factors, ())],
                        np.int32 if self.number == "int" else np.int64)


def _tiled(call, device, scratch):
    rows, columns, depth, batches = call.rows, call.columns, call.depth, math.prod(call.batches)
    tiles = tiles_for(call.dtype, rows, columns, depth, batches, device)
    count = batches * tiles.count(rows, columns)
    splits, length = cut(tiles, count, depth, device)
    parts = Scratch(scratch) if splits > 1 else None
    if count * splits > MAX_GRID:
        return Work(call.launch("gemm_plain", blocks(rows * columns * batches), THREADS))
    first = call.launch("gemm_tiles", count * splits, tiles.threads, tiles, parts, splits, length)
    if splits == 1:
        return Work(first)
    second = call.launch("gemm_sum", blocks(rows * columns * batches), THREADS, None, parts, splits, length)
    return Work(first, second, scratch=[Spec((splits * batches * rows * columns,), sums_dtype(call.dtype))])


def _vector(call):
    if call.a.column == 1:
        return call.launch("gemv_along", blocks(call.rows, THREADS // 32), THREADS)
    return call.launch("gemv_across", blocks(call.rows, 32), (32, 8))
