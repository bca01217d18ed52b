"""`sym.contrib.rand_zipfian`: classes drawn from Zipf's law."""

from __future__ import annotations

import math

from ..ops import REGISTRY
from . import random
from .register import make_function
from .symbol import Symbol

__all__ = ["rand_zipfian"]

_cast, _exp, _floor, _log = (make_function(REGISTRY[name]) for name in ("Cast", "exp", "floor", "log"))


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int) -> tuple[Symbol, Symbol, Symbol]:
    """Returns the graph for `nd.contrib.rand_zipfian`: (drawn classes, expected counts of true_classes and of drawn
    classes).

    true_classes: a symbol (n,).
    num_sampled: the number of classes to draw.
    range_max: the number of classes.

    >>> drawn, expected, _ = sym.contrib.rand_zipfian(sym.var("classes"), num_sampled=4, range_max=3)
    >>> print(expected.eval(classes=nd.array([0]))[0].asnumpy())        # 4 log 2 / log 4
    [2.]
    """
    total = math.log(range_max + 1)
    drawn = random.uniform(0, total, shape=(num_sampled,), dtype="float64")
    sampled = _cast(_floor(_exp(drawn) - 1), dtype="int64") % range_max

    def expected(classes):
        classes = _cast(classes, dtype="float64")
        return _log((classes + 2.0) / (classes + 1.0)) / total * num_sampled
    return sampled, expected(_cast(true_classes, dtype="float64")), expected(sampled)
