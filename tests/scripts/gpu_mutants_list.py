"""The mistakes that gpu_mutants.py makes in kernels and in the host code around them, one at a time."""

from typing import NamedTuple

__all__ = ["HARD_PART", "MUTANTS", "Mutant"]

GPU = "minigluon_accel/minigluon_accel/gpu/"
BARRIER = "__syncthreads();"
GONE = ";"

# What CI runs in hard mode, see test_gpu_hard.py.
HARD_PART = "tests/helpers/gpu_hard_program.py"


# The cases of it that use a file; "": all.
CASES = {
    "tile.cuh": "products convolution", "gemm.cu": "products", "gemm_simple.cu": "products",
    "reductions.cuh": "sums long-sums", "common.cuh": "diagonals eigenvectors factors",
    "array/ordering.cu": "sort", "movement.cu": "transposition", "array/contrib.cu": "mask", "nn/ctc.cu": "ctc",
    "nn/fused_attention.cu": "attention", "nn/fused_attention_grad.cu": "attention",
    "nn/convolution.cu": "convolution", "linalg/factor.cu": "factors", "linalg/factor_orthogonal.cu":
    "factors eigenvectors", "vision/box_nms.cu": "detections", "vision/boxes.cu": "matching",
    "vision/boxes.cuh": "matching targets", "random/sample.cu": "unique-numbers",
    "array/contrib_histogram.cu": "histogram",
    "array/indexing.cu": "places", "memory.py": "copies training", "compile.py": "products training",
    "graphs.py": "training",
}


class Mutant(NamedTuple):
    """In a file of the plugin the text `old`, of several such the one of this number, is `new` instead.

    tests: what should find it: files, each with words for pytest's -k behind a colon or without.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple
    number: int = 0

    @property
    def cases(self):
        """Of the hard part, those that use the file."""
        return CASES[self.file.removeprefix("kernels/")].split()

    def made(self, text):
        """The file's text with the mistake. Raises ValueError where the place is not there."""
        pieces = text.split(self.old)
        if len(pieces) < self.number + 2:
            raise ValueError(f"{self.name}: {self.file} has {len(pieces) - 1} times {self.old!r}")
        cut = self.number + 1
        return self.old.join(pieces[:cut]) + self.new + self.old.join(pieces[cut:])


def barrier(name, file, number, *tests):
    """One barrier of a kernel is deleted."""
    return Mutant(name, f"kernels/{file}", BARRIER, GONE, tests, number)


def kernel(name, file, old, new, *tests, number=0):
    return Mutant(name, f"kernels/{file}", old, new, tests, number)


def host(name, file, old, new, *tests):
    return Mutant(name, file, old, new, tests)


REDUCTIONS = "gpu/math/test_gpu_reduce.py:test_rows or all_sets or more_lines or equal_elements"
FACTOR = "gpu/linalg/test_gpu_factor.py:test_rows or test_shapes or eigenvectors or determinants"
ORDERING = "gpu/array/test_gpu_ordering.py:test_rows or lengths_around or many_short"
LINEAR = "gpu/nn/test_gpu_matrix.py:dot or fully or tile or parts or grid or infinity"
CONVOLUTION = "gpu/nn/test_gpu_convolution.py:geometries or every_tile or parts or grid"
AGREEMENT = "gpu/test_gpu_agreement.py:"
SOFTMAX = "gpu/nn/test_gpu_softmax.py"
CTC = "gpu/nn/test_gpu_ctc.py"
ATTENTION = "gpu/nn/test_gpu_attention.py:each_mask or borders"
MOVEMENT = "gpu/test_gpu_movement.py"
MEMORY = "gpu/test_gpu_memory.py"
DOWNLOAD = "                self._cuda.memcpy_dtoh_async(array, buffer.pointer, self._device.stream)\n"

