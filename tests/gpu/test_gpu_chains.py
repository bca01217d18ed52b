"""Chains of elementwise operators on the GPU: one generated kernel, with the bits of the operators one by one."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment
from helpers.chains import Chains
from helpers.gpu_checks import GPU, Twin, backend, to_gpu
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import kernels
from minigluon_accel.gpu.backend import GpuDeviceBackend
from minigluon_accel.gpu.kernels import registry
from minigluon_accel.gpu.kernels.compose import composed
from minigluon_accel.gpu.launch import GeneratedSource
from minigluon_accel.passes.fuse_elementwise import Chain

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import Spec
from minigluon.ops import REGISTRY
from minigluon.tools.bench.workers.programs_gluon import chain


class Mixed(mx.gluon.HybridBlock):
    """Activations, numbers, comparisons, stretched operands, one of them read by a thread for several elements."""

    def hybrid_forward(self, F, x, rows, columns):
        y = F.broadcast_add(F.sigmoid(x) * 3, rows) - F.broadcast_mul(F.relu(x), columns)
        return F.where(y > 0.5, F.sqrt(F.abs(y)), F.clip(y, a_min=-2, a_max=2)) / (1 + F.square(x))


class Whole(mx.gluon.HybridBlock):
    """What whole numbers have, too; `hybrid.fuse` makes a node of it."""

    def hybrid_forward(self, F, x, y):
        return F.maximum(x * 3 - y, y) % 7 + (x > y) * x


def results(net, arrays, dtype, hybridized, backward=True):
    """Outputs and gradients of a net as NumPy arrays."""
    net.hybridize(hybridized)
    arrays = [nd.array(a, ctx=GPU, dtype=dtype) for a in arrays]
    for a in arrays if backward else ():
        a.attach_grad()
    with autograd.record() if backward else autograd.pause():
        outs = net(*arrays)
    outs = outs if isinstance(outs, (list, tuple)) else [outs]
    if backward:
        autograd.backward(list(outs))
    return [a.asnumpy() for a in [*outs, *([a.grad for a in arrays] if backward else [])]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", [(3, 5), (4, 16)])
def test_a_chain_has_the_bits_of_its_operators(shape, dtype):
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=s) * 2 for s in (shape, (1, shape[1]), (shape[0], 1))]
    fused, single = [results(Mixed(), arrays, dtype, hybridized) for hybridized in (True, False)]
    for found, wanted in zip(fused, single, strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8", "uint8"])
def test_chains_of_whole_numbers(dtype):
    arrays = [np.random.default_rng(k).integers(0, 100, (3, 7)) for k in range(2)]
    found, = results(Whole(), arrays, dtype, True, backward=False)
    x, y = [a.astype(dtype) for a in arrays]
    np.testing.assert_array_equal(found, np.maximum(x * x.dtype.type(3) - y, y) % 7 + (x > y) * x, strict=True)


def test_chains_between_reductions():
    """Against the reference: chains that end and begin at sums and maxima, and values that several chains use."""
    rng = np.random.default_rng(3)
    arrays = [rng.normal(size=(6, 9)), rng.normal(size=(1, 9))]
    found = results(Chains(), arrays, "float64", True)
    with mx.backend.use_backend("numpy"):
        net = Chains()
        x = [nd.array(a, dtype="float64") for a in arrays]
        for a in x:
            a.attach_grad()
        with autograd.record():
            outs = net(*x)
        autograd.backward(outs)
    for ours, theirs in zip(found, [*outs, *[a.grad for a in x]], strict=True):
        np.testing.assert_allclose(ours, theirs.asnumpy(), rtol=1e-12, atol=1e-12)


EXACT = [("elemwise_add", 2), ("broadcast_sub", 2), ("broadcast_mul", 2), ("_maximum", 2), ("relu", 1), ("abs", 1),
         ("negative", 1), ("_greater", 2), ("_plus_scalar", 1), ("_rminus_scalar", 1), ("clip", 1), ("_relu_grad", 2),
         ("floor", 1), ("sign", 1), ("add_n", 3), ("where", 3), ("identity", 1)]


@st.composite
def drawn_chains(draw):
    """(operator, arrays): lines that read inputs, stretched or not, and former lines; each line's result is exact."""
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 8]), min_size=1, max_size=4)))
    shapes = [shape, *[tuple(1 if draw(st.booleans()) else n for n in shape) for _ in range(draw(st.integers(0, 3)))]]
    program = []
    for number in range(draw(st.integers(1, 12))):
        name, count = draw(st.sampled_from(EXACT))
        attrs = {"clip": {"a_min": -1, "a_max": 2}, "add_n": {"num_args": count}}.get(
            name, {"scalar": draw(st.sampled_from([0.5, -2.0, 3.0]))} if name.endswith("_scalar") else {})
        readable = [*range(len(shapes)), *[-1 - k for k in range(number)]]
        operands = [draw(st.sampled_from(readable)) for _ in range(count)]
        if name == "add_n":         # the only one here whose operands must have one shape
            operands = operands[:1] * count
        program.append((REGISTRY[name](**attrs), tuple(operands)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    dtype = draw(st.sampled_from(["float32", "float64", "float16"]))
    arrays = [(rng.integers(-8, 9, s) / 4).astype(dtype) for s in shapes]
    return Chain(program=tuple(program), shapes=tuple(shapes), shape=shape), arrays


@settings(max_examples=8, phases=[Phase.explicit, Phase.generate])
@given(drawn=drawn_chains())
def test_drawn_chains(drawn):
    op, arrays = drawn
    spec = Spec(op.shape, arrays[0].dtype)
    found = backend().prepare(op, [Spec(a.shape, a.dtype) for a in arrays], [spec], False, None)
    with np.errstate(all="ignore"):
        wanted = op.forward(*arrays)
    result, = found.run([to_gpu(a) for a in arrays])
    np.testing.assert_array_equal(result.numpy(), wanted, str(op), strict=True)


@pytest.fixture
def launched(monkeypatch):
    """The names of the launches of each program that is made."""
    names, prepare = [], GpuDeviceBackend.prepare_program

    def spy(backend, lines, *args):
        names.append([kernel.name for step, _ in lines for kernel in step.kernels])
        return prepare(backend, lines, *args)
    monkeypatch.setattr(GpuDeviceBackend, "prepare_program", spy)
    return names


def test_the_chain_of_the_benchmarks_is_one_launch(launched):
    x = np.random.default_rng(0).normal(size=1000)
    results(chain(mx), [x], "float32", True, backward=False)
    assert [names for names in launched if names] == [["chain_kernel (generated)"]]


def test_the_text_of_a_chain():
    """It is what readers are shown."""
    op = Chain(program=((REGISTRY["relu"](), (0,)), (REGISTRY["broadcast_mul"](), (-1, 1)),
                        (REGISTRY["_plus_scalar"](scalar=0.5), (-2,))),
               shapes=((2, 8), (2, 1)), shape=(2, 8))
    specs = [Spec((2, 8), np.dtype("float32")), Spec((2, 1), np.dtype("float32"))]
    work = kernels.find(op, specs, specs[:1], False, None, None)
    assert work.launches[0].source == GeneratedSource(TEXT)
    assert work.launches[0].arguments[3:] == [np.float32(0.5), 16, 4, 8]


# -- operators composed of others -------------------------------------------------------------------------------------

COMPOSED = {
    "softsign": lambda op, F, data: data / (1 + F.abs(data)),
    "reciprocal": lambda op, F, data: F.reshape(F.square(F.rsqrt(data)), shape=(-1,)).reshape((4, 3)),
    "relu": lambda op, F, data: F.reshape(F.reshape(data, shape=(3, 4)), shape=(4, 3)) * (data > 0),
    "BlockGrad": lambda op, F, data: F.reshape(data, shape=(-1,)).reshape((4, 3)),
}


def forget(monkeypatch, *names):
    """Take operators out of the table of kernels for the time of a test."""
    for name in names:
        monkeypatch.delitem(registry._kernels._entries, name)
    monkeypatch.setattr(registry._kernels, "_found", {})


@pytest.mark.parametrize("name", sorted(COMPOSED))
def test_composed_operators(name, monkeypatch):
    """Chains in them are fused, views take no memory, and a result may lie over an input."""
    forget(monkeypatch, name)
    composed(name)(COMPOSED[name])
    x = np.random.default_rng(0).uniform(0.1, 2, (4, 3)).astype("float32")
    twin = Twin(REGISTRY[name](), [x])
    assert twin.declined is None
    assert twin.check()


def test_composed_operators_give_the_reason_of_a_part(monkeypatch):
    forget(monkeypatch, "softsign", "_fused")
    composed("softsign")(COMPOSED["softsign"])
    spec = Spec((2,), np.dtype("float32"))
    assert kernels.find(REGISTRY["softsign"](), [spec], [spec], False, None, None) == "_fused: no kernel"


TEXT = '''\
#include "math/elementwise.cuh"

// One element: a chain of 3 operators
__device__ inline float element(float in0, float in1, float s0) {
    float v0 = larger(in0, 0.0f);                               // relu
    float v1 = v0 * in1;                                        // broadcast_mul
    float v2 = v1 + s0;                                         // _plus_scalar
    return v2;
}

extern "C" __global__ void chain_kernel(float *out, const float *in0, const float *in1, float s0, long long n,
                                        long long pieces, INDEX step1) {
    if (!(aligned<4>(out) && aligned<4>(in0))) pieces = 0;
    for_each(piece, pieces) {
        INDEX i = (INDEX)piece * 4;
        Packed<float, 4> x0 = packed<4>(in0 + i);
        float x1 = in1[i / step1];
        Packed<float, 4> result;
        for (int k = 0; k < 4; ++k) result.at[k] = element(x0.at[k], x1, s0);
        store(out + i, result);
    }
    for_each(rest, n - pieces * 4) {
        INDEX i = (INDEX)(pieces * 4 + rest);
        out[i] = element(in0[i], in1[i / step1], s0);
    }
}
'''
