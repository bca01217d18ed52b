"""All-reduce of compressed values: float16 or bfloat16 on the wire with float32 sums, and two bits. The generators are
like those in `collectives.py`, and all processes end with the same bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..context import cpu
from ..ndarray import NDArray
from .collectives import Memory, Steps, pieces_of

__all__ = ["NARROW", "bfloat16", "float16", "two_bits"]

PART = 1 << 16          # a multiple of 8
MAX_GATHERING = 5       # up to this many processes, sending all bits to all takes fewer bytes than sending sums


def float16(comm: Any, flat: Any, memory: Memory, tag: int) -> Steps:
    """All-reduce a float32 array by float16 messages, rounding values once on their way to the sum and once after it.

    Each message has a power of 2 by which its values are multiplied, so that none overflows. The parameters are those
    of `direct`.
    """
    return _narrow(comm, flat, memory, tag, _to_float16, _from_float16)


def bfloat16(comm: Any, flat: Any, memory: Memory, tag: int) -> Steps:
    """All-reduce a float32 array by messages of bfloat16, which has the range of float32 and 8 bits of precision. The
    parameters are those of `direct`."""
    return _narrow(comm, flat, memory, tag, _to_bfloat16, _from_bfloat16)


NARROW = {"float16": float16, "bfloat16": bfloat16}


def _narrow(comm, flat, memory, tag, to_message, from_message):
    """All-reduce by messages of two bytes for each element."""
    rank, size = comm.Get_rank(), comm.Get_size()
    others = [(rank + distance) % size for distance in range(1, size)]
    pieces = pieces_of(flat, size)
    own = pieces[rank]
    sent = [memory.get(f"sent {other}", pieces[other].size + 2, np.float16) for other in others]
    arrived = [memory.get(f"arrived {other}", own.size + 2, np.float16) for other in others]
    requests = []
    for other, part in zip(others, sent, strict=True):
        to_message(pieces[other], part)
        requests.append(comm.Isend(part.view(np.uint8), dest=other, tag=tag))
    yield requests + [comm.Irecv(part.view(np.uint8), source=other, tag=tag)
                      for other, part in zip(others, arrived, strict=True)]
    for part in arrived:
        from_message(part, own, add=True)
    total = memory.get("total", own.size + 2, np.float16)
    to_message(own, total)
    from_message(total, own)
    yield ([comm.Isend(total.view(np.uint8), dest=other, tag=tag) for other in others]
           + [comm.Irecv(part.view(np.uint8), source=other, tag=tag) for other, part in zip(others, sent, strict=True)])
    for other, part in zip(others, sent, strict=True):
        from_message(part, pieces[other])


def two_bits(comm: Any, flat: Any, memory: Memory, tag: int, threshold: float) -> Steps:
    """All-reduce a float32 array whose elements are -threshold, 0 or threshold, by two bits for each element.

    With many processes, each piece goes to one of them, which adds it up and returns the sum as small integers. The
    parameters are those of `direct`.
    """
    rank, size = comm.Get_rank(), comm.Get_size()
    others = [(rank + distance) % size for distance in range(1, size)]
    gathering = size <= MAX_GATHERING
    pieces = [flat] * size if gathering else pieces_of(flat, size)
    own = pieces[rank]
    counted = np.int8 if size < 128 else np.int16
    arrived = [memory.get(f"arrived {other}", _packed_size(own.size), np.uint8) for other in others]
    own_bits = _packed(own)
    yield ([comm.Isend(own_bits if gathering else _packed(pieces[other]), dest=other, tag=tag) for other in others]
           + [comm.Irecv(part, source=other, tag=tag) for other, part in zip(others, arrived, strict=True)])
    total = memory.get("total", own.size, counted)
    for begin, end in _parts(own.size):
        total[begin:end] = _unpacked(own_bits, own.size, begin, end)
        for part in arrived:
            total[begin:end] += _unpacked(part, own.size, begin, end)
        np.multiply(total[begin:end], np.float32(threshold), out=own[begin:end], dtype=np.float32)
    if gathering:
        return
    sums = [memory.get(f"sum {other}", pieces[other].size, counted) for other in others]
    yield ([comm.Isend(total, dest=other, tag=tag) for other in others]
           + [comm.Irecv(part, source=other, tag=tag) for other, part in zip(others, sums, strict=True)])
    for other, part in zip(others, sums, strict=True):
        np.multiply(part, np.float32(threshold), out=pieces[other], dtype=np.float32)


def _to_float16(values, message):
    """Write the factor that undoes the scaling, a float32, then the scaled values."""
    top = float(max(values.max(), -values.min())) if values.size else 0.0
    exponent = 15 - math.frexp(top)[1] if 0 < top < math.inf else 0     # values below 2^15
    exponent = max(-100, min(100, exponent))
    message[:2].view(np.float32)[0] = 2.0**-exponent
    for begin, end in _parts(values.size):
        scaled = values[begin:end] * np.float32(2.0**exponent)
        message[2 + begin:2 + end] = _converted(scaled, "float16")


def _from_float16(message, out, add=False):
    """Write the values of a message to `out`, or add them."""
    factor = message[:2].view(np.float32)[0]
    for begin, end in _parts(out.size):
        values = _converted(message[2 + begin:2 + end], "float32")
        values *= factor
        if add:
            values += out[begin:end]
        out[begin:end] = values


def _to_bfloat16(values, message):
    """Write the upper halves of the values, rounded to nearest, ties to even; NaN stays NaN."""
    for begin, end in _parts(values.size):
        bits = values[begin:end].view(np.uint32)
        rounded = (bits + (((bits >> 16) & 1) + np.uint32(0x7FFF))) >> 16
        rounded[np.isnan(values[begin:end])] = 0x7FC0
        message[2 + begin:2 + end].view(np.uint16)[:] = rounded


def _from_bfloat16(message, out, add=False):
    """Write the values of a message to `out`, or add them."""
    for begin, end in _parts(out.size):
        values = (message[2 + begin:2 + end].view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        if add:
            out[begin:end] += values
        else:
            out[begin:end] = values


def _converted(values, dtype):
    """Return the values in another dtype, converted by the backend: NumPy's own float16 is ten times slower."""
    return NDArray(values, cpu()).astype(dtype).buffer


def _parts(count):
    """Return the ranges that are processed at once, short enough for the cache: (begin, end)."""
    return [(begin, min(begin + PART, count)) for begin in range(0, count, PART)]


def _packed_size(count):
    return 2 * ((count + 7) // 8)


def _packed(values):
    """Return two planes of bits: which elements are positive, and which are negative."""
    planes = np.empty((2, _packed_size(values.size) // 2), np.uint8)
    for begin, end in _parts(values.size):
        part = values[begin:end]
        planes[0, begin // 8:(end + 7) // 8] = np.packbits(part > 0)
        planes[1, begin // 8:(end + 7) // 8] = np.packbits(part < 0)
    return planes.reshape(-1)


def _unpacked(planes, count, begin, end):
    """Return -1, 0 or 1 for each of some elements out of `count`: int8."""
    half = (count + 7) // 8
    positive, negative = (np.unpackbits(planes[start + begin // 8:start + (end + 7) // 8], count=end - begin)
                          for start in (0, half))
    return positive.view(np.int8) - negative.view(np.int8)
