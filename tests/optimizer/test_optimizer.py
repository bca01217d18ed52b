"""Optimizers: five steps against MXNet 1.9.1's, rates and decays, states, schedulers, messages."""

import math

import numpy as np
import pytest
from records import DATA
from records.optimizer_cases import CASES, run

import minigluon as mx
from minigluon import nd
from minigluon.backend.numpy import forward_for
from minigluon.base import ArgumentError, MXNetError, ShapeError
from minigluon.ops import REGISTRY
from minigluon.ops.optimizer import update as optimizer_update

RECORDED = DATA / "mxnet_optimizers.npz"


@pytest.fixture(scope="module")
def recorded():
    with np.load(RECORDED) as file:
        return dict(file)


@pytest.mark.parametrize("name", CASES)
def test_steps_are_those_of_mxnet(name, recorded):
    # float16 weights are rounded from the same float32 copies, so they may differ in the last of their 11 bits
    tol = 1e-3 if "mixed" in name else 2e-6
    for step, weights in enumerate(run(mx, name)):
        for i, found in enumerate(weights):
            expected = recorded[f"{name}/{step}/{i}"]
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=5 * tol, atol=tol, err_msg=f"step {step} weight {i}")


def test_every_optimizer_is_compared():
    ours = {name.lower() for name in mx.optimizer.__all__} & set(mx.optimizer.Optimizer.opt_registry)
    assert ours - {kind for kind, _ in CASES.values()} == {"sgld", "signsgd"}       # tested below


def test_sgld_is_half_a_step_and_noise():
    weight = nd.zeros((100_000,))
    mx.optimizer.SGLD(learning_rate=0.04).update(0, weight, nd.ones((100_000,)), None)
    found = weight.asnumpy()
    assert abs(found.mean() + 0.02) < 4 * 0.2 / math.sqrt(100_000)
    assert abs(found.std() - 0.2) < 0.002


def test_signsgd():
    weight = nd.array([1.0, 2.0, 3.0])
    mx.optimizer.create("signsgd", learning_rate=0.5).update(0, weight, nd.array([0.1, -9.0, 0.0]), None)
    assert weight.asnumpy().tolist() == [0.5, 2.5, 3.0]


@pytest.mark.parametrize("kind", ["sgd", "nag", "adam", "adagrad", "rmsprop", "adadelta", "adamax", "nadam", "ftml",
                                  "signum", "lamb", "dcasgd", "lbsgd"])
def test_minimizes_a_parabola(kind):
    options = {"adadelta": {}, "adagrad": {"learning_rate": 0.5}, "signum": {"learning_rate": 0.01}}.get(
        kind, {"learning_rate": 0.05})
    updater = mx.optimizer.get_updater(mx.optimizer.create(kind, **options))
    weight = nd.array([2.0, -1.0], dtype="float64")
    for _ in range(400):
        updater(0, 2 * (weight - 0.5), weight)
    assert np.abs(weight.asnumpy() - 0.5).max() < (0.5 if kind == "adadelta" else 0.1)


def test_gradients_are_left_alone():
    for kind, options in CASES.values():
        if not options.get("multi_precision"):
            grad, weight = nd.array([0.5, -2.0]), nd.array([1.0, 1.0])
            mx.optimizer.get_updater(mx.optimizer.create(kind, **options))(0, grad, weight)
            assert grad.asnumpy().tolist() == [0.5, -2.0], kind


def test_learning_rates_by_index_name_and_parameter():
    class Parameter:
        lr_mult, wd_mult = 3.0, 5.0
    optimizer = mx.optimizer.SGD(learning_rate=0.1, wd=0.01, param_idx2name={0: "a_weight", 1: "b_bias", 2: "c_gamma"})
    optimizer.set_lr_mult({"a_weight": 2.0, 7: 4.0})
    assert optimizer._get_lrs([0, 1, 7]) == pytest.approx([0.2, 0.1, 0.4])
    assert optimizer._get_wds([0, 1, 2]) == pytest.approx([0.01, 0.0, 0.01])
    optimizer.param_dict = {0: Parameter()}
    assert optimizer._get_lr(0) == pytest.approx(0.3)
    assert optimizer._get_wd(0) == pytest.approx(0.05)
    assert optimizer.learning_rate == 0.1
    optimizer.set_learning_rate(0.7)
    assert optimizer.learning_rate == 0.7


