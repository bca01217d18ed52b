"""Elementwise operators on the GPU: rows of the table of cases, drawn types, shapes and values, the generated texts."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.gpu_checks import GPU, Twin, agree, backend, to_gpu
from helpers.rows import operators_of
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import elementwise_codegen, expressions, kernels, launch
from minigluon_accel.gpu.compile import Runner, image_of, prepare
from minigluon_accel.gpu.formulas import UntraceableError, Value, to_lines
from minigluon_accel.gpu.kernels.array import convert, sources
from minigluon_accel.gpu.kernels.math import broadcast, elementwise, scalar, special, stretch
from minigluon_accel.gpu.kernels.nn import activation
from minigluon_accel.gpu.launch import In, Out
from op_cases import CASES

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import Spec
from minigluon.base import DTypeError
from minigluon.dispatch import infer
from minigluon.hybrid.fused_chain import FusedChain
from minigluon.ops import REGISTRY
from minigluon.ops.kinds import Elementwise
from minigluon.ops.math.broadcast import Binary
from minigluon.ops.math.elementwise import Unary
from minigluon.ops.math.scalar import Scalar
from minigluon.ops.numeric import cast

HERE = {module.__name__ for module in (activation, broadcast, convert, elementwise, scalar, sources, special, stretch)}
OWN = sorted(name for name, function in kernels.prepared_operators().items()
             if (function.__module__ in HERE or name == "where") and name in REGISTRY)
# Rows of the tables all go one way, and `test_formulas` has each of their formulas: a few of them here.
TABLES = [name for name in OWN if issubclass(REGISTRY[name], (Unary, Binary, Scalar))]
CHECKED = set(OWN) - set(TABLES) | set(TABLES[::6])
ROWS = [case for case in CASES if REGISTRY[case.op].name in OWN]
DTYPES = ["float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool"]


def seen_once(calls, seen):
    """Those calls of operators to check that are not in `seen` yet."""
    for op, arrays, train in calls:
        key = op, train, tuple([(a.shape, a.dtype) for a in arrays])
        if op.name in CHECKED and key not in seen:
            seen.add(key)
            yield op, arrays, train


def test_rows():
    """Rows of the table of cases, forward, and the operators of their gradients."""
    seen, calls = set(), []
    for case in ROWS:
        calls += seen_once(operators_of(case, case.inputs("float32")), seen)
    compile_at_once(calls)
    for op, arrays, train in calls:
        twin = Twin(op, arrays, train)
        assert twin.declined is None or op.random, (op, twin.declined)
        twin.check()
    assert len(seen) > 100


def compile_at_once(calls):
    """Compile the kernels of many operators with all processors; what follows finds them in the cache."""
    texts, device = set(), backend().device
    for op, arrays, train in calls:
        specs = [Spec(a.shape, a.dtype) for a in arrays]
        work = None if op.random else kernels.find(op, specs, infer(op, specs), train, None, device)
        texts |= {(step.source, tuple(step.defines.items())) for step in getattr(work, "launches", ())}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda text: image_of(text[0], dict(text[1]), device.architecture), texts))


# -- every formula in every type --------------------------------------------------------------------------------------

ATTRIBUTES = {"_power_scalar": {"scalar": 2.5}, "clip": {"a_min": -1.0, "a_max": 2.0},
              "_clip_grad": {"a_min": -1.0, "a_max": 2.0}, "_polygamma": {"n": 2}, "smooth_l1": {"scalar": 0.7}}
VARIANTS = [("_power_scalar", {"scalar": p}) for p in (-1.0, 1.0, 2.0, 3.0)]
VARIANTS += [("_mod_scalar", {"scalar": p}) for p in (0.0, -1.0, -2.5)]
VARIANTS += [("_div_scalar", {"scalar": p}) for p in (0.0, -1.0)]
VARIANTS += [("Activation", {"act_type": t}) for t in ("relu", "sigmoid", "tanh", "softrelu", "softsign")]
VARIANTS += [("LeakyReLU", {"act_type": t}) for t in ("elu", "gelu", "leaky", "selu")]
VARIANTS += [("_polygamma", {"n": 0})]
# Those whose results in whole numbers are exact; others go through float64, where results may be out of range.
EXACT = {cls.name for cls in REGISTRY.values()
         if issubclass(cls, (Binary, Scalar)) and "power" not in cls.name and "hypot" not in cls.name}
EXACT |= {"abs", "negative", "sign", "square", "relu", "logical_not", "_relu_grad", "_grad_add", "identity", "where"}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 1e-300, 1e30, -1e30, 88.8, 710.0, -104.5, 0.5,
           -0.5, 3e38, 2.0, 1.5, 2.5, -2.5, 7.0, -3.0, 0.9, 60000.0]
NUMBERS = [0, 1, 2, 3, 5, 7, 100, 127, -1, -2, -3, -7, -128]


def operators_with(count):
    """Operators of so many operands, with attributes."""
    names = [(name, ATTRIBUTES.get(name, {"scalar": 1.5} if name.endswith("_scalar") else {})) for name in OWN
             if issubclass(REGISTRY[name], Elementwise) and REGISTRY[name].arguments != ("args",)
             and not name.startswith("broadcast_") and name not in ("Activation", "LeakyReLU")]
    made = [REGISTRY[name](**attrs) for name, attrs in [*names, *VARIANTS]]
    return [op for op in made if len(op.list_arguments()) == count]


def accepting(ops, dtype):
    """Those that take such operands and give results of that type."""
    def accepts(op):
        try:
            return op.infer_dtype(*[np.dtype(dtype)] * len(op.list_arguments()))[1] == [np.dtype(dtype)]
        except DTypeError:
            return False
    return [op for op in ops if accepts(op)]


def one_kernel_of_all(ops, dtype, count):
    """(run, names): a function of the number of an operator and its operands. One kernel instead of hundreds."""
    def write(*values):
        result = Value.number(0, dtype)
        for number, op in enumerate(ops):
            own = [Value.number(s, s.dtype) for s in expressions.scalars_of(op, np.dtype(dtype))]
            found = expressions.applied(op, values[:count], own).astype(dtype)
            result = np.where(values[count] == number, found, result)
        return (), result

    def run(number, arrays):
        spec = Spec(arrays[0].shape, arrays[0].dtype)
        formula = elementwise_codegen.Formula("all_kernel", "any", write, ("all", dtype, count), (np.int32(number),))
        work = elementwise_codegen.elementwise_work(formula, [elementwise_codegen.Operand(k, spec.dtype, spec.shape)
                                                              for k in range(count)], spec)
        out = to_gpu(np.zeros_like(arrays[0]))
        Runner(backend().device, [prepare(backend().device, work.launches[0], {In: 0, Out: count})], count + 1).run(
            [*map(to_gpu, arrays), out])
        return out.numpy()
    return run


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_formulas(count, dtype):
    """Every operator on special values, or on whole numbers at the ends of their range."""
    ops, failed = accepting(operators_with(count), dtype), []
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL if np.dtype(dtype).kind == "f" else NUMBERS).astype(dtype)
    arrays = [np.ascontiguousarray(grid).reshape(-1) for grid in np.meshgrid(*[values] * count)]
    run = one_kernel_of_all(ops, dtype, count)
    for number, op in enumerate(ops):
        found = run(number, arrays)
        with np.errstate(all="ignore"):
            wanted = op.forward(*arrays).astype(dtype)
            inside = np.ones(found.shape, bool)
            if wanted.dtype.kind in "iu" and op.name not in EXACT:
                wide = in_range(op, dtype).forward(*[a.astype("float64") for a in arrays])
                inside = np.isfinite(wide) & (np.abs(wide) < 2.0 ** 31)
        try:
            close(found[inside], wanted[inside], str(op))
        except AssertionError as error:         # a card is seldom there: let it tell of all operators
            failed.append(str(error))
    assert not failed, "\n".join(failed)


def in_range(op, dtype):
    """The operator with the number that its own is in this type: -1 is 255 to uint8."""
    if not isinstance(op, Scalar):
        return op
    return type(op)(**{**op.attributes, "scalar": float(cast(np.array(op.scalar), np.dtype(dtype)))})


def close(found, wanted, message):
    """Equal, or near beside the numbers' own digits; zeros have the same sign."""
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), message
    if found.dtype.kind != "f":
        np.testing.assert_array_equal(found, wanted, message)
        return
    unit = np.finfo(wanted.dtype).eps
    # The reference rounds a float16 after each step of a formula, kernels once. ops/math/special.py promises 1e-14.
    # 1 + erf(x), in gelu and its slope, has the digits of 1: where it is small, it is off by a unit of 1 all the same.
    smallest = (unit if wanted.dtype == np.float16 else 1e-14 if "gamma" in message
                else 4 * unit if "gelu" in message else 8 * unit * 1e-3)
    tolerance = max(8 * unit, 1e-14 if "gamma" in message else 0)
    np.testing.assert_allclose(found, wanted, tolerance, smallest, err_msg=message)
    if "imum" in message or "elu" in message:
        return                  # NumPy's maximum of 0 and -0 depends on the type and the processor
    zero = (found == 0) & (wanted == 0)
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(wanted[zero]), f"{message}: sign of zero")


