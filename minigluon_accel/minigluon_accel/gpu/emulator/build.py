"""The build of the emulated driver, and of other files that are created once and kept in the user's cache folder."""

import functools
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

from minigluon.base import MXNetError

from ..paths import cache_folder

try:
    import fcntl
except ImportError:                     # missing on Windows, where the emulator does not run; gpp() reports that
    fcntl = None

__all__ = ["HERE", "built", "cached_build", "compiler_version", "digest", "gpp", "library"]

HERE = pathlib.Path(__file__).parent
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec", "-pthread", "-shared",
         "-Wl,-soname,libcuda.so.1", "-Wl,-z,nodelete", "-Wl,-z,now")


@functools.cache
def gpp():
    """Returns the path of g++. Raises MXNetError if there is none, or if the emulator does not support this system."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise MXNetError("The GPU emulator runs on x86-64 Linux; this is "
                         f"{platform.machine()} {platform.system()}. Use mx.cpu() here.")
    name = os.environ.get("CXX", "g++")
    path = shutil.which(name)
    if path is None:
        raise MXNetError(f"The GPU emulator compiles kernels with {name}, and there is no such program. Install it "
                         "(Debian: apt-get install g++; Fedora: dnf install gcc-c++), or set CXX to another.")
    return path


@functools.cache
def compiler_version():
    """Returns the output of `g++ --version`. Raises MXNetError if it is not GCC."""
    text = subprocess.run([gpp(), "--version"], capture_output=True, text=True, check=True).stdout
    if "Free Software Foundation" not in text:
        raise MXNetError(f"The GPU emulator needs GCC, but {gpp()} is: {text.splitlines()[0]}. Set CXX to a g++.")
    return text.splitlines()[0]


def digest(*parts):
    """Returns a hash of texts, bytes and the contents of files (pathlib.Path)."""
    summary = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, pathlib.Path) else part.encode() if isinstance(part, str) else part
        summary.update(len(data).to_bytes(8, "little") + data)
    return summary.hexdigest()[:20]


def cached_build(folder, name, make):
    """Returns the path cache_folder()/folder/name of a file, created by make(path) if it does not exist.

    It is written under another name and then renamed, so that readers find either the whole file or none; a lock
    prevents processes that start at the same time from all creating it.
    """
    place = cache_folder() / folder
    target = place / name
    if target.exists():
        return target
    try:
        place.mkdir(parents=True, exist_ok=True)
        with open(place / "lock", "w") as file, tempfile.TemporaryDirectory(prefix="making-", dir=place) as aside:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not target.exists():
                make(pathlib.Path(aside) / name)
                os.replace(pathlib.Path(aside) / name, target)
    except OSError as error:
        raise MXNetError(f"The GPU emulator cannot keep what it builds in {place}: {error}. Set MINIGLUON_CACHE to a "
                         "folder with free space that is writable.") from error
    return target


def _folder():
    """Returns the library's folder in the cache, and its sources."""
    sources, headers = (sorted((HERE / "driver").rglob(files)) for files in ("*.cpp", "*.h"))
    return "emulator-" + digest(compiler_version(), *FLAGS, *sources, *headers), sources


def built():
    """Returns whether the library is in the cache, in which case `library` returns immediately."""
    return (cache_folder() / _folder()[0] / "libcuda.so.1").exists()


@functools.cache
def library():
    """Returns the path of the emulated driver, libcuda.so.1, built by g++ if it is not yet in the cache.

    Load it (ctypes.CDLL) before you import PyCUDA: the loader then uses it as the libcuda.so.1 that PyCUDA requires.
    Raises MXNetError if g++ is missing or fails, or if the machine is not x86-64 Linux.
    """
    folder, sources = _folder()

    def make(path):
        # Compiling all files together takes half as long as compiling them separately.
        together = "".join(f'#include "{source}"\n' for source in sources)
        command = [gpp(), *FLAGS, f"-I{HERE / 'driver'}", "-x", "c++", "-", "-o", str(path), "-ldl"]
        result = subprocess.run(command, input=together, capture_output=True, text=True)
        if result.returncode:
            raise MXNetError(f"The GPU emulator cannot be built: {' '.join(command)} says:\n{result.stderr.strip()}")

    return str(cached_build(folder, "libcuda.so.1", make))