def test_updates_are_counted_per_device():
    optimizer = mx.optimizer.Adam()
    updater = mx.optimizer.get_updater(optimizer)
    for device in (0, 1, 0):
        updater(f"w{device}", nd.ones((1,), ctx=mx.cpu(device)), nd.ones((1,), ctx=mx.cpu(device)))
    assert optimizer.num_update == 2
    assert optimizer._all_index_update_counts == {0: {"w0": 2}, 1: {"w1": 1}}


def test_states_survive_a_pickle():
    def train(updater, weight, steps):
        for _ in range(steps):
            updater(0, weight * 1, weight)
        return weight.asnumpy()
    straight = train(mx.optimizer.get_updater(mx.optimizer.Adam(0.1)), nd.array([1.0, 2.0]), 4)
    first = mx.optimizer.get_updater(mx.optimizer.Adam(0.1))
    weight = nd.array([1.0, 2.0])
    train(first, weight, 2)
    second = mx.optimizer.get_updater(mx.optimizer.Adam(0.1))
    second.set_states(first.get_states(dump_optimizer=True))
    assert np.array_equal(train(second, weight, 2), straight)
    third = mx.optimizer.get_updater(mx.optimizer.Adam(0.1))
    third.set_states(first.get_states())
    assert list(third.states) == [0]
    assert [s.shape for s in third.states[0]] == [(2,), (2,)]


def test_loaded_states_follow_the_weight_to_its_device():
    first = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    first(0, nd.ones((2,)), nd.ones((2,)))
    second = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9))
    second.set_states(first.get_states())
    second(0, nd.ones((2,), ctx=mx.cpu(1)), nd.ones((2,), ctx=mx.cpu(1)))
    assert second.states[0].context == mx.cpu(1)


def test_own_optimizer():
    @mx.optimizer.register
    class MyStep(mx.optimizer.Optimizer):
        def update(self, index, weight, grad, state):
            self._update_count(index)
            weight[:] = weight - self._get_lr(index) * grad
    weight = nd.array([1.0])
    mx.opt.get_updater(mx.opt.create("mystep", learning_rate=0.5))(0, nd.array([1.0]), weight)
    assert weight.asscalar() == 0.5


def test_float16_without_multi_precision_warns():
    with pytest.warns(UserWarning, match="^float16 weights lose small steps; multi_precision=True") as caught:
        mx.optimizer.get_updater(mx.optimizer.Adam())(0, nd.ones((1,), dtype="float16"), nd.ones((1,), dtype="float16"))
    assert caught[0].filename == __file__


def test_adamw_skips_a_step_that_overflowed():
    weight, mean, var = nd.array([1.0]), nd.array([0.5]), nd.array([0.5])
    for scale in (0.0, float("nan"), float("inf")):
        nd._adamw_update(weight, nd.array([3.0]), mean, var, nd.array([scale]), lr=0.1, eta=1, out=weight)
        assert [x.asscalar() for x in (weight, mean, var)] == [1.0, 0.5, 0.5]


def test_reset_arrays_and_states_of_multi_updates():
    a, b = nd.ones((2,)), nd.ones((3, 1))
    nd.reset_arrays(a, b, num_arrays=2)
    assert a.asnumpy().tolist() == [0, 0]
    assert b.asnumpy().sum() == 0
    weights, moms = [nd.array([1.0]), nd.array([2.0])], [nd.array([0.0]), nd.array([0.0])]
    grads = [nd.array([1.0]), nd.array([1.0])]
    nd.multi_sgd_mom_update(weights[0], grads[0], moms[0], weights[1], grads[1], moms[1], lrs=(0.1, 0.5), wds=(0, 0),
                            momentum=0.9, num_weights=2, out=weights)
    np.testing.assert_allclose([w.asscalar() for w in weights], [0.9, 1.5], rtol=1e-6)
    np.testing.assert_allclose([m.asscalar() for m in moms], [-0.1, -0.5], rtol=1e-6)


# -- schedulers -------------------------------------------------------------------------------------------------

def test_factor_scheduler():
    s = mx.lr_scheduler.FactorScheduler(step=3, factor=0.5, base_lr=1.0, stop_factor_lr=0.2)
    assert [s(i) for i in range(12)] == [1, 1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.2, 0.2]


def test_multi_factor_scheduler_with_warmup():
    s = mx.lr_scheduler.MultiFactorScheduler([4, 6], 0.1, base_lr=1.0, warmup_steps=2, warmup_begin_lr=0.5)
    assert [s(i) for i in range(9)] == pytest.approx([0.5, 0.75, 1, 1, 1, 0.1, 0.1, 0.01, 0.01])


