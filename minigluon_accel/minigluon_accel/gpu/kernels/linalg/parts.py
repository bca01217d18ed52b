"""Diagonals and triangles of matrices: extracting them, and building matrices from them."""

import numpy as np

from ...launch import THREADS, In, Launch, Out, SourceFile, Work, blocks, size, types
from ..registry import kernel_for

SOURCE = SourceFile("linalg/parts.cu")


def _work(kernel, vectors, matrices, count, where):
    """Returns a Work with one kernel. count: the number of threads. where: the last arguments."""
    if not count:
        return Work()
    return Work(Launch(SOURCE, kernel, types(vectors.dtype), blocks(count), THREADS,
                       [Out(0), In(0), count, vectors.shape[-1], matrices.shape[-1], *where]))


@kernel_for("_linalg_extractdiag")
def extractdiag(op, inputs, outputs):
    return _work("extractdiag", outputs[0], inputs[0], size(outputs[0]), [max(-op.offset, 0), max(op.offset, 0)])


@kernel_for("_linalg_makediag")
def makediag(op, inputs, outputs):
    return _work("makediag", inputs[0], outputs[0], size(outputs[0]), [max(-op.offset, 0), max(op.offset, 0)])


def _triangle(op):
    return [abs(op.offset), np.bool_(op.offset < 0 or (op.offset == 0 and op.lower))]


@kernel_for("_linalg_extracttrian")
def extracttrian(op, inputs, outputs):
    return _work("extracttrian", outputs[0], inputs[0], size(inputs[0]), _triangle(op))


@kernel_for("_linalg_maketrian")
def maketrian(op, inputs, outputs):
    return _work("maketrian", inputs[0], outputs[0], size(outputs[0]), _triangle(op))
