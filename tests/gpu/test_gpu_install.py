"""Installing what the GPU needs: what it does on machines of all kinds. Pip is played; needs no GPU and no PyCUDA."""

import os
import pathlib
import subprocess
import sys
import sysconfig

import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
from minigluon_accel.gpu import install, paths

TOOLKIT = paths.Headers((13, 0), ["/toolkit/include"], "the toolkit in /toolkit")
SCRIPT = pathlib.Path(install.__file__)
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
WHEEL = f"pycuda-2026.1-{TAG}-{TAG}-linux_x86_64.whl"


class Machine:
    """A machine whose pip does what it is told, and writes it down."""

    def __init__(self, monkeypatch, folder, driver=None, headers=(), nvrtc=(), nvcc=None, installed=()):
        self.commands, self.options, self.fails, self.wheels = [], None, None, folder / "wheels"
        self._made = paths.Headers((13, 5), [str(folder)], "pip's packages")
        monkeypatch.setattr(install.sys, "platform", "linux")
        monkeypatch.setattr(install.platform, "machine", lambda: "x86_64")
        monkeypatch.setattr(install.shutil, "which", lambda name: f"/bin/{name}")
        monkeypatch.setattr(install.sysconfig, "get_path", lambda name: str(folder))
        monkeypatch.setattr(paths, "driver_version", lambda: driver)
        monkeypatch.setattr(paths, "headers", lambda: list(headers))
        monkeypatch.setattr(paths, "libraries", lambda name: list(nvrtc) if name == "nvrtc" else [])
        monkeypatch.setattr(paths, "nvcc", lambda: nvcc)
        monkeypatch.setattr(install.Installation, "_installed", lambda _, name: "2026.1" if name in installed else None)
        monkeypatch.setattr(install, "run", self._run)
        find_spec = install.importlib.util.find_spec
        monkeypatch.setattr(install.importlib.util, "find_spec",
                            lambda name, *more: self if name == "pip" else find_spec(name, *more))
        (folder / "Python.h").write_text("")

    def _run(self, command, remedy="", env=None):
        words = [str(word) for word in command]
        self.commands.append(words)
        if self.fails and self.fails in words:
            raise install.InstallError(f"{self.fails} failed")
        if "wheel" in words:
            self.options = pathlib.Path(env["HOME"], ".aksetup-defaults.py").read_text()
            made = pathlib.Path(words[words.index("--wheel-dir") + 1])
            made.mkdir()
            (made / WHEEL).write_text("a wheel")
        if "--target" in words:
            include = pathlib.Path(words[words.index("--target") + 1], "nvidia", "cu13", "include")
            include.mkdir(parents=True)
            (include / "cuda.h").write_text("#define CUDA_VERSION 13050\n")
            (include / "cudaProfiler.h").write_text("")
        return "8.0"

    def install(self, *args):
        self.commands.clear()
        return install.main([*args, "--wheel-dir", str(self.wheels)])

    def pip(self):
        """What pip was asked for, without the words that are always there."""
        return [" ".join(words[4:]) for words in self.commands if words[1:3] == ["-m", "pip"]]


def test_a_machine_with_a_driver_and_a_toolkit(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path, (13, 0), [TOOLKIT], nvcc="/toolkit/bin/nvcc")
    assert machine.install() == 0
    wheel = machine.wheels / "cuda13.0" / WHEEL
    built, installed = machine.pip()
    assert built.startswith("wheel --no-cache-dir --no-deps --no-binary pycuda --wheel-dir ")
    assert built.endswith(" pycuda>=2026.1")
    assert installed == f"install {wheel}"
    assert wheel.read_text() == "a wheel"
    assert machine.commands[-1] == [sys.executable, "-c", install.CHECK]
    options = {}
    exec(machine.options, options)
    assert options["CUDA_INC_DIR"] == ["/toolkit/include"]
    assert options["CUDA_ENABLE_CURAND"] is False
    assert options["CUDADRV_LIBNAME"] == ["cuda"]
    printed = capsys.readouterr().out
    for line in ("driver     for CUDA 13.0\n", "headers    CUDA 13.0, the toolkit in /toolkit\n",
                 "PyCUDA     building pycuda>=2026.1 without CURAND, takes about a minute\n",
                 "kernels    compiled by /toolkit/bin/nvcc\n", "try        mx.gpu() computes.\n"):
        assert line in printed


