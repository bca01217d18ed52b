"""`python -m minigluon_accel.gpu.install`: installs what `mx.gpu()` needs in this environment, with explanations.

    python -m minigluon_accel.gpu.install                a machine with an NVIDIA driver, with or without a CUDA toolkit
    python -m minigluon_accel.gpu.install --emulate      a machine without a GPU: kernels run on the CPU
    python -m minigluon_accel.gpu.install --cuda 13.0    for a machine whose driver is not present, such as a container

PyCUDA is published only as source code. Building it requires a C++ compiler, two CUDA headers, and a library to link
with: the headers come from a toolkit or from pip's packages, and this program creates an empty library with the
driver's name. The wheel is kept, so the next environment is set up in seconds. This file also runs as a script before
anything is installed, so it imports only Python's standard library.
"""

import argparse
import importlib.util
import os
import pathlib
import platform
import re
import shutil
import site
import sys
import sysconfig
import tempfile
from importlib import metadata

if __package__:
    from . import paths
    from .commands import InstallError, command_text, run, say
else:
    import paths
    from commands import InstallError, command_text, run, say

__all__ = ["InstallError", "main"]

PYCUDA = "pycuda>=2026.1"
OLDEST_DRIVER = (12, 0)
NEWEST = 13             # the newest major CUDA version with which this was tested

CHECK = "import minigluon as mx; print(float((mx.nd.ones((2, 2), ctx=mx.gpu()) + 1).sum().asscalar()))"


def main(argv=None):
    """Runs the command line. Returns the exit status: 0, or 1 after an error."""
    args = _parser().parse_args(argv)
    try:
        Installation(args).run()
    except InstallError as error:
        print(f"minigluon_accel.gpu.install: error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(prog="python -m minigluon_accel.gpu.install",
                                     description="Install what minigluon's GPU backend needs into this environment.")
    add = parser.add_argument
    add("--emulate", action="store_true", help="for a machine without a GPU: needs g++, but no driver and no NVRTC")
    add("--cuda", type=_cuda, metavar="X.Y", help="the CUDA version of the driver, if it is not on this machine")
    add("--cublas", action="store_true", help="also install cuBLAS (more than 400 MB), for faster matrix products")
    add("--cudnn", action="store_true", help="also install cuDNN (more than 1 GB), for faster convolutions")
    add("--wheel-dir", metavar="FOLDER", help="where PyCUDA's wheel is kept and searched for (default: "
                                              "minigluon/wheels in the user's cache folder)")
    add("--build-only", action="store_true", help="build the wheel, install nothing")
    add("--rebuild", action="store_true", help="build the wheel even if there is one")
    add("--dry-run", action="store_true", help="print what would be done, without doing it")
    return parser


def _cuda(text):
    if not re.fullmatch(r"\d+\.\d+", text):
        raise argparse.ArgumentTypeError(f"expected a version such as 13.0, found {text!r}")
    return tuple(map(int, text.split(".")))


