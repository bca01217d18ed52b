"""Rows of the operators in `minigluon/ops/nn/deformable.py`."""

from ..case import case, u

_on_gpus = "MXNet computes its gradient only on GPUs"
_name, _modulated = "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution"
# Offsets that leave no point on a whole row or column, where slopes jump.
_near = {"low": 0.1, "high": 0.4}
case(_name, u(1, 2, 4, 5), u(1, 18, 2, 3, **_near), u(2, 2, 3, 3), u(2), kernel=(3, 3), num_filter=2, second=False)
case(_name, u(2, 4, 4, 4), u(2, 16, 2, 4, low=1.1, high=1.9), u(4, 2, 2, 2), kernel=(2, 2), num_filter=4, num_group=2,
     num_deformable_group=2, stride=(2, 1), pad=(0, 1), dilate=(1, 2), no_bias=True, second=False)
case(_modulated, u(1, 2, 4, 4), u(1, 8, 3, 3, **_near), u(1, 4, 3, 3), u(2, 2, 2, 2), u(2), kernel=(2, 2),
     num_filter=2, second=False, grad=())
case(_modulated, u(2, 2, 3, 4), u(2, 16, 4, 3, low=-1.4, high=-1.1), u(2, 8, 4, 3), u(2, 1, 2, 2), kernel=(2, 2),
     num_filter=2, num_group=2, num_deformable_group=2, pad=(1, 0), no_bias=True, second=False, oracle=_on_gpus)
