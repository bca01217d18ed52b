"""mx.contrib.quantization: what is rewritten, the ranges of calibration, blocks, and mistakes."""

import json

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import gluon, nd, sym
from minigluon.base import ArgumentError
from minigluon.contrib import quantization as q
from minigluon.gluon import nn

DATA = nd.array(np.random.default_rng(0).normal(size=(8, 3, 8, 8)), dtype="float32")


def residual():
    """Two convolutions with batch norm, an addition around the second, and a fully connected layer."""
    data = sym.var("data")
    first = sym.BatchNorm(sym.Convolution(data, kernel=(3, 3), pad=(1, 1), num_filter=4, name="c1"), name="bn1")
    first = sym.Pooling(sym.Activation(first, act_type="relu", name="r1"), kernel=(2, 2), stride=(2, 2), name="p1")
    second = sym.BatchNorm(sym.Convolution(first, kernel=(3, 3), pad=(1, 1), num_filter=4, no_bias=True, name="c2"),
                           name="bn2")
    added = sym.Activation(sym.elemwise_add(second, first, name="add"), act_type="relu", name="r2")
    return sym.softmax(sym.FullyConnected(sym.Flatten(added, name="flat"), num_hidden=5, name="fc"), name="prob")


def parameters(graph):
    rng = np.random.default_rng(1)
    shapes, _, states = graph.infer_shape(data=(2, 3, 8, 8))
    args = {n: nd.array(rng.normal(size=s) * 0.3) for n, s in zip(graph.list_arguments(), shapes, strict=True)
            if n != "data"}
    return args, {n: nd.array(rng.uniform(0.5, 1.5, s)) for n, s in zip(graph.list_auxiliary_states(), states,
                                                                       strict=True)}


def iterator():
    return mx.io.NDArrayIter(DATA, batch_size=4)


def quantized(calib_mode="naive", **how):
    graph = residual()
    return q.quantize_model(graph, *parameters(graph), calib_mode=calib_mode,
                            calib_data=None if calib_mode == "none" else iterator(), **how)


def operators(graph):
    return [node.op.name.removeprefix("_contrib_") for node in graph.nodes() if node.op is not None]


@pytest.mark.parametrize(("mode", "dtype"), [("none", "int8"), ("naive", "int8"), ("naive", "auto")])
def test_probabilities_are_close_to_those_of_float32(mode, dtype):
    graph = residual()
    args, states = parameters(graph)
    expected = graph.eval(data=DATA, **args, **states)[0].asnumpy()
    small, args, states = quantized(mode, quantized_dtype=dtype)
    actual = small.eval(data=DATA, **args, **states)[0].asnumpy()
    assert np.abs(actual - expected).max() < 0.03
    assert (actual.argmax(1) == expected.argmax(1)).all()


def test_entropy_leaves_out_rare_large_numbers():
    graph, params, _ = graph_and_params()
    data = np.random.default_rng(2).normal(size=(2000, 2)).astype(np.float32)
    data[0] = 30
    small = q.quantize_model(graph, params, {}, calib_mode="entropy", calib_data=[nd.array(data)])[0]
    assert 2.5 < float(small.attr_dict()["data_quantize"]["max_calib_range"]) < 29


def test_every_operator_between_the_layers_is_quantized():
    assert operators(quantized()[0]) == [
        "quantize_v2", "quantized_conv", "requantize", "quantized_batch_norm", "quantized_act", "quantized_pooling",
        "quantized_conv", "requantize", "quantized_batch_norm", "quantized_elemwise_add", "requantize", "quantized_act",
        "quantized_flatten", "quantized_fully_connected", "requantize", "dequantize", "softmax"]


def test_smart_mode_leaves_what_is_not_between_layers():
    data = sym.var("data")
    layer = sym.Convolution(sym.relu(data), kernel=(3, 3), num_filter=2, name="c")
    graph = sym.Pooling(sym.Activation(layer, act_type="relu"), kernel=(2, 2))
    args, _ = parameters(graph)
    smart, full = (q.quantize_graph(graph, args, {}, calib_mode="none", quantize_mode=mode)[0]
                   for mode in ("smart", "full"))
    assert operators(smart) == ["relu", "quantize_v2", "quantized_conv", "requantize", "dequantize", "Activation",
                                "Pooling"]
    assert operators(full)[-3:] == ["quantized_act", "quantized_pooling", "dequantize"]


@pytest.mark.parametrize("how", [{"excluded_sym_names": ["c2"]}, {"excluded_op_names": ["FullyConnected"]}])
def test_what_is_excluded_stays(how):
    graph, args, _ = quantized(**how)
    kept = {"excluded_sym_names": ("Convolution", "c2_weight"), "excluded_op_names": ("FullyConnected", "fc_weight")}
    operator, weight = kept[next(iter(how))]
    assert operators(graph).count(operator) == 1
    assert args[weight].dtype == np.float32


