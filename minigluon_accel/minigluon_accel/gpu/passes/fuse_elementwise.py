"""Chains of elementwise operators on the GPU: the plugin's pass, adapted to the generated kernels."""

import functools

import numpy as np

from ...passes import fuse_elementwise as of_the_plugin
from ...passes.fuse_elementwise import ElementwiseFusion
from ..expressions import applied, scalars_of
from ..formulas import UntraceableError, Value, cost_of

__all__ = ["fuse_elementwise"]

MAX_OPERANDS = 8        # the maximum number of operands of one operator in a chain: all operands of a chain must
                        # fit in a kernel's argument list


def fuse_elementwise(draft):
    """Fuses chains (see `minigluon_accel.passes.fuse_elementwise`)."""
    return of_the_plugin(draft, GpuElementwiseFusion)


class GpuElementwiseFusion(ElementwiseFusion):
    """Also fuses float16 chains. Memory is slower here relative to arithmetic, so more values are recomputed."""

    dtypes = (*ElementwiseFusion.dtypes, np.dtype("float16"))
    max_lines = 16
    max_cost = 8
    saves = False               # a generated kernel has only one result

    def cost(self, op, count):
        return _cost(op, count) if count <= MAX_OPERANDS else None


@functools.lru_cache(1024)
def _cost(op, count):
    """Returns an operator's cost in additions, estimated from its formula, or None if it has no formula."""
    dtype = np.dtype("float32")
    scalars = [Value.named("s", dtype) for _ in scalars_of(op, dtype)]
    try:
        return cost_of(applied(op, [Value.named("x", dtype) for _ in range(count)], scalars))
    except UntraceableError:
        return None
