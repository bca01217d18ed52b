"""Every kernel file is also C++ as CUDA knows it: NVRTC compiles without a GPU what the emulator runs."""

import json

import numpy as np
import pytest
from helpers import gpu_choice
from helpers.gpu_checks import backend
from helpers.rows import bound
from minigluon_accel.gpu import compile as gpu_compile
from minigluon_accel.gpu import kernels, nvrtc
from minigluon_accel.gpu.launch import Launch, SourceFile, Work
from op_cases import CASES

from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.dispatch import infer

gpu_choice.require(nvrtc.available(), "NVRTC is not installed")

FILES = sorted(path.relative_to(gpu_compile.KERNELS).as_posix() for path in gpu_compile.KERNELS.rglob("*.cu"))
COMMON = (gpu_compile.KERNELS / "common.cuh").read_text(encoding="utf-8")
ELSEWHERE = {       # of assignments, which are no operators, and of gradients
    "copying.cu": {"T": "float", "A": "float", "FROM": "half"},
    "array/along.cu": {"W": "unsigned short", "TI": "long long"},
    "array/indexing_sums.cu": {"T": "half", "A": "float"},
}


def works(dtype):
    """What the rows of the table launch."""
    for case in CASES:
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


@pytest.fixture(scope="module")
def defines():
    """{file: the defines of some launches}, of float16, in which most can go wrong, and of float32 where that is not"""
    found, seen = {name: [more] for name, more in ELSEWHERE.items()}, set()
    for dtype in "float16", "float32":
        before = set(found)
        for launch in works(dtype):
            kind = launch.source, tuple(sorted(launch.defines))
            if isinstance(launch.source, SourceFile) and launch.source.path not in before and kind not in seen:
                seen.add(kind)
                found.setdefault(launch.source.path, []).append(launch.defines)
    return found


@pytest.mark.parametrize("name", FILES)
def test_nvrtc_compiles(name, defines):
    if name not in defines:
        pytest.skip(f"no row of the table launches {name}")
    for more in sorted({json.dumps(more, sort_keys=True) for more in defines[name]}):
        text = gpu_compile.assembled(SourceFile(name), json.loads(more))
        own = text.replace(COMMON, "")
        # The second half, a card's instructions, takes as long as the first. Only it knows how much shared memory there
        # is, and reads assembly. The first half has no image; it raises what is wrong with the C++.
        whole = "__shared__" in own or "asm" in own
        assert bool(nvrtc.compile(text, "sm_80" if whole else "compute_80", [], name)) == whole
