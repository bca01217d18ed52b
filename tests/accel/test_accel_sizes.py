"""Numbers of elements have 64 bits: in the source of all kernels none is an int, except where a reason is given here.

Read as text, since arrays of 2**31 elements are too large for tests.
"""

import re

import pytest
from helpers import ROOT

pytestmark = pytest.mark.once

PLUGIN = ROOT / "minigluon_accel" / "minigluon_accel"
GPU = PLUGIN / "gpu" / "kernels"

# What names a number of elements, or the place of one. Other names are flags, lanes, axes, taps of a constant window.
SIZES = {
    "n", "m", "size", "sizes", "count", "counts", "total", "length", "lengths", "stride", "strides", "step_size",
    "offset", "offsets", "number", "numbers", "rows", "row", "columns", "column", "width", "height", "depth",
    "channels", "channel", "batch", "batches", "images", "image", "planes", "plane", "space", "elements", "inner",
    "outer", "filters", "filter", "windows", "window", "units", "steps", "start", "end", "first", "last", "begin",
    "at", "place", "places", "index", "winner", "winners", "order", "matched", "match", "used", "names", "own",
    "where"}
DECLARED = re.compile(
    r"(?<![\w.])(?<!long )(?<!unsigned )(?:unsigned int|unsigned|signed|int|int32_t|uint32_t)\b(?=[\s*])")
NAME = re.compile(r"(?:\s|\*|const\b)*([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)(?=[=,:;)]|$)")

OF_A_TILE = "of a tile, which registers or a block's shared memory hold"
OF_A_CALL = "of a call's arrays, of threads, or of the steps of a program"
FLAG = "a flag"
INT32 = "an int32 of memory; what it counts is refused from 2**31 on"
NARROW = "counted in 32 bits where the Python part has seen that they suffice"
DIVIDED = "an index of 32 bits for arrays of less than 2**31 elements"

