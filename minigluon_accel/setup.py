"""Build of the engine: Cython sources, and kernel files, each compiled once per instruction set and number type.

Only the best instruction set of this processor is built, because each takes about as long as the others together.
MINIGLUON_ACCEL_BUILD=all builds all of this architecture, for a wheel; a comma-separated list builds some. "tests"
builds all, but those that this processor lacks without optimization, in a seventh of the time: they need only compile.
MINIGLUON_ACCEL_CFLAGS adds compiler and linker options such as -fsanitize=address.

About a third of the time would be spent parsing vector.h, which includes the compiler's own headers: GCC parses it once
for each instruction set and number type (see `_precompile`).
"""

import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError

if sys.platform == "darwin":            # only one architecture at a time, because each has its own instruction sets
    os.environ.setdefault("ARCHFLAGS", f"-arch {platform.machine()}")
ARCHITECTURE = shlex.split(os.environ.get("ARCHFLAGS", ""))

HERE = pathlib.Path(__file__).parent
CSRC = pathlib.Path("minigluon_accel") / "csrc"

COMMON = ["-std=gnu11", "-O3", "-fPIC", "-fvisibility=hidden", "-pthread", "-Wall", "-Wextra",
          # Neither errno nor floating-point traps are used. NaN, infinities and signed zeros keep their meaning.
          "-fno-math-errno", "-fno-trapping-math",
          # Integers that hold the bits of a number wrap around on overflow.
          "-fwrapv"]
REALS = {"f32": ["-DREAL=float", "-DREAL_BITS=32"], "f64": ["-DREAL=double", "-DREAL_BITS=64"]}
ISAS = {"baseline": []}
# The target platform: _PYTHON_HOST_PLATFORM=linux-aarch64 sets it when cross-compiling.
if (ARCHITECTURE[-1] if ARCHITECTURE else sysconfig.get_platform().rpartition("-")[2]) in ("x86_64", "amd64"):
    ISAS["baseline"] = ["-O2"]          # only for old processors, and it compiles in two thirds of the time
    # Kernels are written with vectors, so what -O3 adds has little effect, except that it unrolls loops over registers.
    # float64 is rare, and its kernels compile in half of the time.
    REALS["f64"] += ["-O2", "-fpeel-loops"]
    ISAS["avx2"] = ["-mavx2", "-mfma", "-mf16c", "-mbmi2"]
    ISAS["avx512"] = [*ISAS["avx2"], "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"]
# What a compiler defines for a processor that has the instruction set, the best first.
PROOF = {"avx512": ["__AVX512F__", "__AVX512BW__", "__AVX512DQ__", "__AVX512VL__", "__AVX2__"],
         "avx2": ["__AVX2__", "__FMA__", "__F16C__", "__BMI2__"], "baseline": []}

WITHOUT = "minigluon runs without minigluon-accel, on NumPy: leave ./minigluon_accel out of the command."


def chosen_isas():
    """Returns the instruction sets to build: {name: options that follow all others}."""
    setting = os.environ.get("MINIGLUON_ACCEL_BUILD")
    if setting == "all":
        return dict.fromkeys(ISAS, [])
    if setting == "tests":
        return {isa: [] if isa in isas_here() else ["-O0"] for isa in ISAS}
    names = setting.split(",") if setting else isas_here()[:1]
    if not set(names) <= set(ISAS):
        raise SystemExit(f"MINIGLUON_ACCEL_BUILD is {setting!r}, expected all, tests or some of {','.join(ISAS)}")
    return dict.fromkeys(names, [])


def isas_here():
    """Returns the instruction sets of this processor that the compiler knows, the best first."""
    defined = macros_of([*(shlex.split(os.environ.get("CC", "")) or ["cc"]), "-march=native"])
    return [isa for isa, macros in PROOF.items() if isa in ISAS and defined.issuperset(macros)]


def macros_of(compiler):
    """Returns the names of the macros that a compiler defines; none if it cannot be run."""
    try:
        done = subprocess.run([*compiler, "-dM", "-E", "-x", "c", os.devnull], capture_output=True, text=True)
    except OSError:
        return set()
    return {line.split()[1] for line in done.stdout.splitlines() if line.startswith("#define ")}


def compilations():
    """Yields (source, object name, options) for all sources other than Cython."""
    top, streets = (sorted(path.relative_to(HERE) for path in (HERE / CSRC).glob(files)) for files in ("*.c", "*/*.c"))
    kernels = [source for source in [*top, *streets] if source in streets or source.stem.endswith("_bytes")]
    for source in top:
        if source not in kernels:
            yield source, source.stem, []
    for isa, last in chosen_isas().items():
        options = [*ISAS[isa], f"-DISA={isa}"]
        for source in kernels:
            name = f"{source.parent.name}-{source.stem}"
            if source.stem.endswith("_bytes"):          # it moves elements of any dtype or computes on integers
                exact = ["-ffp-contract=off"] if source.parent.name == "quantized" else []
                yield source, f"{isa}-{name}", [*options, *exact, "-DREAL_NAME=bytes", *last]
                continue
            for real, types in REALS.items():
                yield source, f"{isa}-{real}-{name}", [*options, *types, f"-DREAL_NAME={real}", *last]


