"""Writing in place, and head gradients."""

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd

from .gradients import gradient
from .table import ERROR, case

WRITTEN = ("WrittenInPlaceError: an array of shape (1,) was written in place after operator {} had recorded it, and "
           "its gradient needs the old value. Write to a copy instead, or call backward first.")


def written_between(square):
    x = nd.array([3])
    x.attach_grad()
    with autograd.record():
        y = square(x)
    x[:] = 5
    y.backward()
    return x.grad.asscalar()


@case("an array that the gradient needs", WRITTEN.format("square"), 10)
def written():
    return written_between(nd.square)


@case("an array that the gradient needs", WRITTEN.format("hybridized block"), 10)
def written_hybridized():
    net = gluon.nn.HybridLambda("square")
    net.hybridize()
    return written_between(net)


@case("an array that an executor's `backward` needs", WRITTEN.format("hybridized block"), 20)
def written_in_an_executor():
    a = mx.sym.var("a")
    executor = (a * a).bind(mx.cpu(), {"a": nd.array([3])}, {"a": nd.zeros((1,))})
    executor.forward(is_train=True)
    executor.arg_dict["a"][:] = 10
    executor.backward(nd.ones((1,)))
    return executor.grad_dict["a"].asscalar()


@case("a head gradient that has the same number", "AutogradError: a head of shape (2, 3) has a head gradient of shape "
      "(3, 2)", [[0, 6, 12], [18, 24, 30]])
def head_gradient_of_another_shape():
    return gradient(lambda x: x * x * 3, np.ones((2, 3)), np.arange(6).reshape(3, 2))


@case("a head gradient with fewer", "AutogradError: a head of shape (2, 3) has a head gradient of shape (2,)", ERROR)
def head_gradient_that_is_shorter():
    return gradient(lambda x: x * x * 3, np.ones((2, 3)), [1, 2])
