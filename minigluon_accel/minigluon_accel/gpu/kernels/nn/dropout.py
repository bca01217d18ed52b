"""Dropout, with the same masks as on the CPU if the seeds are equal: see `philox.py`."""

import numpy as np

from minigluon.backend.wide import wide_dtype

from ....strides import collapse, row_major, stretched
from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, size, types
from ..philox import DRAWS, is_supported, take
from ..registry import kernel_for

SOURCE = SourceFile("nn/dropout.cu")


@kernel_for("Dropout")
def dropout(op, inputs, outputs, train, rng, device):
    data, mask = outputs
    computed = wide_dtype(data.dtype)
    count, ones, defines = size(data), size(mask), types(data.dtype, W=computed)
    if not op.draws(train):
        return _work("dropout_pass", defines, max(count, ones), [Out(0), Out(1), In(0), count, ones])
    if not is_supported(rng):
        return "another generator"
    scale = computed.type(1 / (1 - op.p) if op.p < 1 else 0)
    numbers = [ones, np.float32(op.p), scale]
    if data.shape == mask.shape:
        work = _work("dropout", defines, -(-count // 8), [Out(0), Out(1), In(0), Scratch(0), *numbers])
    else:
        work = _work("dropout_mask", defines, -(-ones // 8), [Out(1), Scratch(0), *numbers])
        lengths, (strides, _) = collapse(data.shape, [stretched(mask.shape, row_major(mask.shape), data.shape),
                                                      row_major(data.shape)])
        work.launches += _work("apply_mask", defines, count, [
            Out(0), In(0), Out(1), count, np.int32(len(lengths)), dims(lengths), dims(strides), scale]).launches
    if ones:
        work.launches.insert(0, take(rng, ones, device))
    work.scratch = [DRAWS]
    return work


def _work(kernel, defines, threads, arguments):
    if not threads:
        return Work()
    return Work(Launch(SOURCE, kernel, defines, blocks(threads), THREADS, arguments))
