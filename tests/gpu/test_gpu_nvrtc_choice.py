"""Which of several NVRTCs compiles for a card, and what is said where none does. Stand-ins know some architectures."""

import ctypes
import shutil
import subprocess

import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
from minigluon_accel.gpu import compile, driver, nvcc, nvrtc, paths

from minigluon.base import MXNetError

OLD, NEW = (12, 4), (13, 5)
ARCHITECTURES = {OLD: (50, 70, 80, 90), NEW: (75, 80, 90, 120)}


class StandIn(nvrtc.Library):
    """It gives its version and what it was asked for, and loads nothing."""

    def __init__(self, path):
        self.path, self.version = path, NEW if "13" in path.rpartition(".")[2] else OLD
        self.architectures = ARCHITECTURES[self.version]
        if "broken" in path:
            raise OSError("no such symbol")

    def compile(self, source, arch, options, name):
        if "mute" in self.path:
            raise MXNetError("gpu: compiling a first line: failed to open libnvrtc-builtins.so.13.5")
        return f"{self} {arch}".encode()


@pytest.fixture
def machine(monkeypatch):
    """machine(driver, *paths): a real card's driver of that version, and those libraries."""
    def of(version, *found):
        monkeypatch.setattr(paths, "driver_version", lambda: version)
        monkeypatch.setattr(paths, "libraries", lambda name: list(found))
        nvrtc._looked.cache_clear()
        compile.compiler.cache_clear()

    monkeypatch.setattr(driver, "emulated", lambda: False)
    monkeypatch.setattr(nvrtc, "Library", StandIn)
    monkeypatch.setattr(nvcc, "available", lambda: False)
    # Names that the linker knows are not of this machine.
    real = StandIn.__init__
    monkeypatch.setattr(StandIn, "__init__",
                        lambda self, path: real(self, path if "/" in path else f"broken.{path[-2:]}"))
    yield of
    nvrtc._looked.cache_clear()
    compile.compiler.cache_clear()


def test_the_newest_that_knows_the_card_compiles(machine):
    machine((13, 5), "/a/libnvrtc.so.13", "/b/libnvrtc.so.12")
    for arch, image in (("sm_70", b"NVRTC 12.4 sm_70"), ("sm_75", b"NVRTC 13.5 sm_75"), ("sm_90", b"NVRTC 13.5 sm_90")):
        assert compile.compiler(arch) is nvrtc
        assert nvrtc.compile("", arch, [], "") == image
        assert nvrtc.version(arch) == image.decode()[:10]


def test_one_that_is_newer_than_the_driver_is_left_out(machine):
    machine((12, 8), "/a/libnvrtc.so.13", "/b/libnvrtc.so.12")
    assert [str(one) for one in nvrtc.libraries()] == ["NVRTC 12.4"]
    assert nvrtc.refused() == ["/a/libnvrtc.so.13 is newer than the driver, which is for CUDA 12.8"]
    assert nvrtc.version("sm_90") == "NVRTC 12.4"


def test_a_newer_card_gets_ptx_unless_nvcc_is_there(machine, monkeypatch):
    machine((13, 5), "/b/libnvrtc.so.12")
    assert (nvrtc.serves("sm_120"), nvrtc.translates("sm_120")) == (False, True)
    assert compile.compiler("sm_120") is nvrtc
    monkeypatch.setattr(nvcc, "available", lambda: True)
    compile.compiler.cache_clear()
    assert compile.compiler("sm_120") is nvcc
    assert compile.compiler("sm_90") is nvrtc


def test_ptx_that_is_newer_than_the_driver_is_none(machine):
    machine((13, 0), "/a/libnvrtc.so.13")
    assert (nvrtc.serves("sm_120"), nvrtc.translates("sm_130")) == (True, False)


def test_an_older_card_that_none_knows(machine):
    machine((13, 5), "/a/libnvrtc.so.13", "/broken/libnvrtc.so.13", "/mute/libnvrtc.so.12")
    with pytest.raises(MXNetError) as failed:
        compile.compiler("sm_70")
    assert str(failed.value) == (
        "gpu: there is no compiler for kernels of sm_70: NVRTC 13.5 knows sm_75 to sm_120; /broken/libnvrtc.so.13 "
        "cannot be loaded: no such symbol; /mute/libnvrtc.so.12 does not compile: compiling a first line: failed to "
        "open libnvrtc-builtins.so.13.5; nvcc is not found. Install another with: pip install nvidia-cuda-nvrtc-cu12")


def test_no_compiler_at_all(machine):
    machine(None)
    with pytest.raises(MXNetError) as failed:
        compile.compiler("sm_90")
    assert str(failed.value) == ("gpu: there is no compiler for kernels of sm_90: NVRTC is not found; nvcc is not "
                                 "found. Install another with: pip install nvidia-cuda-nvrtc")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_what_nvrtc_opens_by_its_name_is_loaded_before(tmp_path):
    """pip's NVRTC 13.0 opens its builtins by their name alone, without a place to look for them.

    Of this version no toolkit has any, which the linker would find.
    """
    (tmp_path / "b.c").write_text("int here = 1;\n")
    (tmp_path / "n.c").write_text("""
        #include <dlfcn.h>
        const char *nvrtcGetErrorString(int s) { return s == 7 ? "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE" : "none"; }
        int nvrtcVersion(int *a, int *b) {
            *a = 99, *b = 0;
            return dlopen("libnvrtc-builtins.so.99.0", RTLD_NOW) ? 0 : 7;
        }
        int nvrtcGetNumSupportedArchs(int *n) { *n = 2; return 0; }
        int nvrtcGetSupportedArchs(int *n) { n[0] = 90; n[1] = 75; return 0; }
    """)
    for name, source in (("libnvrtc.so.13", "n.c"), ("libnvrtc-builtins.so.99.0", "b.c")):
        if "builtins" in name:
            with pytest.raises(MXNetError, match="version: NVRTC says NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"):
                nvrtc.Library(str(tmp_path / "libnvrtc.so.13"))
        subprocess.run(["gcc", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", str(tmp_path / name),
                        str(tmp_path / source), "-ldl"], check=True)
    library = nvrtc.Library(str(tmp_path / "libnvrtc.so.13"))
    assert (str(library), library.architectures, library.knows("sm_75")) == ("NVRTC 99.0", (75, 90), True)
    assert isinstance(library._library, ctypes.CDLL)
