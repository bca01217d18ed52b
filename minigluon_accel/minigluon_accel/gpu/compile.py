"""The path from a .cu file to launchable functions: assembling, compiling, caching on disk and loading.

Three compilers accept the same text: the emulator's stand-in, NVRTC (a library from pip's nvidia-cuda-nvrtc or from a
toolkit), and nvcc. Images are cached under the hash of the text, the defines, the architecture and the compiler.
"""

import ctypes
import functools
import hashlib
import os
import pathlib
import re
import tempfile
import threading

from minigluon.base import MXNetError

from . import driver
from .launch import Enqueue, GeneratedSource, In, Out, Scratch, value_bytes
from .launcher import EnqueueCall, Prepared, Program
from .paths import cache_folder

__all__ = ["Runner", "assembled", "compiler", "prepare", "read_cached", "write_cached"]

KERNELS = pathlib.Path(__file__).parent / "kernels"
_INCLUDE = re.compile(r'#include "([^"]+)"')

PLAIN_SHARED = 48 * 1024        # bytes of shared memory that a kernel has without requesting more
HASH_BYTES = 32                 # the length of an image's hash, which precedes the image in the cache folder
MAX_SHARED_ATTRIBUTE = 8        # the driver's id of the attribute that requests more

_lock = threading.RLock()
_functions = {}         # (device, source, defines, name) -> handle
_modules = {}           # (device, source, defines) -> handle


def assembled(source, defines=()):
    """Returns the text of a source: first its defines, then the file with each include expanded once.

    The defines are lines of the text, not compiler options, because a compiler's own headers must not see them.
    """
    text = source.text if isinstance(source, GeneratedSource) else _text_of(source.path)
    lines = [f"#define {name} {value}\n" for name, value in sorted(dict(defines).items())]
    return "".join([*lines, *_with_includes(text, source.title, set())])


def _text_of(path):
    return (KERNELS / path).read_text(encoding="utf-8")


def _with_includes(text, title, included):
    """Yields the text in pieces. Compiler messages refer to the lines of the original files."""
    yield f'#line 1 "{title}"\n'
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        name = _INCLUDE.match(line)
        if name is None:
            yield line
        elif name[1] not in included:
            included.add(name[1])
            yield from _with_includes(_text_of(name[1]), name[1], included)
            yield f'#line {number + 1} "{title}"\n'
        else:
            yield "\n"


@functools.cache
def compiler(architecture):
    """Returns the compiler module for an architecture: it has compile(source, arch, options, name) and version(arch).

    It is, in order of preference, an NVRTC that supports the GPU, nvcc, or an NVRTC whose PTX the driver can compile
    for a newer GPU.
    """
    if driver.emulated():
        from . import emulator
        return emulator
    from . import nvcc, nvrtc
    if nvrtc.serves(architecture):
        return nvrtc
    if nvcc.available():
        return nvcc
    if nvrtc.translates(architecture):
        return nvrtc
    reasons = [f"{one} knows {_listed(one.architectures)}" for one in nvrtc.libraries()]
    raise MXNetError(f"gpu: there is no compiler for kernels of {architecture}: "
                     f"{'; '.join([*reasons, *nvrtc.refused()]) or 'NVRTC is not found'}; nvcc is not found. Install "
                     f"another with: pip install {'nvidia-cuda-nvrtc-cu12' if reasons else 'nvidia-cuda-nvrtc'}")


def _listed(architectures):
    return f"sm_{architectures[0]} to sm_{architectures[-1]}"


def prepare(device, launch, places):
    """Converts a Launch or Enqueue to an object that the launcher runs.

    places: the indices at which inputs, outputs and scratch begin.
    """
    if isinstance(launch, Enqueue):
        return EnqueueCall(launch.function, [places[type(o)] + o.number for o in launch.operands], launch.name,
                           launch.replayable, launch.calls, launch.failed)
    function = loaded_function(device, launch.source, launch.defines, launch.function)
    arguments = [places[type(a)] + a.number if isinstance(a, (In, Out, Scratch)) else value_bytes(a)
                 for a in launch.arguments]
    if launch.shared > PLAIN_SHARED:
        status = driver.api().cuFuncSetAttribute(ctypes.c_void_p(function), MAX_SHARED_ATTRIBUTE, launch.shared)
        driver.check(status, device, f"asking for {launch.shared} bytes of shared memory for {launch.function}")
    name = f"{launch.function} ({launch.source.title})"
    return Prepared(function, _three(launch.grid), _three(launch.block), launch.shared, arguments, device, name)


def _three(numbers):
    numbers = numbers if isinstance(numbers, (tuple, list)) else (numbers,)
    return (*numbers, 1, 1)[:3]


class Runner:
    """Launches as one function: `run(operands)` enqueues them. Raises MXNetError with the kernel's name."""

    def __init__(self, device, kernels, operands):
        self.device = device
        self._program, self._count = Program([(kernels, range(operands))], {}), len(kernels)

    def run(self, operands):
        device = self.device
        device.activate()
        status, kernel = self._program.run(operands, 0, self._count, device.stream_handle)
        if status:
            raise driver.failure(device, kernel.name, driver.describe(status))


# -- loading ----------------------------------------------------------------------------------------------------------


def loaded_function(device, source, defines, name):
    """Returns the driver's handle for a function, which is compiled and loaded when first requested."""
    module_key = device.number, source, tuple(sorted(defines.items()))
    key = *module_key, name
    function = _functions.get(key)
    if function is None:
        with _lock:
            function = _functions.get(key) or _load(device, module_key, defines, key)
    return function


def _load(device, module_key, defines, key):
    device.activate()
    source, name, api = module_key[1], key[-1], driver.api()
    module = _modules.get(module_key)
    if module is None:
        image = image_of(source, defines, device.architecture)
        module = ctypes.c_void_p()
        driver.check(api.cuModuleLoadData(ctypes.byref(module), image), device, f"loading {source.title}")
        _modules[module_key] = module
    function = ctypes.c_void_p()
    driver.check(api.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), device,
                 f"finding {name} in {source.title}")
    _functions[key] = function.value
    return function.value


def image_of(source, defines, architecture):
    """Returns the compiled bytes of a source, from the cache folder if possible."""
    chosen, text = compiler(architecture), assembled(source, defines)
    options = [] if source.fmad else ["--fmad=false"]
    parts = [text, architecture, chosen.version(architecture), *options]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = cache_folder() / "kernels" / f"{digest[:32]}.image"
    image = read_cached(path)
    if image is None:
        image = chosen.compile(text, architecture, options, source.title)
        write_cached(path, image, "the compiled kernel")
    return image


def read_cached(path):
    """Returns the content of a cached file, without the hash that precedes it, or None if the file is missing or
    damaged."""
    try:
        raw = path.read_bytes()
    except OSError:                     # if the folder is unusable, the attempt to write to it reports that
        return None
    content = raw[HASH_BYTES:]
    return content if hashlib.sha256(content).digest() == raw[:HASH_BYTES] else None


def write_cached(path, content, what):
    """Writes a temporary file and renames it, so that another process sees either the whole file or none."""
    aside = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            aside = file.name
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(aside, path)
    except OSError as error:
        if aside is not None:
            pathlib.Path(aside).unlink(missing_ok=True)
        raise MXNetError(f"gpu: {what} cannot be written to {path.parent}: {error}. Set MINIGLUON_CACHE to a folder "
                         "with free space that is writable.") from error
