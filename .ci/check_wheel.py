"""Check that distributions hold their package, all of it, and nothing else: wheels and sdists of both packages."""

import pathlib
import sys
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).parent.parent
PLUGIN = ROOT / "minigluon_accel"


def files(folder, *patterns):
    """Paths of a package's files, relative to the folder that the package is in."""
    return {path.relative_to(folder.parent).as_posix() for pattern in patterns for path in folder.rglob(pattern)}


def check(path, names, package, wanted):
    """Compare the names of what is packed with those of the package; metadata and the licence come on top."""
    rest = {name for name in names - wanted if ".dist-info/" not in name and not name.endswith("/")}
    if rest:
        sys.exit(f"{path} holds {sorted(rest)} besides {package}")
    if wanted - names:
        sys.exit(f"{path} lacks {sorted(wanted - names)}")
    if not any(name.endswith("/LICENSE") for name in names):
        sys.exit(f"{path} lacks LICENSE")
    print(f"{pathlib.Path(path).name}: {len(wanted)} files of {package}, licence, nothing else")


def base_package():
    return files(ROOT / "minigluon", "*.py", "*.pyi", "py.typed", "templates/*", "mnist/*", "learn/**/*.md",
                 "learn/**/*.svg", "learn/**/*.po", "learn/**/*.c")


def base_wheel(path):
    if not path.endswith("-py3-none-any.whl"):
        sys.exit(f"{path} is not a universal wheel")
    check(path, set(zipfile.ZipFile(path).namelist()), "minigluon", base_package())


def sources_of_kernels():
    """What is compiled where it runs, and so is part of the wheel."""
    gpu = PLUGIN / "minigluon_accel" / "gpu"
    return {f"minigluon_accel/{path}" for path in
            files(gpu, "*.cu", "*.cuh") | files(gpu, "emulator/**/*.cpp", "emulator/**/*.h", "emulator/README.md",
                                                "emulator/bin/nvcc", "puzzles/README.md")}


def plugin_wheel(path):
    names = set(zipfile.ZipFile(path).namelist())
    compiled = {name for name in names if name.endswith((".so", ".pyd"))}
    if sorted(name.split(".")[0] for name in compiled) != ["minigluon_accel/engine", "minigluon_accel/gpu/launcher"]:
        sys.exit(f"{path} has {sorted(compiled)}, expected one engine and one launcher of the GPU's")
    check(path, names, "minigluon_accel",
          files(PLUGIN / "minigluon_accel", "*.py") | sources_of_kernels() | compiled)


def names_in_sdist(path):
    """Paths of an sdist's files, without those that setuptools makes."""
    top = pathlib.Path(path).name.removesuffix(".tar.gz")
    with tarfile.open(path) as archive:
        names = {name.removeprefix(top + "/") for name in archive.getnames() if not archive.getmember(name).isdir()}
    return {name for name in names if ".egg-info/" not in name and name != "PKG-INFO"}


def base_sdist(path):
    around = {"LICENSE", "README.md", "pyproject.toml", "setup.cfg"}
    check(path, {f"./{name}" for name in names_in_sdist(path)}, "minigluon",
          {f"./{name}" for name in base_package() | around})


def plugin_sdist(path):
    made_by_cython = {"minigluon_accel/engine.c", "minigluon_accel/gpu/launcher.c"}
    package = files(PLUGIN / "minigluon_accel", "*.py", "*.pyx", "*.pxi", "*.c", "*.h") - made_by_cython
    around = {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"}
    check(path, {f"./{name}" for name in names_in_sdist(path) - {"setup.cfg"}}, "minigluon_accel",
          {f"./{name}" for name in package | around | sources_of_kernels()})


def main(paths):
    for path in paths:
        name = pathlib.Path(path).name
        of_plugin, is_sdist = name.startswith("minigluon_accel"), name.endswith(".tar.gz")
        {(True, True): plugin_sdist, (True, False): plugin_wheel,
         (False, True): base_sdist, (False, False): base_wheel}[of_plugin, is_sdist](path)


if __name__ == "__main__":
    main(sys.argv[1:])
