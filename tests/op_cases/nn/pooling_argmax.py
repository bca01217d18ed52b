"""Rows of the operators in `minigluon/ops/nn/pooling_argmax.py`."""

from ..case import case, distinct

# What a plan puts in place of max pooling and its gradient; MXNet has no such operators.
for _data, _attrs in [(distinct(2, 2, 6, 4), {"kernel": (2, 2), "stride": (2, 2)}),
                      (distinct(1, 2, 7), {"kernel": (2,), "stride": (3,)}),
                      (distinct(1, 3, 4, 4, 2), {"kernel": (1, 2, 2), "stride": (2, 2, 2), "layout": "NDHWC"})]:
    case("_max_pooling_argmax", _data, grad=(), oracle="MXNet has no such operator", **_attrs)