# {file: {name: why 32 bits suffice}}
CPU_ALLOWED = {
    "csrc/gemm.h": {"rows": OF_A_TILE},
    "csrc/integer_steps.h": {"count": "of the operators that follow a product, 10 at most"},
    "csrc/kernel.h": {"count": OF_A_CALL},
    "csrc/linalg/triangular.c": {"rows": OF_A_TILE},
    "csrc/math/reduce.c": {"count": OF_A_TILE},
    "csrc/memory.c": {"count": "of at most MAX_BLOCKS blocks", "index": "of at most MAX_BLOCKS blocks"},
    "csrc/nn/batch_norm.c": {"batch": FLAG},
    "csrc/nn/batch_norm_last.c": {"batch": FLAG},
    "csrc/nn/convolution_blocks.h": {"rows": OF_A_TILE},
    "csrc/nn/convolution.c": {"count": OF_A_TILE},
    "csrc/nn/convolution_pooled.c": dict.fromkeys(
        ["window", "filter", "first", "places"], "of at most MAX_ELEMENTS: kernels/nn/convolution_fused.py asks"),
    "csrc/nn/convolution_weight.c": {"rows": OF_A_TILE},
    "csrc/nn/matrix_packed.h": {"rows": OF_A_TILE},
    "csrc/nn/matrix_packed.c": {"rows": OF_A_TILE, "m": OF_A_TILE},
    "csrc/nn/matrix_few_rows.c": {"rows": OF_A_TILE, "width": OF_A_TILE},
    "csrc/nn/pooling_grad.c": {"last": FLAG},
    "csrc/nn/pooling_last.c": {"first": FLAG},
    "csrc/nn/convolution_winograd.c": {"n": OF_A_TILE},
    "csrc/nn/convolution_winograd.h": {"n": OF_A_TILE},
    "csrc/panels.h": {"rows": OF_A_TILE},
    "csrc/philox.h": {"first": "ten words of the cipher"},
    "csrc/nn/dropout.c": {"numbers": "random words"},
    "csrc/nn/fused_attention.c": {"numbers": "random words"},
    "csrc/pool.c": {"number": OF_A_CALL},
    "csrc/quantized/matrix.h": {"rows": OF_A_TILE, "start": "of a sum of integers, whose type is int32"},
    "csrc/quantized/convolution_depthwise_bytes.c": {"count": "of windows in registers, at most SIDE"},
    "csrc/quantized/matrix_patches_bytes.c": {"rows": "of a filter at the points",
                                              "start": "of a sum of integers, whose type is int32"},
    "csrc/quantized/weights.c": {"rows": OF_A_TILE, "place": "of bits in a word", "n": "halves of bytes in a word"},
    "csrc/quantized/weights_words.c": {"rows": OF_A_TILE, "n": "halves of bytes in a word",
                                       "offsets": "the sum of a row of data in a group, times 8"},
    "csrc/table.c": {"count": OF_A_CALL, "index": OF_A_CALL},
    "csrc/table.h": {"index": OF_A_CALL},
    "csrc/vision/boxes.c": {"index": INT32},
    "csrc/vision/roi_align.c": {"winner": INT32},
    "csrc/vmath.h": {"count": "coefficients of a polynomial"},
    "engine.pyx": dict.fromkeys(["count", "index"], OF_A_CALL),
    "program.pxi": dict.fromkeys(["start", "end", "index", "number", "places"], OF_A_CALL),
    "site.pxi": dict.fromkeys(["count", "index"], OF_A_CALL),
    "sizes.pxi": dict.fromkeys(["count", "first", "index", "number", "places", "start"], "of the numbers of a plan"),
    "gpu/launcher.pyx": dict.fromkeys(["start", "end", "index", "number", "numbers", "count"], OF_A_CALL),
}
GPU_ALLOWED = {
    "array/indexing_filling.cu": {"last": INT32},
    "array/indexing.cu": {"last": INT32},
    "array/ordering.cu": {**dict.fromkeys(["length", "width", "first", "at"], OF_A_TILE), "count": "32 at most"},
    "math/elementwise.cuh": {"n": "the order of a derivative"},
    "async.cuh": {"count": OF_A_TILE}, "gemm.cu": {"rows": OF_A_TILE},
    "pairs.cuh": dict.fromkeys(["rows", "at"], OF_A_TILE),
    "mma.cuh": dict.fromkeys(["at", "rows", "columns", "column", "place"], OF_A_TILE),
    "movement.cu": {"row": OF_A_TILE},
    "nn/pooling.cu": dict.fromkeys(["at", "first", "last", "end", "start", "window", "winner", "winners", "where",
                                    "plane", "row", "own"], NARROW),
    "philox.cuh": {"first": "ten words of the cipher", "used": "of the four words of a draw"},
    "reductions.cuh": {"width": OF_A_TILE},
    "tile.cuh": {"at": OF_A_TILE, "number": "of a block, of which a grid has less than 2**31"},
    "vision/box_nms.cu": dict.fromkeys(["order", "index", "names"], INT32),
    "vision/image_resize.cu": dict.fromkeys(["rows", "columns"], "a table of weights; its places are int32"),
    "vision/multibox.cu": dict.fromkeys(["match", "matched", "used", "order"], INT32),
    "vision/proposal.cu": {"order": INT32},
    "vision/roi.cu": {"winner": INT32},
}

# Kernels whose type of indices is a macro, and the Python part that says which: it must know where 32 bits end.
SWITCHES = {
    "gemm.cuh": "kernels/gemm.py", "gemm.cu": "kernels/gemm.py", "gemm_simple.cu": "kernels/gemm.py",
    "tile.cuh": "kernels/gemm.py", "mma.cuh": "kernels/gemm.py", "pairs.cuh": "kernels/gemm.py",
    "nn/convolution.cu": "kernels/nn/convolution.py", "nn/convolution.cuh": "kernels/nn/convolution.py",
    "nn/convolution_simple.cu": "kernels/nn/convolution.py",
    "nn/batch_norm.cu": "kernels/nn/batch_norm.py",
    "nn/pooling.cu": "kernels/nn/pooling.py",
    "array/indexing.cu": "kernels/array/indexing.py",
    "movement.cu": "kernels/movement.py", "strided_index.cuh": "kernels/movement.py",
    "array/extending.cu": "kernels/movement.py",
}

