"""Every kernel file is also C++ as CUDA knows it: NVRTC compiles without a GPU what the emulator runs."""

import json
import locale
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers import gpu_choice
from helpers.gpu_images import ELSEWHERE, FILES, works
from minigluon_accel.gpu import compile as gpu_compile
from minigluon_accel.gpu import nvrtc
from minigluon_accel.gpu.launch import SourceFile

gpu_choice.require(nvrtc.available(), "NVRTC is not installed")


COMMON = (gpu_compile.KERNELS / "common.cuh").read_text(encoding="utf-8")


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
    # The oldest NVRTC and the newest take turns: tests/scripts/gpu_compile_table.py compiles everything with both.
    libraries, kinds = nvrtc.libraries(), sorted({json.dumps(more, sort_keys=True) for more in defines[name]})
    for number, more in enumerate(kinds, FILES.index(name)):
        text = gpu_compile.assembled(SourceFile(name), json.loads(more))
        own = text.replace(COMMON, "")
        # The second half, a card's instructions, takes as long as the first. Only it knows how much shared memory there
        # is, and reads assembly. The first half has no image; it raises what is wrong with the C++.
        whole = "__shared__" in own or "asm" in own
        library = libraries[number % len(libraries)]
        assert bool(library.compile(text, "sm_80" if whole else "compute_80", [], name)) == whole


COPYING = [name for name in FILES if "struct Copies" in gpu_compile.assembled(SourceFile(name), {})]


@pytest.mark.parametrize("name", COPYING)
def test_cards_that_do_not_copy_by_themselves(name, defines):
    """What takes its tiles through async.cuh runs on sm_75, too; but for the tensor cores' tiles."""
    chosen = [more for more in defines.get(name, []) if "MMA" not in more]
    if not chosen:
        pytest.skip(f"no row of the table launches {name} without tensor cores")
    library = next(one for one in nvrtc.libraries() if one.knows("sm_75"))
    assert library.compile(gpu_compile.assembled(SourceFile(name), chosen[0]), "sm_75", [], name)


def test_compiling_leaves_the_locale_alone():
    """Python reads files by the encoding of the thread's locale. NVRTC 12.4 sets another one."""
    for library in nvrtc.libraries():
        library.compile('extern "C" __global__ void nothing() {}', "sm_80", [], "nothing.cu")
    with ThreadPoolExecutor(1) as another:
        assert locale.nl_langinfo(locale.CODESET) == another.submit(locale.nl_langinfo, locale.CODESET).result()
