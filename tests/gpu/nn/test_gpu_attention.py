"""Attention in one operator on the GPU: its kernels against the reference, and the programs whose plans get it."""

import itertools

import numpy as np
import pytest
from helpers import WIDE, gpu_choice  # noqa: F401 - the choice first: it chooses the GPU, or skips the module
from helpers.attention_nets import HEADS, LENGTH, MASKS, UNITS, WAYS, net_of, operands, operators, plans, results
from helpers.gpu_checks import GPU, Twin, backend
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import kernels
from minigluon_accel.gpu.backend import GpuDeviceBackend
from minigluon_accel.gpu.kernels.nn import fused_attention
from minigluon_accel.gpu.launch import Work

import minigluon as mx
from minigluon import autograd, dispatch, nd
from minigluon.backend import Spec
from minigluon.dispatch import infer
from minigluon.gluon.model_zoo import text
from minigluon.hybrid.runners import compile_runner
from minigluon.ops import REGISTRY

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
FLOATS = ["float32", "float64", "float16"]


def both(arrays, attributes):
    """Check the operator, and its gradient on what the reference gives. Returns the names of the launches."""
    op, dtype = REGISTRY["_attention"](**attributes), arrays[0].dtype
    assert Twin(op, arrays).check()
    outputs = op.forward(*arrays)
    grad = np.random.default_rng(1).normal(size=outputs[0].shape).astype(dtype)
    back, inputs = REGISTRY["_attention_grad"](**op.attributes), [grad, *outputs, *arrays]
    assert Twin(back, inputs).check()
    return [*launches(op, arrays), *launches(back, inputs)]


def launches(op, arrays):
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    work = kernels.find(op, specs, infer(op, specs), False, None, backend().device)
    return [each.function for each in work.launches] if isinstance(work, Work) else work


ALL = ["attention", "attention_totals", "attention_to_keys", "attention_to_queries"]


# In CI float32 with each mask, and the other types with every other one.
@pytest.mark.parametrize(("masking", "differs", "dtype"), [
    (*mask, dtype) for n, mask in enumerate(MASKS) for m, dtype in enumerate(FLOATS)
    if WIDE or dtype == "float32" or (n + m) % 2])
def test_each_mask(masking, differs, dtype):
    """Several tiles take half a second each on an emulated GPU, so only one type and kind of differences has them."""
    several = WIDE or dtype == "float32" and differs in (MASKS[0][1], MASKS[-1][1])
    for sizes in [(2, 3, 5, 7, 4, 6), *[(1, 2, 70, 65, 16, 32)] * several]:
        assert both(*operands(masking, differs, np.dtype(dtype), *sizes)) == ALL


BORDERS = list(itertools.product([1, 31, 32, 33, 63, 64, 65, 128, 129], [1, 32, 33, 64, 127, 129]))