def test_poly_and_cosine_schedulers():
    s = mx.lr_scheduler.PolyScheduler(6, base_lr=1.0, pwr=2, final_lr=0.1, warmup_steps=2, warmup_mode="constant",
                                      warmup_begin_lr=0.3)
    assert [s(i) for i in range(9)] == pytest.approx(
        [0.3, 0.3, 1.0, 0.1 + 0.9 * 0.75 ** 2, 0.1 + 0.9 * 0.25, 0.1 + 0.9 * 0.0625, 0.1, 0.1, 0.1])
    s = mx.lr_scheduler.CosineScheduler(4, base_lr=1.0, final_lr=0.2)
    assert [s(i) for i in range(6)] == pytest.approx(
        [1.0, 0.2 + 0.4 * (1 + math.sqrt(0.5)), 0.6, 0.2 + 0.4 * (1 - math.sqrt(0.5)), 0.2, 0.2])


def test_an_optimizer_follows_its_scheduler():
    optimizer = mx.optimizer.SGD(lr_scheduler=mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=1.0))
    updater, weight, seen = mx.optimizer.get_updater(optimizer), nd.array([0.0]), []
    for _ in range(3):
        updater(0, nd.array([1.0]), weight)
        seen.append(weight.asscalar())
    assert seen == [-1.0, -1.5, -1.75]
    assert optimizer.learning_rate == 0.25


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: mx.optimizer.SGD(lr_scheduler=mx.lr_scheduler.FactorScheduler(1)).set_learning_rate(1), MXNetError,
     "the learning rate follows from lr_scheduler; set_learning_rate would have no effect. Change "
     "optimizer.lr_scheduler.base_lr instead."),
    (lambda: mx.optimizer.SGD(param_idx2name=["a"]), ArgumentError,
     "param_idx2name should be a dict from indices to names, found list"),
    (lambda: mx.optimizer.LBSGD(warmup_strategy="no"), ArgumentError,
     "LBSGD: warmup_strategy is 'no', expected 'linear', 'power2', 'sqrt' or 'lars'"),
    (lambda: mx.lr_scheduler.FactorScheduler(0), ArgumentError, "FactorScheduler: step is 0, expected at least 1"),
    (lambda: mx.lr_scheduler.FactorScheduler(1, 2), ArgumentError,
     "FactorScheduler: factor is 2, expected at most 1, so that the rate decreases"),
    (lambda: mx.lr_scheduler.MultiFactorScheduler([3, 2]), ArgumentError,
     "MultiFactorScheduler: step is [3, 2], expected a list of increasing integers"),
    (lambda: mx.lr_scheduler.PolyScheduler(0), ArgumentError,
     "PolyScheduler: max_update is 0, expected an integer above 0"),
    (lambda: mx.lr_scheduler.CosineScheduler(9, warmup_begin_lr=1), ArgumentError,
     "CosineScheduler: warmup_begin_lr 1 is above base_lr 0.01"),
    (lambda: mx.lr_scheduler.CosineScheduler(9, warmup_steps=-1), ArgumentError,
     "CosineScheduler: warmup_steps is -1, expected an integer not below 0"),
    (lambda: mx.lr_scheduler.CosineScheduler(9, warmup_mode="x"), ArgumentError,
     "CosineScheduler: warmup_mode is 'x', expected 'linear' or 'constant'"),
])
def test_messages(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == text


def test_messages_with_more_lines():
    with pytest.raises(ArgumentError, match=r"^no optimizer is called 'adma'\. Did you mean '.*'adam'"):
        mx.optimizer.create("adma")
    with pytest.raises(ShapeError, match=r"^multi_sgd_update: 2 weights need 4 arrays \(weight, grad for each\), "):
        nd.multi_sgd_update(nd.ones((1,)), nd.ones((1,)), lrs=(1, 1), wds=(0, 0), num_weights=2)
    with pytest.warns(UserWarning, match=r"^learning_rate 0\.5 replaces the scheduler's base_lr 0\.01$") as caught:
        mx.optimizer.SGD(learning_rate=0.5, lr_scheduler=mx.lr_scheduler.FactorScheduler(1))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("name", "count"), [("sgd_update", 2), ("sgd_mom_update", 3), ("adam_update", 4)])
def test_large_weights_are_updated_in_pieces(name, count, monkeypatch):
    op = REGISTRY[name](lr=0.1, wd=0.01)
    arrays = [np.random.default_rng(i).random((3, 4), "float32") for i in range(count)]
    whole = op.forward(*arrays)
    monkeypatch.setattr(optimizer_update, "PIECE", 5)
    pieces = forward_for(op, *[a.dtype for a in arrays])(*arrays)
    assert isinstance(whole, tuple) == isinstance(pieces, tuple)
    np.testing.assert_array_equal(pieces, whole)


