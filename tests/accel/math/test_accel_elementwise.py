"""Elementwise kernels: each loop against NumPy in wider numbers, special values, tails, memory in place, broadcasting,
fused chains."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.chains import Chains
from helpers.twin_checks import check
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.backend import BACKEND
from minigluon_accel.kernels import loops, programs

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import Spec
from minigluon.ops import REGISTRY
from minigluon_accel import engine


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erfinv_up_to_the_last_number_below_one(dtype):
    near = 1 - np.exp(-np.linspace(0, 40, 3000))            # from 0 on, ever nearer to 1
    x = np.concatenate([near, -near, np.linspace(-1, 1, 3001), [np.nextafter(np.dtype(dtype).type(1), 0), 1.5, np.nan]])
    check("erfinv", x, dtype=dtype)


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 5e-324, 1e-310, 1e30, -1e30, 88.8, 710.0,
           -104.5, -746.0, 0.5, -0.5, 3e38, 2.0, 1.5, 2.5,
           -2.5]
ATTRIBUTES = {"_power_scalar": {"scalar": 2.5}, "clip": {"a_min": -1.0, "a_max": 2.0},
              "_clip_grad": {"a_min": -1.0, "a_max": 2.0}, "Activation": {"act_type": "softrelu"},
              "LeakyReLU": {"act_type": "gelu"}, "MakeLoss": {}, "hard_sigmoid": {}, "smooth_l1": {"scalar": 0.7}}
# Units in the last place of float32 and of float64, where the loop is not exact
ULPS = dict.fromkeys(["exp", "expm1", "log", "log1p"], 2) | dict.fromkeys(
    ["log2", "log10", "tanh", "sigmoid", "erf", "rsqrt", "rcbrt", "cbrt", "sin", "cos"], 3)
LONG = {"exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
        "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "rsqrt": lambda x: 1 / np.sqrt(x)}


def names():
    return sorted(set(loops.operator_names()) - {"_fused", "where", "add_n"})


def made(name):
    return REGISTRY[name](**ATTRIBUTES.get(name, {"scalar": 1.5} if name.endswith("_scalar") else {}))


def both(op, *arrays):
    """The results of kernel and reference."""
    specs = [Spec(x.shape, x.dtype) for x in arrays]
    with np.errstate(all="ignore"):
        wanted = op.forward(*arrays)
        kernel = BACKEND.prepare(op, specs, [Spec(wanted.shape, wanted.dtype)], False, None)
        assert not isinstance(kernel, str), kernel
        return kernel.run(list(arrays))[0], wanted


def close(found, wanted, ulps=8, absolute=0.0):
    """Equal, or near beside the numbers' own digits."""
    unit = np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(found, wanted, rtol=ulps * unit, atol=max(ulps * unit * 1e-3, absolute), equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", names())
def test_special_values(name, dtype):
    op = made(name)
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL, dtype)
    grids = np.meshgrid(*[values] * len(op.list_arguments()))
    found, wanted = both(op, *[np.ascontiguousarray(g) for g in grids])
    if name == "LeakyReLU":         # by 1 + erf the reference loses digits of gelu below 0, which long numbers have
        with np.errstate(all="ignore"):
            wanted = op.forward(*[g.astype("float64") for g in grids]).astype(dtype)
    close(found, wanted, absolute=1e-14 if name == "gammaln" else 0)        # the reference's own error near its zeros
    if name not in ("maximum", "minimum", "relu") and "imum" not in name:
        zeros = (wanted == 0) & (found == 0)
        if name in ("exp", "expm1", "log1p", "tanh", "erf", "sqrt", "negative", "identity", "trunc", "floor"):
            np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(wanted[zeros]))


@pytest.mark.parametrize("size", [0, 1, 7, 8, 15, 16, 17, 31, 33, 64, 65, 1000, 5000])
@pytest.mark.parametrize("name", ["exp", "elemwise_sub", "_relu_grad", "_rminus_scalar"])
def test_tails(name, size):
    op = made(name)
    arrays = [np.random.default_rng(k).normal(size=size).astype("float32") for k in range(len(op.list_arguments()))]
    close(*both(op, *arrays))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(LONG))
def test_units_in_the_last_place(name, dtype):
    """Beside the same function in long numbers."""
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("no longer numbers here")
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(-4, 4, 20000), rng.uniform(-80, 80, 20000), np.exp(rng.uniform(-60, 60, 20000))])
    x = (np.abs(x) if "log" in name or name == "rsqrt" else x).astype(dtype)
    found, _ = both(made(name), x)
    with np.errstate(all="ignore"):
        exact = LONG[name](x.astype(np.longdouble))
        unit = np.spacing(np.abs(exact).astype(dtype)).astype(np.longdouble)
        error = np.abs(found - exact) / unit
    inside = np.isfinite(found) & (np.abs(exact) > np.finfo(dtype).tiny)
    assert error[inside].max() <= ULPS[name]


