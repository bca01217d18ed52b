"""Simplification rules for relu and max pooling."""

__all__ = ["relu_after_max_pooling", "relu_in_max_pooling_gradient"]


def relu_after_max_pooling(walk, node, inputs):
    """Moves relu after max pooling: the results are equal, and relu processes at most a quarter of the elements."""
    relu, _ = inputs[0]
    if node.op.pool_type != "max" or not _is_relu(relu):
        return None
    if walk.uses[node.inputs[0]] != 1 or node.op.pooling_convention == "full":    # 'full' has all-padding windows
        return None
    pooled = walk.node(node.op, node.name, relu.inputs, node)
    return walk.node(relu.op, relu.name, [(pooled, 0)], node), 0


def relu_in_max_pooling_gradient(walk, node, inputs):
    """Makes max pooling's gradient read relu's result instead of its input, which then need not be kept.

    If a window's largest element is negative, relu has set the gradient to 0, so any element may receive it.
    """
    grad, data, pooled = inputs
    (relu_grad, _), (pooling, _) = grad, pooled
    if relu_grad.op is None or relu_grad.op.name != "_relu_grad" or pooling.op is None:
        return None
    relu, _ = relu_grad.inputs[1]
    if not _is_relu(relu) or relu.inputs[0] != pooled:
        return None
    return walk.node(node.op, node.name, [grad, data, (relu, 0)], node), 0


def _is_relu(node):
    return node.op is not None and (node.op.name == "relu" or
                                    (node.op.name == "Activation" and node.op.act_type == "relu"))