# -- drawn shapes, types and values -----------------------------------------------------------------------------------

STRETCHED = [("broadcast_sub", 2), ("broadcast_maximum", 2), ("where", 3), ("_plus_scalar", 1), ("elemwise_sub", 2),
             ("broadcast_to", 1), ("Cast", 1), ("add_n", 3), ("LeakyReLU", 2)]


@st.composite
def operands(draw, name, count):
    """Arrays that fit an operator, and its attributes."""
    dtype = draw(st.sampled_from(["float32", "float16", "int8"]))
    shape = draw(st.lists(st.sampled_from([0, 1, 2, 3, 4, 8, 16, 17]), min_size=2, max_size=4))
    ones = [draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape))) for _ in range(count)]
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    stretched = [[1 if one else n for one, n in zip(mask, shape, strict=True)] for mask in ones]
    if name in ("broadcast_sub", "broadcast_maximum"):
        keeps = draw(st.integers(0, len(shape) - 1))        # one of them without its first dimensions
        shapes = [s[keeps:] if k == 0 else s for k, s in enumerate(stretched)]
    elif name == "where":
        shapes = [shape[:1] if draw(st.booleans()) else shape, shape, shape]
    elif name == "broadcast_to":
        shapes = stretched[:1]
    elif name == "LeakyReLU":
        shapes = [shape, [draw(st.sampled_from([1, shape[1]]))]]
    else:
        shapes = [shape] * count
    attrs = {"LeakyReLU": {"act_type": "prelu"}, "_plus_scalar": {"scalar": draw(st.sampled_from([0.5, 3.0, -1e9]))},
             "broadcast_to": {"shape": tuple(shape)}, "add_n": {"num_args": count},
             "Cast": {"dtype": draw(st.sampled_from(["float32", "uint8", "bool", "float16", "int64"]))}}.get(name, {})
    return [values(rng, s, dtype) for s in shapes], attrs