def test_names_are_those_of_mxnet(tmp_path):
    graph, args, states = quantized()
    assert {"c1_weight_quantize", "c1_weight_quantize_min", "c1_weight_quantize_max", "c1_bias_quantize"} <= set(args)
    names = [node["name"] for node in json.loads(graph.tojson())["nodes"]]
    assert {"data_quantize", "quantized_c1", "requantize_c1", "quantized_bn1", "fc_dequantize"} <= set(names)
    graph.save(str(tmp_path / "small.json"))
    loaded = sym.load(str(tmp_path / "small.json"))
    for before, after in zip(graph.eval(data=DATA, **args, **states), loaded.eval(data=DATA, **args, **states),
                             strict=True):
        np.testing.assert_array_equal(before.asnumpy(), after.asnumpy())


def test_ranges_are_those_of_the_float_graph():
    graph = residual()
    args, states = parameters(graph)
    layer = graph.get_internals()["c1_output"].eval(data=DATA, c1_weight=args["c1_weight"], c1_bias=args["c1_bias"])[0]
    attributes = quantized()[0].attr_dict()["requantize_c1"]
    assert float(attributes["max_calib_range"]) == pytest.approx(layer.max().asscalar(), abs=1e-6)
    assert float(attributes["min_calib_range"]) == pytest.approx(layer.min().asscalar(), abs=1e-6)


def test_calibration_stops_after_a_number_of_examples():
    graph, seen = residual(), []

    class Collector:
        min_max_dict, include_layer = {}, staticmethod(lambda name: name == "data")

        def collect(self, name, array):
            seen.append((name, len(array)))
    args, states = parameters(graph)
    net = gluon.SymbolBlock(graph, sym.var("data"))
    for name, param in net.collect_params().items():
        param._load_init({**args, **states}[name], mx.cpu())
    q.quantize_net_v2(net, calib_data=iterator(), calib_mode="customize", num_calib_examples=4,
                      LayerOutputCollector=Collector())
    assert seen == [("data", 4)]


def test_histograms_of_several_batches_hold_all_numbers():
    collector = q.HistogramCollector(num_bins=11)
    for scale in 1, 0.5, 3, 0:
        collector.collect("x", scale * nd.array([-1, 0.2, 1]))
    counts, edges, low, high, threshold = collector.hist_dict["x"]
    assert counts.sum() == 12
    assert len(edges) == len(counts) + 1
    assert (low, high) == (-3, 3)
    assert threshold >= 3


@pytest.mark.parametrize("data", [iterator, lambda: gluon.data.DataLoader(gluon.data.ArrayDataset(DATA), 4)])
def test_blocks(data, tmp_path):
    mx.random.seed(0)
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.GlobalAvgPool2D(), nn.Dense(3))
    net.initialize(mx.init.Xavier())
    expected = net(DATA)
    small = q.quantize_net(net, quantized_dtype="int8", calib_mode="naive", calib_data=data())
    assert nd.abs(small(DATA) - expected).max().asscalar() < 0.06
    small.export(str(tmp_path / "small"))
    files = [str(tmp_path / name) for name in ("small-symbol.json", "small-0000.params")]
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    np.testing.assert_array_equal(again(DATA).asnumpy(), small(DATA).asnumpy())


