"""A gradient at a point."""

from minigluon import autograd, nd


def gradient(function, x, head_gradient=None):
    """The gradient of function at x, as a list."""
    x = nd.array(x)
    x.attach_grad()
    with autograd.record():
        y = function(x)
    y.backward(None if head_gradient is None else nd.array(head_gradient))
    return x.grad.asnumpy().tolist()
