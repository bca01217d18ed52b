"""The pass that lets a thread go through a net with its image, in plans that only infer and have a batch of images.

    nodes on blocks, one after the other   ->   _image_chain

Kernel by kernel, all images go through each kernel before the next one begins: what lies between is as large as the
batch, leaves the caches, and was mostly written by another core. In a chain a thread takes one image through all
kernels; what lies between them is memory of the thread, as small as one image needs, and threads wait for each other
once. Small batches stay as they are: there are not enough images to share evenly.

It comes after `convolution_blocks.py`, whose nodes it puts together.
"""

from minigluon.hybrid.report import Report
from minigluon.symbol.graph import Node
from minigluon.symbol.symbol import Symbol

from .block_operators import OPERATORS, ImageChain

__all__ = ["rewrite", "shares_evenly"]

NAMES = {operator.name for operator in OPERATORS} - {"_image_chain"}


def shares_evenly(batch):
    """Are there images enough for some threads? batch: an int, or a Length, which is not."""
    return isinstance(batch, int) and (batch == 4 or batch >= 8)


def rewrite(graph, specs, reports):
    """The graph with such nodes; `specs` gets theirs."""
    runs = [run for run in _runs(graph, specs) if len(run) > 1 and _has_one_result(graph, run)]
    if not runs:
        return graph
    chain_of = {run[-1]: run for run in runs}
    inside = {node for run in runs for node in run}
    where = {}
    for node in graph.nodes():
        if node in inside and node not in chain_of:
            continue
        new = _chain(chain_of[node], where, specs) if node in chain_of else node.with_inputs(
            [where[pair] for pair in node.inputs])
        for index in range(1 if new.op is None else new.op.num_outputs):
            where[node, index] = new, index
            specs[new, index] = specs[node, index]
    result = Symbol([where[pair] for pair in graph.heads])
    if reports is not None:
        notes = [f"{run[0].name} to {run[-1].name}: {len(run)} nodes" for run in runs]
        reports.append(Report("image chains", graph, result, notes, specs))
    return result


def _images(node):
    """Numbers of the inputs that have an image for each of the batch."""
    return sorted({0, *node.op.blocked}) if node.op.name == "_blocked_conv" else [0]


def _runs(graph, specs):
    """Lists of nodes that follow each other, with nothing between but parameters and what is packed of them."""
    runs = [[]]
    for node in graph.nodes():
        if node.op is None or node.op.name == "_pack_filters":
            continue
        if node.op.name in NAMES and shares_evenly(specs[node, 0].shape[0]):
            runs[-1].append(node)
        elif runs[-1]:
            runs.append([])
    return runs


def _has_one_result(graph, run):
    """Is the last node's result all that others read?"""
    inside = set(run[:-1])
    read = {parent for node in graph.nodes() if node not in run for parent, _ in node.inputs}
    return not inside & (read | {node for node, _ in graph.heads})


def _chain(run, where, specs):
    """The node in place of a run."""
    line_of = {node: number for number, node in enumerate(run)}
    inputs, images, program = {}, set(), []
    for node in run:
        operands = []
        for k, (parent, index) in enumerate(node.inputs):
            if parent in line_of:
                operands.append(-1 - line_of[parent])
                continue
            operands.append(inputs.setdefault(where[parent, index], len(inputs)))
            if k in _images(node):
                images.add(operands[-1])
        program.append((node.op, tuple(operands)))
    op = ImageChain(program=tuple(program), images=tuple(sorted(images)))
    return Node(op, run[-1].name, list(inputs), place=run[-1].place)
