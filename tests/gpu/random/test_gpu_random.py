"""Random numbers on the GPU: those that are the CPU's bit for bit, and those of the same laws."""

import math

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment, and skips where there is no GPU backend
from helpers.gpu_checks import GPU, agree, backend, to_gpu
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import ReferenceBackend, Spec
from minigluon.base import MXNetError
from minigluon.dispatch import infer
from minigluon.ops import REGISTRY

DTYPES = ["float32", "float64", "float16", "int32", "uint8"]


def generator(ctx=0):
    return np.random.Generator(np.random.Philox(key=(5, ctx)))


class Pair:
    """Two generators of the same state: the kernels draw from one, the reference from the other."""

    def __init__(self):
        self.ours, self.theirs = generator(), generator()

    def check(self, name, *arrays, train=True, **attrs):
        op = REGISTRY[name](**attrs)
        arrays = [np.asarray(a) for a in arrays]
        specs = [Spec(a.shape, a.dtype) for a in arrays]
        outputs = infer(op, specs)
        kernel = backend().prepare(op, specs, outputs, train, self.ours)
        assert not isinstance(kernel, str), kernel
        found = kernel.run([to_gpu(a) for a in arrays])[:len(outputs)]
        wanted = ReferenceBackend().prepare(op, specs, outputs, train, self.theirs).run([a.copy() for a in arrays])
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(x.numpy(), np.asarray(y), f"{op!r}", strict=True)
        self.check_state()

    def check_state(self):
        assert self.ours.random() == self.theirs.random()
        np.testing.assert_array_equal(self.ours.random(1, np.float32), self.theirs.random(1, np.float32))


# -- the CPU's numbers ----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 2, 7, 8, 9, 255, 257, 4500]), st.sampled_from([0.1, 0.5, 1 / 3, 1.0]),
                          st.sampled_from(DTYPES), st.integers(0, 3)), min_size=1, max_size=5))
def test_dropout_masks_wherever_the_generator_stands(steps):
    pair = Pair()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "MAX_BLOCKS", 2)
        for count, p, dtype, between in steps:
            pair.check("Dropout", (np.arange(count) % 100).astype(dtype), p=p)
            pair.ours.random(between, np.float32), pair.theirs.random(between, np.float32)


@pytest.mark.parametrize("axes", [(0,), (1,), (-1,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(4, 5, 3), (0, 2, 3), (1, 7, 1)])
def test_dropout_along_axes(axes, shape):
    pair = Pair()
    data = np.random.default_rng(0).normal(size=shape).astype("float32")
    pair.check("Dropout", data, p=0.4, axes=axes)
    pair.check("Dropout", data, p=0.4, axes=axes, train=False)
    pair.check("Dropout", data, p=0.4, axes=axes, mode="always", train=False)
    pair.check("Dropout", data, p=0.0, axes=axes)


@pytest.mark.parametrize("dtype", DTYPES)
def test_uniform_numbers(dtype):
    pair = Pair()
    for shape in (1,), (33,), (0, 3), (2, 1001):
        pair.check("_random_uniform", shape=shape, dtype=dtype)
        pair.check("_random_uniform", shape=shape, dtype=dtype, low=2, high=7.5)
        pair.check("_random_uniform_like", np.ones(shape, dtype), low=-1, high=3)
    low, high = np.array([1, 2, 3], dtype), np.array([2, 5, 9], dtype)
    for shape in (), (5, 2), (0,), (301,):
        pair.check("_sample_uniform", low, high, shape=shape)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [1, 127, 128, 129, 255, 256, 257, 2047, 2049, 9000])
def test_uniform_numbers_of_whole_and_of_begun_warps(count, dtype, few_blocks):
    """Those of 32 blocks of the generator are handed round in a warp, and the first of all are in its buffer."""
    pair = Pair()
    for _ in range(3):
        pair.check("_random_uniform", shape=(count,), dtype=dtype)


