"""Operators that exist only for their gradients; the quadratic function; and allclose."""

import math

from ...launch import In, Launch, Out, SourceFile, Work, types
from ..compose import composed
from ..registry import kernel_for

__all__ = []

SOURCE = SourceFile("math/straight_through.cu")


@composed("_contrib_round_ste")
def round_ste(op, F, data):
    return F.round(data)


@composed("_contrib_sign_ste")
def sign_ste(op, F, data):
    return F.sign(data)


@composed("_contrib_gradientmultiplier")
def gradientmultiplier(op, F, data):
    return F.identity(data)


@composed("_contrib_quadratic")
def quadratic(op, F, data):
    return data * op.a * data + data * op.b + op.c


@kernel_for("_contrib_allclose")
def allclose(op, inputs, outputs):
    return Work(Launch(SOURCE, "allclose", types(inputs[0].dtype), 1, 1024, [
        Out(0), In(0), In(1), math.prod(inputs[0].shape), float(op.rtol), float(op.atol), int(op.equal_nan)]))
