"""Simplification rules: operators that change nothing, and reshapes of reshapes."""

from ..ops import REGISTRY

__all__ = ["IDENTITIES", "by_one", "is_identity", "reshape_of_reshape"]

_IDENTITY_AFTER_GRADIENTS = {"BlockGrad", "make_loss", "MakeLoss", "_identity_with_attr_like_rhs"}
_RESHAPES = {"Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like", "identity"}    # also for gradients
_UNLESS_SHAPES_DIFFER = {"_sum_like", "_spread_like", "broadcast_like", "broadcast_to", "broadcast_axis", "Reshape",
                         "reshape_like", "Flatten", "Cast", "_cast_like", "amp_cast"}
IDENTITIES = {"identity", "Dropout", *_IDENTITY_AFTER_GRADIENTS, *_UNLESS_SHAPES_DIFFER}


def is_identity(walk, node, inputs):
    """the input itself. Copies, casts to the same dtype, sums and reshapes to the same shape."""
    if inputs[0][0] in walk.mutated:
        return None             # a copy of a value that will be overwritten is needed
    name = node.op.name
    unchanged = walk.specs[inputs[0]] == walk.specs[node, 0]
    if name == "identity" or (unchanged and name in _UNLESS_SHAPES_DIFFER):
        return inputs[0]
    if name in _IDENTITY_AFTER_GRADIENTS and walk.differentiated:
        return inputs[0]
    if name == "Dropout" and not walk.uses[node, 1]:            # only if no node reads its mask
        return inputs[0] if node.op.p == 0 or (not walk.train and node.op.mode != "always") else None
    return None


def by_one(walk, node, inputs):
    """times or divided by 1. Also to the power of 1; exact for every number."""
    if node.op.name in ("_mul_scalar", "_div_scalar", "_power_scalar") and node.op.scalar == 1:
        return inputs[0] if walk.specs[inputs[0]] == walk.specs[node, 0] else None
    return None


def reshape_of_reshape(walk, node, inputs):
    """two reshapes in one. None remains if the second restores the shape before the first."""
    inner, index = inputs[0]
    if not node.op.is_view or inner.op is None or not inner.op.is_view:
        return None
    if not (walk.differentiated or {node.op.name, inner.op.name} <= _RESHAPES):
        return None             # a view of the values but not of the gradients: a loss, BlockGrad
    source, spec = inner.inputs[0], walk.specs[node, 0]
    if walk.specs[source] == spec:
        return source
    if 0 in spec.shape:
        return None             # in a reshape, 0 would mean 'as in the input'
    return walk.node(REGISTRY["Reshape"](shape=spec.shape), node.name, [source], node), 0
