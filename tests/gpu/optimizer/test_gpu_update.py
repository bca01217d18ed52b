"""Steps of optimizers on the GPU: formulas, several weights in one launch, mixed precision, and training with each."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment, and skips where there is no GPU backend
from helpers.gpu_checks import GPU, Twin, agree, backend, to_gpu
from helpers.gpu_steps import MIXED, ONE, STEPS, options
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import compile as gpu_compile
from minigluon_accel.gpu import launch
from minigluon_accel.gpu.kernels import pointer_tables
from minigluon_accel.gpu.memory import Memory
from op_cases import CASES
from records import optimizer_cases

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import ReferenceBackend, Spec
from minigluon.gluon import nn
from minigluon.ops import REGISTRY

OTHERS = ["lamb_update_phase2", "mp_lamb_update_phase2", "_adamw_update", "multi_sum_sq", "multi_lars", "reset_arrays"]
MANY = [pre + name for pre in ("multi_", "preloaded_multi_")
        for name in ("sgd_update", "sgd_mom_update", "mp_sgd_update", "mp_sgd_mom_update")]
SPECIAL = [0.3, np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38]


@pytest.fixture
def small_grids(monkeypatch):
    """So few blocks that every loop goes on in strides of the grid."""
    monkeypatch.setattr(launch, "MAX_BLOCKS", 2)


@pytest.mark.parametrize("case", [c for c in CASES if c.op in {*ONE, *MIXED, *OTHERS, *MANY, *STEPS}],
                         ids=lambda c: c.id)
def test_rows_of_the_table(case):
    for dtype in "float64", "float32", "float16":
        agree(case.op, *case.inputs(dtype), **case.attrs)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_special_numbers_are_those_of_the_reference(name, dtype):
    count = len(REGISTRY[name].arguments)
    with np.errstate(all="ignore"):
        table = np.array(np.meshgrid(*[SPECIAL if count < 5 else SPECIAL[:4]] * count)).astype(dtype).reshape(count, -1)
    twin = agree(name, *table, **options(name))
    assert np.isnan(twin.wanted()[0][0]).any()


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("count", [0, 1, 1500])
def test_sizes(name, count, small_grids):
    rng = np.random.default_rng(count)
    agree(name, *np.abs(rng.normal(size=(len(REGISTRY[name].arguments), count))).astype("float32"), **options(name))


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("count", [0, 37])
def test_float16_weights_with_float32_copies(name, count):
    rng = np.random.default_rng(5)
    weight32 = rng.normal(size=count).astype("float32")
    states = [np.abs(rng.normal(size=count)).astype("float32") for _ in MIXED[name]]
    arrays = [weight32.astype("float16"), rng.normal(size=count).astype("float16"), *states, weight32]
    if name == "_mp_adamw_update":
        arrays.append(np.array([0.5], "float32"))
    agree(name, *arrays, **options(name))


def test_a_scale_that_skips_the_step():
    rng = np.random.default_rng(0)
    for scale in 0, np.nan, np.inf:
        arrays = [*np.abs(rng.normal(size=(4, 6))).astype("float32"), np.array([scale], "float32")]
        twin = agree("_adamw_update", *arrays, **options("_adamw_update"))
        np.testing.assert_array_equal(twin.wanted()[0][0], arrays[0])


@pytest.mark.parametrize("name", STEPS)
@settings(deadline=None, max_examples=12)
@given(data=st.data())
def test_steps_of_many_weights(name, data):
    group, more = STEPS[name]
    sizes = data.draw(st.lists(st.sampled_from([0, 1, 3, 16, 17, 50, 129]), min_size=1, max_size=12))
    dtypes = data.draw(st.lists(st.sampled_from(["float32", "float64", "float16"]), min_size=1, max_size=2))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    arrays = [np.abs(rng.normal(size=size)).astype(dtypes[k % len(dtypes)]) for k, size in enumerate(sizes)
              for _ in range(group)]
    rates = np.concatenate([[0.5], rng.uniform(0, 1, len(sizes)), rng.choice([0, 0.1], len(sizes))])
    rates = rates.astype(data.draw(st.sampled_from(["float32", "float64"])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pointer_tables, "PIECE", 16)
        patch.setattr("minigluon_accel.gpu.kernels.optimizer.multi_tensor.PIECE", 16)
        patch.setattr(launch, "MAX_BLOCKS", data.draw(st.sampled_from([2, 65535])))
        op = REGISTRY[name](num_weights=len(sizes), clip_gradient=data.draw(st.sampled_from([-1.0, 0.5])), **more)
        twin = Twin(op, [*arrays, rates])
        assert twin.declined is None
        assert twin.check()


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 5, 33, 100]), st.sampled_from(["float32", "float64", "float16"])),
                min_size=1, max_size=9), st.integers(0, 99))
def test_sums_of_squares_are_exact_and_zeros_are_written(kinds, seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.integers(-9, 9, count).astype(dtype) for count, dtype in kinds]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pointer_tables, "PIECE", 16)
        patch.setattr("minigluon_accel.gpu.kernels.optimizer.multi_tensor.PIECE", 16)
        on_gpu = [nd.array(a, ctx=GPU, dtype=a.dtype) for a in arrays]
        found = nd.multi_sum_sq(*on_gpu, num_arrays=len(arrays)).asnumpy()
        np.testing.assert_array_equal(found, np.array([np.sum(a.astype("float64") ** 2) for a in arrays], "float32"))
        nd.reset_arrays(*on_gpu, num_arrays=len(arrays))
        assert all(not a.asnumpy().any() for a in on_gpu)


def test_a_new_learning_rate_compiles_nothing(monkeypatch):
    weight, grad = nd.ones((5,), ctx=GPU), nd.ones((5,), ctx=GPU)
    nd.sgd_update(weight, grad, lr=0.5, out=weight)
    monkeypatch.setattr(gpu_compile, "image_of", lambda *args: pytest.fail("compiled again"))
    for lr in 0.25, 0.125:
        nd.sgd_update(weight, grad, lr=lr, out=weight)
    assert weight.asnumpy().tolist() == [0.125] * 5


@pytest.mark.parametrize("name", optimizer_cases.CASES)
def test_five_steps_are_those_of_the_cpu(name):
    with mx.cpu():
        wanted = optimizer_cases.run(mx, name)
    with GPU:
        found = optimizer_cases.run(mx, name)
    # LAMB and LARS scale steps by norms, sums of float32 in another order
    tolerance = 1e-3 if "mixed" in name else 5e-6
    for step, (ours, theirs) in enumerate(zip(found, wanted, strict=True)):
        for x, y in zip(ours, theirs, strict=True):
            assert x.dtype == y.dtype
            np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance, err_msg=f"step {step}")


def train(ctx, kind, how, rounds=4):
    """Weights and losses of a small net after some steps."""
    mx.random.seed(3)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(9, in_units=6, activation="tanh"), nn.Dense(3, in_units=9))
    net.initialize(mx.init.Zero(), ctx=ctx)
    for k, p in enumerate(net.collect_params().values()):
        p.set_data(nd.array(np.random.default_rng(k).normal(size=p.shape) / 3))
    loss = gluon.loss.L2Loss()
    if how != "imperative":
        net.hybridize()
        loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), kind, {"learning_rate": 0.05})
    step, losses = gluon.TrainStep(net, loss, trainer) if how == "TrainStep" else None, []
    rng = np.random.default_rng(1)
    for _ in range(rounds):
        x, y = nd.array(rng.normal(size=(5, 6)), ctx=ctx), nd.array(rng.normal(size=(5, 3)), ctx=ctx)
        if step is not None:
            value = step(x, y)
        else:
            with autograd.record():
                value = loss(net(x), y)
            value.backward()
            trainer.step(5)
        losses.append(value.asnumpy())
    return losses + [p.data(ctx).asnumpy() for p in net.collect_params().values()]


@pytest.mark.parametrize("kind", ["sgd", "nag", "adam", "rmsprop", "adagrad", "ftrl", "signum", "lamb"])
@pytest.mark.parametrize("how", ["imperative", "hybridized", "TrainStep"])
def test_training_is_that_of_the_cpu(kind, how):
    for found, wanted in zip(train(GPU, kind, how), train(mx.cpu(), kind, how), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)


def test_one_copy_brings_the_learning_rates_of_all_weights(monkeypatch):
    monkeypatch.setattr("minigluon.hybrid.steps.SMALL", 4)          # so that each weight has a node of its own
    uploads, upload = [], Memory.upload
    monkeypatch.setattr(Memory, "upload", lambda self, x, to: uploads.append(x.shape) or upload(self, x, to))
    net, loss = nn.HybridSequential(), gluon.loss.L2Loss()
    net.add(nn.Dense(5, in_units=6), nn.Dense(3, in_units=5))
    net.initialize(ctx=GPU)
    net.hybridize()
    loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    step = gluon.TrainStep(net, loss, trainer)
    x, y = nd.ones((2, 6), ctx=GPU), nd.ones((2, 3), ctx=GPU)
    for rate, wanted in (0.1, None), (0.2, [(3 + 3 + 3 + 3,)]), (0.2, []):      # none where they are the same
        uploads.clear()
        trainer.set_learning_rate(rate)
        step(x, y)
        assert wanted in (None, uploads)            # of four weights a factor, a rate and a decay each


@pytest.mark.parametrize("name", STEPS)
def test_steps_as_a_graph(name):
    """One by one, while they are captured, and as a graph: each run makes a step."""
    group, more = STEPS[name]
    rng = np.random.default_rng(0)
    arrays = [np.abs(rng.normal(size=size)).astype("float32") for size in (5, 30, 1) for _ in range(group)]
    arrays.append(np.array([0.5, 0.1, 0.2, 0.3, 0, 0.1, 0]))
    op = REGISTRY[name](num_weights=3, **more)
    specs, outputs = [Spec(a.shape, a.dtype) for a in arrays], [Spec((0,), np.dtype("float32"))]
    kernel = backend().prepare(op, specs, outputs, False, None)
    values = [to_gpu(a) for a in arrays] + [backend().empty(*spec, GPU) for spec in (*outputs, *kernel.scratch)]
    program = backend().prepare_program([(kernel.write, list(range(len(values))))] * 2, {}, len(values))
    write = ReferenceBackend().prepare(op, specs, outputs, False, None).write
    for _ in range(4):
        assert program.run(values, 0) == 2
        for _ in range(2):
            write(arrays, [np.empty(0, "float32")])
        for found, wanted in zip(values[:len(arrays)], arrays, strict=True):
            np.testing.assert_allclose(found.numpy(), wanted, rtol=2e-6)
