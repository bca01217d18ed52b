"""Whatever is handed to an operator, it gives arrays or an MXNetError: no error and no warning of NumPy's."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from op_cases import CASES
from records import DATA

import minigluon as mx
from minigluon import autograd, nd
from minigluon.ndarray.register import make_function
from minigluon.ops import REGISTRY

pytestmark = pytest.mark.once

SIGNATURES = json.loads((DATA / "mxnet_signatures.json").read_text())
OPERATORS = sorted(set(REGISTRY.values()), key=lambda cls: cls.name)
PUBLIC = {REGISTRY[name] for name in REGISTRY if name in SIGNATURES}
ROWS = {}
for row in CASES:
    ROWS.setdefault(REGISTRY[row.op], []).append(row)

DTYPES = ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"]
ODD = [-10**9 - 7, -3, -2, -1, 0, 1, 2, 3, 5, 7, 2**31, 2**63, 10**30, None, 0.5, -0.5, 1.5, np.nan, np.inf, -np.inf,
       "x", "", "None", "1", "(1,2)", True, False, [], (), (1,), (2,), (1, 2), (2, 2), (0, 1), (-1,), (0, 0), (-1, -2),
       (0, 1, 2, 3, 4, 5, 6), [None], (None, None), np.array([1, 2]), np.float32(2), "float33", "int32", "bool", b"x",
       {}, (2**40,), 1 + 2j, [[1, 2], [3]]]
NO_ARRAYS = [None, 1, "x", [1, 2], np.ones(2), object()]
# These would allocate what the machine has, or draw without end, and are right to do so.
GREEDY = {
    "M", "N", "bin_cnt", "block_size", "depth", "h_w", "height", "k", "kernel", "maxshape", "nsize", "num",
    "num_arrays", "num_filter", "num_hidden", "num_outputs", "num_samples", "offset", "output_dim", "output_size",
    "pad", "pad_width", "range_max", "repeat", "repeats", "reps", "scale", "sections", "shape", "size", "start",
    "step", "stop", "target", "target_shape", "width",
}

shapes = st.lists(st.integers(0, 4), min_size=1, max_size=5).map(tuple)


@st.composite
def array(draw, shape=None):
    shape = draw(shapes) if shape is None else shape
    values = np.random.default_rng(draw(st.integers(0, 99))).uniform(-3, 3, shape)
    fill = draw(st.sampled_from([None, None, None, np.nan, np.inf, -np.inf, 6e4, -1.0, 0.0]))
    dtype = draw(st.sampled_from(DTYPES))
    with np.errstate(all="ignore"):
        return nd.array((values if fill is None else np.full(shape, fill)).astype(dtype), dtype=dtype)


@st.composite
def calls(draw, cls):
    """(inputs, attributes): a row of the operator's table, or arrays of any shapes, with a few things wrong."""
    if cls in ROWS and draw(st.integers(0, 4)):
        row = draw(st.sampled_from(ROWS[cls]))
        inputs = [nd.array(a, dtype=a.dtype) for a in row.inputs(draw(st.sampled_from(["float32", "float64"])))]
        attributes = dict(row.attrs)
    else:
        shape = draw(shapes)
        count = draw(st.integers(0, 3)) if cls.variadic else len(cls.arguments)
        inputs, attributes = [draw(array(draw(st.sampled_from([shape, None])))) for _ in range(count)], {}
    for _ in range(draw(st.integers(1, 3))):
        what = draw(st.integers(0, 9))
        if what < 5 and cls.fields:
            name = draw(st.sampled_from(sorted(cls.fields)))
            value = draw(st.sampled_from(ODD))
            if not (name in GREEDY and _largest(value) > 1000):
                attributes[name] = value
        elif what < 8 and inputs:
            place = draw(st.integers(0, len(inputs) - 1))
            old = inputs[place]
            inputs[place] = draw(array(draw(st.sampled_from([None, getattr(old, "shape", None)]))))
        elif what == 8 and inputs:
            inputs[draw(st.integers(0, len(inputs) - 1))] = draw(st.sampled_from(NO_ARRAYS))
        elif draw(st.booleans()):
            inputs.append(draw(array()))
        elif inputs:
            inputs.pop()
    return inputs, attributes


def _largest(value):
    try:
        return np.max(np.abs(np.asarray(value, "float64")), initial=0)
    except (TypeError, ValueError, OverflowError):
        return 0


