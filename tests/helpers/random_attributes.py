"""Slices, codes of Reshape and broadcasting with attributes drawn at random: (symbol, {name: array})."""

import numpy as np

from minigluon import sym

__all__ = ["DRAWS"]


def _array(rng, shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def sliced(rng):
    """`slice` of an array of one to four axes, steps of both signs."""
    shape = rng.integers(2, 7, rng.integers(1, 5))
    begin, end, step = [], [], []
    for n in shape[:rng.integers(1, len(shape) + 1)]:
        low, high = sorted(rng.choice(n + 1, 2, replace=False).tolist())
        stride = int(rng.choice([1, 2, 3]))
        if rng.random() < 0.3:                          # backwards
            begin.append(high - 1)
            end.append(None if low == 0 else low - 1)
            step.append(-stride)
        else:
            begin.append(None if low == 0 and rng.random() < 0.5 else low)
            end.append(None if high == n and rng.random() < 0.5 else high)
            step.append(stride)
    x = sym.var("x")
    return sym.slice(x, begin=tuple(begin), end=tuple(end), step=tuple(step)), {"x": _array(rng, tuple(shape))}


def reshaped(rng):
    """`reshape` by codes: copies, joins, splits, and a length that follows from the rest."""
    shape = [int(n) for n in rng.choice([2, 3, 4, 6], rng.integers(1, 5))]
    codes, axis, has_rest = [], 0, False
    while axis < len(shape):
        choice = rng.integers(5)
        if choice == 0 and axis + 1 < len(shape):
            codes.append(-3)
            axis += 2
        elif choice == 1:
            divisor = next(d for d in (2, 3) if shape[axis] % d == 0)
            codes += [-4, *((divisor, -1) if rng.random() < 0.5 else (-1, divisor))]
            axis += 1
        elif choice == 2:
            codes.append(-2)
            axis = len(shape)
        elif choice == 3 and not has_rest:
            codes.append(-1)
            has_rest, axis = True, axis + 1
        else:
            codes.append(0)
            axis += 1
    return sym.reshape(sym.var("x"), shape=tuple(codes)), {"x": _array(rng, tuple(shape))}


def broadcast(rng):
    """Arithmetic of two arrays that broadcast."""
    shape = rng.integers(1, 5, rng.integers(1, 5))
    first, second = (tuple(int(1 if rng.random() < 0.3 else n) for n in shape) for _ in range(2))
    name = rng.choice(["add", "sub", "mul", "maximum", "lesser", "hypot"])
    symbol = getattr(sym, f"broadcast_{name}")(sym.var("x"), sym.var("y"))
    return symbol, {"x": _array(rng, first), "y": _array(rng, second)}


def reduced(rng):
    """Reductions over some axes."""
    shape = tuple(int(n) for n in rng.integers(1, 5, rng.integers(1, 5)))
    axes = tuple(int(a) for a in rng.choice(len(shape), rng.integers(0, len(shape) + 1), replace=False))
    symbol = getattr(sym, rng.choice(["sum", "mean", "max", "min", "prod"]))(
        sym.var("x"), axis=axes, keepdims=bool(rng.integers(2)), exclude=bool(axes and rng.integers(2)))
    return symbol, {"x": _array(rng, shape)}


DRAWS = {"slices": sliced, "`Reshape` codes": reshaped, "broadcasting": broadcast, "reductions": reduced}
