"""Chains of elementwise operators on the GPU: the plugin's pass, with what is possible here."""

import functools

import numpy as np

from ...passes import fuse_elementwise as of_the_plugin
from ...passes.fuse_elementwise import ElementwiseFusion
from ..expressions import applied, scalars_of
from ..formulas import UntraceableError, Value, cost_of

__all__ = ["fuse_elementwise"]

MAX_OPERANDS = 8        # of one operator in a chain: all that a chain reads must fit a kernel's list of arguments


def fuse_elementwise(draft):
    """Fuse chains; see `minigluon_accel.passes.fuse_elementwise`."""
    return of_the_plugin(draft, GpuElementwiseFusion)


class GpuElementwiseFusion(ElementwiseFusion):
    """Also chains of float16. Memory is farther away here than arithmetic: more is computed twice."""

    dtypes = (*ElementwiseFusion.dtypes, np.dtype("float16"))
    max_lines = 16
    max_cost = 8
    saves = False               # a generated kernel has one result

    def cost(self, op, count):
        return _cost(op, count) if count <= MAX_OPERANDS else None


@functools.lru_cache(1024)
def _cost(op, count):
    """How long an operator takes beside an addition, from its formula; None if it has none."""
    dtype = np.dtype("float32")
    scalars = [Value.named("s", dtype) for _ in scalars_of(op, dtype)]
    try:
        return cost_of(applied(op, [Value.named("x", dtype) for _ in range(count)], scalars))
    except UntraceableError:
        return None
