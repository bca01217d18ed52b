"""The emulator's compiler of kernels, and its stand-in for nvcc."""

import gc
import pathlib
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.gpu_emulator import _context, cuda, emulator, fetched, filled, run  # noqa: F401 - fixtures
from helpers.processes import environment

from minigluon.base import MXNetError


def test_errors_of_the_compiler_have_the_line():
    with pytest.raises(MXNetError) as caught:
        emulator.compile("\n\n__global__ void f(int *x) { x[0] = nothing; }", name="f.cu")
    assert "f.cu does not compile. The compiler says:\n" in str(caught.value)
    assert re.search(r"f.cu:3:\d+: error: .nothing. was not declared in this scope", str(caught.value))


def test_a_kernel_that_is_a_template_is_refused():
    with pytest.raises(MXNetError) as caught:
        emulator.compile("template <typename T> __global__ void f(T *x) { x[0] = 1; }")
    assert str(caught.value) == (
        "The emulator cannot launch the kernel 'f', which is a template. Make it a __device__ function, and write an "
        'extern "C" __global__ function that calls it.')


def test_options_of_the_compiler():
    image = emulator.compile('extern "C" __global__ void f(T *x) { x[0] = VALUE; }', options=["-DT=int", "-DVALUE=42"])
    x = filled([0], np.int32)
    run(cuda.module_from_buffer(image), "f", x)
    assert fetched(x, 1, np.int32)[0] == 42
    with pytest.raises(MXNetError) as caught:
        emulator.compile("", options=["--maxrregcount=32"])
    assert str(caught.value) == ("The emulator's compiler does not know the option '--maxrregcount=32', expected -D, "
                                 "-U, -I or --fmad=false. Leave it out: other options of nvcc have no meaning here.")


@pytest.mark.parametrize("variable", ["MINIGLUON_GPU_CHECK", "MINIGLUON_GPU_OPTIMIZE", "MINIGLUON_GPU_CONTRACT"])
def test_the_version_changes_with_the_mode(variable, monkeypatch):
    monkeypatch.setenv(variable, "0")
    before = emulator.version()
    monkeypatch.setenv(variable, "1")
    assert emulator.version() != before


@pytest.mark.parametrize("headers", ["", "<math.h> <stdlib.h>", "<cmath> <cstdlib>", "<algorithm> <math.h>"])
def test_functions_of_c_are_there_for_float_and_for_mixed_types(headers):
    """As in CUDA C++: of float they give float, of whole numbers and of mixed types double. Headers change nothing."""
    image = emulator.compile("".join(f"#include {header}\n" for header in headers.split()) + """
template <class A, class B> struct Same { static const int yes = 0; };
template <class A> struct Same<A, A> { static const int yes = 1; };
#define IS(type, expression) Same<type, decltype(expression)>::yes
extern "C" __global__ void f(double *out, float x, int n) {
    double all[] = {
        IS(float, exp(x)), IS(double, exp(n)), IS(double, exp(2.0)), IS(float, pow(x, x)), IS(double, pow(x, 2.0)),
        IS(double, pow(x, n)), IS(float, fabs(x)), IS(float, abs(x)), IS(int, abs(n)), IS(double, abs(1.0)),
        IS(long long, abs(1LL)), IS(float, fma(x, x, x)), IS(float, min(x, x)), IS(float, atan2(x, x)),
        IS(bool, isnan(x)), isnan(x / 0 * 0), isinf(x / 0), isfinite(x), signbit(-x), !isnan(n), exp(n) == exp(3.0),
        pow(x, n) == 8, abs(-x) == 2, hypot(3.0f, 4.0f) == 5, lround(2.5f) == 3, ldexp(x, n) == 16,
        copysign(x, -1) == -2,
    };
    for (int i = 0; i < sizeof(all) / sizeof(double); ++i) out[i] = all[i];
    out[sizeof(all) / sizeof(double)] = 7;
}""")
    out = filled([0] * 28, np.float64)
    run(cuda.module_from_buffer(image), "f", out, np.float32(2), np.int32(3))
    assert fetched(out, 28, np.float64).tolist() == [1] * 27 + [7]


def test_an_error_of_the_linker_is_one_of_the_kernel():
    with pytest.raises(MXNetError, match="^f.cu does not compile. The compiler says:(.|\n)*nowhere.o"):
        emulator.compile('asm(".incbin \\"nowhere.o\\"");', name="f.cu")


def test_a_missing_compiler_is_named(monkeypatch):
    from minigluon_accel.gpu.emulator import build
    build.gpp.cache_clear()
    monkeypatch.setenv("CXX", "no-such-compiler")
    try:
        with pytest.raises(MXNetError) as caught:
            build.gpp()
    finally:
        build.gpp.cache_clear()
    assert str(caught.value) == (
        "The GPU emulator compiles kernels with no-such-compiler, and there is no such program. Install it "
        "(Debian: apt-get install g++; Fedora: dnf install gcc-c++), or set CXX to another.")


def test_many_at_once_build_a_file_once(monkeypatch, tmp_path):
    from minigluon_accel.gpu.emulator import build
    monkeypatch.setenv("MINIGLUON_CACHE", str(tmp_path))
    made = []

    def make(path):
        made.append(path)
        time.sleep(0.05)
        path.write_text("whole")

    def look():
        assert build.cached_build("folder", "file", make).read_text() == "whole"

    gc.collect()        # else it may find, in one of these threads, memory of PyCUDA's that an earlier error holds
    with ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(look) for _ in range(8)]:
            done.result()
    assert len(made) == 1
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["file", "lock"]


def test_a_cache_that_cannot_be_written_to_is_named(monkeypatch, tmp_path):
    from minigluon_accel.gpu.emulator import build
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MINIGLUON_CACHE", str(tmp_path / "file"))
    with pytest.raises(MXNetError) as caught:
        build.cached_build("folder", "name", None)
    assert str(caught.value) == (
        f"The GPU emulator cannot keep what it builds in {tmp_path}/file/folder: [Errno 20] Not a directory: "
        f"'{tmp_path}/file/folder'. Set MINIGLUON_CACHE to a folder with free space that is writable.")


def test_the_stand_in_for_nvcc(tmp_path):
    program = pathlib.Path(emulator.__file__).parent / "bin" / "nvcc"
    (tmp_path / "kernel.cu").write_text('extern "C" __global__ void f(float *x) { x[0] = 3; }')

    def nvcc(*words):
        return subprocess.run([str(program), *words], cwd=tmp_path, env=environment(PYTHON=sys.executable),
                              capture_output=True, text=True)
    done = nvcc("--cubin", "-arch", "sm_80", "kernel.cu")
    assert (done.returncode, done.stderr) == (0, "")
    x = filled([0])
    run(cuda.module_from_buffer((tmp_path / "kernel.cubin").read_bytes()), "f", x)
    assert fetched(x, 1)[0] == 3
    assert nvcc("--version").stdout.startswith("minigluon's stand-in for nvcc, ")
    done = nvcc("--cubin", "--unheard-of", "kernel.cu")
    assert (done.returncode, done.stderr) == (1, (
        "nvcc's stand-in does not know the option --unheard-of. It knows -D, -U, -I, -o, --cubin, --fatbin and "
        "--preprocess, and ignores -arch and similar.\n"))
