"""The emulator's compiler of kernels, and its stand-in for nvcc."""

import pathlib
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gpu_emulator import _context, cuda, emulator, fetched, filled, paths, run  # noqa: F401 - fixtures

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
                                 "-U or -I. Leave it out: other options of nvcc mean nothing on this processor.")


def test_the_version_changes_with_the_mode(monkeypatch):
    monkeypatch.setenv("MINIGLUON_GPU_CHECK", "0")
    before = emulator.version()
    monkeypatch.setenv("MINIGLUON_GPU_CHECK", "1")
    assert emulator.version() != before


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
        "(Debian: apt-get install g++; Fedora: dnf install gcc-c++), or name another by CXX.")


def test_many_at_once_build_a_file_once(monkeypatch, tmp_path):
    from minigluon_accel.gpu.emulator import build
    monkeypatch.setenv("MINIGLUON_CACHE", str(tmp_path))
    made = []

    def make(path):
        made.append(path)
        time.sleep(0.05)
        path.write_text("whole")

    def look():
        assert build.kept("folder", "file", make).read_text() == "whole"

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
        build.kept("folder", "name", None)
    assert str(caught.value) == (
        f"The GPU emulator cannot keep what it builds in {tmp_path}/file/folder: [Errno 20] Not a directory: "
        f"'{tmp_path}/file/folder'. Set MINIGLUON_CACHE to a folder with space that can be written to.")


def test_the_stand_in_for_nvcc(tmp_path):
    program = pathlib.Path(emulator.__file__).parent / "bin" / "nvcc"
    (tmp_path / "kernel.cu").write_text('extern "C" __global__ void f(float *x) { x[0] = 3; }')

    def nvcc(*words):
        return subprocess.run([str(program), *words], cwd=tmp_path, env=paths(), capture_output=True, text=True)
    done = nvcc("--cubin", "-arch", "sm_80", "kernel.cu")
    assert (done.returncode, done.stderr) == (0, "")
    x = filled([0])
    run(cuda.module_from_buffer((tmp_path / "kernel.cubin").read_bytes()), "f", x)
    assert fetched(x, 1)[0] == 3
    assert nvcc("--version").stdout.startswith("minigluon's stand-in for nvcc, ")
    done = nvcc("--cubin", "--unheard-of", "kernel.cu")
    assert (done.returncode, done.stderr) == (1, (
        "nvcc's stand-in does not know the option --unheard-of. It knows -D, -U, -I, -o, --cubin, --fatbin and "
        "--preprocess, and ignores -arch and its like.\n"))