@pytest.mark.parametrize(("driver", "packages", "nvrtc"), [
    ((13, 0), "nvidia-cuda-runtime>=13,<13.1 nvidia-cuda-profiler-api>=13,<13.1", "nvidia-cuda-nvrtc>=13,<13.1"),
    ((12, 4), "nvidia-cuda-runtime-cu12>=12,<12.5 nvidia-cuda-profiler-api-cu12>=12,<12.5",
     "nvidia-cuda-nvrtc-cu12>=12,<12.5"),
])
def test_a_machine_with_a_driver_alone(monkeypatch, tmp_path, driver, packages, nvrtc):
    machine = Machine(monkeypatch, tmp_path, driver)
    assert machine.install() == 0
    headers, _, _, compiler = machine.pip()
    assert headers.startswith("install --no-deps --target ")
    assert headers.endswith(" " + packages)
    assert compiler == f"install {nvrtc}"


def test_a_machine_without_a_gpu(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path)
    assert machine.install("--emulate") == 0
    headers, built, installed = machine.pip()               # and no NVRTC
    assert headers.endswith("nvidia-cuda-runtime>=13,<14 nvidia-cuda-profiler-api>=13,<14")
    assert installed == f"install {machine.wheels / 'cuda13.5' / WHEEL}"
    printed = capsys.readouterr().out
    assert "kernels    compiled by g++ on first use\n" in printed
    assert printed.endswith("try        mx.gpu() computes. Run programs with MINIGLUON_GPU=emulate.\n")


def test_the_wheel_is_built_once(monkeypatch, tmp_path):
    machine = Machine(monkeypatch, tmp_path, (13, 5), [TOOLKIT], nvrtc=["/lib/libnvrtc.so.13"])
    assert machine.install() == 0
    assert machine.install() == 0
    wheel = machine.wheels / "cuda13.0" / WHEEL
    assert machine.pip() == [f"install {wheel}"]
    assert machine.install("--rebuild") == 0
    assert [words.split()[0] for words in machine.pip()] == ["wheel", "install"]
    assert machine.install("--build-only") == 0
    assert machine.commands == []                           # there is one
    wheel.rename(wheel.with_name(WHEEL.replace(TAG, "cp39")))
    assert machine.install() == 0
    assert machine.pip()[0].startswith("wheel ")            # it was for another Python


def test_headers_newer_than_the_driver_are_not_used(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path, (13, 5), [TOOLKIT])
    assert machine.install() == 0
    machine = Machine(monkeypatch, tmp_path, (12, 8), [TOOLKIT])
    assert machine.install("--dry-run") == 0
    printed = capsys.readouterr().out
    assert "the toolkit in /toolkit has those of CUDA 13.0, newer than the driver\nheaders    of CUDA 12" in printed
    assert "nvidia-cuda-runtime-cu12>=12,<12.9" in printed


def test_compilers_newer_than_the_driver_are_not_used(monkeypatch, tmp_path):
    machine = Machine(monkeypatch, tmp_path, (12, 8), [TOOLKIT], nvrtc=["/lib/libnvrtc.so.13"], nvcc="/bin/nvcc",
                      installed=["pycuda"])
    assert machine.install() == 0
    assert machine.pip() == ["install nvidia-cuda-nvrtc-cu12>=12,<12.9"]


def test_nothing_is_built_where_pycuda_is_installed(monkeypatch, tmp_path):
    machine = Machine(monkeypatch, tmp_path, (13, 0), nvrtc=["/lib/libnvrtc.so.13"], installed=["pycuda"])
    monkeypatch.setattr(install.shutil, "which", lambda name: None)         # no compiler is needed, either
    assert machine.install() == 0
    assert machine.commands == [[sys.executable, "-c", install.CHECK]]


def test_a_driver_that_is_elsewhere(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path, None, [TOOLKIT], nvcc="/bin/nvcc")
    assert machine.install("--cuda", "13.2") == 0
    assert [words.split()[0] for words in machine.pip()] == ["wheel", "install"]
    printed = capsys.readouterr().out
    assert "driver     for CUDA 13.2 (as told)\n" in printed
    assert printed.endswith("skipped: there is no driver here. Where it is, `minigluon info` shows what is missing.\n")


