"""Every operator on the GPU against the reference: all rows of the table, other types, drawn shapes, whole nets."""

import ctypes
import functools
import os
import zlib
from dataclasses import replace

import numpy as np
import pytest
from helpers import WIDE, gpu_choice  # noqa: F401 - the choice first: it chooses the GPU, or skips the module
from helpers.accel_checks import Twin as CpuTwin
from helpers.gpu_checks import GPU, Twin, backend, prepared
from helpers.row_draws import drawn, resize
from helpers.rows import operators_of, run, surrounded
from hypothesis import Phase, given, reject, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import driver, kernels, launch, launcher
from op_cases import CASES

import minigluon as mx
from minigluon import autograd, dispatch, nd
from minigluon import symbol as sym
from minigluon.backend import use_backend
from minigluon.backend.forgetting import forget_kernels
from minigluon.base import MXNetError
from minigluon.hybrid import CachedOp
from minigluon.hybrid.fused_chain import FusedChain
from minigluon.ops import REGISTRY
from minigluon.tools.bench.nets import PROGRAMS, QUICK
from minigluon.tools.bench.workers.programs_gluon import makers

PREPARED = prepared()
OPERATORS = sorted({c.op for c in CASES})


def first_rows(count):
    """The first rows of each operator."""
    rows = {}
    for case in CASES:
        rows.setdefault(case.op, []).append(case)
    return [case for cases in rows.values() for case in cases[:count]]


# Operators of the registry that have no kernel, each with the reason. No other may be without.
KNOWN_WITHOUT = dict.fromkeys(["_cond", "_foreach", "_while_loop"], "holds graphs, whose operators run one by one")
KNOWN_WITHOUT.update(dict.fromkeys(["_contrib_DeformablePSROIPooling", "_deformable_ps_roi_data_grad",
                                    "_deformable_ps_roi_trans_grad"], "not written yet: the reference computes it"))
KNOWN_WITHOUT.update(dict.fromkeys(["BatchNorm_v1", "Pooling_v1"], "of older graphs: the reference computes it"))
KNOWN_WITHOUT["_final_gradients"] = "for stores that send from the CPU's memory"
KNOWN_WITHOUT["_linalg_svd"] = "of mx.np only: LAPACK computes it"
KNOWN_WITHOUT.update(dict.fromkeys(["_contrib_group_adagrad_update", "_sparse_adagrad_update", "_sparse_retain",
                                    "_sparse_retain_grad", "cast_storage"], "for arrays that are mostly zeros"))
KNOWN_WITHOUT.update(dict.fromkeys(["_attention_dropout", "_attention_dropout_grad"],
                                   "put in by a pass of the CPU's backend"))
KNOWN_WITHOUT.update(dict.fromkeys([
    "_contrib_calibrate_entropy", "_contrib_dequantize", "_contrib_quantize", "_contrib_quantize_v2",
    "_contrib_quantized_act", "_contrib_quantized_batch_norm", "_contrib_quantized_concat", "_contrib_quantized_conv",
    "_contrib_quantized_elemwise_add", "_contrib_quantized_elemwise_mul", "_contrib_quantized_embedding",
    "_contrib_quantized_flatten", "_contrib_quantized_fully_connected", "_contrib_quantized_pooling",
    "_contrib_requantize", "_contrib_weight_only_fully_connected", "_sg_mkldnn_conv", "_sg_mkldnn_fully_connected"],
    "integers of few bits: the reference computes them"))
# What Twin cannot run alone, and other tests do: those of random numbers, and those whose shape depends on values.
ELSEWHERE = {"random", "dynamic"}


def checked(calls):
    """Check each call once; returns {(operator, why it has no kernel)}."""
    seen, declined = set(), set()
    for op, arrays, train in calls:
        key = op, train, tuple([(a.shape, a.dtype) for a in arrays])
        if key in seen:
            continue
        seen.add(key)
        twin = Twin(op, arrays, train)
        if not twin.check() and twin.declined not in ELSEWHERE and op.name not in KNOWN_WITHOUT:
            declined.add((op.name, twin.declined))
    return declined


def test_every_operator_has_a_kernel():
    operators = {cls.name for cls in REGISTRY.values()} | {FusedChain.name}
    without = sorted(operators - set(PREPARED) - set(KNOWN_WITHOUT))
    assert not without, f"no GPU kernel for {without}: name them in a @kernel_for of their family in gpu/kernels"
    assert operators - set(PREPARED) == set(KNOWN_WITHOUT), "these have kernels now: take them out of KNOWN_WITHOUT"


