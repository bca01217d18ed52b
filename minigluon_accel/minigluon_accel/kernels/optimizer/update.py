"""Functions shared by the optimizer steps on one weight."""

from ...engine import Call, Phase
from ..registry import parts, reals, size

_LIMITS = ("clip_gradient", "clip_grad", "clip_weights")


def step(kernel, op, inputs, **more):
    """Returns the Call of a step on one weight, from the operator's attributes and the kernel's other arguments."""
    if any(limit != limit for limit in (getattr(op, name, 0) for name in _LIMITS)):
        return "a limit that is NaN"
    count = size(inputs[0])
    return reals(*inputs) or Call(Phase(kernel, inputs[0].dtype, parts(count), size=count, **more))


def chosen(op, *names):
    """Returns {name: attribute}."""
    return {name: getattr(op, name) for name in names}
