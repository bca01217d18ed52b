"""How many elements are in each bin, of equal ones or of those between given edges."""

import numpy as np

from minigluon.backend import Spec
from minigluon.base import ArgumentError

from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, Work, blocks, size
from ..checks import read_back
from ..reductions import ctype
from ..registry import kernel_for


@kernel_for("_histogram")
def histogram(op, inputs, outputs, device):
    data, equal = inputs[0], op.bin_cnt is not None
    bins = outputs[0].shape[0]
    # the reference's edges are of this type, before they are rounded to that of data
    edge = (data.dtype if data.dtype.kind == "f" else np.dtype("float64")) if equal else inputs[1].dtype
    defines = {"T": ctype(data.dtype), "EDGE": ctype(edge)}

    def launch(function, count, *arguments):
        return Launch("array/histogram.cu", function, defines, blocks(count), THREADS, arguments)
    if equal:
        low, high = (float(end) for end in op.range)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges, before = Scratch(0), [launch("equal_edges", bins + 1, Scratch(0), Out(1), bins, low, high)]
    else:
        edges = In(1)
        before = [Enqueue("_histogram: bins", _order(op, inputs[1], device), [In(1)], replayable=False),
                  launch("given_edges", bins + 1, In(1), Out(1), bins + 1)]
    if bins:
        before.append(launch("no_counts", bins, Out(0), bins))
    if bins and size(data):
        before.append(launch("count_in_bins", size(data), In(0), edges, Out(0), size(data), bins))
    return Work(*before, scratch=[Spec((bins + 1,), edge)] if equal else [])


def _order(op, bins, device):
    """A function that raises ArgumentError where edges decrease."""
    def check(stream, pointers):
        found = np.empty(bins.shape, bins.dtype)
        read_back(device, stream, found, pointers[0])
        if not (found[1:] >= found[:-1]).all():
            raise ArgumentError(f"{op.name}: bins must not decrease, found {found.tolist()}")
    return check
