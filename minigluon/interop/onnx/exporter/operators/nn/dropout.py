"""Dropout, which does nothing at inference."""

from ...table import translates
from ...values import UntranslatableError

__all__ = []


@translates("Dropout", note="at inference: nothing")
def dropout(g, op, data):
    if op.mode == "always":
        raise UntranslatableError("mode='always' also draws at inference")
    return [data, g.filled(data.shape, 1, data.dtype)]
