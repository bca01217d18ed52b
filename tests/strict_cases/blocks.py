"""Blocks, parameters, and what is bound."""

import minigluon as mx
from minigluon import autograd, gluon, nd

from .gradients import gradient
from .table import ERROR, case


@case("`collect_params().setattr`", "ArgumentError: setattr: a Parameter has no attribute 'lr_mutl'. Did you mean "
      "'lr_mult'?", 3)
def attribute_of_parameters():
    net = gluon.nn.Dense(2)
    net.collect_params().setattr("lr_mutl", 3)
    return net.weight.lr_mutl


@case("`Dropout`, `DropoutCell` with a negative rate", "ArgumentError: Dropout: rate is -0.5, expected a number from 0 "
      "to 1, the share of elements that are dropped", [1, 1])
def negative_rate():
    layer = gluon.nn.Dropout(-0.5)
    with autograd.train_mode():
        return layer(nd.ones(2)).asnumpy().tolist()


@case("the number 0 as an initializer", "ArgumentError: Parameter 'fc_bias': init is 0, expected an initializer such "
      "as mx.init.Xavier(). For this value: mx.init.Constant(0).", None)
def zero_for_an_initializer():
    return gluon.nn.Dense(2, bias_initializer=0, prefix="fc_").bias.init


@case("an unknown flag of `hybridize`", "ArgumentError: Dense 'net': hybridize has no argument 'static_aloc'; it has "
      "active, backend, clear, static_alloc, static_shape, inline_limit, forward_bulk_size, backward_bulk_size, "
      "recompute, memory, passes. Did you mean 'static_alloc', 'static_shape'?", None)
def flag_of_hybridize():
    gluon.nn.Dense(2, prefix="net_").hybridize(static_aloc=True)


class Square(autograd.Function):
    """x² whose own gradient is wrong."""

    def forward(self, x):
        return x * x

    def backward(self, dy):
        return dy * 100


class WithFunction(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return Square()(x)


@case("`autograd.Function` in a hybridized block", "NotImplementedForSymbol: Square is an autograd.Function, which "
      "takes arrays and was given a Symbol: a hybridized block cannot hold it. Write it as an mx.operator.CustomOp, or "
      "leave the block imperative.", [2, 4])
def function_in_a_graph():
    net = WithFunction()
    net.hybridize()
    net(nd.ones((2,)))
    return gradient(net, [1, 2])


@case("`grad_req` of the wrong length", "ArgumentError: bind: grad_req has 1 entries, expected 2: a, b", ERROR)
def grad_req():
    (mx.sym.var("a") * mx.sym.var("b")).bind(mx.cpu(), [nd.ones((1,))] * 2, [nd.ones((1,))] * 2, grad_req=["write"])
