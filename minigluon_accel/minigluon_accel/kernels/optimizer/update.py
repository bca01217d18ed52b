"""What the steps of optimizers on one weight share."""

from ...engine import Call, Phase
from ..registry import parts, reals, size

_LIMITS = ("clip_gradient", "clip_grad", "clip_weights")


def step(kernel, op, inputs, **more):
    """The Call of a step on one weight: the attributes of the operator, and what else the kernel takes."""
    if any(limit != limit for limit in (getattr(op, name, 0) for name in _LIMITS)):
        return "a limit that is NaN"
    count = size(inputs[0])
    return reals(*inputs) or Call(Phase(kernel, inputs[0].dtype, parts(count), size=count, **more))


def chosen(op, *names):
    """{name: attribute}"""
    return {name: getattr(op, name) for name in names}
