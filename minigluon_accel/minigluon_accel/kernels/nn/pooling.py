"""Pooling and its gradients."""

import math

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size

__all__ = ["by_images"]

_KINDS = {"max": 0, "sum": 1, "lp": 2, "avg": 3}


def _windows(op, shape):
    """Returns the fields of the kernels' Windows for data of this shape, and whether one window covers the whole
    image."""
    places = op.places(shape)
    missing = 3 - len(places.space)
    axes = {
        "size": (1,) * missing + tuple(places.space),
        "out": (1,) * missing + tuple(places.out),
        "kernel": (1,) * missing + tuple(places.kernel),
        # If there is only one window, its stride does not matter; a huge stride would require long rows.
        "stride": (1,) * missing + tuple(min(s, n + 2 * p) if out == 1 else s for s, n, p, out in zip(
            places.stride, places.space, places.pad, places.out, strict=True)),
        "pad": (0,) * missing + tuple(places.pad)}
    kind = _KINDS[op.pool_type]
    if op.pool_type == "lp" and op.p_value == 1:
        kind = _KINDS["sum"]
    if op.pool_type == "avg" and op.count_include_pad is False:
        kind += 1
    fields = {"images": shape[0] if op.last else shape[0] * shape[1],
              **axes, "channels": shape[-1] if op.last else 1, "kind": kind}
    return fields, places.is_whole and not op.last


def _tiled(name, op, data):
    """Returns the Call for 2 x 2 windows that tile the images, or None for other windows."""
    if op.last or op.global_pool or op.pool_type != "max" or len(op.kernel) != 2:
        return None
    places = op.places(data.shape)
    if places.kernel != (2, 2) or places.stride != (2, 2) or any(places.pad) or any(
            2 * n != m for n, m in zip(places.out, places.space, strict=True)):
        return None
    height, width = places.out
    lines = data.shape[0] * data.shape[1] * height
    return Call(Phase(name, data.dtype, _divided(size(data), lines), lines=lines, width=width))


def _divided(work, rows):
    """Returns the number of parts for work on `work` elements in `rows` indivisible rows."""
    return min(parts(work), rows)


def _lines(fields):
    return fields["images"] * math.prod(fields["out"][:2])


def _cannot(specs, data):
    """Returns the reason why a kernel cannot handle these arrays, or None if it can."""
    return reals(*specs) or ("no elements" if size(data) == 0 else None)


@kernel_for("Pooling")
def pooling(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    reason = _cannot([data, out], data)
    if reason:
        return reason
    if op.pool_type == "lp" and op.p_value > 2:
        return f"p_value {op.p_value}"
    tiled = _tiled("pool_2x2", op, data)
    if tiled:
        return tiled
    fields, whole = _windows(op, data.shape)
    name, rows = ("pool_whole", fields["images"]) if whole else ("pool_last", size(out)) if op.last else (
        "pool", _lines(fields))
    phases = [Phase(name, data.dtype, _divided(size(data), rows), **fields)]
    if op.pool_type == "lp" and op.p_value == 2:
        phases.append(Phase("pool_roots", data.dtype, parts(size(out)), size=size(out)))
    return Call(*phases)


def by_images(name, op, reals_, data, whole=None, tiled=None):
    """Returns the Call of a kernel for whole images. whole, tiled: kernels for windows that cover or tile them."""
    reason = _cannot(reals_, data)
    if reason:
        return reason
    call = _tiled(tiled, op, data) if tiled else None
    if call:
        return call
    fields, is_whole = _windows(op, data.shape)
    name = whole if whole and is_whole else name + "_last" * op.last
    return Call(Phase(name, data.dtype, _divided(size(data), fields["images"]), **fields))


@kernel_for("_sum_pooling_grad")
def sum_pooling_grad(op, inputs, outputs):
    return by_images("pool_sum_grad", op, [*inputs, *outputs], inputs[1], "pool_whole_sum_grad")


@kernel_for("_max_pooling_grad")
def max_pooling_grad(op, inputs, outputs):
    return by_images("pool_max_grad", op, [*inputs, *outputs], inputs[1], "pool_whole_max_grad",
                      "pool_2x2_max_grad")


@kernel_for("_pick_largest")
def pick_largest(op, inputs, outputs):
    return by_images("pool_pick_largest", op, [*inputs, *outputs], inputs[1])