def run(cls, inputs, attributes):
    """Forward and, where there is something to differentiate, backward."""
    arrays = [x for x in inputs if isinstance(x, nd.NDArray)]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        found = make_function(cls)(*inputs, **attributes)
    outputs = found if isinstance(found, list) else [found]
    assert all(isinstance(y, nd.NDArray) for y in outputs)
    tracked = [y for y in outputs if y.entry is not None]
    if tracked:
        autograd.backward(tracked)
    assert all(x.grad.shape == x.shape for x in arrays)


@pytest.mark.parametrize("cls", OPERATORS, ids=lambda cls: cls.name)
def test_values_or_an_error_of_ours(cls):
    @settings(max_examples=12, deadline=None, database=None, derandomize=True)
    @given(calls(cls))
    def check(call):
        refusal = ""
        try:
            with warnings.catch_warnings():
                # the rest of the suite ignores what comes from NumPy's own frames called here; users see it
                warnings.simplefilter("error")
                warnings.filterwarnings("ignore", category=RuntimeWarning,
                                        module=r"minigluon\.(ops|backend|ndarray)\.")
                run(cls, *call)
        except mx.MXNetError as error:
            refusal = str(error)
        # Adjoints are called by gradients, with what the operator itself has let pass.
        if cls in PUBLIC:
            assert "cannot be computed" not in refusal
            assert "cannot be told" not in refusal
    check()


def refused(function, *args, **kwargs):
    with pytest.raises(mx.MXNetError) as caught:
        function(*args, **kwargs)
    return str(caught.value)


def test_arithmetic_with_booleans():
    mask, other = nd.array([1, 0, 1], dtype="bool"), nd.array([1, 1, 0], dtype="bool")
    text = ("there is no arithmetic with inputs of dtype bool. Convert them with .astype('float32'), or use "
            "nd.logical_and, nd.logical_or, nd.logical_xor, nd.logical_not.")
    for function, name in [(lambda: mask - other, "broadcast_sub"), (lambda: mask + other, "broadcast_add"),
                           (lambda: -mask, "negative"), (lambda: nd.exp(mask), "exp"),
                           (lambda: nd.elemwise_mul(mask, other), "elemwise_mul")]:
        assert refused(function) == f"{name}: {text}"


@pytest.mark.parametrize(("function", "expected"), [
    (lambda x: x - 1, [0, -1, 0]), (lambda x: 1 - x, [0, 1, 0]), (lambda x: x - 0.5, [1, 0, 1]),
    (lambda x: x * 3, [3, 0, 3]), (lambda x: x + 1.5, [2, 1, 2]), (lambda x: x == 1, [1, 0, 1])])
def test_booleans_and_a_number_are_integers(function, expected):
    """As in MXNet 1.9.1, where the number becomes an int64, too."""
    found = function(nd.array([1, 0, 1], dtype="bool"))
    assert found.dtype == np.int64
    assert found.asnumpy().tolist() == expected


def test_what_numpy_refuses_is_named():
    assert refused(nd.tile, nd.ones((2,)), reps=(2**50,)).startswith(
        "tile: cannot be computed: Unable to allocate 8.00 PiB for an array with shape (1125899906842624, 2)")
    assert refused(nd.tile, nd.ones((2,)), reps=(2**50,)).endswith(
        "\n  inputs: data (2,) float32\n  attributes: reps=(1125899906842624,)\n  remedy: the result does not fit into "
        "memory; check the sizes among the attributes")


@pytest.mark.parametrize(("shape", "text"), [
    ((2, -3), "_zeros: the output would have shape (2, -3), with a negative length"),
    ((2**62,), "_zeros: the output would have shape (4611686018427387904,), more elements than memory can have"),
])
def test_shapes_that_no_array_can_have(shape, text):
    assert refused(nd._zeros, shape=shape) == \
        f"{text}\n  inputs: none\n  attributes: shape={shape}, ctx='', dtype='float32'"