def values(rng, shape, dtype):
    """Numbers of a type, among floats some that are not finite."""
    if np.dtype(dtype).kind != "f":
        return rng.integers(-100, 100, shape).astype(dtype)
    array = np.asarray(rng.normal(size=shape) * 3).astype(dtype)
    if array.size > 4:
        array.flat[rng.integers(0, array.size, 3)] = rng.choice([np.nan, np.inf, -np.inf, -0.0], 3)
    return array


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "count"), STRETCHED)
@settings(max_examples=6, phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_drawn(name, count, data):
    """Odd and empty shapes, operands stretched along any axes, a grid of two blocks for many."""
    arrays, attrs = data.draw(operands(name, count))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "MAX_BLOCKS", 2)
        op = REGISTRY[name](**attrs)
        if name == "Cast" and arrays[0].dtype.kind == "f" and attrs["dtype"] in ("uint8", "int64"):
            arrays = [np.nan_to_num(a, posinf=5, neginf=-5) for a in arrays]        # others have no whole number
        twin = Twin(op, arrays)
        assert twin.declined is None
        twin.check()


def test_more_than_a_grid(monkeypatch):
    """Pieces and the rest, each in several strides of the grid."""
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)
    rng = np.random.default_rng(0)
    agree("elemwise_sub", *[rng.normal(size=2 * 256 * 4 * 3 + 5).astype("float32") for _ in range(2)])
    agree("broadcast_sub", rng.normal(size=(301, 33)).astype("float16"), rng.normal(size=(1, 33)).astype("float16"))


