"""Convolutions through cuDNN, of which a stand-in is asked: results of the whole path, and what the library is told.

cuDNN itself runs on a real GPU only. tests/scripts/nvidia_libraries.py compares names, types and numbers with its
headers, and descriptors with the library.
"""

import shutil

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - chooses the GPU, or skips the module
from helpers.cudnn_checks import arrays_for, check, forget, standing_in, ways, work_of
from helpers.gpu_checks import GPU, backend
from minigluon.explain import explain, layout
from minigluon_accel.gpu import autotuning, driver, paths
from minigluon_accel.gpu.cudnn import library
from minigluon_accel.gpu.memory import OutOfMemory
from minigluon_accel.operators.fused_convolution import ConvRelu

import minigluon as mx
from minigluon import gluon, nd
from minigluon.base import MXNetError
from minigluon.ops import REGISTRY

available = library.available


@pytest.fixture
def cudnn(monkeypatch):
    yield from standing_in(monkeypatch)


@pytest.mark.parametrize(("attrs", "how"), [
    ({"kernel": (3, 3), "stride": (2, 1), "pad": (1, 0), "dilate": (1, 2), "num_filter": 6}, (2, 4, (7, 8))),
    ({"kernel": (3, 2), "num_group": 2, "num_filter": 4, "layout": "NHWC"}, (2, 6, (5, 4))),
    ({"kernel": (3,), "pad": (1,), "num_filter": 3}, (2, 2, (9,))),
    ({"kernel": (2, 1, 2), "num_filter": 3, "pad": (0, 1, 1)}, (1, 2, (3, 4, 5))),
    ({"kernel": (1, 1), "num_filter": 3}, (2, 4, (9, 9))),
])
def test_a_convolution_and_its_gradients(cudnn, attrs, how):
    conv = REGISTRY["Convolution"](**attrs)
    data, weight, bias, grad = arrays_for(conv, *how)
    check(conv, data, weight, bias)
    windows = {name: attrs[name] for name in attrs if name != "num_filter"}
    check(REGISTRY["_conv_data_grad"](**windows), grad, weight, data)
    check(REGISTRY["_conv_weight_grad"](**windows), grad, data, weight)
    assert {call[0] for call in ways(cudnn)} == {"Forward", "BackwardData", "BackwardFilter"}


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_types(cudnn, dtype):
    conv = REGISTRY["Convolution"](kernel=(3, 2), num_filter=3)
    check(conv, *arrays_for(conv, 2, 2, (5, 6), dtype)[:3])
    assert {call[2] for call in ways(cudnn)} == {dtype}


@pytest.mark.parametrize("how", [{"adj": (1, 0)}, {"target_shape": (9, 11)}])
def test_a_deconvolution_is_a_gradient(cudnn, how):
    rng = np.random.default_rng(0)
    op = REGISTRY["Deconvolution"](kernel=(3, 3), stride=(2, 2), num_filter=4, no_bias=False, **how)
    check(op, *(rng.standard_normal(shape).astype("float32") for shape in ((2, 3, 5, 6), (3, 4, 3, 3), (4,))))
    assert {call[0] for call in ways(cudnn)} == {"BackwardData"}


def test_what_the_library_is_told(cudnn):
    """In order, once for equal layers: ranking, workspace, and the call with strides, windows and math."""
    op = REGISTRY["Convolution"](kernel=(3, 3), stride=(2, 1), pad=(1, 0), dilate=(1, 2), num_filter=4, num_group=2,
                                 no_bias=True, layout="NHWC")
    shapes = (2, 7, 8, 6), (4, 3, 3, 3)
    work = work_of(op, *shapes)
    assert work_of(op, *shapes).launches[0].function is work.launches[0].function
    assert cudnn.calls == ["create", "stream", "create", "stream", "rank Forward"]
    assert sorted(cudnn.handles.values()) == sorted([backend().device.stream_handle,
                                                     backend().device.capture_stream.handle])
    data, weight, out = (backend().zeros(shape, "float32", GPU) for shape in (*shapes, (2, 4, 4, 4)))
    work.launches[0].function(backend().device.stream_handle, [x.pointer for x in (data, weight, out)])
    assert cudnn.calls[5:] == [("Forward", 0, "float32", (2, 6, 7, 8), (336, 1, 48, 6), (4, 3, 3, 3), True, (1, 0),
                                (2, 1), (1, 2), 2, 3)]
    assert (out.numpy() == 0).all()


