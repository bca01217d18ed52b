"""What must come of a call that may not fit, on the GPU: an error before a kernel runs, or NumPy's result."""

import math

import numpy as np
from minigluon_accel.gpu import BACKEND

import minigluon as mx
from helpers.misfit_checks import by_numpy, complete, generator, judged
from helpers.misfits import LARGE
from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.dispatch import infer

__all__ = ["LostDeviceError", "check"]

GPU = mx.gpu()
# For matrices without full rank (the sign of a rounding error), or with equal eigenvalues.
NOT_UNIQUE = {"_linalg_gelqf", "_linalg_slogdet", "_linalg_syevd"}


class LostDeviceError(Exception):
    """The device has failed: a kernel has touched what it must not."""


def check(op, arrays, train, layouts):
    """Run a call by NumPy's `forward` and by the GPU's kernel. Raises AssertionError, Lost; returns what came of it."""
    inputs = [Spec(a.shape, a.dtype) for a in arrays]
    what = f"{op!r} on {inputs}" + (f", {layouts}" if layouts else "")
    try:
        outputs = infer(op, inputs)
    except MXNetError:
        return "refused"
    if op.dynamic:
        return "of unknown shape"
    if sum(math.prod(spec.shape) for spec in (*inputs, *outputs)) > LARGE:
        return "too large"
    backend = BACKEND.on(GPU)

    def prepare():
        return backend.prepare(op, inputs, outputs, train, generator(op))
    try:
        kernel = prepare()
    except MXNetError:
        return "refused"
    if isinstance(kernel, str):
        return "no kernel"
    wanted = by_numpy(op, arrays, train, what)
    if kernel.write is None:
        return "no memory of its own"
    runs = [written(prepare(), [placed(a, holes and place in layouts) for place, a in enumerate(arrays)],
                    outputs, fill, what) for fill, holes in ((0x5a, False), (0xff, True))]
    if op.random:
        return "not compared"           # the device draws numbers of its own
    if isinstance(wanted, list) and None not in runs:
        runs = [[told(found, right) for found, right in zip(run, complete(op, wanted, arrays), strict=True)]
                for run in runs]
    if op.name in NOT_UNIQUE:
        return "not compared"
    return judged(op, runs, wanted, arrays, bool(layouts), what)


def told(found, right):
    """What was found, but NumPy's least integer where it has that: what NaN and infinity become is not told."""
    if right is None or right.dtype.kind != "i" or found.shape != right.shape:
        return found
    return np.where(right == np.iinfo(right.dtype).min, right, found)


def placed(array, holes):
    """The array on the GPU, as a view with other elements between its own where `holes` asks for it."""
    backend = BACKEND.on(GPU)
    if not holes or not array.ndim or not array.size:
        return backend.from_numpy(array, GPU)
    return backend.from_numpy(np.repeat(array, 2, -1), GPU)[..., ::2]


def written(kernel, inputs, outputs, fill, what):
    """[outputs, then inputs afterwards] of a kernel whose targets were full of one byte; None: it refuses."""
    backend = BACKEND.on(GPU)
    targets = []
    for shape, dtype in (*outputs, *kernel.scratch):
        full = np.full(math.prod(shape) * dtype.itemsize, fill == 0xff if dtype.kind == "b" else fill, np.uint8)
        targets.append(backend.from_numpy(full.view(dtype).reshape(shape), GPU))
    try:
        kernel.write(list(inputs), targets)
        return [backend.to_numpy(b) for b in (*targets[:len(outputs)], *inputs)]
    except MXNetError as error:
        try:
            backend.to_numpy(backend.from_numpy(np.ones(3), GPU))
        except MXNetError:
            raise LostDeviceError(f"{what}: {error}") from None
        return None