@pytest.mark.parametrize(("queries", "keys"), [
    pair for n, pair in enumerate(BORDERS) if WIDE or (n + n // 6) % 3 == 0])
def test_lengths_around_the_borders_of_tiles(queries, keys):
    both(*operands("none", (), np.dtype("float32"), 1, 1, queries, keys, 8, 8))


SIZES = [(64, 64), (65, 3), (31, 96), (128, 128), (33, 127), (1, 1)]


@pytest.mark.parametrize(("size", "width", "dtype"), [(*sizes, "float32") for sizes in SIZES] +
                         [(*sizes, "float64") for sizes in (SIZES if WIDE else SIZES[1:2])])
def test_sizes_of_heads(size, width, dtype):
    """Those that are copied in pieces of 16 bytes, and others; each kind of tiles."""
    both(*operands("add", (1, 1, 1, 1), np.dtype(dtype), 1, 2, 35, 67, size, width))


def test_a_card_with_little_shared_memory(monkeypatch):
    """Smaller tiles, and where these do not fit, no kernel: the pass asks before."""
    cases = [operands("where", (1, 0, 1, 1), np.dtype("float32"), 1, 1, 40, 70, size, size) for size in (64, 128)]
    monkeypatch.setattr(backend().device, "most_shared", 2 ** 16)
    both(*cases[0])
    arrays, attributes = cases[1]
    assert launches(REGISTRY["_attention"](**attributes), arrays) == ["attention"]
    asked = np.dtype("float32"), 128, 128, backend().device
    assert fused_attention.reason_against_heads(*asked) == "too little shared memory for heads of this size"
    monkeypatch.undo()
    assert fused_attention.reason_against_heads(*asked) is None
    monkeypatch.setenv("MINIGLUON_TF32", "1")
    assert fused_attention.reason_against_heads(*asked) == "MINIGLUON_TF32=1 wants products on tensor cores"


def test_heads_that_are_too_large():
    arrays, attributes = operands("none", (), np.dtype("float32"), 1, 1, 9, 9, 129, 8)
    assert launches(REGISTRY["_attention"](**attributes), arrays) == "heads of 129 numbers, and the kernel takes 128"


@st.composite
def drawn(draw):
    """(arrays, attributes) in any layout, joined in any way, with any mask."""
    batch, heads, queries, keys = (draw(st.integers(1, n)) for n in (3, 3, 80, 80))
    size, width = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    joined, dtype = draw(st.sampled_from(["apart", "keys_values", "all"])), draw(st.sampled_from(FLOATS))
    layouts = [draw(st.sampled_from(["PTC", "NTC", "TNC"])) for _ in range(4)]
    if joined == "all":
        keys, width, layouts[:3] = queries, size, [draw(st.sampled_from(["NTC", "TNC"]))] * 3
    if joined == "keys_values":
        width, layouts[1:3] = size, [draw(st.sampled_from(["NTC", "TNC"]))] * 2
    masking = draw(st.sampled_from(["none", "add", "where", "length", "until"]))
    weighs = masking == "where" and draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 99)))

    def array(layout, parts, length, size):
        return rng.normal(size={"PTC": (batch * heads, length, size), "NTC": (batch, length, heads * parts * size),
                                "TNC": (length, batch, heads * parts * size)}[layout]).astype(dtype)
    arrays = {"apart": lambda: [array(layouts[0], 1, queries, size), array(layouts[1], 1, keys, size),
                                array(layouts[2], 1, keys, width)],
              "keys_values": lambda: [array(layouts[0], 1, queries, size), array(layouts[1], 2, keys, size)],
              "all": lambda: [array(layouts[0], 3, queries, size)]}[joined]()
    full = batch, heads, queries, 1 if masking in ("length", "until") else keys
    shape = [n if draw(st.booleans()) else 1 for n in full]
    away = rng.random(shape) < draw(st.sampled_from([0, 0.4, 0.95]))
    mask = {"add": np.where(away, draw(st.sampled_from([-1e4, -np.inf])), rng.normal(size=shape)), "where": ~away}.get(
        masking, rng.integers(0, keys + 2, shape))
    if masking != "none":
        arrays.append(mask.astype(dtype))
    names = [f"{name}_layout" for name in ("query", "key", "value", "out")]
    return arrays, {**dict(zip(names, layouts, strict=True)), "heads": heads, "joined": joined, "masking": masking,
                    "weighs": weighs, "scale": size ** -0.5, "fill": draw(st.sampled_from([0.0, -1e4, -np.inf]))}


@settings(deadline=None, max_examples=300 if WIDE else 12)       # half a second each
@given(drawn())
def test_drawn(example):
    both(*example)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf] if WIDE else [np.nan, -np.inf])
@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("masking", ["none", "where"])
def test_numbers_that_are_not_finite(value, which, masking):
    for place in (0, 40) if WIDE else [40 if which else 0]:
        arrays, attributes = operands(masking, (1, 1, 1, 1), np.dtype("float32"), 1, 2, 41, 70, 4, 4)
        arrays[which][0, place, 1] = value
        both(arrays, attributes)


@pytest.mark.parametrize("masking", ["add", "where", "length", "until"])
def test_rows_that_are_wholly_masked(masking):
    differs = (1, 1, 1) if masking in ("length", "until") else (1, 1, 1, 1)
    for keys in 5, 70:
        arrays, attributes = operands(masking, differs, np.dtype("float32"), 1, 2, 41, keys, 4, 4)
        arrays[3][0, 0, 3] = -np.inf if masking == "add" else 0
        arrays[3][0, 1, :, :60] = -np.inf if masking == "add" else 0
        for fill in -1e4, -np.inf:
            both(arrays, {**attributes, "fill": fill})


@pytest.mark.parametrize("axis", [0, 2, 3, 4, 5])
@pytest.mark.parametrize("masking", ["none", "length"])
def test_no_elements(axis, masking):
    sizes = [2, 2, 5, 4, 3, 3]
    sizes[axis] = 0
    both(*operands(masking, (1, 1, 1), np.dtype("float32"), *sizes))


def test_two_runs_give_the_same_bits():
    arrays, attributes = operands("where", (1, 1, 1, 1), np.dtype("float32"), 2, 2, 70, 130, 20, 20)
    op = REGISTRY["_attention"](**attributes)
    back, outputs = REGISTRY["_attention_grad"](**op.attributes), op.forward(*arrays)
    for each, inputs in (op, arrays), (back, [outputs[0], *outputs, *arrays]):
        specs = [Spec(a.shape, a.dtype) for a in inputs]
        run = backend().prepare(each, specs, infer(each, specs), False, None).run
        first, second = ([x.numpy() for x in run([backend().from_numpy(a, GPU) for a in inputs])] for _ in range(2))
        for a, b in zip(first, second, strict=True):
            assert a.tobytes() == b.tobytes()