def test_descriptors_go_with_their_plan(cudnn):
    work = work_of(REGISTRY["Convolution"](kernel=(1,), num_filter=1, no_bias=True), (1, 1, 2), (1, 1, 1))
    forget()
    assert len(cudnn.objects) == 4
    del work
    assert not cudnn.objects


@pytest.mark.parametrize(("dtype", "tf32", "math"), [("float32", "0", 3), ("float32", "1", 0), ("float64", "1", 3),
                                                     ("float16", "0", 1)])
def test_tensor_cores(cudnn, monkeypatch, dtype, tf32, math):
    monkeypatch.setenv("MINIGLUON_TF32", tf32)
    work_of(REGISTRY["Convolution"](kernel=(1,), num_filter=1, no_bias=True), (1, 1, 2), (1, 1, 1), dtype=dtype)
    assert [found.math for found in cudnn.objects.values() if found.kind == "Convolution"] == [math]


CONV = {"kernel": (3, 3), "num_filter": 4, "no_bias": True}
SHAPES = (2, 3, 5, 6), (4, 3, 3, 3)


@pytest.mark.parametrize(("ranking", "attrs", "told", "scratch"), [
    (None, {}, "cuDNN: implicit GEMM", 0),
    ((1, 0), {}, "cuDNN: implicit GEMM, indices computed before, 1 MiB", 4096 + 255),
    ((1, 0), {"workspace": 0}, "cuDNN: implicit GEMM", 0),
    ((1,), {"workspace": 0}, "own kernels: cuDNN has no algorithm for it that gives the same bits each time", None),
    (None, {"cudnn_off": True}, "own kernels: cudnn_off=True", None),
])
def test_the_choice(cudnn, ranking, attrs, told, scratch):
    cudnn.ranking = ranking
    work = work_of(REGISTRY["Convolution"](**CONV, **attrs), *SHAPES)
    assert work.note == told
    if scratch is not None:
        assert [spec.shape for spec in work.scratch] == ([(scratch,)] if scratch else [])


def test_only_algorithms_that_repeat_their_bits(cudnn):
    """The stand-in's first for the gradients is said to be not deterministic."""
    _, grads = REGISTRY["Convolution"](**CONV), {"kernel": (3, 3)}
    work = work_of(REGISTRY["_conv_weight_grad"](**grads), (2, 4, 3, 4), *SHAPES)
    assert work.note == "cuDNN: algorithm 1, 1 MiB"
    assert [spec.shape for spec in work.scratch] == [(1000 + 255,)]         # it begins at a multiple of 256


# Three algorithms with workspaces of 0, 4096 and 300 bytes, and own kernels behind them: the seconds that each takes.
@pytest.mark.parametrize(("attrs", "variable", "seconds", "told"), [
    ({}, None, [4, 2, 3, 5], "cuDNN: implicit GEMM, indices computed before, 1 MiB"),
    ({}, "1", [4, 2, 3, 1], "own kernels, which are faster here than cuDNN"),
    ({"cudnn_tune": "limited_workspace", "workspace": 0}, "0", [4, 3], "own kernels, which are faster here than cuDNN"),
    ({"cudnn_tune": "fastest", "workspace": 0}, "0", [4, 3, 2, 5], "cuDNN: GEMM, 1 MiB"),
    ({"cudnn_tune": "off"}, "1", [], "cuDNN: implicit GEMM"), ({}, "0", [], "cuDNN: implicit GEMM"),
])
def test_tuning(cudnn, monkeypatch, tmp_path, attrs, variable, seconds, told):
    monkeypatch.setenv("MINIGLUON_CACHE", str(tmp_path))
    monkeypatch.delenv("MXNET_CUDNN_AUTOTUNE_DEFAULT")
    if variable:
        monkeypatch.setenv("MXNET_CUDNN_AUTOTUNE_DEFAULT", variable)
    left = list(seconds)
    monkeypatch.setattr(autotuning, "_seconds", lambda device, work, operands, best: left.pop(0))
    op = REGISTRY["Convolution"](**CONV, **attrs)
    for _ in range(2):              # once for equal layers
        assert work_of(op, *SHAPES).note == told
    assert not left
    forget()                        # as another process: it takes what is kept
    assert work_of(op, *SHAPES).note == told
    assert len(list(tmp_path.glob("choices/*.choice"))) == bool(seconds)
    forget()                        # where a kernel of this project is another one, it is measured again
    real, left[:] = autotuning.assembled, seconds
    monkeypatch.setattr(autotuning, "assembled", lambda source, defines: real(source, defines) + "// changed")
    assert work_of(op, *SHAPES).note == told
    assert not left


