"""A pass that fuses relu with the operator before it.

    Convolution, relu           -> _conv_relu
    FullyConnected, relu        -> _fully_connected_relu
    BatchNorm, relu             -> _contrib_BatchNormWithReLU

The kernel sets negative numbers to 0 as it writes them, so the intermediate array is never stored or read.
"""

from minigluon.ops import REGISTRY

from ...operators.fused_convolution import ConvRelu
from ...operators.fused_matrix import MatrixRelu
from ...passes.fuse_neighbours import NORMALIZING, NeighbourFusion, is_relu

__all__ = ["fuse_relu"]

JOINED = {"Convolution": ConvRelu, "FullyConnected": MatrixRelu}


def fuse_relu(draft):
    """Fuses each relu with its input."""
    fusion = ReluFusion(draft)
    return draft.after("gpu: relu", fusion.rewritten(), fusion.notes) if fusion.notes else draft


class ReluFusion(NeighbourFusion):
    """The relu nodes that are the only readers of their inputs."""

    def look_at(self, node):
        if not is_relu(node):
            return
        before, output = node.inputs[0]
        kind = None if before.op is None or output else before.op.name
        if kind not in (*JOINED, *NORMALIZING) or self.only_user((before, 0)) is not node:
            return
        if kind in NORMALIZING:                 # its other outputs are also read, so the node is kept
            name, more = NORMALIZING[kind]
            self.made[before] = REGISTRY[name](**{**before.op.attributes, **more}), before.inputs
            self.gone[node] = before
        else:
            operands = tuple(range(len(before.inputs)))
            self.made[node] = JOINED[kind](program=((before.op, operands), (node.op, (-1,)))), before.inputs
        self.notes.append(f"{before.name}: with relu")