def test_before_the_plugin_is_installed(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path, (13, 0), [TOOLKIT], nvcc="/bin/nvcc", installed=["pycuda"])
    find = install.importlib.util.find_spec
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None if "minigluon" in name else find(name))
    assert machine.install() == 0
    assert machine.commands == []
    assert capsys.readouterr().out.endswith(
        "try        skipped: minigluon-accel is not installed. Later, `minigluon info` shows what is missing.\n")


def test_cublas_if_asked_for(monkeypatch, tmp_path):
    machine = Machine(monkeypatch, tmp_path, (12, 6), nvrtc=["/lib/libnvrtc.so.12"], installed=["pycuda"])
    assert machine.install("--cublas") == 0
    assert machine.pip() == ["install nvidia-cublas-cu12"]


def test_cudnn_if_asked_for(monkeypatch, tmp_path):
    machine = Machine(monkeypatch, tmp_path, (13, 0), nvrtc=["/lib/libnvrtc.so.13"], installed=["pycuda"])
    assert machine.install("--cudnn") == 0
    assert machine.pip() == ["install nvidia-cudnn-cu13"]


# -- what is missing ------------------------------------------------------------------------------------------------


def failure(machine, capsys, *args):
    assert machine.install(*args) == 1
    return capsys.readouterr().err


def test_no_driver(monkeypatch, tmp_path, capsys):
    assert failure(Machine(monkeypatch, tmp_path), capsys) == (
        "minigluon_accel.gpu.install: error: there is no NVIDIA driver here (libcuda.so.1 cannot be loaded). Install "
        "it; or run the kernels on the CPU: --emulate; or name the version of CUDA that the driver will have, as the "
        "first lines of nvidia-smi show it: --cuda 13.0\n")


def test_an_old_driver(monkeypatch, tmp_path, capsys):
    assert failure(Machine(monkeypatch, tmp_path, (11, 8)), capsys) == (
        "minigluon_accel.gpu.install: error: the driver is made for CUDA 11.8, and PyCUDA here needs one for 12.0 or "
        "newer. Install a newer driver.\n")


def test_no_compiler(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path)
    monkeypatch.setattr(install.shutil, "which", lambda name: None)
    assert failure(machine, capsys, "--emulate") == (
        "minigluon_accel.gpu.install: error: there is no gcc and no g++, which builds PyCUDA and the emulated GPU. On "
        "Debian and Ubuntu: apt-get install g++; on Fedora: dnf install gcc-c++\n")


def test_no_header_of_python(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path)
    (tmp_path / "Python.h").unlink()
    assert failure(machine, capsys, "--emulate") == (
        f"minigluon_accel.gpu.install: error: there is no {tmp_path}/Python.h, which PyCUDA is built with. On Debian "
        "and Ubuntu: apt-get install python3-dev; on Fedora: dnf install python3-devel\n")


def test_other_systems(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path)
    monkeypatch.setattr(install.platform, "machine", lambda: "aarch64")
    assert "the emulated GPU runs on x86_64 processors, this is aarch64. mx.cpu() runs here.\n" in failure(
        machine, capsys, "--emulate")
    monkeypatch.setattr(install.sys, "platform", "darwin")
    assert "PyCUDA and the emulated GPU run on Linux, this is darwin. mx.cpu() runs here.\n" in failure(machine, capsys)


def test_no_pip(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path, (13, 0), [TOOLKIT])
    monkeypatch.setattr(install.importlib.util, "find_spec", lambda name: None)
    assert f"{sys.executable} has no pip. Add it with: {sys.executable} -m ensurepip\n" in failure(machine, capsys)


def test_a_build_that_fails_leaves_no_wheel(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path, (13, 0), [TOOLKIT])
    machine.fails = "wheel"
    assert failure(machine, capsys) == "minigluon_accel.gpu.install: error: wheel failed\n"
    assert not machine.wheels.exists()


def test_what_a_failed_command_said():
    with pytest.raises(install.InstallError) as failed:
        install.run([sys.executable, "-c", "print('x\\n' * 100 + 'the reason'); raise SystemExit(3)"], "Try again.")
    lines = str(failed.value).splitlines()
    assert lines[0].endswith("raise SystemExit(3)' failed:")
    assert len(lines) == 42
    assert lines[-2:] == ["    the reason", "  Try again."]