@pytest.mark.parametrize(("low", "high", "dtype"), [
    (0, 8, "int32"), (-4, 4, "int64"), (0, 10, "int32"), (3, 4, "int32"), (-2 ** 31, 2 ** 31, "int32"), (0, 4, "uint8"),
    (0, 2 ** 32, "int64"), (0, 2 ** 40, "int64"), (-2 ** 63, 2 ** 63, "int64"), (0, 3 * 2 ** 40, "int64"),
    (-7, 100, "int8")])
def test_integers(low, high, dtype):
    pair = Pair()
    for shape in (1,), (50,), (0, 2), (3, 700):
        pair.check("_random_randint", low=low, high=high, shape=shape, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_classes(dtype):
    pair, rng = Pair(), np.random.default_rng(0)
    p = rng.uniform(0, 1, (6, 4)).astype(dtype)
    p[0, 1] = p[2, 0] = 0
    for shape in (), (7,), (2, 3), (0,):
        for data in p, p[0], p.reshape(3, 2, 4):
            pair.check("_sample_multinomial", data, shape=shape)
            pair.check("_sample_multinomial", data, shape=shape, dtype="float32")
    pair.check("_sample_multinomial", rng.uniform(0, 1, (3000, 3)), shape=(2,))
    drawn, logs = nd.sample_multinomial(nd.array(p, ctx=GPU, dtype=dtype), shape=5, get_prob=True)
    wanted = np.log(np.take_along_axis(p, drawn.asnumpy(), 1))
    np.testing.assert_allclose(logs.asnumpy(), wanted, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(("rows", "classes", "draws"), [(1, 3, 8), (5, 4, 1), (700, 2, 3), (2, 5, 0), (0, 3, 2)])
def test_gradient_of_classes(dtype, rows, classes, draws):
    rng = np.random.default_rng(1)
    agree("_sample_multinomial_grad", rng.normal(size=(rows, draws)).astype(dtype),
          rng.uniform(0.1, 1, (rows, classes)).astype(dtype), rng.integers(0, classes, (rows, draws)).astype("int32"))


def test_shuffles():
    pair, rng = Pair(), np.random.default_rng(2)
    for shape in (1,), (9,), (0, 2), (5, 0), (600, 3):
        for dtype in "float32", "int64", "uint8":
            pair.check("_shuffle", rng.integers(0, 99, shape).astype(dtype))


def test_the_generator_of_a_device_is_its_own():
    """On the GPU the numbers are those that the reference draws from a generator of the same seed and device."""
    mx.random.seed(11)
    with GPU:
        found = nd.random.uniform(shape=(50,)).asnumpy()
    key = (11, GPU.device_typeid << 32 | GPU.device_id)
    wanted = np.random.Generator(np.random.Philox(key=key)).random(50, np.float32)
    np.testing.assert_array_equal(found, wanted)
    mx.random.seed(11)
    assert not np.array_equal(found, nd.random.uniform(shape=(50,), ctx=mx.cpu()).asnumpy())


def masks(hybridize):
    net = gluon.nn.HybridSequential(prefix="")
    net.add(gluon.nn.Dropout(0.3), gluon.nn.Dropout(0.5), gluon.nn.Dropout(0.2, axes=(0,)))
    if hybridize:
        net.hybridize(static_alloc=True)
    mx.random.seed(7)
    x, results = nd.ones((30, 41), ctx=GPU), []
    for _ in range(4):
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward()
        results += [y.asnumpy(), x.grad.asnumpy()]
    return results


def test_plans_draw_what_imperative_execution_draws():
    imperative, planned = masks(False), masks(True)
    for found, wanted in zip(planned, imperative, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert not np.array_equal(imperative[0], imperative[2])
    np.testing.assert_array_equal(imperative[0], imperative[1])     # of ones, the gradient is the output


# -- other numbers of the same laws ---------------------------------------------------------------------------------

COUNT = 4000
# name -> (arguments, distribution function or None, mean, variance)
LAWS = {
    "normal": ((1.5, 2.0), lambda x: 0.5 * (1 + np.vectorize(math.erf)((x - 1.5) / math.sqrt(8))), 1.5, 4.0),
    "exponential": ((0.5,), lambda x: 1 - np.exp(-0.5 * x), 2.0, 4.0),
    "gamma": ((1.0, 2.0), lambda x: 1 - np.exp(-x / 2), 2.0, 4.0),
    "gamma small": ((0.5, 2.0), lambda x: np.vectorize(math.erf)(np.sqrt(x / 2)), 1.0, 2.0),
    "gamma large": ((30.0, 0.5), None, 15.0, 7.5),
    "poisson": ((3.5,), None, 3.5, 3.5),
    "poisson large": ((250.0,), None, 250.0, 250.0),
    "negative_binomial": ((3, 0.4), None, 4.5, 11.25),
    "generalized_negative_binomial": ((3.0, 0.5), None, 3.0, 7.5),
    "generalized_negative_binomial poisson": ((3.0, 0.0), None, 3.0, 3.0),
}


def drawn(law, form, dtype="float32", seed=3, ctx=GPU):
    name = law.split()[0]
    arguments = LAWS[law][0]
    mx.random.seed(seed)
    if form == "array":
        arrays = [nd.array([value] * 4, ctx=ctx) for value in arguments]
        return getattr(nd, f"_sample_{name}")(*arrays, shape=(COUNT // 4,), dtype=dtype).asnumpy().reshape(-1)
    names = list(REGISTRY[f"_random_{name}_like"].fields)
    attrs = dict(zip(names, arguments, strict=True))
    if form == "like":
        like = nd.zeros((COUNT,), ctx=ctx, dtype=dtype)
        return getattr(nd, f"_random_{name}_like")(like, **attrs).asnumpy()
    return getattr(nd, f"_random_{name}")(shape=(COUNT,), dtype=dtype, ctx=ctx, **attrs).asnumpy()


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("form", ["numbers", "like", "array"])
def test_laws(law, form):
    _, distribution, mean, variance = LAWS[law]
    x = np.sort(drawn(law, form).astype("float64"))
    assert x.shape == (COUNT,)
    assert abs(x.mean() - mean) < 4 * math.sqrt(variance / COUNT)
    # 4 standard errors of the variance, whose fourth moment is taken from the numbers themselves
    assert abs(x.var() - variance) < 4 * math.sqrt(((x - mean) ** 4).mean() / COUNT)
    if distribution is not None:
        # Kolmogorov and Smirnov: beyond 1.95 / √n once in a thousand
        steps, wanted = np.arange(COUNT + 1) / COUNT, distribution(x)
        assert max((steps[1:] - wanted).max(), (wanted - steps[:-1]).max()) < 1.95 / math.sqrt(COUNT)


@pytest.mark.parametrize(("law", "least"), [("poisson", 0), ("poisson large", 200)])
def test_poisson_numbers_by_chi_squared(law, least):
    x, mean = drawn(law, "numbers"), LAWS[law][0][0]
    assert (x == np.floor(x)).all()
    ks = np.arange(least, int(mean + 8 * math.sqrt(mean)))
    expected = COUNT * np.exp(ks * math.log(mean) - mean - np.array([math.lgamma(k + 1) for k in ks]))
    kept = expected > 8
    found = np.array([(x == k).sum() for k in ks])
    chi = ((found - expected) ** 2 / expected)[kept].sum()
    freedom = kept.sum()
    assert chi < freedom + 4 * math.sqrt(2 * freedom)


@pytest.mark.parametrize("law", LAWS)
def test_seeds(law):
    first = drawn(law, "numbers")
    np.testing.assert_array_equal(drawn(law, "numbers"), first)
    np.testing.assert_array_equal(drawn(law, "like"), first)
    assert not np.array_equal(drawn(law, "numbers", seed=4), first)
    assert not np.array_equal(drawn(law, "numbers", ctx=mx.cpu()), first)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32"])
def test_dtypes_of_laws(dtype):
    """The float64 numbers, rounded; but normal ones of float32 and float16 are computed in float32."""
    for law in "normal", "poisson":
        found, exact = drawn(law, "numbers", dtype), drawn(law, "numbers", "float64")
        assert found.dtype == dtype
        if law == "normal" and dtype in ("float32", "float16"):
            step = np.finfo(dtype).eps
            angle = math.pi * np.finfo("float32").eps       # by so much an angle is off, here with radius · 2 behind it
            np.testing.assert_allclose(found, exact, step / 2, 2 * 5.5 * angle + step / 2)
        else:
            np.testing.assert_array_equal(found, exact.astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 4000, 200_003])
def test_normal_numbers_come_in_fours(dtype, count):
    """Four of a block of the generator, of which the last may be part: independent, with the law's far ends."""
    mx.random.seed(5)
    with GPU:
        longer, x = (nd.random.normal(shape=(n,), dtype=dtype).asnumpy() for n in (count + 3, count))
        mx.random.seed(5)
        np.testing.assert_array_equal(nd.random.normal(shape=(count,), dtype=dtype).asnumpy(), longer[:count])
    if count > 100_000:
        assert np.abs(x).max() > 4
        for lag in 1, 2, 3, 4:
            for power in 1, 2:
                a, b = x[:-lag] ** power, x[lag:] ** power
                assert abs(np.corrcoef(a, b)[0, 1]) < 5 / math.sqrt(count)


def test_following_draws_differ_and_do_not_overlap():
    mx.random.seed(1)
    with GPU:
        draws = [nd.random.normal(shape=(n,), dtype="float64").asnumpy() for n in (100, 100, 1, 300)]
    together = np.concatenate(draws)
    assert len(np.unique(together)) == len(together)
    assert nd.random.normal(shape=(0, 3), ctx=GPU).shape == (0, 3)


def test_unique_zipfian():
    mx.random.seed(2)
    with GPU:
        out, tries = nd._sample_unique_zipfian(range_max=400, shape=(3, 150))
    rows, tries = out.asnumpy(), tries.asnumpy()
    assert (rows.shape, rows.dtype, tries.shape, tries.dtype) == ((3, 150), np.int64, (3,), np.int64)
    assert all(len(set(row)) == 150 for row in rows)
    assert rows.min() >= 0
    assert rows.max() < 400
    assert (tries >= 150).all()
    assert (tries < 1000).all()
    with GPU:
        first = nd._sample_unique_zipfian(range_max=400, shape=(COUNT, 1))[0].asnumpy().reshape(-1)
    # P(k) = log((k + 2) / (k + 1)) / log(401), so P(below k) = log(k + 1) / log(401)
    for k in 1, 2, 10, 100:
        p = math.log(k + 1) / math.log(401)
        assert abs((first < k).mean() - p) < 4 * math.sqrt(p * (1 - p) / COUNT)


# -- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "message"), [
    (lambda: nd.random.normal(0, -1, shape=(3,)), "_random_normal: the standard deviation must not be negative"),
    (lambda: nd.random.poisson(-1, shape=(3,)), "_random_poisson: lam must not be negative"),
    (lambda: nd.random.poisson(1e30, shape=(3,)), "_random_poisson: lam value too large"),
    (lambda: nd._random_gamma_like(nd.ones((2,)), alpha=-1), "_random_gamma_like: alpha must not be negative"),
    (lambda: nd.sample_exponential(nd.array([1.0, -1.0])), "_sample_exponential: lam must not be negative"),
    (lambda: nd._sample_normal(nd.zeros((2,)), nd.array([1, -1])),
     "_sample_normal: the standard deviation must not be negative"),
    (lambda: nd._sample_negative_binomial(nd.ones((1,)), nd.array([1.5]), shape=3),
     "_sample_negative_binomial: p must be in (0, 1]"),
    (lambda: nd.random.randint(0, 2 ** 40, shape=(2,), dtype="int32"),
     "_random_randint: high is out of bounds for int32"),
])
def test_errors_are_the_reference_s(call, message):
    for ctx in mx.cpu(), GPU:
        with ctx, pytest.raises(MXNetError) as raised:
            call().asnumpy()
        assert str(raised.value) == message