# -- the pass -------------------------------------------------------------------------------------------------------


@pytest.fixture(name="without_pass")
def _without_pass(monkeypatch):
    monkeypatch.setattr(GpuDeviceBackend, "passes_before_gradients", [])


def run_net(way, hybrid):
    """(the net, its results) on the GPU."""
    with GPU:
        net, x, mask = net_of(way)
        net.hybridize(hybrid)
        mx.random.seed(5)
        return net, results(net, x, mask)


@pytest.mark.parametrize("way", [way for way in WAYS if "dropped" not in way])
def test_each_way_becomes_one_operator(way):
    _, expected = run_net(way, hybrid=False)
    before = dispatch.declined.copy()
    net, found = run_net(way, hybrid=True)
    assert [key for key in dispatch.declined - before if key[1] == "gpu"] == []
    names = operators(net)
    assert {"_attention", "_attention_grad"} <= names
    assert not {"softmax", "batch_dot"} & names
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5 * max(1, np.abs(b).max()))


@pytest.mark.parametrize("way", [way for way in WAYS if "dropped" in way])
def test_weights_that_are_dropped_stay_apart(way):
    """Predicting, nothing is dropped."""
    net, _ = run_net(way, hybrid=True)
    assert {"Dropout", "softmax", "_attention"} <= operators(net)
    assert not {"_attention_dropout", "_attention_grad"} & operators(net)


def most_memory(net):
    return max(plan.memory.size for plan in plans(net))


def test_scores_have_no_memory(monkeypatch):
    monkeypatch.setattr("helpers.attention_nets.LENGTH", 150)
    together = most_memory(run_net("plain", hybrid=True)[0])
    monkeypatch.setattr(GpuDeviceBackend, "passes_before_gradients", [])
    apart = most_memory(run_net("plain", hybrid=True)[0])
    scores = 3 * HEADS * 150 * 150 * 4
    assert apart - together > scores
    assert together < 20 * 3 * 150 * UNITS * 4      # some arrays of the length alone


def test_heads_without_kernels_stay_apart(monkeypatch):
    monkeypatch.setattr(fused_attention, "MAX_SIZE", UNITS // HEADS - 1)
    net, _ = run_net("plain", hybrid=True)
    assert "softmax" in operators(net)
    assert "_attention" not in operators(net)


def test_a_report_tells_what_was_replaced():
    net, _ = run_net("plain", hybrid=True)
    reports, dtype = [], np.dtype("float32")
    graph = next(iter(net._graphs.values())).compiled
    shapes = [(3, LENGTH, UNITS), *[(UNITS, UNITS), (UNITS,)] * 3]
    known = {name: Spec(shape, dtype) for name, shape in zip(graph.inputs, shapes, strict=True)}
    compile_runner(graph, known, GPU, (), reports=reports)
    (report,) = [report for report in reports if report.name == "fuse attention"]
    assert report.notes == ["net_batch_dot1: one pass for 4 heads in place of batch_dot, _div_scalar, softmax, "
                            "batch_dot"]


def bert(hybrid):
    """What a small BERT gives, and its gradients."""
    mx.random.seed(3)
    with GPU:
        encoder = text.BERTEncoder(num_layers=2, units=24, hidden_size=32, max_length=48, num_heads=3, dropout=0)
        net = text.BERTModel(encoder, 50, 2, 24, use_decoder=False, use_classifier=False)
        net.initialize(mx.init.Normal(0.2))
        net.hybridize(hybrid)
        rng = np.random.default_rng(2)
        words, kinds = nd.array(rng.integers(0, 50, (2, 30))), nd.zeros((2, 30))
        arguments = [words, kinds, nd.array([30, 17])]
        with autograd.record():
            out = net(*arguments)
            out = out[0] if isinstance(out, (list, tuple)) else out
            loss = (out * out).mean()
        loss.backward()
        grads = [p.grad().asnumpy() for p in net.collect_params().values() if p.grad_req != "null"]
        return net, [out.asnumpy(), *grads]


def test_bert_trains_as_its_operators_one_by_one():
    (net, found), (_, expected) = bert(True), bert(False)
    assert {"_attention", "_attention_grad"} <= operators(net)
    assert "softmax" not in operators(net)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5 * max(1, np.abs(b).max()))