class Installation:
    """One run: it detects what is installed, then installs what is missing, in the order of the methods below."""

    def __init__(self, args):
        self.args = args
        self.driver = None              # (major, minor), or None if any version will do
        self.wheels = pathlib.Path(args.wheel_dir) if args.wheel_dir else paths.cache_folder() / "wheels"

    def run(self):
        """Runs all steps. Raises an InstallError that says what is missing and how to install it."""
        say("Python", f"{platform.python_version()} in {sys.prefix}")
        self.look_at_driver()
        self.look_at_tools()
        self.provide_pycuda()
        if not self.args.build_only:
            self.provide_libraries()
            self.try_it()

    def look_at_driver(self):
        """Sets `driver`. Raises InstallError if there is no driver and the options do not say how to proceed without
        one."""
        if sys.platform != "linux":
            raise InstallError(f"PyCUDA and the emulated GPU run on Linux, this is {sys.platform}. mx.cpu() runs here.")
        if self.args.emulate:
            if platform.machine() != "x86_64":
                raise InstallError(f"the emulated GPU runs on x86_64 processors, this is {platform.machine()}. "
                                   "mx.cpu() runs here.")
            say("driver", "none needed: with MINIGLUON_GPU=emulate, kernels run on the CPU")
            return
        self.driver = self.args.cuda or paths.driver_version()
        if self.driver is None:
            raise InstallError("there is no NVIDIA driver here (libcuda.so.1 cannot be loaded). Install it; or run the "
                               "kernels on the CPU: --emulate; or name the version of CUDA that the driver will have, "
                               "as the first lines of nvidia-smi show it: --cuda 13.0")
        if self.driver < OLDEST_DRIVER:
            raise InstallError(f"the driver is made for CUDA {paths.version_text(self.driver)}, and PyCUDA here needs "
                               f"one for {paths.version_text(OLDEST_DRIVER)} or newer. Install a newer driver.")
        say("driver", f"for CUDA {paths.version_text(self.driver)}{' (as told)' if self.args.cuda else ''}")

    def look_at_tools(self):
        """Raises InstallError if a compiler or Python's header is missing; the emulator compiles kernels with both."""
        if not self.args.emulate and not self.args.build_only and self._installed("pycuda"):
            return
        missing = [name for name in ("gcc", "g++") if shutil.which(name) is None]
        if missing:
            raise InstallError(f"there is no {' and no '.join(missing)}, which builds PyCUDA and the emulated GPU. On "
                               "Debian and Ubuntu: apt-get install g++; on Fedora: dnf install gcc-c++")
        header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
        if not header.exists():
            raise InstallError(f"there is no {header}, which PyCUDA is built with. On Debian and Ubuntu: apt-get "
                               "install python3-dev; on Fedora: dnf install python3-devel")
        say("compiler", shutil.which("g++"))

    # -- PyCUDA --------------------------------------------------------------------------------------------------

    def provide_pycuda(self):
        """Installs PyCUDA from a cached wheel, or from a newly built one."""
        version = self._installed("pycuda")
        if version and not self.args.rebuild and not self.args.build_only:
            say("PyCUDA", f"{version} is installed")
            return
        wheel = None if self.args.rebuild else self.cached_wheel()
        if wheel is None:
            wheel = self.build_wheel()
        else:
            say("PyCUDA", f"the wheel built before: {wheel}")
        if not self.args.build_only:
            reinstall = ["--force-reinstall", "--no-deps"] if version else []
            self._pip("install", *reinstall, str(wheel))

    def cached_wheel(self):
        """Returns the wheel for this Python that was built with headers no newer than the driver, or None."""
        tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        wheels = [(version, path) for path in self.wheels.glob(f"cuda*/pycuda-*-{tag}-*.whl")
                  if (version := _folder_version(path.parent.name)) and self._fits(version)]
        return max(wheels, default=(None, None))[1]

    def build_wheel(self):
        """Builds PyCUDA and returns the wheel's path. Raises InstallError with pip's last lines on failure."""
        with tempfile.TemporaryDirectory(prefix="minigluon-gpu-") as work:
            work = pathlib.Path(work)
            headers = self.find_headers(work)
            say("PyCUDA", f"building {PYCUDA} without CURAND, takes about a minute")
            home = work / "home"
            self._prepare_home(home, headers)
            # Bypass pip's wheel cache: it ignores headers and options, and would reuse this wheel for builds with other
            # headers or options.
            self._pip("wheel", "--no-cache-dir", "--no-deps", "--no-binary", "pycuda", "--wheel-dir",
                      str(work / "made"), PYCUDA, environment=_with_home(home),
                      remedy="Look for the compiler's first error above.")
            folder = self.wheels / f"cuda{paths.version_text(headers.version)}"
            if self.args.dry_run:
                return folder / "pycuda.whl"
            (wheel,) = (work / "made").glob("pycuda-*.whl")
            folder.mkdir(parents=True, exist_ok=True)
            aside = folder / f".{os.getpid()}-{wheel.name}"
            shutil.copyfile(wheel, aside)
            os.replace(aside, folder / wheel.name)      # other processes see either the whole wheel or none
            say("", f"kept in {folder / wheel.name}")
            return folder / wheel.name

    def find_headers(self, work):
        """Returns headers that fit the driver, from a toolkit or from pip's packages, fetched only for the build."""
        for headers in paths.headers():
            if self._fits(headers.version):
                say("headers", f"CUDA {paths.version_text(headers.version)}, {headers.origin}")
                return headers
            say("", f"{headers.origin} has those of CUDA {paths.version_text(headers.version)}, newer than the driver")
        major = self.driver[0] if self.driver else NEWEST
        which = self._suffix(major) + self._limit(major)
        names = [f"nvidia-cuda-runtime{which}", f"nvidia-cuda-profiler-api{which}"]
        say("headers", f"of CUDA {major}, by pip, only for the build")
        self._pip("install", "--no-deps", "--target", str(work / "headers"), *names)
        if self.args.dry_run:
            return paths.Headers(self.driver or (NEWEST, 0), ["HEADERS"], "pip's packages")
        folders = [path.parent for name in ("cuda.h", "cudaProfiler.h") for path in work.glob(f"headers/**/{name}")]
        return paths.Headers(paths.header_version(folders[0]), sorted(map(str, set(folders))), "pip's packages")

    def _prepare_home(self, home, headers):
        """Writes the file from which PyCUDA's setup reads its options, and the library that it links with."""
        if self.args.dry_run:
            return
        home.mkdir()
        stub = home / "stub"
        stub.mkdir()
        # One function, because linkers drop a library that defines nothing they need.
        (stub / "stub.c").write_text("int cuInit(unsigned flags) { return (int)flags; }\n")
        run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", str(stub / "libcuda.so"),
             str(stub / "stub.c")])
        options = {"CUDA_INC_DIR": headers.folders, "CUDADRV_LIB_DIR": [str(stub)], "CUDADRV_LIBNAME": ["cuda"],
                   "CUDA_ENABLE_CURAND": False, "CXXFLAGS": ["-g0", "-O1"]}
        text = "".join(f"{name} = {value!r}\n" for name, value in options.items())
        (home / ".aksetup-defaults.py").write_text(text)

    # -- libraries and check -----------------------------------------------------------------------------------------

    def provide_libraries(self):
        """Installs NVRTC if neither it nor nvcc can compile kernels for this driver; cuBLAS and cuDNN on request."""
        packages = []
        if self.args.emulate:
            say("kernels", "compiled by g++ on first use")
        elif self._fitting("nvrtc"):
            say("kernels", f"compiled by {self._fitting('nvrtc')[0]}")
        elif paths.nvcc() and any(self._fits(headers.version) for headers in paths.headers()):
            say("kernels", f"compiled by {paths.nvcc()}")
        else:
            packages.append("nvidia-cuda-nvrtc")
            say("kernels", "compiled by NVRTC, by pip")
        if self.args.cublas and not self._fitting("cublas"):
            packages.append("nvidia-cublas")
            say("products", "of matrices by cuBLAS, from pip")
        major = self.driver[0] if self.driver else NEWEST
        if self.args.cudnn and not paths.libraries("cudnn"):
            say("layers", "convolutions by cuDNN, from pip")
            self._pip("install", f"nvidia-cudnn-cu{major}")                 # cuDNN also has its own version numbers
        for name in packages:
            limit = self._limit(major) if name.endswith("nvrtc") else ""     # cuBLAS has its own version numbers
            self._pip("install", f"{name}{self._suffix(major)}{limit}")

    def try_it(self):
        """Adds two numbers on the GPU in a new process, if there is a real or emulated driver."""
        if not self.args.emulate and self.args.cuda:
            say("try", "skipped: there is no driver here. Where it is, `minigluon info` shows what is missing.")
            return
        plugin = importlib.util.find_spec("minigluon_accel")
        if plugin is None or plugin.origin is None:
            say("try", "skipped: minigluon-accel is not installed. Later, `minigluon info` shows what is missing.")
            return
        command, variables = [sys.executable, "-c", CHECK], {"MINIGLUON_GPU": "emulate"} if self.args.emulate else {}
        print(f"  + {'MINIGLUON_GPU=emulate ' if variables else ''}{command_text(command)}", flush=True)
        if self.args.dry_run:
            return
        chosen = ("MINIGLUON_GPU", "MINIGLUON_BACKEND")
        others = {name: value for name, value in os.environ.items() if name not in chosen}
        sum_of_four = run(command, env={**others, **variables}, remedy="`minigluon info` shows what is installed.")
        if sum_of_four != "8.0":
            raise InstallError(f"the GPU computes {sum_of_four} instead of 8.0 for the sum of four numbers 1 + 1")
        say("try", f"mx.gpu() computes.{' Run programs with MINIGLUON_GPU=emulate.' if variables else ''}")

    # -- helpers -------------------------------------------------------------------------------------------------

    def _fits(self, version):
        """Returns whether a build with these headers, or a compiler of this version, works with the driver."""
        return OLDEST_DRIVER <= version < (NEWEST + 1, 0) and (self.driver is None or version <= self.driver)

    def _fitting(self, name):
        """Returns the paths of a library whose major version is not newer than the driver's."""
        return [path for path in paths.libraries(name)
                if self.driver is None or int(path.rpartition(".")[2]) <= self.driver[0]]

    def _limit(self, major):
        """Returns the pip constraint for NVIDIA's packages: '>=13,<13.1' if the driver is known, else '>=13,<14'."""
        above = f"{major}.{self.driver[1] + 1}" if self.driver else major + 1
        return f">={major},<{above}"

    @staticmethod
    def _suffix(major):
        """Returns the suffix of package names: CUDA 12 packages have a suffix; those for 13 and later do not."""
        return f"-cu{major}" if major < 13 else ""

    def _installed(self, name):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return None

    def _pip(self, *arguments, environment=None, remedy=""):
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
        print(f"  + {command_text(command)}", flush=True)
        if self.args.dry_run:
            return
        if importlib.util.find_spec("pip") is None:
            raise InstallError(f"{sys.executable} has no pip. Add it with: {sys.executable} -m ensurepip")
        run(command, remedy=remedy, env=environment)
        importlib.invalidate_caches()


def _folder_version(name):
    match = re.fullmatch(r"cuda(\d+)\.(\d+)", name)
    return (int(match[1]), int(match[2])) if match else None


def _with_home(home):
    """Returns the environment with a different home folder, where PyCUDA's setup finds its options.

    Without these options, the setup waits 10 seconds each time pip calls it. Pip still uses its own files.
    """
    real = pathlib.Path.home()
    paths = {"XDG_CONFIG_HOME": real / ".config", "XDG_CACHE_HOME": real / ".cache", "NETRC": real / ".netrc",
             "PIP_CONFIG_FILE": real / ".pip" / "pip.conf", "PYTHONUSERBASE": pathlib.Path(site.getuserbase())}
    there = {name: str(path) for name, path in paths.items() if path.exists()}
    return {**there, **os.environ, "HOME": str(home)}


if __name__ == "__main__":
    sys.exit(main())
