"""A product and a sum of it rounded once, by fma, as NVIDIA's compilers make it: where that must not change a bit.

MINIGLUON_GPU_CONTRACT=1 makes the emulator's compiler do the same. Other tests of the GPU pass that way as well:

    MINIGLUON_GPU_CONTRACT=1 pytest tests/gpu
"""

import pathlib

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module
from helpers.gpu_checks import GPU, Twin, backend, bound
from helpers.gpu_steps import MIXED, ONE, STEPS, options
from minigluon_accel.gpu import compile, driver, nvrtc
from minigluon_accel.gpu.compile import Runner, prepare
from minigluon_accel.gpu.kernels.optimizer import update
from minigluon_accel.gpu.launch import GeneratedSource, In, Launch, Out, SourceFile

from minigluon import nd
from minigluon.ops import REGISTRY

emulated = pytest.mark.skipif(not driver.emulated(), reason="the compiler of a card contracts")
INFO = pathlib.Path("/proc/cpuinfo")


@pytest.fixture
def contracted(monkeypatch):
    """The emulator's compiler contracts; what was compiled before is not used."""
    if driver.emulated() and " fma " not in INFO.read_text(encoding="utf-8"):
        pytest.skip("this processor has no fma")
    monkeypatch.setenv("MINIGLUON_GPU_CONTRACT", "1")
    monkeypatch.setattr(compile, "_functions", {})
    monkeypatch.setattr(compile, "_modules", {})


# x² = 1 + 2⁻¹¹ + 2⁻²⁴ is halfway between two numbers, and rounded to the even one: x² - (1 + 2⁻¹¹) is 0 or 2⁻²⁴.
X = np.array([1 + 2 ** -12, -1 - 2 ** -11], "float32")
TEXT = """
extern "C" __global__ void differences(const float *x, float *y) {
    y[0] = x[0] * x[0] + x[1];
    y[1] = __fadd_rn(__fmul_rn(x[0], x[0]), x[1]);
    y[2] = x[1] + __fmul_rn(x[0], x[0]);
    y[3] = __fadd_rn(x[0] * x[0], x[1]);
    y[4] = __fmaf_rn(x[0], x[0], x[1]);
}
"""


def differences(source):
    device, x, y = backend().device, nd.array(X, ctx=GPU), nd.zeros((5,), ctx=GPU)
    launch = Launch(source, "differences", {}, 1, 1, [In(0), Out(0)])
    Runner(device, [prepare(device, launch, {In: 0, Out: 1})], 2).run([x.buffer, y.buffer])
    return (y.asnumpy() * 2 ** 24).tolist()


def test_which_products_are_rounded(contracted, tmp_path, monkeypatch):
    """Those of files as the compiler likes, but what is asked to be rounded is; those of chains, and of files that say
    so, always."""
    (tmp_path / "differences.cu").write_text(TEXT)
    monkeypatch.setattr(compile, "KERNELS", tmp_path)
    assert differences(SourceFile("differences.cu")) == [1, 0, 0, 0, 1]
    assert differences(SourceFile("differences.cu", fmad=False)) == [0, 0, 0, 0, 1]
    assert differences(GeneratedSource(TEXT)) == [0, 0, 0, 0, 1]


@emulated
def test_nothing_is_contracted_where_it_is_not_wanted(monkeypatch, tmp_path):
    monkeypatch.setenv("MINIGLUON_GPU_CONTRACT", "0")
    monkeypatch.setattr(compile, "_functions", {})
    monkeypatch.setattr(compile, "_modules", {})
    monkeypatch.setattr(compile, "KERNELS", tmp_path)
    (tmp_path / "differences.cu").write_text(TEXT)
    assert differences(SourceFile("differences.cu")) == [0, 0, 0, 0, 1]


class Exact(Twin):
    """A kernel whose results, and what it writes to its states, are the reference's to the bit."""

    def close(self, found, wanted, message):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted, message)


@pytest.mark.parametrize("name", ONE)
def test_a_step_has_the_references_bits(contracted, name):
    rng = np.random.default_rng(3)
    arrays = [np.abs(rng.normal(size=997)).astype("float32") for _ in REGISTRY[name].arguments]
    assert Exact(bound(name, arrays, options(name)), arrays).check()


@pytest.mark.parametrize("name", [name for name in MIXED if name.startswith("mp_sgd")])
def test_a_step_of_a_float16_weight_has_them_too(contracted, name):
    rng = np.random.default_rng(5)
    weight32 = rng.normal(size=301).astype("float32")
    arrays = [weight32.astype("float16"), rng.normal(size=301).astype("float16"),
              *[np.abs(rng.normal(size=301)).astype("float32") for _ in MIXED[name]], weight32]
    assert Exact(bound(name, arrays, options(name)), arrays).check()


@pytest.mark.parametrize("name", STEPS)
def test_steps_of_many_weights_have_them_too(contracted, name):
    group, more = STEPS[name]
    rng = np.random.default_rng(7)
    arrays = [np.abs(rng.normal(size=size)).astype("float32") for size in (5, 300, 17) for _ in range(group)]
    rates = np.array([0.5, 0.1, 0.2, 0.3, 0, 0.1, 0])
    assert Exact(REGISTRY[name](num_weights=3, **more), [*arrays, rates]).check()


def test_overlaps_of_boxes_have_them_too(contracted):
    """Whether an overlap reaches a threshold must not depend on the device."""
    rng = np.random.default_rng(11)
    a, b = (np.concatenate([corner, corner + rng.uniform(0.1, 1, (40, 2))], axis=1).astype("float32")
            for corner in rng.uniform(0, 1, (2, 40, 2)))
    assert Exact(bound("_contrib_box_iou", [a, b], {}), [a, b]).check()


def test_averages_of_integers_have_them_too(contracted):
    """A sum that is a little less than a whole number is cut off to another."""
    grad = np.random.default_rng(0).integers(0, 100, (2, 3, 4, 4))
    attributes = {"kernel": (3, 2), "stride": (2, 2), "pad": (1, 0), "pool_type": "avg"}
    assert Exact(REGISTRY["_sum_pooling_grad"](**attributes), [grad, np.zeros((2, 3, 7, 8), int)]).check()


def test_nvidias_compiler_contracts_unless_it_is_told_not_to(monkeypatch):
    """The options with which a card's image of the optimizers is compiled, and the instructions that come of them."""
    if not nvrtc.available():
        pytest.skip("NVRTC is not installed")
    given, fused = [], []

    class Compiler:
        version = staticmethod(nvrtc.version)

        @staticmethod
        def compile(text, architecture, options, name):
            given.extend(options)
            # An architecture that no compiler knows: it answers with its instructions as text.
            for chosen in (options, []):
                fused.append(nvrtc.compile(text, "sm_999", chosen, name).decode().count("fma.rn.f32"))
            return b"image"
    monkeypatch.setattr(compile, "compiler", lambda architecture: Compiler)
    monkeypatch.setattr(compile, "read_cached", lambda path: None)
    monkeypatch.setattr(compile, "write_cached", lambda path, content, what: None)
    compile.image_of(update.PLAIN_SOURCE, dict.fromkeys("TAWG", "float"), "sm_999")
    assert given == ["--fmad=false"]
    assert fused[0] == 0 < fused[1]
