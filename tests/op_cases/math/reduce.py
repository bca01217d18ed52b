"""Rows of the operators in `minigluon/ops/math/reduce.py`."""

import numpy as np

from ..case import case, distinct, fixed, ints, u

_axes = [   # attributes, the axes they mean for three dimensions
    ({}, None), ({"axis": ()}, None), ({"axis": None, "keepdims": True}, None), ({"axis": 1}, (1,)),
    ({"axis": -1}, (2,)), ({"axis": (0, 2)}, (0, 2)), ({"axis": (-1, 0), "keepdims": True}, (0, 2)),
    ({"axis": 1, "exclude": True}, (0, 2)), ({"axis": (0, 1), "exclude": True, "keepdims": True}, (2,)),
]
for _name, _f in [("sum", np.sum), ("mean", np.mean), ("prod", np.prod), ("max", np.max), ("min", np.min),
                  ("nansum", np.nansum), ("nanprod", np.nanprod)]:
    _maker = u(2, 3, 4, low=0.5, high=1.5) if "prod" in _name else distinct(2, 3, 4)
    for _attrs, _axis in _axes:
        _keep = _attrs.get("keepdims", False)
        case(_name, _maker, **_attrs, expect=lambda x, f=_f, a=_axis, k=_keep: np.atleast_1d(f(x, a, keepdims=k)))
    case(_name, ints(3, 5, low=1, high=4, dtype="int32"), axis=1, note="int",
         expect=lambda x, f=_f: np.trunc(f(x, 1)))

_nan = fixed([[3.0, np.nan, 2.0], [np.nan, np.nan, 0.5]], floating=False)
case("nansum", _nan, axis=1, expect=lambda x: np.array([5.0, 0.5]), note="nan")
case("nanprod", _nan, axis=1, expect=lambda x: np.array([6.0, 0.5]), note="nan")
case("nanprod", _nan, axis=0, expect=lambda x: np.array([3.0, 1.0, 1.0]), note="nan column")
case("prod", fixed([[3.0, 0.0, 2.0], [0.0, 0.0, 5.0]]), axis=1, expect=lambda x: np.zeros(2), second=False,
     oracle="its gradient is NaN there", note="zeros")
case("_prod_others", u(2, 3, low=0.5, high=1.5), axis=1, oracle="internal",
     expect=lambda x: x.prod(1, keepdims=True) / x)
case("_square_sum", u(2, 3, 4), axis=1, expect=lambda x: (x * x).sum(1), oracle="sparse arrays only there")
case("_spread_like", u(2, 4), u(2, 3, 4), axis=1, grad=(0,), expect=lambda x, y: np.repeat(x[:, None], 3, 1),
     oracle="internal")
case("_mean_weight", u(2, 3, 4), u(2, 4), grad=(), expect=lambda x, y: np.array([1 / 3]), oracle="internal")