MUTANTS = [
    # -- barriers
    barrier("tile: before the product", "tile.cuh", 0, LINEAR),
    kernel("tile: copies are waited for", "tile.cuh", "            copies.wait();\n", "", LINEAR),
    barrier("reduction: values are there", "reductions.cuh", 0, REDUCTIONS),
    barrier("reduction: each step", "reductions.cuh", 1, REDUCTIONS),
    barrier("reduction: before the next tile", "reductions.cuh", 2, REDUCTIONS),
    barrier("block_sum: a former call's sums", "common.cuh", 0, FACTOR, SOFTMAX),
    barrier("block_sum: sums are there", "common.cuh", 1, FACTOR, SOFTMAX),
    barrier("cholesky: the rest is reduced", "linalg/factor.cu", 7, FACTOR),
    barrier("block_max: maxima are there", "common.cuh", 3, FACTOR, "gpu/array/test_gpu_indexing.py"),
    barrier("sort: before a length", "array/ordering.cu", 0, ORDERING),
    barrier("sort: before a distance", "array/ordering.cu", 1, ORDERING),
    barrier("sort: the end", "array/ordering.cu", 2, ORDERING),
    kernel("sort: items beyond the row's end", "array/ordering.cu", "tile[t] = run < runs && place < n",
           "tile[t] = run < runs", ORDERING),
    barrier("transposition: the tile is there", "movement.cu", 0, MOVEMENT),
    barrier("transposition: before the next tile", "movement.cu", 1, MOVEMENT),
    barrier("mask: sums are there", "array/contrib.cu", 0, "gpu/array/test_gpu_indexing.py:mask"),
    barrier("mask: sums have been read", "array/contrib.cu", 1, "gpu/array/test_gpu_indexing.py:mask"),
    barrier("gemv: slices are there", "gemm_simple.cu", 0, LINEAR),
    barrier("gemv: before the next rows", "gemm_simple.cu", 1, LINEAR),
    kernel("convolution: taps that are not there", "nn/convolution.cu", "row < scene.rows && other >= 0)",
           "row < scene.rows)", CONVOLUTION),
    barrier("convolution: the table is there", "nn/convolution.cu", 1, CONVOLUTION),
    barrier("ctc: the next frame", "nn/ctc.cu", 0, CTC),
    barrier("ctc: the frame before", "nn/ctc.cu", 1, CTC),
    barrier("attention: keys are there", "nn/fused_attention.cu", 0, ATTENTION),
    barrier("attention: weights are there", "nn/fused_attention.cu", 1, ATTENTION),
    kernel("attention: values are waited for", "nn/fused_attention.cu", "        copies.wait();\n", "", ATTENTION,
           number=1),
    barrier("attention's gradient: weights have been read", "nn/fused_attention_grad.cu", 2, ATTENTION),
    barrier("attention's gradient: keys have been read", "nn/fused_attention_grad.cu", 7, ATTENTION),
    barrier("cholesky: the pivot has been read", "linalg/factor.cu", 5, FACTOR),
    barrier("cholesky: the column is there", "linalg/factor.cu", 6, FACTOR),
    barrier("inverse: rows are swapped", "linalg/factor.cu", 9, FACTOR),
    barrier("inverse: the pivot's row is divided", "linalg/factor.cu", 10, FACTOR),
    barrier("lq: the rows below are reflected", "linalg/factor_orthogonal.cu", 3, FACTOR),
    barrier("lq: the reflector is there", "linalg/factor_orthogonal.cu", 2, FACTOR),
    barrier("eigenvectors: turns are there", "linalg/factor_orthogonal.cu", 5, FACTOR),
    barrier("box_nms: what is struck out", "vision/box_nms.cu", 1, AGREEMENT + "box_nms"),
    barrier("matching: the last pair", "vision/boxes.cu", 0, AGREEMENT + "bipartite"),
    barrier("best of a block: each step", "vision/boxes.cuh", 1, AGREEMENT + "bipartite or MultiBoxTarget"),
    barrier("unique numbers: candidates are there", "random/sample.cu", 2, "gpu/random/test_gpu_random.py"),
    # -- bounds, indices, masks
    kernel("gemm: rows beyond the last", "gemm.cu", "row >= p.rows || ", "", LINEAR),
    kernel("gemm: depth beyond the last", "gemm.cu", " && i * slots.k_step < deep", "", LINEAR),
    kernel("for_each: one more", "common.cuh", "i < (n); i += _step)", "i <= (n); i += _step)",
           "gpu/math/test_gpu_elementwise.py", "gpu/array/test_gpu_indexing.py:take"),
    kernel("transposition: the border", "movement.cu", "if (a < across && d < down) tile",
           "if (a <= across && d < down) tile", MOVEMENT),
    kernel("block_sum: lanes of warps that are not there", "common.cuh", "lane < warps ? sums[lane] : V(0)",
           "sums[lane]", FACTOR, SOFTMAX),
    kernel("reduction: half a step", "reductions.cuh", "upper >= width", "upper > width", REDUCTIONS),
    kernel("warp_sum: one lane less in the mask", "common.cuh", "value += __shfl_xor_sync(0xffffffffu",
           "value += __shfl_xor_sync(0x7fffffffu", FACTOR, SOFTMAX),
    kernel("sort: a run beyond the last", "array/ordering.cu", "if (run < runs && place < n) items",
           "if (place < n) items", ORDERING),
    kernel("histogram: no atomic", "array/contrib_histogram.cu", "atomicAdd(counts + low, 1ULL);",
           "counts[low] += 1ULL;", "gpu/array/test_gpu_contrib.py"),
    kernel("scatter: no atomic", "array/indexing.cu", "atomicMax(&last[slice_number(indices, b, axes, columns, "
           "lengths)], (int)b)", "last[slice_number(indices, b, axes, columns, lengths)] = (int)b",
           "gpu/array/test_gpu_indexing.py:places or bits or positions", AGREEMENT + "scatter"),
    kernel("mask: shuffles beyond the first lane", "array/contrib.cu", "if (lane >= step) sum += other;",
           "sum += other;", "gpu/array/test_gpu_indexing.py:mask"),
    # -- waits, pinned memory, streams
    host("download: no wait", "memory.py", DOWNLOAD + "                self._device.stream.synchronize()\n", DOWNLOAD,
         MEMORY, "gpu/test_gpu_arrays.py"),
    host("upload: pinned memory is given back at once", "memory.py", "self._uploads.append((event, pinned))", "pass",
         MEMORY, "gpu/test_gpu_arrays.py"),
    host("upload: an event that is not asked for", "memory.py", "if not upload[0].query():", "if False:", MEMORY,
         "gpu/test_gpu_arrays.py"),
    host("upload: another stream", "memory.py",
         "memcpy_htod_async(address, source, self._device.stream)\n            ev",
         "memcpy_htod_async(address, source, self._device.capture_stream)\n            ev", MEMORY,
         "gpu/test_gpu_arrays.py"),
    host("launch: the capture's stream", "compile.py", "0, self._count, device.stream_handle)",
         "0, self._count, device.capture_stream.handle)", "gpu/test_gpu_arrays.py", MEMORY),
    host("graphs: the capture's stream", "graphs.py", "ctypes.c_void_p(device.stream_handle)",
         "ctypes.c_void_p(device.capture_stream.handle)", "gpu/test_gpu_graphs.py", AGREEMENT + "same_bits"),
]
