"""The table that `Block.summary` prints."""

from __future__ import annotations

from typing import Any

from ..base import CheckError
from ..common.nest import flatten
from ..ops.shapes import size_of

__all__ = ["print_summary"]

ROW = "{:>20}  {:>42} {:>15}"
WIDTH = 80


class _Table:
    """A table with a row for each block, and the number of parameter elements: total, trainable, and shared."""

    def __init__(self, inputs):
        self.rows = [("Input", _shapes(inputs), 0)]
        self.total = self.trainable = self.shared = 0
        self._seen = set()

    def watch(self, block, _, output):
        """Add a row for a block; used as a forward hook."""
        count = 0
        for param in block.params.values():
            size = size_of(param.shape)
            count += size
            self.trainable += size if param.grad_req != "null" else 0
            self.shared += size if param in self._seen else 0
            self._seen.add(param)
        self.total += count
        self.rows.append((f"{type(block).__name__}-{len(self.rows)}", _shapes(output), count))

    def print(self):
        """Print to standard output."""
        print("-" * WIDTH)
        print(ROW.format("Layer (type)", "Output Shape", "Param #"))
        print("=" * WIDTH)
        for row in self.rows:
            print(ROW.format(*row))
        print("=" * WIDTH)
        print("Parameters in forward computation graph, duplicate included")
        print(f"   Total params: {self.total}")
        print(f"   Trainable params: {self.trainable}")
        print(f"   Non-trainable params: {self.total - self.trainable}")
        print(f"Shared params in forward computation graph: {self.shared}")
        print(f"Unique parameters in model: {self.total - self.shared}")
        print("-" * WIDTH)


def print_summary(block: Any, inputs: tuple[Any, ...]) -> None:
    """Run `block` once, and print the output shape and the number of parameters for every inner block except
    containers.

    Raises CheckError if a block is hybridized, because its inner blocks then do not run individually.
    """
    table, handles = _Table(inputs), []

    def watch(b):
        if getattr(b, "_active", False):
            raise CheckError(f"summary cannot watch {type(b).__name__} {b.name!r}, because it is hybridized. Call "
                             "summary first, or net.hybridize(False).")
        if not b._is_container:
            handles.append(b.register_forward_hook(table.watch))

    try:
        block.apply(watch)
        block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    table.print()


def _shapes(arrays):
    shapes = [tuple(x.shape) for x in flatten(arrays)[0] if hasattr(x, "shape")]
    return ", ".join(map(str, shapes))
