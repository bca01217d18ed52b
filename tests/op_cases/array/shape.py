"""Rows of the operators in `minigluon/ops/array/shape.py`."""

from ..case import case, u

for _source, _codes, _result in [
    ((2, 3, 4), (6, 4), (6, 4)), ((2, 3, 4), (0, -1), (2, 12)), ((2, 3, 4), (-1,), (24,)),
    ((2, 3, 4), (-2,), (2, 3, 4)), ((2, 3, 4), (2, -2), (2, 3, 4)), ((2, 3, 4), (-3, 4), (6, 4)),
    ((2, 3, 4, 5), (-3, -3), (6, 20)), ((2, 3, 4), (0, -3), (2, 12)), ((2, 3, 4), (-3, -2), (6, 4)),
    ((2, 3, 4), (-4, 1, 2, -2), (1, 2, 3, 4)), ((2, 3, 4), (2, -4, -1, 3, -2), (2, 1, 3, 4)),
    ((6, 5), (-4, 2, -1, 0), (2, 3, 5)), ((8, 3), (-4, 2, 4, 0), (2, 4, 3)), ((2, 3, 4), (-2, 1, 1), (2, 3, 4, 1, 1)),
]:
    case("Reshape", u(*_source), shape=_codes, expect=lambda x, r=_result: x.reshape(r))
for _source, _codes, _result in [
    ((10, 5, 4), (-1, 0), (50, 4)), ((2, 3, 4), (0, -1), (3, 8)),
    ((2, 6, 4), (0, 3, 2, -4, 0), (2, 3, 2, 4)), ((2, 3, 4), (-3, 0), (6, 4)), ((2, 3, 4), (2, -3), (2, 12)),
    ((4, 6), (2, -1, -4, 6), (2, 2, 6)),
]:
    case("Reshape", u(*_source), shape=_codes, reverse=True, expect=lambda x, r=_result: x.reshape(r))
case("Reshape", u(2, 3, 4), target_shape=(0, 12), expect=lambda x: x.reshape(2, 12))
case("Reshape", u(2, 3, 4), target_shape=(5, 0), keep_highest=True, expect=lambda x: x.reshape(2, 12))

case("reshape_like", u(2, 6), u(3, 4), grad=(0,), expect=lambda x, y: x.reshape(3, 4))
case("reshape_like", u(30, 7), u(15, 2, 4), grad=(0,), lhs_begin=0, lhs_end=1, rhs_begin=0, rhs_end=2,
     expect=lambda x, y: x.reshape(15, 2, 7))
case("reshape_like", u(30, 7), u(15, 2, 4), grad=(0,), lhs_begin=0, lhs_end=-1, rhs_begin=0, rhs_end=-1,
     expect=lambda x, y: x.reshape(15, 2, 7))
case("reshape_like", u(2, 3, 5), u(2, 15), grad=(0,), lhs_begin=1, rhs_begin=1, expect=lambda x, y: x.reshape(2, 15))
case("Flatten", u(2, 3, 4), expect=lambda x: x.reshape(2, 12))
case("Flatten", u(3), expect=lambda x: x.reshape(3, 1))
case("expand_dims", u(2, 3), axis=0, expect=lambda x: x[None])
case("expand_dims", u(2, 3), axis=-1, expect=lambda x: x[..., None])
case("expand_dims", u(2, 3), axis=1, expect=lambda x: x[:, None])
case("squeeze", u(1, 2, 1, 3), expect=lambda x: x[0, :, 0])
case("squeeze", u(1, 2, 1, 3), axis=0, expect=lambda x: x[0])
case("squeeze", u(1, 2, 1, 3), axis=(0, -2), expect=lambda x: x[0, :, 0])
case("squeeze", u(1, 1), expect=lambda x: x[0])
