"""All that a machine with a card and without a network needs to run gpu_suite.py, in a folder that is carried there.

    python tests/scripts/gpu_suite.py RECORD --emulate --only tests --sources SOURCES     the kernels that tests compile
    python tests/scripts/gpu_parcel.py PARCEL --arch sm_90 --sources SOURCES              here, with a network
    python3 tests/scripts/gpu_first_run.py PARCEL OUT                                     there

Nothing is built there: this Python goes along. In PARCEL are afterwards

    python.tar.xz   this interpreter with its standard library, as far as the tests need it
    site.tar.xz     this project's two packages, NumPy, pytest, and PyCUDA, which PyPI has no wheels of: built here
    images.tar.xz   the kernels as instructions of an architecture, by NVRTC, which needs no card
    wheels, cache   PyCUDA's wheel and the images, for the next time

The images are found there if its NVRTC has the same version: --nvrtc names the library here. What is in PARCEL already
is not made again. SOURCES may be left out: then the images are those of the nets and of the rows of the operators.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACCEL = ROOT / "minigluon_accel"
if __name__ == "__main__":          # behind what is installed: the checkout's plugin may not be built
    sys.path += [str(ROOT), str(ACCEL), str(ROOT / "tests"), str(ROOT / "benchmarks")]

PACKAGES = ["numpy", "pytest", "hypothesis", "rich", "jinja2"]
# Of the standard library: what no test of the GPU imports, and what is large
UNNEEDED = ["test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "__pycache__", "*.a", "config-*",
            "dist-packages", "site-packages", "pydoc_data", "_tkinter*"]
SYSTEM = re.compile(r"/(libc|libm|ld-linux-[-\w]+|libpthread|libdl|librt|libutil|libstdc\+\+|libgcc_s)\.so")


def main():
    args = arguments()
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, make in (("python", interpreter), ("site", site), ("images", images)):
        target = args.folder / f"{name}.tar.xz"
        if name in args.only and not target.exists():
            started = time.monotonic()
            with tempfile.TemporaryDirectory() as work:
                count = make(pathlib.Path(work) / name, args)
                pack(pathlib.Path(work) / name, target)
            print(f"{target.name}: {count}, {target.stat().st_size / 2 ** 20:.1f} MiB, "
                  f"{time.monotonic() - started:.0f} s", flush=True)
    total = sum(path.stat().st_size for path in args.folder.glob("*.xz"))
    print(f"all: {total / 2 ** 20:.1f} MiB", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="PARCEL")
    parser.add_argument("--arch", default="sm_90", help="of the card (default: %(default)s)")
    parser.add_argument("--nvrtc", metavar="FILE", help="libnvrtc.so.13, of the version there (default: the newest)")
    parser.add_argument("--cuda", default="13.0", help="the version of the driver there (default: %(default)s)")
    parser.add_argument("--sources", type=pathlib.Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--only", nargs="+", default=["python", "site", "images"], metavar="PART",
                        choices=["python", "site", "images"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def pack(folder, target):
    """A folder as an archive, which has its name at the end."""
    aside = target.with_suffix(".making")
    with tarfile.open(aside, "w:xz", preset=3) as archive:          # more takes minutes, for little
        archive.add(folder, folder.name)
    aside.replace(target)


# -- the interpreter and its packages ---------------------------------------------------------------------------------


def interpreter(folder, args):
    """The program, its standard library, which it finds beside itself from whatever folder, and the libraries of the
    system that it and its modules load: its own in lib, the others apart, since the machine there may have them."""
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (folder / "bin").mkdir(parents=True)
    program = pathlib.Path(sys.executable).resolve()
    shutil.copy2(program, folder / "bin" / name)
    library = folder / "lib" / name
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=shutil.ignore_patterns(*UNNEEDED))
    (folder / "libraries").mkdir()
    for path in [program, *library.glob("lib-dynload/*.so")]:
        told = subprocess.run(["ldd", str(path)], capture_output=True, text=True).stdout
        for found in re.findall(r"=> (/\S+)", told):
            if not SYSTEM.search(found):
                shutil.copy2(found, folder / ("lib" if "libpython" in found else "libraries"))
    return f"{name} and {len(list((folder / 'libraries').iterdir()))} libraries"


def site(folder, args):
    """Packages, of which ours and PyCUDA are built here."""
    install = ACCEL / "minigluon_accel" / "gpu" / "install.py"
    wheels = args.folder.resolve() / "wheels"
    if not list(wheels.glob("cuda*/pycuda-*.whl")):
        subprocess.run([sys.executable, str(install), "--build-only", "--cuda", args.cuda, "--wheel-dir", str(wheels)],
                       check=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-compile", "--target", str(folder), *PACKAGES,
                    *map(str, wheels.glob("cuda*/pycuda-*.whl")), str(ROOT), str(ACCEL)], check=True)
    for path in list((folder / "numpy").rglob("tests")):
        shutil.rmtree(path)
    return f"{len(list(folder.glob('*.dist-info')))} packages"


# -- images -----------------------------------------------------------------------------------------------------------


def images(folder, args):
    """The cache folder of kernels as a program on the card makes it. What was compiled before is kept in PARCEL."""
    kept = args.folder.resolve() / "cache"
    jobs = [(source, args.arch, args.nvrtc, str(kept)) for source in sources_of(args)]
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        refused = [text for text in pool.imap_unordered(compiled, jobs, 4) if text]
    for text in refused:
        print(text, flush=True)
    folder.mkdir()
    shutil.copytree(kept / "kernels", folder / "kernels")
    return f"{len(jobs) - len(refused)} images for {args.arch}, {len(refused)} refused"


def sources_of(args):
    """Each source with its defines, as JSON text, once."""
    found = {path.read_text(encoding="utf-8") for folder in args.sources for path in folder.glob("*.json")}
    told = subprocess.run([sys.executable, __file__.replace("gpu_parcel", "gpu_sources")], check=True,
                          env={**os.environ, "MINIGLUON_GPU": "emulate"}, stdout=subprocess.PIPE, text=True)
    return sorted(found | set(told.stdout.splitlines()))


def compiled(job):
    """Compile a source as `image_of` does on the card; what the compiler says against it, or None."""
    text, arch, library, cache = job
    os.environ.update(MINIGLUON_CACHE=cache, MINIGLUON_GPU="real")
    from minigluon_accel.gpu import compile as gpu_compile
    from minigluon_accel.gpu import nvrtc
    from minigluon_accel.gpu.launch import GeneratedSource, SourceFile

    from minigluon.base import MXNetError
    told = json.loads(text)
    if told["path"] is None:
        source = GeneratedSource(told["text"])
    else:
        source = SourceFile(told["path"], **told["more"])
    chosen = chosen_library(nvrtc, library)
    gpu_compile.compiler = lambda _: chosen
    try:
        gpu_compile.image_of(source, told["defines"], arch)
    except (MXNetError, FileNotFoundError) as error:        # a test has kernels in a folder of its own
        return f"{source.title} {told['defines']}: {error}"
    return None


def chosen_library(nvrtc, path, _opened={}):  # noqa: B006
    """What stands for the module nvrtc on the card: its version, and its function compile."""
    if path not in _opened:
        library = nvrtc.Library(path) if path else nvrtc.libraries()[0]

        class Chosen:
            compile = staticmethod(library.compile)

            @staticmethod
            def version(arch):
                return str(library)
        _opened[path] = Chosen
    return _opened[path]


if __name__ == "__main__":
    main()