@pytest.mark.parametrize("name", ["exp", "_relu_grad", "elemwise_add", "where"])
def test_in_place(name):
    """The output may be the memory of any input."""
    op = made(name)
    count = len(op.list_arguments())
    for target in range(count):
        arrays = [np.random.default_rng(k).normal(size=3001).astype("float32") for k in range(count)]
        wanted = op.forward(*arrays)
        spec = Spec((3001,), np.dtype("float32"))
        BACKEND.prepare(op, [spec] * count, [spec], False, None).write(arrays, [arrays[target]])
        close(arrays[target], wanted)


def stretchable(draw):
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    one = [n if draw(st.booleans()) else 1 for n in shape][draw(st.integers(0, len(shape) - 1)):]
    other = [n if one_n == 1 or draw(st.booleans()) else 1
             for n, one_n in zip(shape, [1] * (len(shape) - len(one)) + one, strict=True)]
    return one, other


@given(st.data())
def test_broadcasting(data):
    one, other = stretchable(data.draw)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=one).astype("float32"), rng.normal(size=other).astype("float32")
    for name in ("broadcast_sub", "broadcast_div"):
        close(*both(made(name), x, y))
        close(*both(made(name), y, x))


@pytest.mark.parametrize("shapes", [((3000, 7), (7,)), ((40, 50, 49), (1, 50, 1)), ((300, 1), (1, 300)),
                                    ((5000,), (1,)), ((2, 3, 4, 5, 6), (2, 1, 4, 1, 6))])
def test_broadcasting_of_many_blocks(shapes):
    x, y = [np.random.default_rng(k).normal(size=shape).astype("float64") for k, shape in enumerate(shapes)]
    close(*both(made("broadcast_mul"), x, y))


def forward_steps(net):
    """Of each step of the forward part its operator; of a chain how many it has, and how many further outputs."""
    plan = next(iter(net._graphs.values())).compiled.last_plan
    steps = [step.op for step in plan.steps if step.phase == "forward"]
    return [(len(op.program), len(op.saved)) if op.name == "_fused" else op.name for op in steps]


class Bent(mx.gluon.HybridBlock):
    """One of some functions, a chain each."""

    def __init__(self, way):
        super().__init__()
        self.way = way

    def hybrid_forward(self, F, x):
        if self.way == "gelu":
            return x * (F.tanh((x + x * x * x * 0.044715) * 0.7978845608) + 1) * 0.5
        if self.way == "swish":
            return x * F.sigmoid(x * 1.5)
        if self.way == "gates":
            return F.tanh(F.sigmoid(x) * F.tanh(x) + F.sigmoid(-x)) * F.sigmoid(x - 1)
        bent = F.tanh(x)                # `max` reads it before the others are there: it is no part of their chain
        return [F.broadcast_add(bent, F.exp(bent.max(axis=1, keepdims=True))), bent, F.sqrt(F.exp(bent))]


# way: `forward_steps` of its plan with a gradient
BENT = {"gelu": [(9, 1)], "swish": [(3, 1)], "gates": [(10, 5)],
        "several results": ["tanh", "max", "exp", "broadcast_add", (2, 1)]}


def trained(way, shape, dtype, hybridize):
    """(the results and the gradient, the net)"""
    net, x = Bent(way), nd.array(np.random.default_rng(3).normal(size=shape), dtype=dtype)
    if hybridize:
        net.hybridize()
    x.attach_grad()
    with autograd.record():
        results = net(x)
    results = results if isinstance(results, list) else [results]
    autograd.backward(results, [nd.array(np.linspace(0, 1, y.size).reshape(y.shape), dtype=dtype) for y in results])
    return [y.asnumpy() for y in (*results, x.grad)], net


@pytest.mark.parametrize("way", BENT)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", [(3, 5), (1, 16), (70, 1001)])
def test_what_backward_reads_is_a_result_of_the_chain_that_computes_it(way, dtype, shape):
    found, net = trained(way, shape, dtype, hybridize=True)
    wanted, _ = trained(way, shape, dtype, hybridize=False)
    tolerance = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-12}[dtype]
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a.astype("float64"), b.astype("float64"), rtol=tolerance, atol=tolerance)
    assert forward_steps(net) == BENT[way]


@pytest.mark.parametrize("shape", [(3, 5), (1, 4), (70, 33), (400, 101)])
def test_chains_with_broadcasting(shape):
    rng = np.random.default_rng(3)
    arrays = [rng.normal(size=shape), rng.normal(size=(1, shape[1]))]

    def run(hybridize):
        net = Chains()
        if hybridize:
            net.hybridize()
        x = [nd.array(a, dtype="float64") for a in arrays]
        for a in x:
            a.attach_grad()
        with mx.autograd.record():
            outs = net(*x)
        mx.autograd.backward(outs)
        return [a.asnumpy() for a in (*outs, *[a.grad for a in x])]

    with mx.backend.use_backend("numpy"):
        wanted = run(False)
    for found in (run(True), run(False)):
        for f, w in zip(found, wanted, strict=True):
            np.testing.assert_allclose(f, w, rtol=1e-11, atol=1e-11)


