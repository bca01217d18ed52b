"""Calls of the quantized operators, with the same inputs here and in MXNet: {name: (operator, arrays, attributes)}."""

import zlib

import numpy as np

CASES = {}
IN_GRAPHS = "_contrib_quantized_elemwise_mul"       # MXNet runs it in graphs only
LOW, HIGH = np.float32([-1.1]), np.float32([1.9])


def case(name, op, *arrays, **attrs):
    """Enter a call. arrays: functions from a random generator to an array, or arrays."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    CASES[name] = op, [a(rng) if callable(a) else a for a in arrays], attrs


def whole(dtype, *shape):
    info = np.iinfo(dtype)
    return lambda rng: rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def real(*shape):
    return lambda rng: rng.normal(size=shape).astype(np.float32)


def ends(low, high):
    return np.float32([low]), np.float32([high])


HOSTILE = np.float32([0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 1e-40, 3e38])
for dtype in "int8", "uint8":
    for low, high in (-2.3, 1.7), (0, 1.9), (-1, 0), (1, 2), (0, 0), (np.nan, 1), (3, -3):
        case(f"quantize {dtype} {low} {high}", "_contrib_quantize", real(50), *ends(low, high), out_type=dtype)
    case(f"quantize hostile {dtype}", "_contrib_quantize", HOSTILE, *ends(-1, 2), out_type=dtype)
    case(f"dequantize {dtype}", "_contrib_dequantize", whole(dtype, 40), LOW, HIGH)
    case(f"dequantize nan {dtype}", "_contrib_dequantize", whole(dtype, 4), *ends(np.nan, 1))
    for shape in (2, 3), (2, 2, 3, 4):
        case(f"flatten {dtype} {shape}", "_contrib_quantized_flatten", whole(dtype, *shape), LOW, HIGH)
case("act", "_contrib_quantized_act", whole("int8", 4, 5), LOW, HIGH, act_type="relu")
for out_type in "int8", "uint8", "auto":
    for low, high in (None, None), (-1.5, 2.25), (0.0, 2.1):
        calib = {} if low is None else {"min_calib_range": low, "max_calib_range": high}
        note = f"{out_type} {calib.get('min_calib_range')}"
        case(f"quantize_v2 {note}", "_contrib_quantize_v2", real(60), out_type=out_type, **calib)
        case(f"requantize {note}", "_contrib_requantize", lambda rng: rng.integers(-2 ** 31 + 1, 2 ** 31, 60, "int32"),
             *ends(-2, 3), out_type=out_type, **calib)
for dtype in "int8", "uint8":
    for note, kwargs in (("max", {"kernel": (2, 2), "stride": (2, 2)}), ("avg", {"kernel": (2, 3), "stride": (2, 1)}),
                         ("max full", {"kernel": (3, 3), "pad": (1, 1), "stride": (2, 2),
                                       "pooling_convention": "full"}),
                         ("avg pad", {"kernel": (3, 3), "pad": (1, 1)}),
                         ("avg inside", {"kernel": (3, 3), "pad": (1, 1), "count_include_pad": False}),
                         ("max global", {"kernel": (1, 1), "global_pool": True}),
                         ("avg global", {"kernel": (1, 1), "global_pool": True})):
        case(f"pooling {dtype} {note}", "_contrib_quantized_pooling", whole(dtype, 2, 3, 5, 6), LOW, HIGH,
             pool_type=note[:3], **kwargs)
    for bias in False, True:
        weight, more = whole("int8", 5, 12), [whole("int8", 5)] if bias else []
        ranges = [*ends(-1, 2), *ends(-0.5, 0.4), *(ends(-0.3, 0.31) if bias else ())]
        case(f"fully connected {dtype} {bias}", "_contrib_quantized_fully_connected", whole(dtype, 4, 3, 4), weight,
             *more, *ranges, num_hidden=5, no_bias=not bias)
        case(f"fully connected rows {dtype} {bias}", "_contrib_quantized_fully_connected", whole(dtype, 2, 3, 12),
             weight, *more, *ranges, num_hidden=5, no_bias=not bias, flatten=False)
    case(f"batch norm {dtype}", "_contrib_quantized_batch_norm", whole(dtype, 2, 3, 4, 4), np.float32([1, 2, 0.5]),
         np.float32([0.1, -0.2, 0.3]), np.float32([0.5, 0.1, -0.2]), np.float32([1, 0.5, 2]), *ends(-1, 2),
         min_calib_range=-2.0, max_calib_range=2.2)
    for other in "int8", "uint8":
        arrays = whole(dtype, 2, 3), whole(other, 2, 4), LOW, HIGH, *ends(0, 1.3)
        case(f"concat {dtype} {other}", "_contrib_quantized_concat", *arrays, num_args=2, dim=1)
SAME = {"min_calib_range": -2.9, "max_calib_range": 2.5}
for note, calib in ("int32", {}), ("calibrated", SAME):
    for dtype in "int8", "uint8":
        pair = whole(dtype, 9, 9), whole(dtype, 9, 9)
        case(f"add {dtype} {note}", "_contrib_quantized_elemwise_add", *pair, *ends(-1.9, 2.1), *ends(-1.3, 1), **calib)
    pair = whole("int8", 9, 9), whole("int8", 9, 9)
    case(f"mul {note}", IN_GRAPHS, *pair, *ends(-1.9, 2.1), *ends(-1.3, 1), **calib)
    case(f"mul float {note}", IN_GRAPHS, *pair, *ends(-1.9, 2.1), *ends(-1.3, 1), enable_float_output=True, **calib)
case("embedding", "_contrib_quantized_embedding", np.float32([[0, 4], [2, 3]]), whole("int8", 5, 3), LOW, HIGH,
     input_dim=5, output_dim=3)
for note, attrs in ("plain", {}), ("stride", {"stride": (2, 1), "pad": (1, 2), "dilate": (1, 2)}):
    case(f"conv {note}", "_contrib_quantized_conv", whole("uint8", 2, 4, 6, 7), whole("int8", 6, 4, 3, 3), *ends(0, 2),
         *ends(-0.5, 0.4), kernel=(3, 3), num_filter=6, no_bias=True, **attrs)


def histogram(draw, bins, limit):
    counts, edges = np.histogram(draw(np.random.default_rng(0)).astype(np.float32), bins, (-limit, limit))
    return counts.astype(np.float32), edges.astype(np.float32)


for note, draw, bins, limit, count in (("normal", lambda r: r.normal(size=20000), 801, 4, 255),
                                       ("relu", lambda r: np.maximum(r.normal(size=20000), 0), 2001, 4, 255),
                                       ("laplace", lambda r: r.laplace(size=50000), 801, 12, 63)):
    case(f"entropy {note}", "_contrib_calibrate_entropy", *histogram(draw, bins, limit), num_quantized_bins=count)
