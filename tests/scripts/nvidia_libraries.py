"""Compare what the plugin says about cuDNN and cuBLASLt with their headers, and its descriptors with the libraries.

    pip download --no-deps --dest /tmp/wheels nvidia-cudnn-cu12 nvidia-cublas-cu12      # 1.3 GB; unzip both
    python tests/scripts/nvidia_libraries.py /tmp/wheels/nvidia

The folder has cudnn/ and cublas/, each with include/ and lib/. It needs no card. Prints what was compared, and ends
with an error at the first difference.
"""

import argparse
import ctypes
import pathlib
import random
import re
import types

import numpy as np
from minigluon_accel.gpu import cublas, cublaslt, driver
from minigluon_accel.gpu.cudnn import convolution, convolution_relu, descriptors, library

from minigluon.backend import Spec
from minigluon.ops import REGISTRY

DRAWS = 300
POINTERS = r"cudnn\w*Descriptor_t|\w+Handle_t|cudaStream_t|cublasLt\w+(?:Desc|Layout|Preference)_t"

CONSTANTS = {
    "CUDNN_DATA_FLOAT": descriptors.TYPES["float32"], "CUDNN_DATA_DOUBLE": descriptors.TYPES["float64"],
    "CUDNN_DATA_HALF": descriptors.TYPES["float16"], "CUDNN_TENSOR_NCHW": descriptors.ROWS,
    "CUDNN_TENSOR_NHWC": descriptors.CHANNELS_LAST, "CUDNN_CROSS_CORRELATION": descriptors.CROSS_CORRELATION,
    "CUDNN_DETERMINISTIC": descriptors.DETERMINISTIC, "CUDNN_DEFAULT_MATH": descriptors.DEFAULT_MATH,
    "CUDNN_TENSOR_OP_MATH": descriptors.TENSOR_CORES, "CUDNN_FMA_MATH": descriptors.WITHOUT_TENSOR_CORES,
    "CUDNN_ACTIVATION_RELU": convolution_relu.RELU, "CUDNN_PROPAGATE_NAN": convolution_relu.KEEPS_NAN,
    "CUDNN_STATUS_NOT_SUPPORTED": library.UNSUPPORTED.start,
    "CUDNN_STATUS_INTERNAL_ERROR": library.UNSUPPORTED.stop,
    "CUDNN_CONVOLUTION_FWD_ALGO_COUNT": len(convolution.ALGORITHMS["Forward"]),
    "CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT": len(convolution.ALGORITHMS["BackwardData"]),
    "CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT": len(convolution.ALGORITHMS["BackwardFilter"]),
}
LT_CONSTANTS = {
    "CUBLASLT_MATMUL_DESC_TRANSA": cublaslt.TRANSPOSE_A, "CUBLASLT_MATMUL_DESC_TRANSB": cublaslt.TRANSPOSE_B,
    "CUBLASLT_MATMUL_DESC_EPILOGUE": cublaslt.EPILOGUE, "CUBLASLT_MATMUL_DESC_BIAS_POINTER": cublaslt.BIAS_POINTER,
    "CUBLASLT_EPILOGUE_DEFAULT": cublaslt.NOTHING, "CUBLASLT_EPILOGUE_RELU": cublaslt.RELU,
    "CUBLASLT_EPILOGUE_BIAS": cublaslt.BIAS, "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES": cublaslt.MAX_WORKSPACE,
    **{f"CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_{which}_BYTES": number
       for which, number in zip("ABCD", cublaslt.MIN_ALIGNMENTS, strict=True)},
    "CUBLAS_STATUS_NOT_SUPPORTED": cublaslt.NOT_SUPPORTED, "CUBLAS_COMPUTE_32F": cublas.IN_FLOAT32,
    "CUBLAS_COMPUTE_64F": cublas.IN_FLOAT64, "CUBLAS_COMPUTE_32F_FAST_TF32": cublas.IN_TF32,
}
WORDS = {"IMPLICIT_GEMM": "implicit GEMM", "IMPLICIT_PRECOMP_GEMM": "implicit GEMM, indices computed before",
         "FFT_TILING": "FFT in tiles", "WINOGRAD": "Winograd", "WINOGRAD_NONFUSED": "Winograd in steps",
         "DIRECT": "direct", **{str(n): f"algorithm {n}" for n in range(4)}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    text = read(folder / "cudnn", "cudnn_*_v9.h")
    compare_constants(text, CONSTANTS)
    compare_algorithms(text)
    compare_functions(text, library.signatures(), "CUDNNWINAPI")
    compare_struct(text)
    compare_descriptors(str(folder / "cudnn" / "lib" / library.NAME))
    text = read(folder / "cublas", "cublas*.h")
    compare_constants(text, LT_CONSTANTS)
    compare_functions(text, cublaslt.SIGNATURES, "CUBLASWINAPI")
    compare_products(next((folder / "cublas" / "lib").glob("libcublasLt.so.*")))


def read(folder, pattern):
    """Headers without comments."""
    text = "\n".join(path.read_text() for path in sorted((folder / "include").glob(pattern)))
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def compare_constants(text, constants):
    for name, number in constants.items():
        found = re.search(rf"\b{name}\s*(?:CUDNN_DEPRECATED_ENUM)?\s*=\s*(-?\d+)", text)
        assert found, f"{name} is not in the headers"
        assert int(found[1]) == number, f"{found[0]}, and here {number}"
    print(f"{len(constants)} constants are those of the headers")


def compare_algorithms(text):
    for way, short in zip(library.WAYS, ("FWD", "BWD_DATA", "BWD_FILTER"), strict=True):
        for name, number in re.findall(rf"CUDNN_CONVOLUTION_{short}_ALGO_(\w+)\s*=\s*(\d+)", text):
            told = convolution.ALGORITHMS[way]
            assert name == "COUNT" or told[int(number)] == WORDS.get(name, name), f"{way}: {name} = {number}: {told}"
    print("the names of algorithms are those of the headers")


def compare_functions(text, signatures, convention):
    for name, (result, arguments) in signatures.items():
        found = re.search(rf"(\w+(?:\s*\*)?)\s*{convention}\s*{name}\s*\(([^)]*)\)", text)
        assert found, f"{name} is not in the headers"
        wanted = [c_type(one) for one in found[2].split(",")] if found[2].strip() not in ("", "void") else []
        assert wanted == arguments, f"{name}: {found[2]}, and here {arguments}"
        wanted = ctypes.c_char_p if "char" in found[0].split(convention)[0] else c_type(found[1])
        assert result == wanted or (result is None and found[1] == "void"), f"{name} returns {found[1]}"
    print(f"{len(signatures)} functions have the types of the headers")


def c_type(text):
    """The type of ctypes for a C declaration. Descriptors, handles and streams are pointers; enums are ints."""
    words = text.replace("*", " * ").replace("[", " [").split()
    if {"*", "[]"} & set(words) or re.search(POINTERS, text):
        return ctypes.c_void_p
    return {"size_t": ctypes.c_size_t, "double": ctypes.c_double, "uint64_t": ctypes.c_uint64,
            "int64_t": ctypes.c_int64}.get(next(w for w in words if w != "const"),
                                                                      ctypes.c_int)


def compare_struct(text):
    kinds = {"float": ctypes.c_float, "size_t": ctypes.c_size_t}
    for name in "Fwd", "BwdData", "BwdFilter":
        body = re.search(rf"cudnnConvolution{name}AlgoPerfStruct\s*\{{([^}}]*)\}}", text)[1]
        wanted = [kinds.get(line.split()[0], ctypes.c_int) * (3 if "[3]" in line else 1)
                  for line in body.split(";") if line.strip()]
        found = [kind if issubclass(kind, ctypes.Array) else kind * 1
                 for _, kind in descriptors.AlgorithmResult._fields_]
        assert [(w._type_, w._length_) for w in wanted] == [(f._type_, f._length_) for f in found], name
    print("the struct of an algorithm has the fields of the headers")


def compare_descriptors(path):
    """Descriptors of drawn convolutions, read back from the library, and the sizes of results that it computes."""
    real = library.declared(ctypes.CDLL(path))
    library.loaded, driver.lost = (lambda: real), (lambda *told: None)
    print(f"{library.version()}, built with CUDA {real.cudnnGetCudartVersion()}, makes descriptors:")
    draw, device, done = random.Random(0), types.SimpleNamespace(number=0), 0
    while done < DRAWS:
        op, shapes, dtype = drawn(draw)
        geometry = op.geometry()
        data, weight = (Spec(shape, np.dtype(dtype)) for shape in shapes)
        out = Spec(op.infer_shape(*shapes)[1][0], np.dtype(dtype))
        x, w = descriptors.images(device, data, geometry.last), descriptors.filters(device, weight, geometry.last)
        windows = descriptors.windows(device, geometry, dtype, descriptors.DEFAULT_MATH)
        sizes = descriptors.ints([0] * len(descriptors.sizes(out, geometry.last)))
        library.call(device, "sizes", "cudnnGetConvolutionNdForwardOutputDim", windows, x, w, len(sizes), sizes)
        assert list(sizes) == descriptors.sizes(out, geometry.last), (op, shapes, list(sizes))
        compare_tensor(real, x, data, geometry.last)
        done += 1
    print(f"  {done} results have the shapes of Convolution, and tensors the strides of their arrays")
    try:
        library.call(device, "a test", "cudnnSetTensorNdDescriptor", x, 99, 4, sizes, sizes)
    except Exception as error:
        print(f"  an error: {error}")


def compare_products(path):
    """Descriptions of products, which the library makes without a card."""
    real = cublaslt.declared(ctypes.CDLL(str(path)))
    cublaslt.loaded, cublaslt.available, cublaslt._handle = (lambda: real), (lambda: None), (lambda device: None)
    for dtype in "float32", "float64", "float16":
        for turned in (False, False), (True, False), (True, True):
            asked = cublaslt._MatmulRequest(types.SimpleNamespace(number=0), dtype, (3, 5, 4), turned, True, True)
            compare_layouts(real, asked, turned)
    print(f"cuBLASLt {real.cublasLtGetVersion()} makes descriptions of products with bias and relu")


def compare_layouts(real, asked, turned):
    """Sides and distances of the matrices as the library has them."""
    m, n, k = 3, 5, 4
    wanted = [(k, n) if turned[1] else (n, k), (m, k) if turned[0] else (k, m), (n, m)]
    for layout, shape in zip(asked.layouts, wanted, strict=True):
        found = []
        for attribute in 2, 3, 4:           # CUBLASLT_MATRIX_LAYOUT_ROWS, _COLS, _LD
            value, written = ctypes.c_uint64(), ctypes.c_size_t()
            assert real.cublasLtMatrixLayoutGetAttribute(layout, attribute, ctypes.byref(value), ctypes.c_size_t(8),
                                                         ctypes.byref(written)) == 0
            found.append(value.value)
        assert found == [*shape, shape[0]], (found, shape)


def compare_tensor(real, x, spec, last):
    count = len(descriptors.sizes(spec, last))
    dtype, rank, sizes, steps = ctypes.c_int(), ctypes.c_int(), descriptors.ints([0] * 8), descriptors.ints([0] * 8)
    assert real.cudnnGetTensorNdDescriptor(x, 8, *map(ctypes.byref, (dtype, rank)), sizes, steps) == 0
    array = np.empty(spec.shape, spec.dtype)
    array = np.moveaxis(array, -1, 1) if last else array
    while array.ndim < count:
        array = array[:, :, None]
    assert (rank.value, list(sizes[:count])) == (count, list(array.shape))
    wanted = [step // array.itemsize for step in array.strides]
    assert [s for s, n in zip(steps, array.shape, strict=False) if n > 1] == [s for s, n in zip(
        wanted, array.shape, strict=True) if n > 1], (list(steps), wanted)


def drawn(draw):
    """(Convolution, shapes of data and weight, dtype)."""
    rank, groups, last = draw.randint(1, 3), draw.choice([1, 1, 2, 3]), draw.random() < 0.5
    kernel, stride, dilate = ([draw.randint(1, 3) for _ in range(rank)] for _ in range(3))
    pad = [draw.randint(0, 2) for _ in range(rank)]
    layout = ("N" + "DHW"[-rank:] + "C") if last else "NC" + "DHW"[-rank:]
    op = REGISTRY["Convolution"](kernel=kernel, stride=stride, dilate=dilate, pad=pad, num_filter=groups * 2,
                                 num_group=groups, no_bias=True, layout=layout)
    geometry = op.geometry()
    space = [d * (k - 1) + 1 + draw.randint(0, 5) for k, d in zip(kernel, dilate, strict=True)]
    channels = groups * draw.randint(1, 3)
    shapes = [geometry.shape(draw.randint(1, 3), channels, space),
              geometry.shape(op.num_filter, channels // groups, kernel)]
    return op, shapes, draw.choice(["float32", "float64", "float16"])


if __name__ == "__main__":
    main()