class BuildEngine(build_ext):
    """Compiles objects that are older than their source or any header, then links everything into the engine."""

    translating = threading.Lock()      # Cython translates one file at a time

    def build_extensions(self):
        """Builds both extensions at the same time."""
        self.parallel = True
        super().build_extensions()

    def build_extension(self, ext):
        if ext.name != "minigluon_accel.engine":
            self._translate(ext)
            self._build(ext)
            return
        if self.compiler.compiler_type != "unix":
            raise BaseError(f"minigluon-accel needs GCC or Clang, found {self.compiler.compiler_type}. " + WITHOUT)
        more = os.environ.get("MINIGLUON_ACCEL_CFLAGS", "").split()
        ext.extra_compile_args += more
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            engine = threads.submit(self._compile_cython, ext)
            kernels = self._compile_kernels(threads, more)
        ext.extra_objects, ext.sources = [*engine.result(), *kernels], []
        ext.extra_link_args += ["-pthread", *more]
        self.force = True               # the age of the Cython file does not show whether the engine must be linked
                                        # again
        self._build(ext)

    def _compile_kernels(self, threads, more):
        """Compiles the kernels, the longest sources first, so that no processor waits long at the end.

        Returns the names of all objects.
        """
        folder = pathlib.Path(self.build_temp) / "-".join(["kernels", *(flag.strip("-").replace("=", "_").replace(
            "/", "_") for flag in more)])
        folder.mkdir(parents=True, exist_ok=True)
        shared = max(path.stat().st_mtime for path in [*(HERE / CSRC).rglob("*.h"), HERE / "setup.py"])
        objects, todo = [], []
        for source, name, options in compilations():
            target = folder / f"{name}.o"
            objects.append(str(target))
            if not target.exists() or target.stat().st_mtime < max(source.stat().st_mtime, shared):
                todo.append((source, target, [*COMMON, *options, *more]))
        todo = self._precompile(folder, todo)
        todo.sort(key=lambda job: -job[0].stat().st_size)
        for number, _ in enumerate(threads.map(self._compile_one, todo), 1):
            print(f"[{number}/{len(todo)}] {todo[number - 1][1].stem}", flush=True)
        return objects

    def _precompile(self, folder, todo):
        """Parses vector.h once for each list of options; returns the jobs with the options that use the results.

        Only with GCC itself: Clang has other rules for precompiled headers, and ccache does not keep objects that use
        them.
        """
        program, macros = shutil.which(self._compiler()[0]) or "", macros_of(self._compiler())
        if "__GNUC__" not in macros or "__clang__" in macros or "ccache" in os.path.realpath(program):
            return todo
        headers, jobs = {}, []
        for source, target, options in todo:
            if "-DREAL_BITS=32" in options or "-DREAL_BITS=64" in options:
                header = headers.setdefault(tuple(options), folder / f"vector-{len(headers)}.h")
                options = [*options, "-include", str(header)]
            jobs.append((source, target, options))
        for options, header in headers.items():
            header.write_text(f'#include "{(HERE / CSRC / "vector.h").resolve()}"\n', encoding="utf-8")
            self._compile_one((header, f"{header}.gch", [*options, "-x", "c-header"]))
        return jobs

    def _translate(self, ext):
        """Translates the Cython source of an extension to C."""
        with self.translating:
            ext.sources = cythonize([ext], language_level=3)[0].sources

    def _compile_cython(self, ext):
        """Translates and compiles the Cython source of an extension; returns the names of the objects."""
        self._translate(ext)
        try:
            return self.compiler.compile(ext.sources, output_dir=self.build_temp, macros=ext.define_macros,
                                         include_dirs=ext.include_dirs, extra_postargs=ext.extra_compile_args)
        except BaseError as error:
            raise self._failed(ext.name, error, "GCC or Clang, and Python's headers") from error

    def _build(self, ext):
        """Builds an extension as setuptools does."""
        try:
            super().build_extension(ext)
        except BaseError as error:
            raise self._failed(ext.name, error, "GCC or Clang, and Python's headers") from error

    def _failed(self, what, error, needs="GCC or Clang"):
        compiler = shlex.join(self._compiler())
        return BaseError(f"minigluon-accel: {what} cannot be compiled: {error}. It needs a C compiler, {needs}; the "
                         f"variable CC names the compiler, now it is {compiler!r}. {WITHOUT}")

    def _compiler(self):
        """Returns the compiler. CC may consist of several words, such as "ccache gcc"; compiler_so adds Python's
        options."""
        return shlex.split(os.environ.get("CC", "")) or self.compiler.compiler_so[:1]

    def _compile_one(self, job):
        source, target, options = job
        command = [*self._compiler(), *ARCHITECTURE, *options, "-c", str(source), "-o", str(target)]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise self._failed(source, error) from error


setup(
    cmdclass={"build_ext": BuildEngine},
    ext_modules=[                       # -g0: Python's own options include -g, which takes a third of the time
        Extension("minigluon_accel.engine", ["minigluon_accel/engine.pyx"], include_dirs=[np.get_include(), str(CSRC)],
                  define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION"),
                                 ("NPY_TARGET_VERSION", "NPY_1_25_API_VERSION")], extra_compile_args=["-O2", "-g0"]),
        Extension("minigluon_accel.gpu.launcher", ["minigluon_accel/gpu/launcher.pyx"],
                  extra_compile_args=["-O2", "-g0"]),
    ],
)
