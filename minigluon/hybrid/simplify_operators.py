"""Simplification rules for particular operators: transpose, zeros_like, ones_like and Reshape."""

from ..ops import REGISTRY

__all__ = ["OWN_GRADIENTS", "constant_by_shape", "inverse_transposes", "rows_joined_before_a_layer"]

# Operators whose gradient may be nonzero even if their head gradient is zero.
OWN_GRADIENTS = {"Custom", "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput", "MakeLoss",
                 "SVMOutput", "SoftmaxOutput", "make_loss"}


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


def constant_by_shape(walk, node, inputs):
    """zeros and ones like another array. Their values depend only on its shape.

    Before gradients are added, the path to an operator with its own gradient must remain (see `OWN_GRADIENTS`).
    """
    source = {"zeros_like": "_zeros", "ones_like": "_ones"}.get(node.op.name)
    if source is None or not (walk.differentiated or OWN_GRADIENTS.isdisjoint(n.op.name for n in walk.nodes if n.op)):
        return None
    spec = walk.specs[node, 0]
    return walk.node(REGISTRY[source](shape=spec.shape, dtype=spec.dtype.name), node.name, [], node), 0


def rows_joined_before_a_layer(walk, node, inputs):
    """rows joined before a layer instead of after. Otherwise, a result of the graph would have to be copied."""
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