REALS = {"optimizer/multi_tensor_lars.cu", "optimizer/multi_tensor.cu", "optimizer/update.cuh", "optimizer/update.cu",
         "optimizer/update_adaptive.cu", "vision/image_color.cu"}          # whose NUMBER is a type of real numbers


def without_comments(path):
    return re.sub(r"/\*.*?\*/|//[^\n]*|(?m:^\s*#\s[^\n]*)", lambda m: "\n" * m[0].count("\n"), path.read_text(),
                  flags=re.S)


def declared(text):
    """The names of parameters and variables of 32 bits: those behind a type, one after the other."""
    for line in text.splitlines():
        for found in DECLARED.finditer(line):
            name = NAME.match(line, found.end())
            while name:
                yield name[1]
                end = end_of(line, name.end())
                name = NAME.match(line, end + 1) if line[end:end + 1] == "," else None


def end_of(line, at):
    """Where the value ends that a variable may have: at a comma, semicolon or bracket of no pair of its own."""
    depth = 0
    while at < len(line) and not (depth == 0 and line[at] in ",;)}"):
        depth += (line[at] in "([{") - (line[at] in ")]}")
        at += 1
    return at


def found_in(root, files):
    """{file: names of SIZES that are declared with 32 bits}."""
    found = {str(path.relative_to(root)): set(declared(without_comments(path))) & SIZES for path in sorted(files)}
    return {name: names for name, names in found.items() if names}


def named(allowed):
    return {name: set(reasons) for name, reasons in allowed.items()}


def test_the_search_finds_what_it_must():
    text = ("static int f(int64_t n, const int rows, unsigned *index) {"
            " int i = 0, count = g(i, 2), last[3]; long long n; }")
    assert set(declared(text)) == {"rows", "index", "i", "count", "last"}
    assert set(declared("cdef int size\ncdef unsigned int total = 0\nunsigned long long width;")) == {"size", "total"}


def test_no_number_of_elements_is_an_int():
    files = [*(PLUGIN / "csrc").rglob("*.[ch]"), *PLUGIN.glob("*.p[yx][xi]"), *PLUGIN.glob("kernels/**/*.p[yx][xi]"),
             PLUGIN / "gpu" / "launcher.pyx"]
    assert len(files) > 40
    assert found_in(PLUGIN, files) == named(CPU_ALLOWED)


def test_no_number_of_elements_on_the_gpu_is_an_int():
    files = [*GPU.rglob("*.cu"), *GPU.rglob("*.cuh")]
    assert len(files) > 60
    assert found_in(GPU, files) == named(GPU_ALLOWED)


def test_numbers_of_threads_are_64_bits_or_chosen():
    """blockIdx times a length is 32 bits, unless the other factor or a conversion before it is wider."""
    wide = re.compile(r"long long|pixels")
    narrow = {str(path.relative_to(GPU)) for pattern in ("*.cu", "*.cuh") for path in GPU.rglob(pattern)
              for line in without_comments(path).splitlines()
              if re.search(r"(blockIdx|gridDim)\.\w\s*\*|\*\s*(blockIdx|gridDim)\.", line) and not wide.search(line)}
    assert narrow <= set(SWITCHES)


def test_who_chooses_knows_where_32_bits_end():
    typed = re.compile(r"\b(?:NUMBER|INDEX) [a-z]|\bN \w+ = ")
    chosen = {str(path.relative_to(GPU)) for pattern in ("*.cu", "*.cuh") for path in GPU.rglob(pattern)
              if typed.search(without_comments(path))}
    assert chosen - REALS <= set(SWITCHES)
    for module in set(SWITCHES.values()) | {"elementwise_codegen.py"}:
        text = (PLUGIN / "gpu" / module).read_text()
        assert re.search(r"^\w+ = (limit_of_32_bits\()?2 \*\* 31", text, re.M), module
        assert "long long" in text or "np.int64" in text, module
