"""One budget for reading a whole ONNX file, and nothing unchecked before ONNX's own C++. The campaign's front
onnx_graphs draws such files."""

import time

import pytest
from campaign import counts

import minigluon as mx
from minigluon.base import MXNetError

onnx = pytest.importorskip("onnx")
HEAD = '<ir_version: 10, opset_import: ["": 18, "own": 1]> graph (float[{0}] x) => (float[{0}] y) '


def read(text, shape="N"):
    from onnx import parser
    return parser.parse_model(HEAD.format(shape) + text)


def refused(model):
    start = time.process_time()
    with pytest.raises(MXNetError) as error:
        mx.onnx.import_model(model.SerializeToString())
    assert time.process_time() - start < 20
    return str(error.value)


def test_a_negative_length_is_left_open():
    model = read("{ y = Relu (x) }", "3")
    for entry in (*model.graph.input, *model.graph.output):
        entry.type.tensor_type.shape.dim[0].dim_value = -5
    assert len(model.SerializeToString()) < 110
    symbol, _, _ = mx.onnx.import_model(model.SerializeToString())
    assert symbol.eval(x=mx.nd.array([-1, 2]))[0].asnumpy().tolist() == [0, 2]


def test_a_negative_length_of_a_tensor_is_named():
    model = read("<float[2] w = {1, 2}> { y = Add (x, w) }")
    model.graph.initializer[0].dims[0] = -2
    assert refused(model) == "tensor 'w' has the shape (-2,)"


def test_known_numbers_take_no_memory_before_they_are_refused():
    model = read(f"<int64 a = {{0}}, int64 b = {{{1 << 24}}}, int64 c = {{1}}> "
                 "{ r = Range (a, b, c) f = Cast <to = 1> (r) y = Add (x, f) }")
    with counts.limited(1 << 29):
        assert refused(model).splitlines()[1] == (
            "  node 'r' (Range), opset 18: its result from known numbers has 16777216 elements, more "
            "than a file of this size may require")


def test_more_largest_elements_than_there_are_take_no_memory():
    """ONNX's own implementation counts to k before it finds that there are fewer elements."""
    model = read(f"<float[2] f = {{1, 2}}, int64[1] k = {{{1 << 24}}}> {{ v, i = TopK (f, k) y = Identity (x) }}")
    with counts.limited(1 << 26):
        assert refused(model).splitlines()[1] == (
            "  node 'v' (TopK), opset 18: its result from known numbers has 16777218 elements, more "
            "than a file of this size may require")


def functions(count, often):
    texts = ['<opset_import: ["": 18], domain: "own"> f0 (a) => (b) { b = Neg (a) }']
    for k in range(1, count):
        calls = " ".join(f"c{j} = own.f{k - 1} ({f'c{j - 1}' if j else 'a'})" for j in range(often))
        texts.append(f'<opset_import: ["": 18, "own": 1], domain: "own"> f{k} (a) => (b) '
                     f"{{ {calls} b = Identity (c{often - 1}) }}")
    return read(f"{{ y = own.f{count - 1} (x) }} " + " ".join(texts))


def test_functions_that_call_the_one_before_twice():
    assert refused(functions(40, 2)) == (
        "with its loops and functions written out the file has more than 3904 nodes, which is more than a file of this "
        "size may require")
    symbol, _, _ = mx.onnx.import_model(functions(6, 2).SerializeToString())
    assert symbol.eval(x=mx.nd.array([-1, 2]))[0].asnumpy().tolist() == [-1, 2]


def test_a_function_that_calls_itself():
    model = read('{ y = own.me (x) } <opset_import: ["": 18, "own": 1], domain: "own"> me (a) => (b) '
                 "{ b = own.me (a) }")
    assert refused(model) == "the function 'me' of the file calls itself"


def loops(deep, rounds):
    def inner(level, source, made):
        body = (f"d{level} = Identity (c{level}) " + (inner(level + 1, f"h{level}", f"k{level}") if level < deep
                                                     else f"k{level} = Neg (h{level})"))
        return (f"{made} = Loop (n, t, {source}) <body = b{level} (int64 i{level}, bool c{level}, float[N] h{level}) "
                f"=> (bool d{level}, float[N] k{level}) {{ {body} }}>")
    return read(f"<int64 n = {{{rounds}}}, bool t = {{1}}> {{ {inner(1, 'x', 'y')} }}")