# Operators that passes of this plugin make.
PLUGINS_OWN = {"_fused", "_conv_relu", "_fully_connected_relu"}


def test_a_kernel_stands_in_the_module_of_its_operators_family():
    """`minigluon/ops/nn/softmax.py` has the operator, `gpu/kernels/nn/softmax.py` its kernel."""
    functions = kernels.prepared_operators()
    assert set(functions) >= PLUGINS_OWN
    families = {name: REGISTRY[name].__module__.removeprefix("minigluon.ops.") for name in set(functions) - PLUGINS_OWN}
    found = {name: functions[name].__module__.removeprefix("minigluon_accel.gpu.kernels.") for name in families}
    assert {name: (found[name], family) for name, family in families.items() if found[name] != family} == {}


# -- the rows of the table --------------------------------------------------------------------------------------------


# A row without a kernel runs on the CPU with copies, and says so.
runs_elsewhere = pytest.mark.filterwarnings(
    "ignore:gpu. (_contrib_DeformablePSROIPooling|_deformable_ps_roi_|BatchNorm_v1|Pooling_v1|_contrib_group_adagrad|"
    "_linalg_svd|_sparse_|cast_storage|_attention_dropout|_contrib_quantize|_contrib_requantize|_contrib_dequantize|"
    "_contrib_calibrate_entropy|_contrib_weight_only|_sg_mkldnn|_final_gradients):UserWarning")


@pytest.mark.parametrize("case", CASES if WIDE else first_rows(2), ids=lambda c: c.id)
def test_rows(case):
    """All operators that run forward and backward, each alone, in the ways that gpu_checks names."""
    assert checked(operators_of(case, case.inputs("float32"))) == set()


# In CI one of each operator: the kernels of two rows run in `test_rows`, and here what is around them does.
@pytest.mark.parametrize("case", CASES if WIDE else first_rows(1), ids=lambda c: c.id)
@runs_elsewhere
def test_rows_on_arrays_and_in_a_plan(case):
    """The whole case as a program runs it: outputs, gradients, what is overwritten."""
    if REGISTRY[case.op].random:
        return                          # see below
    arrays = case.inputs("float32")
    with use_backend("numpy"):
        wanted = run(case, "alone", lambda xs: surrounded(nd, case, xs, "alone"), arrays)
    ways = [lambda xs: surrounded(nd, case, xs, "alone")]
    if case.op != "reset_arrays":       # of which there is no result that a graph could lead to
        names = [f"in{i}" for i in range(len(arrays))]
        plan = CachedOp(sym.Group(surrounded(sym, case, [sym.var(n) for n in names], "alone")), names)
        ways += [lambda xs: plan(xs)] * 2
    for way in ways:
        with GPU:
            found = run(case, "alone", way, arrays)
        for kind, ours, theirs in zip(("outputs", "gradients", "inputs"), found, wanted, strict=True):
            for index, (y, expected) in enumerate(zip(ours, theirs, strict=True)):
                assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
                tol = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-12}.get(y.dtype.name, 0)
                np.testing.assert_allclose(y, expected, tol, tol, err_msg=f"{kind} {index}")


# Under compute-sanitizer, which is slow: operators of every family, and with them their gradients.
FAMILIES = ["BatchNorm", "Concat", "Convolution", "Deconvolution", "Dropout", "Embedding", "FullyConnected",
            "LayerNorm", "Pooling", "RNN", "SequenceMask", "_attention", "_contrib_cached_attention", "_random_normal",
            "broadcast_add", "cumsum", "dot", "sgd_mom_update", "softmax", "sum", "take", "tanh", "topk", "transpose"]


@pytest.mark.parametrize("op", FAMILIES)
def test_sanitized(op):
    for case in [c for c in CASES if c.op == op][:3]:
        assert checked(operators_of(case, case.inputs("float32"))) == set()


# -- other types ------------------------------------------------------------------------------------------------------


def of_type(case, dtype):
    """The case's inputs, those of floats in another type; whole numbers from -3 to 3 for small ones."""
    arrays = case.inputs("float64")
    if np.dtype(dtype).kind in "iu":
        arrays = [np.rint(3 * a) if getattr(make, "floating", True) and np.abs(a).max(initial=0) <= 1 else a
                  for make, a in zip(case.makers, arrays, strict=True)]
        arrays = [np.abs(a) for a in arrays] if np.dtype(dtype).kind == "u" else arrays
    return [a.astype(dtype) if a.dtype == np.float64 else a for a in arrays]


