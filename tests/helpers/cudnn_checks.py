"""cuDNN's stand-in in the place of the library, and what tests ask of operators that go through it."""

import numpy as np
from minigluon_accel.gpu import autotuning, kernels
from minigluon_accel.gpu.cudnn import convolution, library

from helpers.cudnn_stand_in import StandIn
from helpers.gpu_checks import Twin, backend
from minigluon.backend import Spec
from minigluon.backend.forgetting import forget_kernels

__all__ = ["arrays_for", "check", "forget", "standing_in", "ways", "work_of"]


def standing_in(monkeypatch):
    """Yield the stand-in, and take care that nothing is left of it: the body of a fixture."""
    stand_in = StandIn()
    monkeypatch.setattr(library, "loaded", lambda: stand_in.functions)
    monkeypatch.setattr(library, "available", lambda: None)
    monkeypatch.setattr(library, "_handles", {})
    forget()
    for name in ("MINIGLUON_CUDNN", "MINIGLUON_TF32"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MXNET_CUDNN_AUTOTUNE_DEFAULT", "0")     # who is faster here says nothing
    yield stand_in
    forget()
    assert not stand_in.errors


def forget():
    """What is prepared with another library."""
    convolution._planned.cache_clear()
    autotuning._choices.clear()
    forget_kernels()


def arrays_for(op, batch, channels, space, dtype="float32"):
    """data, weight, bias, and an array like the result."""
    geometry, rng = op.geometry(), np.random.default_rng(0)
    shapes = [geometry.shape(batch, channels, space),
              geometry.shape(op.num_filter, channels // geometry.groups, geometry.kernel), (op.num_filter,)]
    shapes.append(op.infer_shape(*shapes)[1][0])
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def check(op, *arrays, train=False):
    twin = Twin(op, list(arrays), train)
    assert twin.declined is None
    assert twin.check()


def work_of(op, *shapes, dtype="float32", train=False):
    specs = [Spec(shape, np.dtype(dtype)) for shape in shapes]
    outputs = [Spec(shape, np.dtype(dtype)) for shape in op.infer_shape(*shapes)[1]]
    return kernels.find(op, specs, outputs, train, None, backend().device)


def ways(cudnn):
    """What was computed, without the rankings before."""
    return [call for call in cudnn.calls if isinstance(call, tuple)]
