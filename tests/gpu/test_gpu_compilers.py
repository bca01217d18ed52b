"""NVIDIA's compilers, and what they say about kernels on cards of three generations. That needs no GPU.

The emulated GPU's kernels are compiled by g++, which accepts some things that NVIDIA's compilers refuse. Beside
test_gpu_nvrtc.py: the texts that are generated, the widest type, and other architectures.
"""

import contextlib
import functools
import re

import numpy as np
import pytest
from helpers import WIDE, gpu_choice
from helpers.rows import bound, operators_of
from minigluon_accel.gpu import BACKEND, compile, kernels, nvcc, nvrtc
from minigluon_accel.gpu.launch import GeneratedSource, Launch, Work
from op_cases import CASES

import minigluon as mx
from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.dispatch import infer

gpu_choice.require(nvrtc.available(), "NVRTC is not installed: pip install nvidia-cuda-nvrtc")

GENERATED = "generated"         # texts that are made from operators' own tables
FILES = sorted(path.relative_to(compile.KERNELS).as_posix() for path in compile.KERNELS.rglob("*.cu"))
COMMON = (compile.KERNELS / "common.cuh").read_text(encoding="utf-8")
INCLUDE = re.compile(r"^#include .*", re.MULTILINE)
OF_A_CARD = re.compile("asm|__CUDA_ARCH__")
OF_FLOATS = re.compile(r"\b(sqrt|pow|exp|log|fabs|floor|ceil|rint|fmod|fma|tanh)\(")
by_file = pytest.mark.parametrize("file", [*FILES, GENERATED])

# Real shapes choose other tiles than the table's small ones, and integers other kernels. Elements do not matter.
LARGE = [
    ("batch_dot", [(8, 128, 64), (8, 64, 128)], {}),
    ("dot", [(512, 512), (512, 512)], {}),
    ("dot", [(512, 512), (512, 1)], {}),
    ("dot", [(1, 512), (512, 512)], {}),
    ("FullyConnected", [(256, 512), (384, 512), (384,)], {"num_hidden": 384}),
    ("Convolution", [(16, 64, 28, 28), (64, 64, 3, 3), (64,)], {"kernel": (3, 3), "num_filter": 64, "pad": (1, 1)}),
    ("softmax", [(64, 5000)], {}),
    ("sum", [(300, 5000)], {"axis": 1}),
    ("sort", [(4, 5000)], {}),
]


class Card:
    """The device, as if it had another architecture."""

    def __init__(self, capability):
        self._device = BACKEND.on(mx.gpu()).device
        self.capability, self.architecture = capability, "sm_{}{}".format(*capability)

    def __getattr__(self, name):
        return getattr(self._device, name)


@functools.cache
def calls(dtype):
    """[(operator, Specs of its inputs and outputs, train)] of the table's rows and the large ones, each once."""
    ran = []
    for kind in (dtype, "int32"):
        for name, shapes, attrs in LARGE:
            arrays = [np.zeros(shape, kind) for shape in shapes]
            ran.append((bound(name, arrays, attrs), arrays, False))
    for case in CASES:
        with contextlib.suppress(MXNetError):           # the case is for other types
            ran += operators_of(case, case.inputs(dtype))
    found = {}
    for op, arrays, train in ran:
        inputs = [Spec(a.shape, a.dtype) for a in arrays]
        if not op.dynamic:
            with contextlib.suppress(MXNetError):
                found[op, tuple(inputs), tuple(infer(op, inputs)), train] = None
    assert len(found) > 1000, f"only {len(found)} calls of the table take {dtype}"
    return list(found)


@functools.cache
def launches(dtype, capability):
    """{file: {(source, defines): operator}} of all launches on such a card. All generated ones are one file."""
    card, found = Card(capability), {file: {} for file in [*FILES, GENERATED]}
    for op, inputs, outputs, train in calls(dtype):
        rng = np.random.Generator(np.random.Philox(0))
        work = kernels.find(op, list(inputs), list(outputs), train, rng, card)
        for launch in work.launches if isinstance(work, Work) else ():
            if isinstance(launch, Launch):
                file = GENERATED if isinstance(launch.source, GeneratedSource) else launch.source.path
                found[file].setdefault((launch.source, tuple(sorted(launch.defines.items()))), op.name)
    return found


def texts(found):
    """{text: operators}: a text for each launch, but one for all generated sources with the same defines."""
    made, together = {}, {}
    for (source, defines), operator in found.items():
        if isinstance(source, GeneratedSource):
            together.setdefault((tuple(INCLUDE.findall(source.text)), defines), []).append((source.text, operator))
        else:
            made[compile.assembled(source, defines)] = operator
    for (includes, defines), members in together.items():
        parts = [f'namespace k{n} {{\n#line 1 "generated for {operator}"\n{INCLUDE.sub("", text)}}}\n'
                 for n, (text, operator) in enumerate(members)]
        # Functions of C have no namespaces.
        text = "\n".join(["", *includes, *parts]).replace('extern "C" __global__', "__global__")
        made[compile.assembled(GeneratedSource(text), defines)] = f"{len(members)} operators"
    return made


def check(found, capability):
    """Compile for an architecture; fails with what the compiler says about all texts.

    The second half, which gives a card's instructions, takes longest and differs little from type to type. It runs for
    one text with shared memory, of which only it knows how much there is, or with instructions of a card's own.
    """
    failed, whole = [], True
    for text, operator in texts(found).items():
        own = text.replace(COMMON, "")
        kind = "sm" if whole and ("__shared__" in own or "asm" in own) else "compute"
        whole = whole and kind != "sm"
        try:
            nvrtc.compile(text, "{}_{}{}".format(kind, *capability), [], GENERATED)
        except MXNetError as error:
            failed.append(f"for {operator}, with {re.findall('^#define (.*)', text, re.MULTILINE)[:6]}: {error}")
    assert not failed, "\n\n".join(failed)


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float16", marks=pytest.mark.skipif(
    not WIDE, reason="takes ten seconds; without MINIGLUON_TESTS=wide, float32 is compiled"))])
