"""What the project compiles for a card: each source with its defines, and how its functions are launched.

An image is a source with one set of defines. There are those that the rows of the operators launch, those of all tiles
of products and convolutions, and those of nets, with the chains that are fused in them.
"""

import contextlib
import hashlib
import re
from typing import NamedTuple

from helpers import gpu_choice  # noqa: F401 - first: it chooses the GPU, or skips the module

# isort: split
import numpy as np
from minigluon_accel.gpu import compile as gpu_compile
from minigluon_accel.gpu import kernels
from minigluon_accel.gpu.kernels import gemm
from minigluon_accel.gpu.kernels.nn import convolution
from minigluon_accel.gpu.launch import GeneratedSource, Launch, SourceFile, Work
from op_cases import CASES

import minigluon as mx
from helpers.gpu_checks import GPU, backend
from helpers.rows import bound
from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.dispatch import infer
from minigluon.tools.bench.nets import PROGRAMS, QUICK
from minigluon.tools.bench.workers.programs_gluon import makers

__all__ = ["ELSEWHERE", "FILES", "Image", "all_images", "held", "of_rows", "works"]

FILES = sorted(path.relative_to(gpu_compile.KERNELS).as_posix() for path in gpu_compile.KERNELS.rglob("*.cu"))
ELSEWHERE = {       # of assignments, which are no operators, and of gradients
    "copying.cu": {"T": "float", "A": "float", "FROM": "half"},
    "array/ordering_along.cu": {"W": "unsigned short", "TI": "long long"},
    "array/indexing_sums.cu": {"T": "half", "A": "float"},
    "nn/fused_attention_grad.cu": {"T": "float", "A": "float", "BM": 64, "BN": 64, "TM": 4, "TN": 8, "DEPTH": 64,
                                   "WIDTH": 64, "MASKING": 2, "WEIGHS": 1},
}
NUMBERS = "int", "long long"
KINDS = [{"SUM_OVER_WINDOWS": windows, "GATHERS": gathers, "PLANES": planes}
         for windows, gathers, planes in [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]]
# What the test holds of the table: rows of these operators, beside the largest tiles.
HELD = ["BatchNorm", "softmax", "sum", "LayerNorm", "transpose", "pad", "prod"]


class Image(NamedTuple):
    """name: of the file and its defines. launched: {function: (threads of a block, bytes of dynamic shared memory)}."""

    name: str
    source: object
    defines: dict
    launched: dict

    @property
    def oldest(self):
        """The first architecture that has the instructions."""
        return 80 if "MMA" in self.defines else 75

    @property
    def options(self):
        """As the product compiles it."""
        return [] if self.source.fmad else ["--fmad=false"]

    def text(self):
        return gpu_compile.assembled(self.source, self.defines)


# -- what is launched -------------------------------------------------------------------------------------------------


def works(dtype, operators=None):
    """The launches of the rows of the table, or of some operators' rows."""
    for case in CASES:
        if operators is not None and case.op not in operators:
            continue
        try:
            arrays = case.inputs(dtype)
            op = bound(case.op, arrays, case.attrs)
            inputs = [Spec(a.shape, a.dtype) for a in arrays]
            rng = np.random.Generator(np.random.Philox(0))
            work = kernels.find(op, inputs, infer(op, inputs), case.train, rng, backend().device)
        except MXNetError:
            continue                    # a type that the operator does not have
        if isinstance(work, Work):
            yield from (launch for launch in work.launches if isinstance(launch, Launch))


def of_tiles():
    """Launches of products and convolutions with each kind of tile; with 64-bit indices, those of the first kind."""
    for dtype in "float32", "float16", "float64", "int32", "int64":
        for number in NUMBERS:
            every = gemm.all_tiles(dtype)
            for tiles in every if number == "int" else every[:1]:
                defines = tiles.defines(dtype, number)
                yield Launch(gemm.SOURCE, "gemm_tiles", defines, 1, tiles.threads, [])
                for kind in KINDS if dtype.startswith("float") else ():
                    yield Launch(convolution.SOURCE, "conv_tiles", {**defines, **kind}, 1, tiles.threads, [])


def of_nets():
    """Launches of the nets of `minigluon bench`, one by one and in plans."""
    found = []
    with recording(found), GPU:
        for programs in PROGRAMS.values():
            for program in programs:
                for mode in "imperative", "hybridized":
                    makers(mx, QUICK)[program](mode).run()
        mx.nd.waitall()
    return found


@contextlib.contextmanager
def recording(found):
    """In place of each kernel one that does nothing is launched, and none is compiled. found: a list that takes a
    Launch for each."""
    last = []

    def loaded_function(device, source, defines, name):
        last[:] = [source, name, defines]
        return real(device, GeneratedSource('extern "C" __global__ void nothing() {}'), {}, "nothing")

    def Prepared(function, grid, block, shared, *rest):
        found.append(Launch(*last, grid, block, [], shared))
        return prepared(function, grid, block, shared, *rest)

    real, prepared = gpu_compile.loaded_function, gpu_compile.Prepared
    gpu_compile.loaded_function, gpu_compile.Prepared = loaded_function, Prepared
    try:
        yield
    finally:
        gpu_compile.loaded_function, gpu_compile.Prepared = real, prepared


# -- images -----------------------------------------------------------------------------------------------------------


def images(launches):
    """The Images of launches, each once."""
    found = {}
    for launch in launches:
        name = title(launch.source, launch.defines)
        image = found.setdefault(name, Image(name, launch.source, launch.defines, {}))
        threads, shared = image.launched.get(launch.function, (0, 0))
        image.launched[launch.function] = max(threads, int(np.prod(launch.block))), max(shared, launch.shared)
    return sorted(found.values(), key=lambda image: image.name)


def title(source, defines):
    words = " ".join(f"{name}={value}" for name, value in sorted(defines.items()))
    if isinstance(source, SourceFile):
        return f"{source.path} {words}"
    made = re.search(r"// One element: (.*)", source.text)
    kernel = re.search(r"__global__ void (?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(([^)]*)\)", source.text)
    types = " ".join(re.findall(r"(?:const )?([\w ]+) \*", kernel[2]))
    digest = hashlib.sha256(source.text.encode()).hexdigest()[:6]
    return f"generated {kernel[1]}: {made[1] if made else 'no note'}, {types}, {words} {digest}"


def of_rows(*dtypes):
    """Images of all rows in these types, and of the files that no row launches."""
    launches = [launch for dtype in dtypes for launch in works(dtype)]
    launches += [Launch(SourceFile(path), function, defines, 1, 256, [])
                 for path, defines in ELSEWHERE.items() for function in functions(SourceFile(path), defines)]
    return images(launches)


def functions(source, defines):
    """The names of a file's kernels."""
    text = gpu_compile.assembled(source, defines)
    return re.findall(r"__global__ void (?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(", text)


def all_images(*dtypes):
    """Everything."""
    found = [*of_tiles(), *of_nets()]
    by_name = {image.name: image for image in (*of_rows(*dtypes), *images(found))}
    return [by_name[name] for name in sorted(by_name)]


def held():
    """The images that a test compiles every time: the first tiles of each kind, and the most used of the others."""
    first = [gemm.all_tiles(dtype)[number].defines(dtype, "int")
             for dtype, number in (("float32", 0), ("float32", -2), ("float16", -2))]
    launches = [Launch(gemm.SOURCE, "gemm_tiles", defines, 1, 256, []) for defines in first]
    launches += [Launch(convolution.SOURCE, "conv_tiles", {**defines, **KINDS[0]}, 1, 256, []) for defines in first]
    return images([*launches, *works("float32", HELD)])
