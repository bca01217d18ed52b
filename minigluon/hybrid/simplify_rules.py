"""Rules of the simplification pass: operators that change nothing, or that are undone by the next one, and reshapes."""

from ..ops import REGISTRY

__all__ = ["IDENTITIES", "by_one", "constant_by_shape", "inverse_transposes", "is_identity", "reshape_of_reshape",
           "rows_joined_before_a_layer"]

_IDENTITY_AFTER_GRADIENTS = {"BlockGrad", "make_loss", "MakeLoss", "_identity_with_attr_like_rhs"}
_RESHAPES = {"Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like", "identity"}    # also for gradients
_UNLESS_SHAPES_DIFFER = {"_sum_like", "_spread_like", "broadcast_like", "broadcast_to", "broadcast_axis", "Reshape",
                         "reshape_like", "Flatten", "Cast", "_cast_like", "amp_cast"}
IDENTITIES = {"identity", "Dropout", *_IDENTITY_AFTER_GRADIENTS, *_UNLESS_SHAPES_DIFFER}


def is_identity(walk, node, inputs):
    """the input itself. Copies, casts to the same dtype, sums and reshapes to the same shape."""
    if inputs[0][0] in walk.mutated:
        return None             # a copy of a value that will be overwritten is a value of its own
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


def inverse_transposes(walk, node, inputs):
    """two transposes in one. None remains if the second undoes the first."""
    (inner, _), = inputs[:1]
    if node.op.name != "transpose" or inner.op is None or inner.op.name != "transpose":
        return None
    first, second = _axes(walk, inner), _axes(walk, node)
    axes = tuple(first[a] for a in second)
    if axes == tuple(range(len(axes))):
        return inner.inputs[0]
    return walk.node(REGISTRY["transpose"](axes=axes), node.name, inner.inputs, node), 0


def _axes(walk, node):
    return node.op.axes or tuple(reversed(range(len(walk.specs[node, 0].shape))))


def reshape_of_reshape(walk, node, inputs):
    """two reshapes in one. None remains if the second restores the shape before the first."""
    inner, index = inputs[0]
    if not node.op.is_view or inner.op is None or not inner.op.is_view:
        return None
    if not (walk.differentiated or {node.op.name, inner.op.name} <= _RESHAPES):
        return None             # a view of the values, but different for the gradients: a loss, BlockGrad
    source, spec = inner.inputs[0], walk.specs[node, 0]
    if walk.specs[source] == spec:
        return source
    if 0 in spec.shape:
        return None             # in a reshape 0 would mean 'as in the input'
    return walk.node(REGISTRY["Reshape"](shape=spec.shape), node.name, [source], node), 0


def constant_by_shape(walk, node, inputs):
    """zeros and ones like another array. Their values follow only from its shape."""
    source = {"zeros_like": "_zeros", "ones_like": "_ones"}.get(node.op.name)
    if source is None:
        return None
    spec = walk.specs[node, 0]
    return walk.node(REGISTRY[source](shape=spec.shape, dtype=spec.dtype.name), node.name, [], node), 0


def rows_joined_before_a_layer(walk, node, inputs):
    """rows joined before a layer instead of after. A result of the graph would have to be copied."""
    (layer, index), = inputs[:1]
    if (node, 0) not in walk.heads or walk.uses[node.inputs[0]] != 1:
        return None
    if layer.op is None or layer.op.name != "FullyConnected" or layer.op.flatten:
        return None
    shape, (data, *parameters) = walk.specs[node, 0].shape, layer.inputs
    columns, depth = walk.specs[layer, index].shape[-1], walk.specs[data].shape[-1]
    if 0 in shape or 0 in walk.specs[data].shape or len(shape) < 2 or shape[-1] != columns:
        return None
    shape = *shape[:-1], depth
    rows = walk.node(REGISTRY["Reshape"](shape=shape), node.name, [data], node)
    walk.specs[rows, 0] = walk.specs[data]._replace(shape=shape)
    return walk.node(layer.op, layer.name, [(rows, 0), *parameters], node), 0
