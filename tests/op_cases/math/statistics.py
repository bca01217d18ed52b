"""Rows of the operators in `minigluon/ops/math/statistics.py`."""

import numpy as np

from ..case import case, distinct, fixed, ints, u


def _at_least_1d(f):
    return lambda x: np.atleast_1d(f(x))

for _attrs, _axis in [({}, None), ({"axis": 1}, 1), ({"axis": (0, 1)}, (0, 1)), ({"axis": (-1, 0)}, (0, 2)),
                      ({"axis": (0, 2), "keepdims": True}, (0, 2))]:
    _keep = _attrs.get("keepdims", False)
    case("norm", distinct(2, 3, 4), **_attrs,
         expect=lambda x, a=_axis, k=_keep: np.atleast_1d(np.sqrt((x * x).sum(a, keepdims=k))))
    case("norm", distinct(2, 3, 4), ord=1, **_attrs,
         expect=lambda x, a=_axis, k=_keep: np.atleast_1d(np.abs(x).sum(a, keepdims=k)))
case("norm", u(2, 3), out_dtype="float64", expect=_at_least_1d(np.linalg.norm), oracle="MXNet fails here")

for _name, _f in [("argmax", np.argmax), ("argmin", np.argmin)]:
    for _attrs in [{}, {"axis": None, "keepdims": True}, {"axis": 1}, {"axis": -1}, {"axis": 0, "keepdims": True}]:
        _keep = _attrs.get("keepdims", False)
        _axis = _attrs.get("axis")
        case(_name, distinct(2, 3, 4), **_attrs,
             expect=lambda x, f=_f, a=_axis, k=_keep: np.atleast_1d(f(x, a, keepdims=k)))
    case(_name, fixed([[2.0, 1.0, 2.0, 1.0]], floating=False), axis=1, expect=lambda x, f=_f: f(x, 1), note="tie")
    case(_name, fixed([[2.0, np.nan, 3.0]], floating=False), axis=1, expect=lambda x: np.array([1]), note="nan")
case("argmax_channel", distinct(3, 5), grad=(), expect=lambda x: x.argmax(1))
case("argmax_channel", distinct(2, 3, 4), grad=(), expect=lambda x: x.argmax(1))

for _attrs, _axis in [({"axes": (0,)}, 0), ({"axes": (-1, 0)}, (0, 2)), ({"axes": (0, 1, 2)}, (0, 1, 2)),
                      ({"axes": (1,), "keepdims": True}, 1)]:
    _keep = _attrs.get("keepdims", False)
    case("moments", u(2, 3, 4), **_attrs, expect=lambda x, a=_axis, k=_keep: (
        np.atleast_1d(x.mean(a, keepdims=k)), np.atleast_1d(x.var(a, keepdims=k))))
case("moments", u(2, 3), expect=lambda x: (x.mean().reshape(1), x.var().reshape(1)), oracle="MXNet wants axes")

case("cumsum", u(2, 3, 4), axis=1, expect=lambda x: np.cumsum(x, 1))
case("cumsum", u(2, 3), expect=np.cumsum)
case("cumsum", u(2, 3), axis=-1, expect=lambda x: np.cumsum(x, 1), oracle="MXNet takes no negative axis")
case("cumsum", ints(4, dtype="int32"), named={"dtype": "float32"}, expect=lambda x: np.cumsum(x, dtype="float64"))
case("_cumsum_backwards", u(2, 3), axis=1, oracle="internal", expect=lambda x: np.cumsum(x[:, ::-1], 1)[:, ::-1])