@pytest.mark.parametrize("attrs", [{}, {"no_bias": False}])
def test_each_way_is_measured(cudnn, monkeypatch, tmp_path, attrs):
    """With the clock's own choice, whatever it is, results are right; each algorithm has run some times before."""
    monkeypatch.setenv("MINIGLUON_CACHE", str(tmp_path))
    conv = REGISTRY["Convolution"](**{**CONV, **attrs, "cudnn_tune": "fastest"})
    data, weight, bias, grad = arrays_for(conv, 2, 3, (5, 6))
    check(conv, data, weight, *[bias] * (not conv.no_bias))
    check(REGISTRY["_conv_data_grad"](kernel=(3, 3), cudnn_tune="fastest"), grad, weight, data)
    check(REGISTRY["_conv_weight_grad"](kernel=(3, 3), cudnn_tune="fastest"), grad, data, weight)
    assert {call[:2] for call in ways(cudnn)} == {("Forward", 0), ("Forward", 1), ("Forward", 2), ("BackwardData", 1),
                                                 ("BackwardFilter", 1)}
    assert len(list(tmp_path.glob("choices/*.choice"))) == 3


@pytest.mark.parametrize(("missing", "told", "kept"), [
    ("float32", "cuDNN: implicit GEMM", 0),                         # operands: nothing can be measured
    ("uint8", "own kernels, which are faster here than cuDNN", 1),  # workspaces: two algorithms take no part
])
def test_memory_to_measure_in_is_exhausted(cudnn, monkeypatch, tmp_path, missing, told, kept):
    monkeypatch.setenv("MINIGLUON_CACHE", str(tmp_path))
    memory, real, times = backend().device.memory, backend().device.memory.empty, [9] * (1 + autotuning.ROUNDS)

    def empty(shape, dtype):
        if dtype == missing:
            raise OutOfMemory("none is left")
        return real(shape, dtype)
    monkeypatch.setattr(memory, "empty", empty)
    monkeypatch.setattr(autotuning, "_once", lambda *_: times.pop() if times else 5)
    assert work_of(REGISTRY["Convolution"](**CONV, cudnn_tune="fastest"), *SHAPES).note == told
    assert len(list(tmp_path.glob("choices/*"))) == kept


def test_gradients_take_the_attributes_of_their_convolution():
    op = REGISTRY["Convolution"](**CONV, cudnn_off=True, cudnn_tune="fastest", workspace=7)
    assert {name: op.window_attributes[name] for name in ("cudnn_off", "cudnn_tune", "workspace")} == {
        "cudnn_off": True, "cudnn_tune": "fastest", "workspace": 7}
    assert "workspace" not in REGISTRY["Convolution"](**CONV).window_attributes


def test_operands_at_odd_addresses_are_copied(cudnn):
    conv = REGISTRY["Convolution"](**CONV)
    data, weight = (np.arange(np.prod(shape), dtype="float32").reshape(shape) % 5 for shape in SHAPES)
    whole = np.concatenate([np.zeros(1, "float32"), data.ravel()])
    with mx.gpu():
        part = nd.array(whole)[1:].reshape(SHAPES[0])
        found = nd.Convolution(part, nd.array(weight), **CONV)
    np.testing.assert_array_equal(found.asnumpy(), conv.forward(data, weight))
    assert ways(cudnn)


def test_what_cudnn_cannot_do_is_done_by_own_kernels(cudnn):
    op = REGISTRY["Convolution"](**CONV)
    assert work_of(op, *SHAPES, dtype="int32").note == "own kernels: cuDNN has no convolutions of int32"
    assert work_of(op, (0, 3, 5, 6), SHAPES[1]).note == (
        "own kernels: cuDNN is not used for arrays that are empty or have 2^31 elements")
    cudnn.status["cudnnGetConvolutionForwardAlgorithm_v7"] = 3000
    assert work_of(op, *SHAPES).note == (
        "own kernels: gpu(0): cuDNN: convolution failed in cudnnGetConvolutionForwardAlgorithm_v7: "
        "CUDNN_STATUS_NOT_SUPPORTED (as the test wants it). MINIGLUON_CUDNN=0 computes with our own kernels.")


