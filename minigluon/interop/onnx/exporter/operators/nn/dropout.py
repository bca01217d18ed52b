"""Dropout, which does nothing when it predicts."""

from ...table import translates
from ...values import Untranslatable

__all__ = []


@translates("Dropout", note="as it predicts: nothing")
def dropout(g, op, data):
    if op.mode == "always":
        raise Untranslatable("mode='always' draws when it predicts, too")
    return [data, g.filled(data.shape, 1, data.dtype)]
