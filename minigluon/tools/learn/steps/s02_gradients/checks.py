"""The checks of step 2: gradients come directly from the operators; there is no tape yet."""

import numpy as np

from ..... import ndarray as nd
from .....ops import REGISTRY
from .....ops.math.stretch import _sum_like
from .....ops.shapes import broadcast
from ...checking import check, expect, same


def _gradient(name, arrays, head=None):
    """Return (the operator's gradients for NumPy arrays, finite differences) of the sum of head · result."""
    op = REGISTRY[name]()
    inputs = [nd.array(a, dtype="float32") for a in arrays]
    out = op.forward(*arrays)
    head = np.arange(1, out.size + 1).reshape(out.shape) / 2 if head is None else head
    grads = op.gradient(nd, [nd.array(head, dtype="float32")], inputs, [nd.array(out, dtype="float32")])
    grads = grads if isinstance(grads, (list, tuple)) else [grads]
    return grads, [_differences(op, arrays, i, head) for i in range(len(arrays))]


def _differences(op, arrays, which, head, step=1e-4):
    """Return the gradient of the input at index `which`: how much a small change in each element changes the sum."""
    grad = np.zeros_like(arrays[which])
    for index in np.ndindex(grad.shape):
        ends = []
        for sign in (1, -1):
            moved = [a.copy() for a in arrays]
            moved[which][index] += sign * step
            ends.append((op.forward(*moved) * head).sum())
        grad[index] = (ends[0] - ends[1]) / (2 * step)
    return grad.astype("float32")


def _compare_unary(name, formula):
    x = np.array([[0.3, 1.5, 2.0], [0.7, 0.1, 4.0]])
    (actual,), (expected,) = _gradient(name, [x])
    same("{name}: for x = {x} and g = 0.5, 1, 1.5, ... the gradient", actual, expected, formula, 1e-3, name=name,
         x=x.tolist())


@check("sqrt_derivative", "the gradient of sqrt agrees with finite differences")
def differentiates_sqrt() -> None:
    _compare_unary("sqrt", "half of 1 / y, times g")


@check("sigmoid_derivative", "the gradient of sigmoid agrees with finite differences")
def differentiates_sigmoid() -> None:
    _compare_unary("sigmoid", "steepest where y is one half, flat where y is near 0 or 1, times g")


@check("tanh_derivative", "the gradient of tanh agrees with finite differences")
def differentiates_tanh() -> None:
    _compare_unary("tanh", "1 where y is 0, flat where y is near 1 or -1, times g")


BOTH = ("{name}: for inputs {lhs} and {rhs} the gradient of the first",
        "{name}: for inputs {lhs} and {rhs} the gradient of the second")


def _compare_binary(name, lhs, rhs, advice, head=None):
    actual, expected = _gradient(name, [lhs, rhs], head)
    expect(len(actual) == 2, "{name}: {count} gradients; expected 2, one for each input", name=name, count=len(actual))
    for case, f, e in zip(BOTH, actual, expected, strict=True):
        same(case, f, e, advice, 1e-3, name=name, lhs=lhs.tolist(), rhs=rhs.tolist())


X, Y = np.array([[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]]), np.array([[2.0, -1.0, 0.5], [4.0, 3.0, -2.0]])


@check("mul_derivative", "the gradients of a product")
def differentiates_mul() -> None:
    _compare_binary("elemwise_mul", X, Y, "the derivative with respect to one factor is the other one, times g")


@check("div_derivative", "the gradients of a quotient")
def differentiates_div() -> None:
    _compare_binary("elemwise_div", X, Y, "1 / y for the first and -x / y² for the second, times g")


@check("maximum_derivative", "the gradients of a maximum, ties included")
def differentiates_maximum() -> None:
    _compare_binary("_maximum", X, Y, "g where this input is the larger one, else 0")
    tie = nd.array([1.0, 2.0])
    first, second = REGISTRY["_maximum"]().gradient(nd, [nd.array([3.0, 5.0])], [tie, tie], [tie])
    same("maximum: for inputs [1, 2] and [1, 2], equal, and g = [3, 5] the gradient of the first", first,
         np.array([3, 5], "float32"), "at a tie all of g goes to the first")
    same("maximum: for inputs [1, 2] and [1, 2], equal, and g = [3, 5] the gradient of the second", second,
         np.array([0, 0], "float32"), "at a tie the first gets all of g; both together must not get more than g")