@pytest.mark.parametrize(("name", "what"), [
    ("cudnnCreate", "its start"), ("cudnnSetTensorNdDescriptor", "a descriptor (tensor)"),
    ("cudnnGetConvolutionForwardAlgorithm_v7", "convolution"),
    ("cudnnGetConvolutionForwardWorkspaceSize", "convolution"),
])
def test_errors_while_preparing(cudnn, name, what):
    cudnn.status[name] = 2000
    with pytest.raises(MXNetError) as failed:
        work_of(REGISTRY["Convolution"](**CONV), *SHAPES)
    assert str(failed.value) == (f"gpu(0): cuDNN: {what} failed in {name}: CUDNN_STATUS_BAD_PARAM (as the test wants "
                                 "it). MINIGLUON_CUDNN=0 computes with our own kernels.")


@pytest.mark.parametrize("status", [3000, 5000])
def test_errors_while_running_are_errors(cudnn, status):
    data, weight = (nd.ones(shape, ctx=GPU) for shape in SHAPES)
    cudnn.status["cudnnConvolutionForward"] = status
    with pytest.raises(MXNetError, match=r"^gpu\(0\): cuDNN: convolution failed in cudnnConvolutionForward: "):
        nd.Convolution(data, weight, **CONV)


@pytest.mark.parametrize(("attrs", "how"), [
    ({"kernel": (3, 3), "stride": (2, 1), "pad": (1, 0), "num_filter": 6}, (2, 4, (7, 8))),
    ({"kernel": (3,), "num_filter": 4, "layout": "NWC"}, (2, 6, (5,)))])
@pytest.mark.parametrize("can", [True, False])
def test_bias_and_relu(cudnn, attrs, how, can):
    """In one call where the library can, which is tried once; else by an own kernel behind it."""
    conv, relu = REGISTRY["Convolution"](**attrs), REGISTRY["relu"]()
    if not can:
        cudnn.status["cudnnConvolutionBiasActivationForward"] = 3000
    check(ConvRelu(program=((conv, (0, 1, 2)), (relu, (-1,)))), *arrays_for(conv, *how)[:3])
    assert {call[0] for call in ways(cudnn)} == {"with bias and relu" if can else "Forward"}


def test_an_error_of_the_trial_is_an_error(cudnn):
    conv, relu = REGISTRY["Convolution"](kernel=(1,), num_filter=1), REGISTRY["relu"]()
    cudnn.status["cudnnConvolutionBiasActivationForward"] = 5000
    with pytest.raises(MXNetError, match="bias and relu failed in cudnnConvolutionBiasActivationForward: "):
        work_of(ConvRelu(program=((conv, (0, 1, 2)), (relu, (-1,)))), (1, 1, 2), (1, 1, 1), (1,))


def test_explain_tells_who_computes(cudnn, tmp_path):
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    if not any(map(shutil.which, layout.PROGRAMS)):
        pytest.skip("there is neither dot nor graphviz-pure on the PATH, which lay out the page's drawing")
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(3, 3, in_channels=2), gluon.nn.Conv2D(3, 3, in_channels=3))
    net.initialize(ctx=GPU)
    explain(net, nd.ones((1, 2, 8, 8), ctx=GPU), path=str(tmp_path / "page.html"))
    assert "cuDNN: implicit GEMM" in (tmp_path / "page.html").read_text()


def test_reasons(monkeypatch):
    monkeypatch.delenv("MINIGLUON_CUDNN", raising=False)
    monkeypatch.setattr(driver, "emulated", lambda: True)
    assert available() == "cuDNN needs a real GPU, and this one is emulated"
    monkeypatch.setattr(driver, "emulated", lambda: False)
    monkeypatch.setattr(library, "loaded", lambda: "there is no cuDNN")
    assert available() == "there is no cuDNN"
    monkeypatch.setenv("MINIGLUON_CUDNN", "0")
    assert available() == "MINIGLUON_CUDNN=0 switches it off"


def test_a_library_is_refused_with_its_reason(cudnn, monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "libraries", lambda name: [str(tmp_path / "libcudnn.so.9")] if name == "cudnn" else [])
    monkeypatch.setattr(library.ctypes, "CDLL", lambda path: cudnn.functions)
    monkeypatch.setattr(paths, "driver_version", lambda: (11, 8))
    assert library._load() == (f"{tmp_path}/libcudnn.so.9 is for CUDA 12, and the driver for CUDA 11.8; "
                      "libcudnn.so.9 is for CUDA 12, and the driver for CUDA 11.8")
    monkeypatch.setattr(paths, "driver_version", lambda: (12, 4))
    assert library._load() is cudnn.functions