@pytest.mark.parametrize(("function", "text"), [
    (lambda: nd.split_v2(nd.ones((0, 3)), 2), None),
    (lambda: nd.split_v2(nd.ones((3, 2)), 2),
     "split_v2: axis 0 of length 3 cannot be split into 2 equal parts"),
    (lambda: nd.split_v2(nd.ones((3, 2)), 0),
     "split_v2: axis 0 of length 3 cannot be split into 0 equal parts"),
    (lambda: nd.eye("x"), "_eye: attribute N is 'x', expected an integer."),
    (lambda: nd.moveaxis(3, 0, 1), "moveaxis: 'int' object has no attribute 'ndim'. Found tensor=3, source=0, "
                                   "destination=1."),
    (lambda: nd.ones((2, 3))[[[1, 2], [3]]],
     "an NDArray cannot be indexed with [[1, 2], [3]]: its rows have different lengths"),
    (lambda: nd._arange(start=5, infer_range=True),
     "_arange: the output's shape does not follow from the inputs\n  inputs: none\n  attributes: start=5.0, stop=None, "
     "step=1.0, repeat=1, infer_range=True, ctx='', dtype='float32'"),
    (lambda: nd._arange(start=5, repeat=0),
     "_arange: repeat=0 must be at least 1\n  inputs: none\n  attributes: start=5.0, stop=None, step=1.0, repeat=0, "
     "infer_range=False, ctx='', dtype='float32'"),
    (lambda: nd.linalg.det(nd.ones((2, 2), dtype="float16")),
     "_linalg_det: inputs have dtype float16, expected float32 or float64. Convert with .astype('float32')."),
    (lambda: nd._zeros(shape=(2,), out=3), "_zeros: out must be an NDArray, found int"),
    (lambda: nd.ones((2,)).as_in_context("tpu"),
     "unknown device type 'tpu'; expected one of cpu, gpu, cpu_pinned, cpu_shared"),
    (lambda: mx.cpu("x"), "device number 'x' of 'cpu' must be an integer, at least 0"),
    (lambda: mx.random.seed("x"), "seed: the seed is 'x', expected an integer"),
    (lambda: autograd.backward(3), "expected an NDArray or a list of them, found int 3"),
    (lambda: mx.sym.Group(3), "Group takes a list of symbols, found 3"),
    (lambda: mx.sym.Variable("a", shape=3), "variable 'a': shape is 3, expected a tuple of integers"),
])
def test_calls_that_make_no_sense(function, text):
    if text is None:
        assert [p.shape for p in function()] == [(0, 3), (0, 3)]
    else:
        assert refused(function) == text


@pytest.mark.parametrize(("function", "text"), [
    (lambda: mx.gluon.Parameter("w", shape="x"),
     "the shape of a parameter is 'x', expected an integer or a tuple of integers, 0 or None where it is not known "
     "yet"),
    (lambda: mx.gluon.nn.Dense(2, in_units=2).initialize(ctx=3),
     "ctx must be a Context such as mx.cpu(), or a list of them, found 3"),
    (lambda: mx.gluon.Parameter("w", shape=(2,)).set_data(3),
     "Parameter 'w': set_data needs an NDArray, found int. Convert it with nd.array(...)."),
    (lambda: mx.gluon.utils.split_data(3, 2), "split_data: data must be an NDArray, found int"),
    (lambda: mx.gluon.utils.split_data(nd.ones((2,)), 0),
     "split_data: num_slice is 0, expected an integer, at least 1"),
    (lambda: mx.gluon.utils.split_data(nd.ones((2,)), 1, 3),
     "split_data: batch_axis is 3, but data has 1 dimensions"),
    (lambda: mx.gluon.utils.split_and_load(nd.ones((2,)), 3),
     "split_and_load: ctx_list is 3, expected a list of contexts, [mx.cpu(0), ...]"),
    (lambda: mx.gluon.utils.clip_global_norm(nd.ones((2,)), 1),
     "clip_global_norm: arrays must be a list of NDArrays, such as [p.grad() for p in net.collect_params().values()]"),
    (lambda: mx.metric.Accuracy().update(3, 4),
     "labels and predictions must be arrays or lists of arrays, found int and int"),
    (lambda: mx.gluon.nn.Dense(2, prefix="d_").collect_params("("),
     "Dense 'd': select is '(', expected a regular expression for names of parameters: missing ), unterminated "
     "subpattern at position 0"),
    (lambda: mx.gluon.Trainer(mx.gluon.ParameterDict(), "sgd", 3),
     "Trainer: optimizer_params is 3, expected a dict such as {'learning_rate': 0.1}"),
    (lambda: mx.optimizer.SGD(learning_rate="x"), "SGD: learning_rate is 'x', expected a number"),
    (lambda: mx.gluon.loss.L2Loss()(nd.ones((2,)), 3),
     "L2Loss: label must be an NDArray or Symbol, found int. Convert it with nd.array(...)."),
])
def test_gluon_calls_that_make_no_sense(function, text):
    assert refused(function) == text