@check("broadcast", "the broadcast of two known shapes is the same as NumPy's")
def broadcasts() -> None:
    for a, b in [((2, 3), (2, 3)), ((2, 3), (1, 3)), ((1, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((), (4,)),
                 ((2, 1), (1, 5)), ((0, 1), (1, 3)), ((1,), (1,)), ((7, 1, 5), (6, 1))]:
        same("broadcast({a}, {b})", broadcast(a, b), np.broadcast_shapes(a, b),
             "from the right, equal dimensions stay, and a 1 is stretched to the other", a=a, b=b)
    for a, b in [((2, 3), (2, 4)), ((2,), (3,)), ((2, 3), (3, 2)), ((0,), (2,))]:
        same("broadcast({a}, {b})", broadcast(a, b), False, "two dimensions differ, and neither is 1", a=a, b=b)


@check("broadcast", "the broadcast of unknown dimensions")
def broadcasts_unknown() -> None:
    for a, b, expected, why in [
        ((None,), (3,), (3,), "the unknown one is 1 or 3, and the result is 3 in both cases"),
        ((3,), (None,), (3,), "the unknown one is 1 or 3, and the result is 3 in both cases"),
        ((None,), (1,), (None,), "a 1 is stretched to the other dimension, whatever it is"),
        ((1,), (None,), (None,), "a 1 is stretched to the other dimension, whatever it is"),
        ((None,), (None,), (None,), "nothing is known"),
        ((2, None), (4, 1, 5), (4, 2, 5), "each pair of dimensions is independent"),
    ]:
        same("broadcast({a}, {b})", broadcast(a, b), expected, why, a=a, b=b)


@check("_sum_like.forward", "a gradient is summed over the axes that were broadcast")
def sums() -> None:
    op = _sum_like()
    for big, small in [((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 3), (1, 3)), ((2, 3), (1, 1)), ((2, 3), ()),
                       ((4, 2, 3), (2, 1)), ((4, 2, 3), (4, 1, 3)), ((2, 1, 3), (1, 3)), ((5, 2, 3), (1, 2, 1)),
                       ((1, 2, 3), (2, 1)), ((0, 3), (1, 3))]:
        data = np.arange(1, np.prod(big, dtype=int) + 1, dtype="float32").reshape(big)
        actual = op.forward(data, np.zeros(small, "float32"))
        extra = len(big) - len(small)
        expected = data.sum(tuple(range(extra)))
        for axis, n in enumerate(small):
            if n == 1:
                expected = expected.sum(axis, keepdims=True)
        same("_sum_like: data {big} summed to the shape {small}", actual, np.asarray(expected, "float32"),
             "sum over the axes that were added in front, and over those that were stretched from length 1", big=big,
             small=small)
    actual = op.forward(np.ones((2, 3), "int8"), np.ones(3, "int8"))
    same("_sum_like: int8 data (2, 3) summed to (3,)", actual, np.array([2, 2, 2], "int8"),
         "the sum has the dtype of data; NumPy would use a wider one")


@check("Broadcast.gradient", "each gradient has the shape of its input")
def brings_back() -> None:
    lhs, rhs, g = nd.ones((2, 3)), nd.ones((3,)) * 2, nd.array([[1, 2, 3], [4, 5, 6]])
    for name, expected in [
        ("broadcast_add", ([[1, 2, 3], [4, 5, 6]], [5, 7, 9])),
        ("broadcast_sub", ([[1, 2, 3], [4, 5, 6]], [-5, -7, -9])),
        ("broadcast_maximum", ([[0, 0, 0], [0, 0, 0]], [5, 7, 9])),
        ("broadcast_power", ([[2, 4, 6], [8, 10, 12]], [0, 0, 0])),
    ]:
        op = REGISTRY[name]()
        out = op.forward(lhs.asnumpy(), rhs.asnumpy())
        grads = op.gradient(nd, [g], [lhs, rhs], [nd.array(out)])
        expect(isinstance(grads, list) and len(grads) == 2, "{name}: gradient returns {found}; expected a list of two",
               name=name, found=grads)
        for case, f, e in zip(BOTH, grads, expected, strict=True):
            same(case, f, np.array(e, "float32"), "sum over the axes that were broadcast", name=name, lhs=lhs.shape,
                 rhs=rhs.shape)


@check("Broadcast.gradient", "where there is no gradient, None is returned")
def leaves_none() -> None:
    lhs, rhs = nd.ones((2, 3)), nd.ones((3,))
    grads = REGISTRY["broadcast_equal"]().gradient(nd, [nd.ones((2, 3))], [lhs, rhs], [nd.ones((2, 3))])
    same("broadcast_equal: its gradients", grads, [None, None], "a comparison has no gradient: derivative returns "
         "None, and so must gradient")
