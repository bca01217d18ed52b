"""Which calls of the table of operators meet a kernel that refuses its values, so that the reference answers."""

import numpy as np

from helpers import misfits
from minigluon.backend import Spec, available
from minigluon.base import MXNetError
from minigluon.dispatch import infer
from minigluon.ops import REGISTRY

__all__ = ["refused_calls", "refuses"]

VALUES = [0, np.nan, np.inf, -np.inf, -1, -3, 1000]


def refuses(op, arrays, train):
    """Does the plugin's kernel leave these values to the reference?"""
    inputs = [Spec(a.shape, a.dtype) for a in arrays]
    refused = []
    try:
        outputs = infer(op, inputs)
        kernel = available()["accel"].prepare(op, inputs, outputs, train, None)
    except MXNetError:
        return False
    if isinstance(kernel, str) or not hasattr(kernel.write, "fallback"):
        return False
    kernel.write.fallback = lambda *_: refused.append(True)
    with np.errstate(all="ignore"):
        kernel.write([a.copy() for a in arrays], [np.zeros(spec.shape, spec.dtype) for spec in outputs])
    return bool(refused)


def larger():
    """Calls whose kernels are for larger images than the table has: [(op, arrays, train)]."""
    rng = np.random.default_rng(5)

    def u(*shape):
        return rng.uniform(-1, 1, shape).astype("float32")
    found = []
    for channels, groups in (16, 1), (16, 16), (4, 1):
        attributes = {"kernel": (3, 3), "pad": (1, 1), "num_filter": channels, "num_group": groups, "no_bias": True}
        data, weight = u(2, channels, 16, 16), u(channels, channels // groups, 3, 3)
        found.append((REGISTRY["Convolution"](**attributes), [data, weight], True))
        found.append((REGISTRY["Deconvolution"](**attributes), [data, weight], True))
    return found


def refused_calls(draw, tries=3, names=None):
    """[(op, arrays, train)]: for each call of each row and each input, the values that the kernel refuses first.

    names: of the only operators to try.
    """
    found = {}
    rows = [row for op, own in misfits.row_names().items() if names is None or op in names for row in own]
    for calls in [*map(misfits.calls_of, rows), larger()]:
        for op, arrays, train in calls:
            if op.dynamic or op.random or not op.num_outputs or not (names is None or op.name in names):
                continue
            for place, array in enumerate(arrays):
                for value in VALUES if array.size else ():
                    for _ in range(tries):
                        changed = list(arrays)
                        changed[place] = misfits.revalued(array, draw.randrange(array.size), value)
                        if refuses(op, changed, train):
                            found[op, tuple(a.shape for a in arrays), place, str(value)] = op, changed, train
                            break
    return list(found.values())

