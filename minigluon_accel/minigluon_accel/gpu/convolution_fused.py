"""The pass that joins relu with what is before it.

    Convolution, relu           -> _conv_relu
    FullyConnected, relu        -> _fully_connected_relu
    BatchNorm, relu             -> _contrib_BatchNormWithReLU

The kernel sets negative numbers to 0 as it writes them, so what lies between is never stored, and never read again.
"""

from minigluon.hybrid.report import Report
from minigluon.ops import REGISTRY

from ..convolution_fused import Composed, ConvRelu
from ..passes import NORMALIZING, Walk, is_relu

__all__ = ["LayerRelu", "rewrite"]


class LayerRelu(Composed):
    """A fully connected layer, and of its result what is above 0. Inputs: those of `FullyConnected`."""

    name = "_fully_connected_relu"


JOINED = {"Convolution": ConvRelu, "FullyConnected": LayerRelu}


def rewrite(graph, specs, count, reports):
    """The graph with such nodes; `specs` gets theirs. See `Backend.rewrite`."""
    walk = _Relus(graph, specs, count)
    for node in walk.nodes:
        if node.op is not None and is_relu(node):
            walk.look_at(node)
    if not walk.notes:
        return graph
    result = walk.rebuilt()
    if reports is not None:
        reports.append(Report("gpu: relu", graph, result, walk.notes, specs))
    return result


class _Relus(Walk):
    """Relus whose input nothing else reads."""

    def look_at(self, node):
        before, output = node.inputs[0]
        kind = None if before.op is None or output else before.op.name
        if kind not in (*JOINED, *NORMALIZING) or self.only_user((before, 0)) is not node:
            return
        if kind in NORMALIZING:                 # its other outputs are read, too: it stays where it is
            name, more = NORMALIZING[kind]
            self.made[before] = REGISTRY[name](**{**before.op.attributes, **more}), before.inputs
            self.gone[node] = before
        else:
            operands = tuple(range(len(before.inputs)))
            self.made[node] = JOINED[kind](program=((before.op, operands), (node.op, (-1,)))), before.inputs
        self.notes.append(f"{before.name}: with relu")
