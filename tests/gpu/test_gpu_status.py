"""What `minigluon info` says about the GPU, on machines of all kinds."""

import re

import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
from minigluon_accel.gpu import BACKEND, cublas, cublaslt, driver, nvcc, nvrtc, paths, status
from minigluon_accel.gpu.cudnn import library

from minigluon.base import ContextError


class Card:
    """PyCUDA's Device."""

    def __init__(self, number):
        pass

    def name(self):
        return "NVIDIA H200"

    def compute_capability(self):
        return 9, 0

    def total_memory(self):
        return 150 * 2 ** 30

    @staticmethod
    def count():
        return 2


class PyCuda:
    Device = Card


def missing():
    raise ContextError("gpu: there is no NVIDIA driver here (no such file). Use mx.cpu().")


@pytest.fixture
def bare(monkeypatch):
    """A machine without any of it."""
    monkeypatch.delenv("MINIGLUON_GPU", raising=False)
    for name in ("MINIGLUON_CUBLAS", "MINIGLUON_CUDNN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(paths, "driver_version", lambda: None)
    monkeypatch.setattr(status.metadata, "version", _not_found)
    monkeypatch.setattr(driver, "loaded", missing)
    monkeypatch.setattr(nvrtc, "_looked", lambda: ([], []))
    monkeypatch.setattr(nvcc, "available", lambda: False)
    monkeypatch.setattr(cublas, "_library", lambda: None)
    monkeypatch.setattr(library, "loaded", lambda: "there is no cuDNN")
    monkeypatch.setattr(driver, "_devices", {})
    return monkeypatch


def _not_found(name):
    raise status.metadata.PackageNotFoundError(name)


def test_nothing_is_here(bare):
    assert list(status.describe()) == [
        "driver    none: libcuda.so.1 cannot be loaded. Install NVIDIA's driver; or run the kernels on the CPU with "
        "MINIGLUON_GPU=emulate",
        "PyCUDA    not installed. Install it with: python -m minigluon_accel.gpu.install --emulate",
        "compiler  none: neither NVRTC nor nvcc is found. Install one with: pip install nvidia-cuda-nvrtc",
        "cuBLAS    not used: there is no cuBLAS: install it with pip install nvidia-cublas (more than 400 MB)",
        "cuDNN     not used: there is no cuDNN",
        "devices   none: there is no NVIDIA driver here (no such file). Use mx.cpu().",
    ]


def test_a_driver_alone(bare):
    bare.setattr(paths, "driver_version", lambda: (13, 0))
    lines = list(status.describe())
    assert lines[0] == "driver    for CUDA 13.0"
    assert lines[1] == "PyCUDA    not installed. Install it with: python -m minigluon_accel.gpu.install"


def test_everything_is_here(bare):
    bare.setattr(paths, "driver_version", lambda: (13, 0))
    bare.setattr(status.metadata, "version", lambda name: "2026.1")
    bare.setattr(driver, "loaded", lambda: PyCuda)
    bare.setattr(nvcc, "available", lambda: True)
    bare.setattr(nvcc, "version", lambda: "nvcc 13.0.88")
    bare.setattr(cublas, "available", lambda: None)
    bare.setattr(cublas, "version", lambda: "cuBLAS 13.1.0")
    bare.setattr(cublaslt, "available", lambda: None)
    bare.setattr(library, "available", lambda: None)
    bare.setattr(library, "version", lambda: "cuDNN 9.28.0")
    assert list(status.describe()) == [
        "driver    for CUDA 13.0", "PyCUDA    2026.1", "compiler  nvcc 13.0.88",
        "cuBLAS    cuBLAS 13.1.0 computes matrix products, cuBLASLt those followed by a bias or relu",
        "cuDNN     cuDNN 9.28.0 computes convolutions if it is faster than our own kernels",
        "devices   gpu(0) NVIDIA H200, sm_90, 150.0 GiB", "          gpu(1) NVIDIA H200, sm_90, 150.0 GiB",
    ]
    bare.setattr(cublaslt, "available", lambda: "there is no cuBLASLt")
    assert list(status.describe())[3] == ("cuBLAS    cuBLAS 13.1.0 computes matrix products; not used for what follows "
                                          "them: there is no cuBLASLt")
    bare.setattr(Card, "count", staticmethod(lambda: 0))
    assert list(status.describe())[-1] == "devices   the driver has none"


def test_several_compilers(bare):
    """Each is told with the cards that it knows; what is there and not used, with the reason."""
    class Found:
        architectures, path = (75, 90, 121), "/a/libnvrtc.so.13"

        def __str__(self):
            return "NVRTC 13.0"

    why = "/b/libnvrtc.so.14 is newer than the driver, which is for CUDA 13.0"
    bare.setattr(nvrtc, "_looked", lambda: ([Found()], [why]))
    bare.setattr(nvcc, "available", lambda: True)
    bare.setattr(nvcc, "version", lambda: "nvcc 13.0.88")
    assert [line for line in status.describe() if line.startswith(("compiler", " "))] == [
        "compiler  NVRTC 13.0, for sm_75 to sm_121: /a/libnvrtc.so.13", "          nvcc 13.0.88",
        f"          not used: {why}"]


def test_emulated(bare):
    bare.setenv("MINIGLUON_GPU", "emulate")
    bare.setattr(status.shutil, "which", lambda name: "/bin/g++")
    assert list(status.describe())[:4] == [
        "driver    emulated: kernels run on the CPU, for learning and testing, not for speed (MINIGLUON_GPU=emulate)",
        "PyCUDA    not installed. Install it with: python -m minigluon_accel.gpu.install --emulate",
        "compiler  /bin/g++, for the emulated GPU",
        "cuBLAS    not used: cuBLAS needs a real GPU, and this one is emulated",
    ]
    bare.setattr(status.shutil, "which", lambda name: None)
    assert list(status.describe())[2] == (
        "compiler  none: g++ compiles for the emulated GPU. On Debian and Ubuntu: apt-get install g++")


def test_switched_off(bare):
    bare.setenv("MINIGLUON_GPU", "off")
    assert list(status.describe())[0] == (
        "driver    MINIGLUON_GPU=off: GPUs are switched off. Unset the variable to use them")


def test_what_goes_wrong_is_told(bare):
    bare.setenv("MINIGLUON_GPU", "emulated")
    told = ("cannot be determined: MXNetError: MINIGLUON_GPU is 'emulated', expected 'emulate' (kernels run on the "
            "CPU), 'real', or 'off'")
    lines = list(status.describe())
    assert lines[0] == f"driver    {told}"
    assert lines[2] == f"compiler  {told}"
    assert len(lines) == 6


def test_the_backend_tells_it(bare):
    assert BACKEND.details() == list(status.describe())


def test_here():
    """As it is on this machine: one line for each piece at least, and none is broken."""
    lines = list(status.describe())
    # With NVRTC, nvcc has a line of its own where it is installed.
    names = [name for name in (line.split()[0] for line in lines) if name != "nvcc"]
    assert names[:6] == ["driver", "PyCUDA", "compiler", "cuBLAS", "cuDNN", "devices"]
    assert not re.search("cannot be determined", "\n".join(lines))
