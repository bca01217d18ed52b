"""Dropout, which does nothing at inference."""

from ...table import translates
from ...values import Untranslatable

__all__ = []


@translates("Dropout", note="at inference: nothing")
def dropout(g, op, data):
    if op.mode == "always":
        raise Untranslatable("mode='always' also draws at inference")
    return [data, g.filled(data.shape, 1, data.dtype)]