def test_generated(dtype):
    check(launches(dtype, (9, 0))[GENERATED], (9, 0))


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")     # rows of the table with NaN
@pytest.mark.parametrize("dtype", ["int64", *[pytest.param(dtype, marks=pytest.mark.skipif(
    not WIDE, reason="takes five seconds; without MINIGLUON_TESTS=wide, int64 is compiled"))
    for dtype in ("int32", "int8", "uint8")]])
def test_functions_of_integers(dtype):
    """g++ takes sqrt(n) and pow(n, n) of integers; NVIDIA's compilers ask which function is meant."""
    found = {}
    for file in FILES:          # generated texts convert before they call
        here, there = launches(dtype, (9, 0))[file], launches("float32", (9, 0))[file]
        found.update({key: operator for key, operator in here.items() if key not in there and OF_FLOATS.search(
            compile.assembled(*key).replace(COMMON, ""))})
    assert len(found) > 5
    check(found if WIDE else dict(list(found.items())[::3]), (9, 0))


@pytest.mark.skipif(not WIDE, reason="takes a minute; without MINIGLUON_TESTS=wide, float16 and float32 are compiled")
@by_file
def test_float64(file):
    """The widest type: it needs the most shared memory."""
    here, there = launches("float64", (9, 0))[file], launches("float32", (9, 0))[file]
    check({key: operator for key, operator in here.items() if key not in there}, (9, 0))


@pytest.mark.skipif(not WIDE, reason="takes half a minute; MINIGLUON_TESTS=wide does it, and the table of kernels "
                    "holds the largest ones on all cards")
@by_file
@pytest.mark.parametrize("capability", [(8, 0), (12, 0)])
def test_older_and_newer_cards(file, capability):
    """What other cards get instead, and what asks for the architecture. The rest is the same C++ for all."""
    here, there = launches("float32", capability)[file], launches("float32", (9, 0))[file]
    check({key: operator for key, operator in here.items() if key not in there or OF_A_CARD.search(
        compile.assembled(*key).replace(COMMON, ""))}, capability)


# -- the two compilers themselves -----------------------------------------------------------------------------------


KERNEL = """
extern "C" __global__ void add(const T *x, T *y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
"""
COMPILERS = [pytest.param(module, marks=pytest.mark.skipif(not module.available(), reason=f"there is no {name}"))
             for name, module in (("NVRTC", nvrtc), ("nvcc", nvcc))]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_image_for_each_architecture(compiler):
    text = compile.assembled(GeneratedSource(KERNEL), {"T": "long long"})
    images = {compiler.compile(text, arch, [], "add.cu") for arch in ("sm_80", "sm_90")}
    assert len(images) == 2
    assert all(image.startswith(b"\x7fELF") for image in images)
    assert re.fullmatch(r"(NVRTC|nvcc) \d+\.\d+(\.\d+)?", compiler.version())


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_mistake_is_told_with_its_line(compiler):
    with pytest.raises(MXNetError) as failed:
        compiler.compile(compile.assembled(GeneratedSource(KERNEL), {}), "sm_90", ["--use_fast_math"], "add.cu")
    text = str(failed.value)
    assert text.startswith("gpu: compiling add.cu for sm_90 with --use_fast_math: ")
    assert 'generated(2): error: identifier "T" is undefined' in text


def test_an_architecture_that_nvrtc_does_not_know():
    with pytest.raises(MXNetError) as failed:
        nvrtc.compile(KERNEL, "sm_1", [], "add.cu")
    assert str(failed.value).startswith("gpu: compiling add.cu for sm_1 with no options: NVRTC says "
                                        "NVRTC_ERROR_INVALID_OPTION")


def test_a_card_that_is_newer_than_nvrtc_gets_ptx():
    newer = f"sm_{nvrtc.libraries()[0].architectures[-1] + 10}"
    assert not nvrtc.serves(newer)
    library = next(library for library in nvrtc.libraries() if nvrtc._translates(library, newer))
    text = nvrtc.compile(nvrtc.TRIED, newer, [], "line.cu").decode()
    assert f".target sm_{library.architectures[-1]}" in text


def test_long_messages_are_cut():
    text = nvrtc.shortened("\n".join(map(str, range(100))) + "\n")
    assert text.splitlines()[-2:] == ["39", "... and 60 more lines"]
    assert nvrtc.shortened("a\nb") == "a\nb"


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(nvrtc, "_looked", lambda: ([], []))
    monkeypatch.setattr(nvcc.paths, "nvcc", lambda: None)
    with pytest.raises(MXNetError) as failed:
        nvrtc.compile(KERNEL, "sm_90", [], "add.cu")
    assert str(failed.value) == "gpu: there is no NVRTC: install it with: pip install nvidia-cuda-nvrtc"
    with pytest.raises(MXNetError) as failed:
        nvcc.compile(KERNEL, "sm_90", [], "add.cu")
    assert str(failed.value) == ("gpu: there is no nvcc: it is neither on PATH nor in a CUDA toolkit. Install a "
                                 "compiler for kernels with: pip install nvidia-cuda-nvrtc")


def test_an_nvcc_that_cannot_be_run(monkeypatch, tmp_path):
    monkeypatch.setattr(nvcc.paths, "nvcc", lambda: str(tmp_path))
    with pytest.raises(MXNetError, match=r"cannot be run: .*Another compiler: pip install nvidia-cuda-nvrtc$"):
        nvcc.compile(KERNEL, "sm_90", [], "add.cu")