def some_types(op):
    """One type of floating and one of whole numbers, in CI one of them for every fourth operator: each type has its
    turn, as compiling all of all takes long. MINIGLUON_ALL_TYPES=1 takes all.
    """
    floats, wholes, turn = ["float64", "float16"], ["int32", "int64", "uint8"], zlib.crc32(op.encode())
    if os.environ.get("MINIGLUON_ALL_TYPES") == "1":
        return floats + wholes
    some = [floats[turn % 2], wholes[turn // 2 % 3]]
    return some if WIDE else [some[turn // 6 % 2]] * (turn // 12 % 4 == 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("op", "dtype"), [(op, dtype) for op in OPERATORS for dtype in some_types(op)])
def test_other_types(op, dtype):
    """The first row of each operator, where the reference takes the type. Gradients are of floating numbers."""
    case = first_row(op)
    calls = taken(case, of_type(case, dtype), dtype)
    if isinstance(calls, str):
        pytest.skip(calls)
    assert checked(calls) == set()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("dtype", "share"), [("float64", 1), ("float16", 0.9), ("int32", 0.65), ("int64", 0.65),
                                              ("uint8", 0.6)])
def test_most_operators_take_other_types(dtype, share):
    """The test above passes over the others."""
    found = [op for op in OPERATORS if takes(op, dtype)]
    assert len(found) >= share * len(OPERATORS), f"{len(found)} of {len(OPERATORS)} operators take {dtype}"


def first_row(op):
    return next(c for c in CASES if c.op == op)


@functools.cache
def takes(op, dtype):
    """Does the reference compute the first row of the operator in this type?"""
    case = first_row(op)
    return not isinstance(taken(case, of_type(case, dtype), dtype), str)


def taken(case, arrays, dtype, attrs=None):
    """What runs on these arrays: [(op, inputs, train)]. Or, as a text, why nothing does that could be compared."""
    whole = np.dtype(dtype).kind in "iu"
    if whole and real_only(case.op):
        return "steps of optimizers are for floating numbers"
    if whole and not representable(case, arrays, dtype, attrs):
        return f"results are no numbers of {dtype}"
    try:
        return operators_of(replace(case, grad=()) if whole else case, arrays, attrs)
    except (MXNetError, TypeError):
        return f"the reference does not take {dtype}"


def real_only(op):
    """Steps of optimizers, and what belongs to them, are for floating numbers here."""
    return "_update" in op or op in ("multi_lars", "_contrib_div_sqrt_dim")


def representable(case, arrays, dtype, attrs):
    """Are the results, computed in float64, numbers of this type? What others become is undefined in C."""
    try:
        with np.errstate(all="ignore"):
            calls = operators_of(replace(case, grad=()), [a.astype("float64") for a in arrays], attrs)
    except (MXNetError, TypeError):
        return True
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    with np.errstate(all="ignore"):
        results = [y for call in calls for y in reference(*call)]
    return all(np.isfinite(y).all() and (y >= low).all() and (y <= high).all() for y in results)


class Alone(CpuTwin):
    """An operator's reference without a kernel beside it, which would have to be compiled."""

    def _prepare(self):
        return None


def reference(op, arrays, train):
    """The outputs of the reference; none where the operator is random."""
    if op.random or op.dynamic:
        return []
    wanted = Alone(op, arrays, train).wanted()
    return [] if isinstance(wanted, MXNetError) else [y for y in wanted[0] if y.dtype.kind in "fiu"]


# -- drawn shapes -----------------------------------------------------------------------------------------------------

# A matrix that is made larger by repeating rows is singular but for rounding, and LAPACK spreads NaN in its own way:
# test_gpu_products and test_gpu_factor draw equations that have one answer.
EQUATIONS = {"linalg_trsm", "linalg_potri", "linalg_gelqf", "linalg_det", "linalg_slogdet", "linalg_inverse"}


TYPES = ["float32", "float64", "float16", "int32", "int64", "uint8"]
DRAWS = int(os.environ.get("MINIGLUON_DRAWS") or (12 if WIDE else 1))      # for each operator


def drawn_types(op):
    """The types to draw from: all that the reference takes. In CI float32 and that of `test_other_types`."""
    types = TYPES if WIDE else ["float32", *some_types(op)]
    return [dtype for dtype in types if takes(op, dtype)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("op", [op for op in OPERATORS if REGISTRY[op].name in PREPARED and op not in EQUATIONS])
@settings(max_examples=DRAWS, phases=[Phase.explicit, Phase.reuse, Phase.generate])      # shrinking takes minutes
@given(data=st.data())
def test_drawn_shapes_and_types(op, data):
    """Odd and zero lengths, NaN and infinities, and more elements than a grid has threads, where one has few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "MAX_BLOCKS", 3)
        dtype = data.draw(st.sampled_from(drawn_types(op)))
        case, arrays, attrs = data.draw(drawn(op, [dtype], of_type, large=3000))
        calls = taken(case, arrays, dtype, attrs)
        if isinstance(calls, str):
            reject()                    # another example instead: none is empty
        assert checked(calls) == set()


# -- random numbers ---------------------------------------------------------------------------------------------------


def with_key(ctx, draw):
    """What `draw()` gives on a device whose generator begins with the same key on each device."""
    mx.random.seed(11, ctx=ctx)
    with ctx:
        return [y.asnumpy() for y in draw()]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("p", [0.1, 0.5, 1 / 3, 0.9])
def test_dropout_drops_the_same_elements_as_on_the_cpu(p, dtype):
    def draw():
        with autograd.train_mode():
            return [nd.Dropout(nd.ones(shape, dtype=dtype), p=p) for shape in ((300, 41), (7,), (0, 3), (1, 5001))]
    for found, wanted in zip(with_key(GPU, draw), with_key(mx.cpu(), draw), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_dropout_of_a_hybridized_net_is_that_of_the_cpu():
    def draw():
        block = mx.gluon.nn.HybridSequential()
        block.add(mx.gluon.nn.Dropout(0.3), mx.gluon.nn.Dropout(0.5))
        block.hybridize()
        with autograd.record():
            return [block(nd.ones((300, 41))) for _ in range(4)]
    found, wanted = with_key(GPU, draw), with_key(mx.cpu(), draw)
    assert not np.array_equal(found[2], found[3])
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


# RNN draws for some attributes alone; test_gpu_rnn.py compares what it drops. No pass for a GPU puts in attention.
@pytest.mark.parametrize("op", sorted({c.op for c in CASES if REGISTRY[c.op].random is True} - {"_attention_dropout"}))
def test_random_numbers_are_reproducible_and_distributed_alike(op):
    case = next(c for c in CASES if c.op == op)
    arrays = [resize(a, (25, *a.shape)) for a in case.inputs("float32")]
    # of unique numbers there are only so many
    more = {"shape": (32, 100)} if "shape" in case.attrs and "range_max" not in case.attrs else {}
    attrs = {**case.attrs, **more}

    def sample(ctx, seed, calls=5):
        mx.random.seed(seed)
        with ctx, autograd.train_mode() if case.train else autograd.predict_mode():
            results = [getattr(nd, op)(*[nd.array(a) for a in arrays], **attrs) for _ in range(calls)]
            results = [y[0] if isinstance(y, (list, tuple)) else y for y in results]
        return np.asarray([y.asnumpy() for y in results], "float64")
    first = sample(GPU, 3)
    np.testing.assert_array_equal(first[:2], sample(GPU, 3, calls=2))
    assert not np.array_equal(first[:2], sample(GPU, 4, calls=2)) or not np.any(np.diff(first, axis=0))
    reference = sample(mx.cpu(), 3)
    error = 5 * (reference.std() + 1e-6) / np.sqrt(first.size)
    assert abs(first.mean() - reference.mean()) < 2 * error
    assert abs(first.std() - reference.std()) < 0.05 * (reference.std() + 1e-6) + error


# -- loops ------------------------------------------------------------------------------------------------------------


class Running(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        start = [F.zeros_like(F.sum(x, axis=0))]
        out, states = F.contrib.foreach(lambda row, state: (row * 2 + state[0], [state[0] + row]), x, start)
        return out + states[0]


class Doubling(mx.gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        _, (_, total) = F.contrib.while_loop(lambda i, s: i < 3, lambda i, s: ([s * 2], [i + 1, s + i * x]),
                                             [F.zeros((1,)), x], max_iterations=5)
        return F.contrib.cond((total.sum() > 0).reshape((1,)), lambda: total * 3, lambda: total)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("block", [Running, Doubling])
def test_loops_and_branches(block, hybridized):
    """Their graphs' operators have kernels; so nothing runs on the reference."""
    def results(ctx):
        with ctx:
            net, x = block(), nd.array(np.arange(6.0).reshape(3, 2))
            net.hybridize(hybridized)
            x.attach_grad()
            with autograd.record():
                y = net(x)
            y.backward()
            return y.asnumpy(), x.grad.asnumpy()
    before = dispatch.declined.copy()
    for found, wanted in zip(results(GPU), results(mx.cpu()), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert [key for key in dispatch.declined - before if key[1] == "gpu"] == []


# -- statistics -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("shape", [(4, 3, 5, 7), (9, 3), (1, 3, 33, 31)])
def test_batch_norm_keeps_the_same_statistics(shape, hybridized):
    """Running mean and variance after three training steps, and what prediction makes of them."""
    data = np.random.default_rng(0).normal(3, 2, (3, *shape)).astype("float32")

    def statistics(ctx):
        with ctx:
            layer = mx.gluon.nn.BatchNorm(momentum=0.7)
            layer.initialize()
            layer.hybridize(hybridized)
            for x in data:
                with autograd.record():
                    layer(nd.array(x))
            return [layer.running_mean.data().asnumpy(), layer.running_var.data().asnumpy(),
                    layer(nd.array(data[0])).asnumpy()]
    for found, wanted in zip(statistics(GPU), statistics(mx.cpu()), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


# -- the nets of the benchmarks ---------------------------------------------------------------------------------------

SIZES = {**QUICK, "lenet_batch": 2, "lenet256_batch": 3, "deep_batch": 2, "deep_layers": 20}
# In CI only some of the large nets, as in tests/accel, and none of them at two sizes.
LARGE = ("alexnet", "bert-mini", "gpt", "mobilenet", "resnet", "unet", "vit-tiny")
NETS = [name for net in PROGRAMS.values() for name in net if WIDE or not (
    net[0].startswith(("alexnet", "gpt", "mobilenet", "resnet50", "resnet8", "unet", "vit-tiny")) or "batch 8" in name)]


# cuLaunchKernel's type, and such a function that launches nothing.
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)
NO_LAUNCH = LAUNCH(lambda *arguments: 0)


def _launch_by(function):
    functions = function, driver.api().cuCtxGetCurrent, driver.api().cuCtxSetCurrent
    launcher.set_driver(*[ctypes.cast(each, ctypes.c_void_p).value for each in functions])


@pytest.fixture
def _large_nets_do_not_run(program):
    """Which kernels are prepared does not depend on what they compute, for which the emulated device takes long."""
    if driver.emulated() and program.startswith(LARGE):
        _launch_by(NO_LAUNCH)
        yield
        _launch_by(driver.api().cuLaunchKernel)
    else:
        yield


@pytest.mark.parametrize("mode", ["hybridized", "imperative"])
@pytest.mark.parametrize("program", NETS)
@pytest.mark.usefixtures("_large_nets_do_not_run")
def test_the_reference_runs_nothing_of_the_nets_of_the_benchmarks(program, mode):
    forget_kernels()
    before = dispatch.declined.copy()
    with GPU:
        makers(mx, SIZES)[program](mode).run()
    # Initial values are drawn on the CPU, whose backend has a ledger of its own.
    assert {key: count for key, count in (dispatch.declined - before).items() if key[1] == "gpu"} == {}


def trained(program, mode):
    """Parameters of a net after three steps."""
    mx.random.seed(2)
    with GPU:
        program = makers(mx, SIZES)[program](mode)
        block = program.blocks[0] if program.blocks else None
        for _ in range(3):
            program.run()
    return [p.data().asnumpy() for p in block.collect_params().values()]


@pytest.mark.parametrize("program", ["lenet train step", "deep mlp train step"])
def test_two_runs_give_the_same_bits(program):
    first, second = trained(program, "hybridized"), trained(program, "hybridized")
    assert len(first) > 1
    for found, wanted in zip(first, second, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_tests_use_the_gpu_that_they_say():
    assert backend().device.number == 0
    assert nd.ones((2,), ctx=GPU).context is GPU


def test_detections_among_nan_and_infinities():
    """Classes of NaN, boxes without an end: the same rows in the same order."""
    odd = np.array([np.nan, np.inf, -np.inf, 0], "float32")
    for seed in range(20):
        generator = np.random.default_rng(seed)
        arrays = [generator.random(shape, "float32") for shape in ((1, 3, 6), (1, 24), (1, 6, 4))]
        for a in arrays:
            some = generator.random(a.shape) < 0.15
            a[some] = generator.choice(odd, np.count_nonzero(some))
        op = REGISTRY["_contrib_MultiBoxDetection"](nms_threshold=(0.3, -1.0)[seed % 2])
        assert Twin(op, arrays).check()
