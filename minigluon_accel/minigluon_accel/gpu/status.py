"""The GPU section of `minigluon info`: which parts are installed or missing, and how to install the missing ones."""

import os
import shutil
from importlib import metadata

from minigluon.base import ContextError

from . import driver, paths

__all__ = ["describe"]

INSTALL = "python -m minigluon_accel.gpu.install"


def describe():
    """Yields lines for `minigluon info`. Never raises an error: errors during the check become part of the report."""
    for what, tell in (("driver", _driver), ("PyCUDA", _pycuda), ("compiler", _compiler), ("cuBLAS", _cublas),
                       ("cuDNN", _cudnn), ("devices", _devices)):
        try:
            lines = tell()
        except Exception as error:      # any error, because a report on faults must be completed
            lines = [f"cannot be determined: {type(error).__name__}: {error}"]
        for line in lines:
            yield f"{what:9} {line}"
            what = ""


def _driver():
    if os.environ.get(driver.ASKED) == "off":
        return [f"{driver.ASKED}=off: GPUs are switched off. Unset the variable to use them"]
    if driver.emulated():
        return [f"emulated: kernels run on the CPU, for learning and testing, not for speed ({driver.ASKED}=emulate)"]
    version = paths.driver_version()
    if version is None:
        return ["none: libcuda.so.1 cannot be loaded. Install NVIDIA's driver; or run the kernels on the CPU with "
                f"{driver.ASKED}=emulate"]
    return [f"for CUDA {paths.version_text(version)}"]


def _pycuda():
    try:
        return [metadata.version("pycuda")]
    except metadata.PackageNotFoundError:
        there = paths.driver_version() is not None and not driver.emulated()
        return [f"not installed. Install it with: {INSTALL}{'' if there else ' --emulate'}"]


def _compiler():
    if driver.emulated():
        lines = shutil.which("g++")
        return [f"{lines}, for the emulated GPU" if lines else "none: g++ compiles for the emulated GPU. On Debian and "
                                                               "Ubuntu: apt-get install g++"]
    from . import nvcc, nvrtc
    lines = [f"{one}, for {_range(one.architectures)}: {one.path}" for one in nvrtc.libraries()]
    if nvcc.available():
        lines.append(nvcc.version())
    lines = lines or ["none: neither NVRTC nor nvcc is found. Install one with: pip install nvidia-cuda-nvrtc"]
    return [*lines, *[f"not used: {reason}" for reason in nvrtc.refused()]]


def _range(architectures):
    return f"sm_{architectures[0]} to sm_{architectures[-1]}"


def _cublas():
    from . import cublas
    reason = cublas.available()
    if reason:
        return [f"not used: {reason}"]
    from . import cublaslt
    without = cublaslt.available()
    more = f"; not used for what follows them: {without}" if without else ", cuBLASLt those followed by a bias or relu"
    return [f"{cublas.version()} computes matrix products{more}"]


def _cudnn():
    from .cudnn import library
    reason = library.available()
    if reason:
        return [f"not used: {reason}"]
    return [f"{library.version()} computes convolutions if it is faster than our own kernels"]


def _devices():
    try:
        cuda = driver.loaded()
    except ContextError as error:
        return [f"none: {str(error).removeprefix('gpu: ')}"]
    return [_device(number, cuda.Device(number)) for number in range(cuda.Device.count())] or ["the driver has none"]


def _device(number, device):
    architecture = "sm_{}{}".format(*device.compute_capability())
    text = f"gpu({number}) {device.name()}, {architecture}, {device.total_memory() / 2 ** 30:.1f} GiB"
    if not driver.is_open(number):
        return text
    memory = driver.open_device(number, None).memory
    (arrays, spare), (copied, pinned) = memory.held(), memory.pinned()
    return (f"{text}; in this process: arrays {_mib(arrays)}, kept for reuse {_mib(spare)}; pinned memory of copies "
            f"{_mib(copied)}, kept for reuse {_mib(pinned)}")


def _mib(count):
    return f"{count / 2 ** 20:.1f} MiB"