def test_addresses_that_allow_no_pieces():
    """A view that begins at an odd element is read one by one."""
    x = np.arange(40, dtype="float32")
    spec = Spec((39,), x.dtype)
    kernel = backend().prepare(REGISTRY["square"](), [spec], [spec], False, None)
    np.testing.assert_array_equal(kernel.run([to_gpu(x)[1:]])[0].numpy(), np.square(x[1:]))


def test_many_summands():
    arrays = [np.full((3, 3), k, "float32") for k in range(80)]
    assert len(agree("add_n", *arrays, num_args=80)._prepare()[0].kernels) == 3


def test_a_scalar_that_changes_needs_no_new_kernel():
    """As the learning rate of a program that changes it in each step."""
    spec = Spec((5,), np.dtype("float32"))
    works = [kernels.find(REGISTRY["_mul_scalar"](scalar=s), [spec], [spec], False, None, None) for s in (0.1, 0.2)]
    assert works[0].launches[0].source is works[1].launches[0].source
    assert [work.launches[0].arguments[2] for work in works] == [np.float32(0.1), np.float32(0.2)]


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("train", [False, True])
def test_rrelu(train, dtype):
    """The same slopes as on the CPU."""
    values = np.random.default_rng(0).normal(size=(5, 9)).astype(dtype)

    def run(ctx):
        x = nd.array(values, ctx=ctx, dtype=dtype)
        x.attach_grad()
        # both devices draw from generators that begin alike
        mx.random.seed(3, ctx=ctx)
        with autograd.record(train_mode=train):
            y = nd.LeakyReLU(x, act_type="rrelu", lower_bound=0.25, upper_bound=0.75)
        y.backward()
        return y.asnumpy(), x.grad.asnumpy()
    for found, wanted in zip(run(GPU), run(mx.cpu()), strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool"])
def test_sources(dtype):
    agree("_zeros", shape=(3, 5), dtype=dtype)
    agree("_ones", shape=(0, 2), dtype=dtype)
    agree("_full", shape=(7,), value=3, dtype=dtype)
    agree("_arange", start=2, stop=9.5, step=0.7, repeat=2, dtype=dtype)
    agree("_eye", N=3, M=5, k=1, dtype=dtype)
    for num in 1, 7:
        agree("_linspace", start=1, stop=2, num=num, dtype=dtype)
    agree("_linspace", start=-1, stop=2, num=8, endpoint=False, dtype=dtype)


# -- reasons and texts ------------------------------------------------------------------------------------------------


def test_formulas_that_cannot_be_traced():
    x = Value.named("x", "float32")
    with pytest.raises(UntraceableError, match=r"^a branch that depends on values$"):
        bool(x > 0)
    with pytest.raises(UntraceableError, match=r"^numpy\.sort$"):
        np.sort(x)
    with pytest.raises(UntraceableError, match=r"^numpy\.heaviside$"):
        np.heaviside(x, 1.0)
    with pytest.raises(UntraceableError, match=r"^add\.reduce$"):
        np.add.reduce(x)
    with pytest.raises(UntraceableError, match=r"^dtype int16$"):
        Value.named("x", "int16")


def test_chains_that_read_too_much():
    arrays = 63
    program = [(REGISTRY["elemwise_add"](), (0, 1)), *[(REGISTRY["elemwise_add"](), (-1 - k, k + 2))
                                                       for k in range(arrays - 2)]]
    spec = Spec((5,), np.dtype("int32"))
    assert kernels.find(FusedChain(program=tuple(program)), [spec] * arrays, [spec], False, None, None) == (
        "66 arguments, and a kernel takes 64")


def test_types_without_kernels():
    spec = Spec((5,), np.dtype("int16"))
    assert kernels.find(REGISTRY["abs"](), [spec], [spec], False, None, None) == "dtype int16"


@pytest.mark.parametrize(("formula", "text"), [
    (lambda x: 1 / (1 + np.exp(-x)), "1.0f / (1.0f + expf(-x))"),
    (lambda x: np.negative(np.negative(x)), "-(-x)"),
    (lambda x: np.where(x > 0, x, x * 0.5) * 2, "((x > 0.0f) ? x : (x * 0.5f)) * 2.0f"),
    (lambda x: x - (x - 1), "x - (x - 1.0f)"),
    (lambda x: np.maximum(x, np.float32(-np.inf)).astype("int8"),
     "convert<signed char>(larger(x, -MINIGLUON_INFINITY))"),
])
def test_texts_of_formulas(formula, text):
    assert to_lines(formula(Value.named("x", "float32"))) == ([], text)


# -- questions about whole arrays -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("normalization", ["null", "batch", "valid"])
def test_make_loss(normalization, dtype):
    """'valid' counts, in an array of more than a grid."""
    array = np.random.default_rng(0).integers(-3, 4, (70, 30)).astype(dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "MAX_BLOCKS", 2)
        for data in array, array[:0], np.zeros_like(array):
            agree("_make_loss_grad", data, grad_scale=7.0, valid_thresh=0.3, normalization=normalization)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "bool"])
