"""The codes of `npx.reshape`: -2 copies a length, -3 drops a 1, -4 copies the rest, -5 joins two, -6 splits one."""

from __future__ import annotations

import math

from ..base import ShapeError

__all__ = ["mirrored", "resolve"]


def mirrored(codes: list[int]) -> list[int]:
    """Return the codes from right to left; the two lengths of a -6 still follow it."""
    result, i = [], len(codes) - 1
    while i >= 0:
        if i >= 2 and codes[i - 2] == -6:
            result += [-6, codes[i], codes[i - 1]]
            i -= 3
        else:
            result.append(codes[i])
            i -= 1
    return result


def resolve(codes: list[int], lengths: list[int], size: int) -> list[int]:
    """Return the lengths that the codes stand for; a -1 may remain.

    lengths: the lengths of the array. size: its number of elements.
    """
    result: list[int] = []
    at, i = 0, 0

    def take(count: int) -> list[int]:
        nonlocal at
        if at + count > len(lengths):
            raise ShapeError(f"npx.reshape: shape {tuple(codes)} takes more lengths than shape {tuple(lengths)} has")
        at += count
        return lengths[at - count:at]

    while i < len(codes):
        code = codes[i]
        if code >= -1:
            result.append(code)
            at += 1
        elif code == -2:
            result += take(1)
        elif code == -3:
            if take(1) != [1]:
                raise ShapeError(f"npx.reshape: -3 drops a length of 1, found {lengths[at - 1]} in {tuple(lengths)}")
        elif code == -4:
            result += take(len(lengths) - at)
        elif code == -5:
            result.append(math.prod(take(2)))
        elif code == -6:
            whole, = take(1)
            parts = codes[i + 1:i + 3]
            if len(parts) < 2 or parts.count(-1) > 1 or any(n < 1 and n != -1 for n in parts):
                raise ShapeError(f"npx.reshape: -6 must be followed by two lengths, found {tuple(codes)}")
            known = math.prod(n for n in parts if n != -1)
            parts = [whole // known if n == -1 else n for n in parts]
            if math.prod(parts) != whole:
                raise ShapeError(f"npx.reshape: a length of {whole} cannot be split into {tuple(parts)}")
            result += parts
            i += 2
        else:
            raise ShapeError(f"npx.reshape: {code} is no code; expected a length, or -1 to -6")
        i += 1
    return result
