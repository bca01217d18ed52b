"""The table that `Block.summary` prints."""

from ..base import MXNetError
from ..ops.shapes import size_of
from .structure import flatten

__all__ = ["print_summary"]

ROW = "{:>20}  {:>42} {:>15}"
WIDTH = 80


def print_summary(block, inputs):
    """Run `block` once, watching every block in it, and print what each gave back and how much it learns."""
    rows, seen, handles = [("Input", _shapes(inputs), 0)], set(), []

    def watch(b):
        if getattr(b, "_active", False):
            raise MXNetError(f"summary cannot watch {type(b).__name__} {b.name!r}, because it is hybridized. Call "
                             "summary first, or net.hybridize(False).")

        def hook(b, _, output):
            rows.append((f"{type(b).__name__}-{len(rows)}", _shapes(output), _count(b.params.values(), seen)))
        handles.append(b.register_forward_hook(hook))

    block.apply(watch)
    try:
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    _print(rows, block)


def _count(params, seen):
    """Number of elements of parameters that were not counted before."""
    new = [p for p in params if p not in seen]
    seen.update(new)
    return sum(size_of(p.shape) for p in new)


def _shapes(arrays):
    shapes = [tuple(x.shape) for x in flatten(arrays)[0] if hasattr(x, "shape")]
    return str(shapes[0] if len(shapes) == 1 else shapes)


def _print(rows, block):
    params = list(block.collect_params().values())
    total = _count(params, set())
    trainable = _count([p for p in params if p.grad_req != "null"], set())
    unique = sum(count for _, _, count in rows)
    print("-" * WIDTH)
    print(ROW.format("Layer (type)", "Output Shape", "Param #"))
    print("=" * WIDTH)
    for row in rows:
        print(ROW.format(*row))
    print("=" * WIDTH)
    print(f"Parameters in forward computation graph, duplicate included\n   Total params: {total}\n"
          f"   Trainable params: {trainable}\n   Non-trainable params: {total - trainable}")
    print(f"Shared params in forward computation graph: {total - unique}\n"
          f"Unique parameters in model: {unique}")
    print("-" * WIDTH)