def test_all_finite(dtype):
    array = np.ones(5000, dtype)
    agree("all_finite", array)
    agree("multi_all_finite", array, array[:0], num_arrays=2)
    if array.dtype.kind == "f":
        for place, value in (0, np.nan), (4999, np.inf), (77, -np.inf):
            damaged = array.copy()
            damaged[place] = value
            agree("all_finite", damaged)
            agree("multi_all_finite", array, damaged, num_arrays=2)


def test_a_copy_from_another_device():
    """The operator that a graph holds for it; the buffer is moved before."""
    twin = Twin(REGISTRY["_copyto"](source="cpu(0)", target="gpu(0)"), [np.arange(6, dtype="float32")])
    assert twin.check()


def test_booleans_and_numbers():
    """With a number they count as int64."""
    array = np.array([True, False, True])
    for name in "_plus_scalar", "_greater_scalar", "_rdiv_scalar", "_power_scalar", "_hypot_scalar":
        agree(name, array, scalar=2.0)


@pytest.mark.parametrize("condition", ["float16", "int8", "bool", "int64"])
def test_where_of_another_type(condition):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 4, 8)).astype("float32")
    agree("where", rng.integers(0, 2, (4, 8)).astype(condition), x, y)
    agree("where", rng.integers(0, 2, 4).astype(condition), x, y)


def test_types_of_several_inputs():
    arrays = [np.array([1.7, -2.2], dtype) for dtype in ("float16", "float64", "float32")]
    agree("amp_multicast", *arrays, num_outputs=3)
    agree("amp_multicast", *arrays, num_outputs=3, cast_narrow=True)
    agree("_cast_like", np.array([1.7, -2.2, 300.5]), np.zeros(3, "uint8"))
    # 1 + 2^-11 + 2^-30 is nearer to the next float16, though as a float32 it is halfway
    agree("Cast", np.array([1 + 2.0 ** -11 + 2.0 ** -30, 1 + 2.0 ** -11, 65519.9, 65520.0]), dtype="float16")


def test_indices_of_64_bits(monkeypatch):
    """What arrays of 2**31 elements or more run, on small ones."""
    monkeypatch.setattr(elementwise_codegen, "SMALL", 1)
    elementwise_codegen._layout.cache_clear()
    x = np.arange(60, dtype="float32").reshape(3, 4, 5)
    agree("broadcast_add", x, x[:1, :, :1])
    agree("relu", x - 30)
    elementwise_codegen._layout.cache_clear()


def test_float16_is_rounded_once():
    """float32's results, rounded: of a scalar that float16 does not have, and of more arrays than a launch adds."""
    values = [np.random.default_rng(k).normal(size=(3, 5)).astype("float16") for k in range(40)]
    for compute in lambda *x: x[0] * 0.1, lambda *x: nd.add_n(*x), lambda *x: nd.contrib.div_sqrt_dim(x[0]):
        found = compute(*[nd.array(v, ctx=GPU, dtype="float16") for v in values])
        wanted = compute(*[nd.array(v, dtype="float32") for v in values])
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy().astype("float16"), strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("name", "attrs"), [
    ("relu", {}), ("broadcast_maximum", {}), ("broadcast_minimum", {}), ("clip", {"a_min": 0, "a_max": 2}),
    ("clip", {"a_min": -2, "a_max": 0})])
def test_which_of_two_equal_zeros_is_taken(name, attrs, dtype):
    """0 and -0 are equal: NumPy takes the first one or the second one, depending on function and type."""
    x = np.tile([-0.0, 0.0, -1, 1, np.nan, np.inf, -np.inf], 3).astype(dtype)
    y = np.tile([0.0, -0.0, np.nan], 7).astype(dtype)
    agree(name, *([x, y] if name.startswith("broadcast") else [x]), **attrs)