def test_a_gpu_that_computes_wrong(monkeypatch, tmp_path, capsys):
    machine = Machine(monkeypatch, tmp_path, (13, 0), [TOOLKIT], nvcc="/bin/nvcc")
    monkeypatch.setattr(install, "CHECK", "print(7.0)")
    machine.install("--build-only")
    monkeypatch.setattr(install, "run", lambda *args, **more: "7.0")
    assert failure(machine, capsys).endswith("the GPU computes 7.0 instead of 8.0 for the sum of four numbers 1 + 1\n")


@pytest.mark.parametrize("text", ["13", "new", "13.0.1"])
def test_a_version_that_is_none(text, capsys):
    with pytest.raises(SystemExit):
        install.main(["--cuda", text])
    assert f"expected a version such as 13.0, found {text!r}" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="PyCUDA and the emulated GPU run on Linux")
@pytest.mark.skipif(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists(), reason="there is no Python.h")
def test_as_a_script_before_anything_is_installed(tmp_path):
    """As CI runs it: -S hides what is installed. A dry run does nothing."""
    done = subprocess.run([sys.executable, "-S", str(SCRIPT), "--cuda", "13.0", "--dry-run", "--wheel-dir", tmp_path],
                          env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "  + " in done.stdout
    assert list(tmp_path.iterdir()) == []


# -- paths ---------------------------------------------------------------------------------------------------------


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_h", ".h")).write_text(text)
    return folder


def test_headers_of_toolkits_and_of_both_kinds_of_packages(monkeypatch, tmp_path):
    toolkit = write(tmp_path / "toolkit" / "include", cuda_h="#define CUDA_VERSION 12090\n", cudaProfiler_h="").parent
    write(tmp_path / "half" / "include", cuda_h="#define CUDA_VERSION 12000\n")         # no cudaProfiler.h
    site = tmp_path / "site"
    write(site / "nvidia" / "cu13" / "include", cuda_h="#define CUDA_VERSION 13020\n", cudaProfiler_h="")
    write(site / "nvidia" / "cuda_runtime" / "include", cuda_h="#define CUDA_VERSION 12040\n")
    write(site / "nvidia" / "cuda_profiler_api" / "include", cudaProfiler_h="")
    monkeypatch.setattr(paths.sys, "path", [str(site)])
    monkeypatch.setattr(paths, "toolkits", lambda: [toolkit, tmp_path / "half"])
    found = paths.headers()
    assert [(headers.version, headers.origin) for headers in found] == [
        ((12, 9), f"the toolkit in {toolkit}"), ((12, 4), "pip's packages"), ((13, 2), "pip's packages")]
    assert found[1].folders == [str(site / "nvidia" / package / "include")
                                for package in ("cuda_runtime", "cuda_profiler_api")]


def test_libraries_of_packages_come_first_and_the_newest(monkeypatch, tmp_path):
    site = tmp_path / "site" / "nvidia"
    write(site / "cu13" / "lib", **{"libnvrtc.so.13": "", "libnvrtc.so.9": "", "libnvrtc-builtins.so.13.0": ""})
    write(tmp_path / "toolkit" / "lib64", **{"libnvrtc.so.14": "", "libnvrtc.so.14.0.1": ""})
    monkeypatch.setattr(paths.sys, "path", [str(tmp_path / "site")])
    monkeypatch.setattr(paths, "toolkits", lambda: [tmp_path / "toolkit"])
    assert paths.libraries("nvrtc") == [str(site / "cu13" / "lib" / "libnvrtc.so.13"),
                                         str(site / "cu13" / "lib" / "libnvrtc.so.9"),
                                         str(tmp_path / "toolkit" / "lib64" / "libnvrtc.so.14")]


def test_a_toolkit_is_found_by_a_variable(monkeypatch, tmp_path):
    monkeypatch.setattr(paths.shutil, "which", lambda name: None)
    write(tmp_path / "include", cuda_h="")
    assert tmp_path.resolve() in paths.toolkits({"CUDA_HOME": str(tmp_path)})
    assert tmp_path.resolve() not in paths.toolkits({})


def test_no_driver_has_no_version(tmp_path):
    assert paths.driver_version(str(tmp_path / "none.so")) is None
