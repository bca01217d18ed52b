"""Products with a bias and relu by cuBLASLt, of which a stand-in is asked: from the layer to the arguments in C."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - chooses the GPU, or skips the module
from helpers.cublaslt_stand_in import LtStandIn
from helpers.gpu_checks import Twin, backend
from minigluon_accel.gpu import cublas, cublaslt
from minigluon_accel.gpu.kernels import gemm_library
from minigluon_accel.operators.fused_matrix import MatrixRelu

from minigluon.backend.forgetting import forget_kernels
from minigluon.base import MXNetError
from minigluon.ops import REGISTRY


@pytest.fixture
def lt(monkeypatch):
    stand_in = LtStandIn()
    monkeypatch.setattr(cublaslt, "loaded", lambda: stand_in.functions)
    monkeypatch.setattr(cublaslt, "_handles", {})
    monkeypatch.setattr(cublas, "available", lambda: None)
    monkeypatch.setattr(cublas, "product", lambda *args, **more: "this test has none")
    monkeypatch.setattr(gemm_library, "LARGE", 0)
    forget_kernels()
    for name in ("MINIGLUON_CUBLASLT", "MINIGLUON_TF32"):
        monkeypatch.delenv(name, raising=False)
    yield stand_in
    forget_kernels()
    assert not stand_in.errors


def numbers(*shape, dtype="float32"):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def check(op, *arrays):
    twin = Twin(op, list(arrays))
    assert twin.declined is None
    assert twin.check()


@pytest.mark.parametrize(("dtype", "compute"), [("float32", 68), ("float64", 70), ("float16", 68)])
def test_a_layer_with_bias(lt, dtype, compute):
    op = REGISTRY["FullyConnected"](num_hidden=5)
    check(op, numbers(3, 4, dtype=dtype), numbers(5, 4, dtype=dtype), numbers(5, dtype=dtype))
    assert lt.calls[0] == "create"
    assert {call[:-1] for call in lt.calls[1:]} == {(compute, (True, False), (5, 3), 1, 0)}
    device = backend().device
    assert {call[-1] for call in lt.calls[1:]} == {device.stream_handle, device.capture_stream.handle}


@pytest.mark.parametrize("no_bias", [False, True])
def test_a_layer_with_relu(lt, no_bias):
    layer, relu = REGISTRY["FullyConnected"](num_hidden=5, no_bias=no_bias), REGISTRY["relu"]()
    inputs = [numbers(3, 4), numbers(5, 4), numbers(5)][:2 if no_bias else 3]
    check(MatrixRelu(program=((layer, tuple(range(len(inputs)))), (relu, (-1,)))), *inputs)
    assert {call[1] for call in lt.calls[1:]} == {(not no_bias, True)}


def test_products_without_anything_behind_them_are_not_asked_for(lt):
    check(REGISTRY["FullyConnected"](num_hidden=5, no_bias=True), numbers(3, 4), numbers(5, 4))
    check(REGISTRY["FullyConnected"](num_hidden=5), numbers(1, 4), numbers(5, 4), numbers(5))     # with a vector
    assert lt.calls == []


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("workspace", [0, 256])
def test_transposes_and_odd_addresses(lt, turned, workspace):
    lt.workspace = workspace
    plan = cublaslt.product(backend().device, "float32", 3, 5, 4, *turned, bias=True, relu=True)
    a, b, bias = numbers(3, 4), numbers(4, 5), numbers(5)
    stored = [np.ascontiguousarray(x.T) if turn else x for x, turn in zip((a, b), turned, strict=True)]
    device = backend().device
    for odd in (0, 1):          # elements before the array
        buffers = [backend().from_numpy(np.concatenate([np.zeros(odd, "float32"), x.ravel()]), None)
                   for x in (*stored, bias, np.full((3, 5), np.nan, "float32"))]
        memory = [device.memory.empty((plan.workspace,), np.dtype("uint8"))] if plan.workspace else []
        plan.enqueue(device.stream_handle, [x.pointer + 4 * odd for x in buffers] + [x.pointer for x in memory])
        np.testing.assert_allclose(buffers[-1].numpy()[odd:].reshape(3, 5), np.maximum(a @ b + bias, 0), 1e-5, 1e-5)


def test_descriptors_go_with_their_plan(lt):
    plan = cublaslt.product(backend().device, "float32", 3, 5, 4, relu=True)
    assert len(lt.objects) == 4
    del plan
    assert not lt.objects


def test_tensor_cores(lt, monkeypatch):
    monkeypatch.setenv("MINIGLUON_TF32", "1")
    plan = cublaslt.product(backend().device, "float32", 3, 5, 4, relu=True)
    assert plan.name == "cuBLASLt, with relu"
    assert [x.compute for x in lt.objects.values() if x.kind == "MatmulDesc"] == [77]


def test_reasons(lt, monkeypatch):
    device = backend().device
    assert cublaslt.product(device, "int32", 3, 5, 4) == "cuBLASLt has no products of int32, 3 x 4 and 4 x 5"
    lt.none = True
    assert cublaslt.product(device, "float32", 3, 5, 4) == "cuBLASLt has no algorithm for it"
    lt.status["cublasLtMatmulAlgoGetHeuristic"] = 15
    assert cublaslt.product(device, "float32", 3, 5, 4) == "cuBLASLt has no algorithm for it"
    monkeypatch.setattr(cublaslt, "loaded", lambda: None)
    assert cublaslt.available() == "there is no cuBLASLt"
    monkeypatch.setenv("MINIGLUON_CUBLASLT", "0")
    assert cublaslt.available() == "MINIGLUON_CUBLASLT=0 switches it off"
    monkeypatch.setattr(cublaslt, "loaded", lambda: lt.functions)


def test_errors(lt):
    device = backend().device
    plan = cublaslt.product(device, "float32", 3, 5, 4, relu=True)
    lt.status["cublasLtMatmul"] = 13
    with pytest.raises(MXNetError) as failed:
        plan.enqueue(device.stream_handle, [16, 16, 16, 16])
    assert str(failed.value) == ("gpu(0): cuBLASLt: float32 product of 3 x 4 and 4 x 5 failed in cublasLtMatmul: "
                                 "status 13. MINIGLUON_CUBLASLT=0 computes without it.")
    lt.status["cublasLtMatmulDescCreate"] = 7
    with pytest.raises(MXNetError, match="failed in cublasLtMatmulDescCreate: status 7"):
        cublaslt.product(device, "float32", 3, 5, 4)