# -- all weights with one kernel --------------------------------------------------------------------------------

def stepped(optimizer, dtype, together, monkeypatch, steps=4, odd=False):
    """Weights and states after some steps; one by one if not `together`."""
    rng = np.random.default_rng(0)
    shapes = [(3, 5), (40000,), (0, 2), (7,)]
    weights = [nd.array(rng.normal(size=s), dtype=dtype) for s in shapes]
    updater = mx.optimizer.get_updater(optimizer)
    if not together:
        monkeypatch.setattr(optimizer, "_joint_options", lambda: "none", raising=False)
    for step in range(steps):
        grads = [nd.array(rng.normal(size=s), dtype=dtype) for s in shapes]
        some = [0, 2] if odd and step == 1 else [0, 1, 2, 3]
        updater(some, [grads[i] for i in some], [weights[i] for i in some])
    states = updater.states
    flat = [x for i in sorted(states) for x in (states[i] if isinstance(states[i], tuple) else (states[i],))]
    return [x.asnumpy() for x in (*weights, *flat) if x is not None], optimizer.num_update


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("kind", "options"), [
    ("sgd", {}), ("sgd", {"wd": 0.1, "clip_gradient": 0.5}), ("sgd", {"momentum": 0.9, "wd": 0.1}),
    ("ccsgd", {"momentum": 0.9, "rescale_grad": 0.1}), ("adam", {}), ("adam", {"wd": 0.1, "clip_gradient": 0.1})])
def test_one_kernel_makes_the_steps_of_all_weights(kind, options, dtype, odd, monkeypatch):
    def optimizer():
        schedule = mx.lr_scheduler.FactorScheduler(1, 0.7, base_lr=0.3)
        made = mx.optimizer.create(kind, lr_scheduler=schedule, learning_rate=0.3, **options)
        made.set_lr_mult({1: 0.5})
        made.set_wd_mult({0: 2.0})
        return made
    found, count = stepped(optimizer(), dtype, True, monkeypatch, odd=odd)
    wanted, wanted_count = stepped(optimizer(), dtype, False, monkeypatch, odd=odd)
    assert count == wanted_count
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-6 if dtype == "float32" else 1e-14, atol=1e-7)


def test_a_step_with_another_learning_rate_prepares_no_kernel():
    weights, optimizer = [nd.ones((2,)), nd.ones((3,))], mx.optimizer.Adam()
    updater = mx.optimizer.get_updater(optimizer)
    prepared = []
    for step in range(4):
        optimizer.set_learning_rate(0.1 / (step + 1))
        updater([0, 1], [nd.ones((2,)), nd.ones((3,))], weights)
        prepared.append(len(mx.cpu().kernels))
    assert len(set(prepared[1:])) == 1


def test_what_one_kernel_cannot_do_is_done_one_by_one():
    class Own(mx.optimizer.SGD):
        def update(self, index, weight, grad, state):
            super().update(index, weight, grad, state)
            for w in weight:
                w[:] = w + 100
    first, second = nd.array([1.0]), nd.array([2.0])
    Own(learning_rate=1.0).update([0], [first], [nd.array([1.0])], [None])
    assert first.asscalar() == 100
    twice = nd.array([1.0, 1.0])        # the same memory twice: the second step sees the first one's result
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=1.0, wd=0.5))
    updater([0, 1], [nd.array([1.0, 1.0])] * 2, [twice, twice])
    assert twice.asnumpy().tolist() == [-1.25, -1.25]
    version = second._version
    updater([2, 3], [nd.array([1.0]), nd.array([1.0])], [second, nd.ones((1,))])
    assert second._version == version + 1        # so that a backward that needs the old value says so
    with pytest.raises(ShapeError, match=r"^sgd_update: grad has shape \(3,\), expected \(2,\)"):
        updater([4, 5], [nd.ones((3,)), nd.ones((2,))], [nd.ones((2,)), nd.ones((2,))])


def test_steps_of_many_weights_tell_what_they_take():
    with pytest.raises(ShapeError, match=r"^_sgd_steps: 2 weights need 5 arrays \(weight, grad for each, then rates\)"):
        nd._sgd_steps(nd.ones((1,)), nd.ones((1,)), nd.ones((3,)), num_weights=2)
    with pytest.raises(ShapeError, match=r"^_adam_steps: data4 has shape \(2,\), expected \(3,\)"):
        nd._adam_steps(*[nd.ones((1,))] * 4, nd.ones((2,)), num_weights=1)