def test_loops_in_loops_share_one_budget():
    assert refused(loops(4, 60)).startswith("with its loops and functions written out the file has more than ")
    symbol, _, _ = mx.onnx.import_model(loops(2, 3).SerializeToString())
    assert symbol.eval(x=mx.nd.array([-1, 2]))[0].asnumpy().tolist() == [1, -2]


def test_an_axis_that_no_array_has():
    """ONNX's shape inference would count to it in C++ where the operator is a function of ONNX."""
    model = read("{ v, m = LayerNormalization <axis = 2147483648> (x, x) y = Identity (x) }")
    assert refused(model) == "the attribute axis of a LayerNormalization is out of range: [2147483648]"


def test_a_length_that_is_squared_again_and_again():
    """It is a number from the start, with 301 million digits at the end."""
    model = read("{ v0 = Identity (x) " + "".join(
        f"u{k} = Flatten <axis = 0> (v{k - 1}) t{k} = Transpose (u{k}) v{k} = MatMul (t{k}, u{k}) "
        for k in range(1, 31)) + "y = Identity (x) }")
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1000
    assert refused(model).splitlines()[1] == (
        "  node 'u4' (Flatten), opset 18: Reshape: the result would have an axis of more than 2 ** 63 - 1 elements")


@pytest.mark.parametrize("step", ["t{1} = Concat <axis = 0> (t{0}, t{0})", "t{1} = Mul (t{0}, t{0})",
                                  "q{1} = Add (t{0}, t0) t{1} = Mul (q{1}, t{0})",
                                  "q{1} = Div (t{0}, t0) t{1} = Mul (q{1}, t{0})"])
def test_lengths_whose_formulas_grow(step):
    lines = " ".join(step.format(k, k + 1) for k in range(40))
    model = read("<int64[1] a = {0}> { s = Shape (x) p = ReduceProd (s) t0 = Add (s, p) " + lines
                 + " z = Gather <axis = 0> (t40, a) r = ConstantOfShape (z) y = Add (x, r) }", "N, M")
    with counts.limited(1 << 29):
        text = refused(model)
    assert "a length that the file leaves open becomes a formula of more than" in text or (
        "more than a file of this size may require" in text)


def test_a_scan_whose_inputs_are_counted_wrongly():
    """The count makes lists, so that a large one would fill memory."""
    for count in (1 << 40, 0, -1):
        model = read("{ z, y = Scan <num_scan_inputs = 1, body = b (float[N] h, float[N] i) => "
                     "(float[N] j, float[N] o) { j = Add (h, i) o = Neg (i) }> (x, x) }")
        model.graph.node[0].attribute[0].i = count
        with counts.limited(1 << 29):
            assert refused(model).splitlines()[1] == (
                f"  node 'z' (Scan), opset 18: num_scan_inputs={count} of 2 inputs")


def test_a_negative_length_of_a_sparse_constant_is_named():
    model = read("{ y = Identity (x) }")
    node = model.graph.node.add(op_type="Constant", output=["c"])
    attribute = node.attribute.add(name="sparse_value", type=onnx.AttributeProto.SPARSE_TENSOR)
    attribute.sparse_tensor.dims.append(-5)
    attribute.sparse_tensor.values.name = "v"
    assert refused(model) == "tensor 'v' has the shape (-5,)"


@pytest.mark.parametrize("indices", ["float[2] i = {0, -1e30}", "int64[2] i = {0, -4611686018427387904}"])
def test_an_index_far_out_of_range(indices):
    """ONNX's own implementation would count from such an index to 0 in steps of the length."""
    model = read(f"<float[2] w = {{1, 2}}, {indices}> {{ z = GatherElements (w, i) y = Identity (x) }}")
    assert refused(model).splitlines()[1] == (
        "  node 'z' (GatherElements), opset 18: its indices must be integers from -2 to 1")