def two_operands(loop):
    return f"{loop}_r" in engine.loops()


def run_lines(lines, arrays):
    """The last line's result. An operand below 0 is an array."""
    size, dtype = arrays[0].size, arrays[0].dtype
    spec, out, written = Spec((size,), dtype), np.empty(size, dtype), programs.LineProgram()
    for loop, operands, p, q in lines:
        written.add(loop, *[k if k >= 0 else ((size,), k + len(arrays)) for k in operands], p=p, q=q)
    programs.call(written, [spec] * len(arrays), spec)(list(arrays), [out])
    return out


def same_as_one_by_one(lines, size, dtype):
    """One program of all lines has the results of a loop of its own for each."""
    arrays = [np.random.default_rng(k).normal(size=size).astype(dtype) for k in range(3)]
    arrays[0][::7], arrays[1][::5], arrays[2][::11] = 0.5, 0, np.inf
    results = []
    for loop, operands, p, q in lines:
        own = [results[k] if k >= 0 else arrays[k] for k in operands]
        results.append(run_lines([programs.Line(loop, range(-len(own), 0), p, q)], own))
    np.testing.assert_array_equal(run_lines(lines, arrays), results[-1])


@pytest.mark.parametrize("loop", engine.loops("short_loops"))
def test_each_short_loop_joined(loop):
    """As the first of three lines, and as the second, where what it is handed is its first operand or its second."""
    two, one = [((-3, -2), (0, -1)), ((-3, -2), (-1, 0))], [((-3,), (0,))]
    for operands, handed in two if two_operands(loop) else one:
        line = programs.Line(loop, operands, 0.5, 2.0)
        for lines in ([line, programs.Line("sub", (0, -1), 0, 0), programs.Line("sub_l", (1,), 3.0, 0)],
                      [programs.Line("mul_r", (-3,), 0.7, 0), line._replace(operands=handed),
                       programs.Line("sub", (-1, 1), 0, 0)]):
            for size, dtype in [(5, "float32"), (777, "float32"), (333, "float64")]:
                same_as_one_by_one(lines, size, dtype)


@st.composite
def drawn_lines(draw):
    """Lines of short loops on three arrays, and now and then a longer one; operands are arrays or earlier lines."""
    lines = []
    for number in range(draw(st.integers(2, 9))):
        loop = draw(st.sampled_from([*engine.loops("short_loops"), "tanh"]))
        operands = tuple(draw(st.integers(-3, number - 1)) for _ in range(1 + two_operands(loop)))
        lines.append(programs.Line(loop, operands, draw(st.sampled_from([-1.5, 0.0, 0.3])), 2.0))
    return lines


@settings(max_examples=100)
@given(drawn_lines(), st.sampled_from([1, 16, 255, 257, 3001, 40000]), st.sampled_from(["float32", "float64"]))
def test_joined_lines_are_the_same_loops(lines, size, dtype):
    same_as_one_by_one(lines, size, dtype)


def test_which_lines_are_joined():
    """x x x 0.5 + x, the tanh of that, 1 minus its square: the first four, the tanh, and the last two."""
    x, lines = ((3,), 0), programs.LineProgram()
    cubed = lines.add("mul", lines.add("mul", x, x), x)
    lines.add("square", lines.add("tanh", lines.add("add", x, lines.add("mul_r", cubed, p=0.5))))
    lines.add("sub_l", 5, p=1.0)
    assert programs._joined(lines.lines) == [[0, 1, 2, 3], [4], [5, 6]]


def test_results_do_not_depend_on_threads():
    x = np.random.default_rng(0).normal(size=300001).astype("float32")
    before = engine.threads()
    results = []
    for threads in (1, 2, 3):
        engine.set_threads(threads)
        results.append(both(made("tanh"), x)[0])
    engine.set_threads(before)
    assert all(np.array_equal(results[0], r) for r in results)


OUTPUTS = ["LinearRegressionOutput", "MAERegressionOutput", "LogisticRegressionOutput", "MakeLoss"]


@pytest.mark.parametrize("op", OUTPUTS)
def test_gradients_that_outputs_define(op):
    """They take `_item_weight` and `_make_loss_grad`, fills with one number that follows from a shape."""
    values = np.random.default_rng(0).normal(size=(5, 3, 4)).astype("float32")

    def gradient():
        x, label = nd.array(values), nd.array(values[::-1])
        x.attach_grad()
        with autograd.record():
            y = nd.MakeLoss(x, grad_scale=3, normalization="batch") if op == "MakeLoss" else getattr(nd, op)(x, label)
        y.backward()
        return x.grad.asnumpy()
    with mx.backend.use_backend("numpy"):
        expected = gradient()
    np.testing.assert_allclose(gradient(), expected, rtol=1e-6)