class Residual(gluon.HybridBlock):
    """Two normalized convolutions; the second is added to the first. A dense layer with relu, and one without."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.convs, self.norms = nn.HybridSequential(), nn.HybridSequential()
            for _ in range(2):
                self.convs.add(nn.Conv2D(4, 3, padding=1, use_bias=False))
                self.norms.add(nn.BatchNorm())
            self.hidden, self.last = nn.Dense(6, activation="relu"), nn.Dense(3)

    def hybrid_forward(self, F, x):
        x = F.relu(self.norms[0](self.convs[0](x)))
        return self.last(self.hidden(F.relu(self.norms[1](self.convs[1](x)) + x)))


def residual_net():
    mx.random.seed(0)
    net = Residual()
    net.initialize(mx.init.Xavier())
    return net, net(DATA)


@pytest.mark.parametrize(("granularity", "exact"), [("tensor-wise", False), ("channel-wise", True)])
def test_what_follows_a_layer_becomes_a_part_of_it(granularity, exact, tmp_path):
    net, expected = residual_net()
    small = q.quantize_net_v2(net, calib_data=[DATA], calib_mode="naive", quantize_granularity=granularity)
    small.export(str(tmp_path / "small"))
    files = [str(tmp_path / name) for name in ("small-symbol.json", "small-0000.params")]
    graph = sym.load(files[0])
    assert operators(graph) == ["quantize_v2", *["_sg_mkldnn_conv"] * 2, *["_sg_mkldnn_fully_connected"] * 2]
    flags = [{key for key, text in node.attrs.items() if text.lower() == "true"} for node in graph.nodes() if node.op]
    by_row = {"channel_wise_quantize"} if exact else set()
    assert flags[1:] == [{"quantized", "with_bn", "with_act"},
                         {"quantized", "with_bn", "with_sum", "with_postsum_act"},
                         {"quantized", "with_eltwise", *by_row}, {"quantized", "enable_float_output", *by_row}]
    types = {name: p.dtype for name, p in small.collect_params().items()}
    assert ({net.last.name + "_weight_quantize"} <= set(types)) != exact
    assert nd.abs(small(DATA) - expected).max().asscalar() < 0.03 * nd.abs(expected).max().asscalar()
    again = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    np.testing.assert_array_equal(again(DATA).asnumpy(), small(DATA).asnumpy())


def test_a_net_whose_graph_has_operators_without_inputs():
    net = nn.HybridSequential()
    net.add(gluon.rnn.LSTM(4, input_size=3), nn.Dense(2, flatten=False, in_units=4))
    net.initialize()
    data = nd.random.normal(shape=(5, 2, 3))
    expected = net(data)
    small = q.quantize_net(net, calib_data=[data], calib_mode="naive")
    assert net[1].name + "_weight_quantize" in small.collect_params()
    assert nd.abs(small(data) - expected).max().asscalar() < 0.03 * nd.abs(expected).max().asscalar()


def test_excluded_layers_are_not_fused():
    net, _ = residual_net()
    small = q.quantize_net(net, calib_data=[DATA], calib_mode="naive", exclude_operators=["Convolution"])
    assert net.convs[0].name + "_weight" in small.collect_params()
    assert net.hidden.name + "_weight_quantize" in small.collect_params()


def test_the_backend_of_mxnet_fuses_a_graph():
    graph = residual()
    args, states = parameters(graph)
    fused = graph.get_backend_symbol("MKLDNN_QUANTIZE")
    assert operators(fused) == ["_sg_mkldnn_conv", "Pooling", "_sg_mkldnn_conv", "Flatten",
                                "_sg_mkldnn_fully_connected", "softmax"]
    for mine, plain in zip(*[g.eval(data=DATA, **args, **states) for g in (fused, graph)], strict=True):
        np.testing.assert_allclose(mine.asnumpy(), plain.asnumpy(), rtol=1e-5, atol=1e-6)


def fused_layer(low, high, weight=1.0, bias=0.0, calib=(0, 1)):
    """The bytes that a fused convolution with one weight makes of -1, 0 and 1 in this range."""
    data = sym.var("data")
    graph = sym.Activation(sym.Convolution(data, kernel=(1, 1), num_filter=1, name="c"), act_type="relu")
    quantize = q.quantize_graph(graph.get_backend_symbol("MKLDNN_QUANTIZE"), {}, {}, calib_mode="none")[0]
    layer = next(node for node in quantize.nodes() if node.op is not None and node.op.name == "_sg_mkldnn_conv").op
    layer = type(layer)(**{**layer.attributes, "min_calib_range": calib[0], "max_calib_range": calib[1]})
    return layer.forward(np.int8([[[[-127, 0, 127]]]]), np.full((1, 1, 1, 1), weight, "f"), np.full(1, bias, "f"),
                         np.full(1, low, "f"), np.full(1, high, "f"))[0].ravel().tolist()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(("how", "expected"), [
    ({"low": -1, "high": 1}, [0, 0, 254]),
    ({"low": 0, "high": 0}, [0, 0, 0]),                                 # data are all 0
    ({"low": -1, "high": 1, "weight": 0}, [0, 0, 0]),
    ({"low": -1, "high": 1, "weight": 0, "bias": 0.5}, [128, 128, 128]),
    ({"low": np.nan, "high": 1}, [0, 0, 0]),                            # NaN is 0 as uint8
    ({"low": -1, "high": 1, "weight": np.nan}, [0, 0, 0]),
    ({"low": -1, "high": 1, "calib": (0, np.inf)}, [0, 0, 0]),
])
def test_hostile_ranges_of_a_fused_layer_are_defined(how, expected):
    assert fused_layer(**how) == expected


def test_layers_are_excluded_by_a_part_of_their_name():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=2), nn.Dense(3, in_units=3))
    net.initialize()
    name = net[1].name
    small = q.quantize_net(net, exclude_layers_match=[name])
    assert name + "_weight" in small.collect_params()
    assert net[0].name + "_weight_quantize" in small.collect_params()


def graph_and_params():
    graph = sym.FullyConnected(sym.var("data"), num_hidden=1, no_bias=True, name="fc")
    return graph, {"fc_weight": nd.ones((1, 2))}, {}


@pytest.mark.parametrize(("call", "expected"), [
    (lambda: q.quantize_model(*graph_and_params()),
     "quantize_model: calib_mode='entropy' measures ranges on examples: pass calib_data, or calib_mode='none'"),
    (lambda: q.quantize_model(*graph_and_params(), calib_mode="none", quantized_dtype="int4"),
     "quantization: quantized_dtype must be one of 'int8', 'uint8', 'auto', found 'int4'"),
    (lambda: q.quantize_model(*graph_and_params(), num_calib_examples=0, calib_data=[nd.ones((1, 2))]),
     "quantize_model: num_calib_examples must be at least 1, found 0"),
    (lambda: q.quantize_model(*graph_and_params(), calib_mode="naive", calib_data=[nd.array([[np.nan, 1]])]),
     "calibration: data has numbers that are not finite. Check the data and the network in float32 first."),
    (lambda: q.quantize_net(gluon.Block()), "quantize_net takes a HybridBlock, found Block"),
])
def test_mistakes(call, expected):
    assert error_of(call, ArgumentError) == expected
