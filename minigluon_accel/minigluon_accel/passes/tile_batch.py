"""The pass that lets a thread go through a net with its share of the batch, in plans that only infer.

    nodes on blocks, one after the other                        ->   _batch_chain, image by image
    fully connected layers of little work, one after the other  ->   _batch_chain, some rows at a time

Kernel by kernel, the whole batch goes through each kernel before the next one begins: what lies between is as large as
the batch, leaves the caches, and was mostly written by another core; and where a layer takes some microseconds, threads
wait for each other as long. In a chain a thread takes its share through all kernels; what lies between them is memory
of the thread, as small as one share needs, and threads wait for each other once. Small batches stay as they are: they
cannot be shared evenly.

It comes after `blocked_layout.py` and `prepack_matrix.py`, whose nodes it puts together.
"""

from minigluon.hybrid.parameter_constants import PrepackOp
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from ..kernels.nn import matrix_batch_panels, matrix_packed
from ..operators.blocked_images import OPERATORS, BatchChain

__all__ = ["shares_evenly", "tile_batch"]

ON_BLOCKS = {operator.name for operator in OPERATORS} - {"_batch_chain"}


def shares_evenly(batch):
    """Are there images enough for some threads? batch: an int, or a SymbolicDim, which is not."""
    return isinstance(batch, int) and (batch == 4 or batch >= 8)


def tile_batch(draft):
    """Put such nodes into the graph of a plan that only infers."""
    if not draft.infers:
        return draft
    graph, specs = draft.graph, draft.specs
    runs = [(run, share) for run, share in _runs(graph, specs) if len(run) > 1 and _has_one_result(graph, run)]
    if not runs:
        return draft
    notes = [f"{run[0].name} to {run[-1].name}: {len(run)} nodes, {share} of the batch at a time"
             for run, share in runs]
    return draft.after("tile batch", BatchTiling(graph, specs, runs).rewritten(), notes)


class BatchTiling(Rewriter):
    """runs: [(nodes that follow each other, how much of the batch goes through them at a time)]"""

    def __init__(self, graph, specs, runs):
        super().__init__(graph, specs)
        self.run_of = {run[-1]: (run, share, _goes_across(run, share, specs)) for run, share in runs}
        self.inside = {node for run, _ in runs for node in run[:-1]}

    def visit(self, node):
        """A run is made where its last node is."""
        if node not in self.inside:
            super().visit(node)

    def replace(self, node):
        """A chain in the place of a run."""
        return _chain(*self.run_of[node], self.where) if node in self.run_of else super().replace(node)


def _share(node, specs):
    """How much of the batch goes through a node at a time; None: it is in no chain."""
    batch = specs[node, 0].shape[0] if specs[node, 0].shape else None
    if node.op.name in ON_BLOCKS:
        return 1 if shares_evenly(batch) else None
    if node.op.name == "_packed_dense" and isinstance(batch, int):
        return matrix_packed.share_of(node.op, specs[node.inputs[0]].shape, specs[node.inputs[1]].shape)
    return None


def _batched(node):
    """Numbers of the inputs that have something for each of the batch."""
    if node.op.name == "_blocked_conv":
        return {0, *node.op.blocked}
    if node.op.name == "_packed_dense":
        return {0, *matrix_packed.added(node.op.program)}
    return {0}


def _runs(graph, specs):
    """(nodes, share) where nodes follow each other, with nothing between but parameters and what is packed of them."""
    runs = [([], None)]
    for node in graph.nodes():
        if node.op is None or isinstance(node.op, PrepackOp):
            continue
        share = _share(node, specs)
        nodes, before = runs[-1]
        if share == before and (not nodes or nodes[-1].op.name == "_packed_dense") == (node.op.name == "_packed_dense"):
            nodes.append(node)
        else:
            runs.append(([node], share))
    return [(nodes, share) for nodes, share in runs if share is not None]


def _has_one_result(graph, run):
    """Is the last node's result all that others read?"""
    inside = set(run[:-1])
    read = {parent for node in graph.nodes() if node not in run for parent, _ in node.inputs}
    return not inside & (read | {node for node, _ in graph.heads})


def _goes_across(run, share, specs):
    """Can the share lie across between the nodes of a run, one layer after the other?"""
    return all(node.op.name == "_packed_dense" and (node is run[0] or node.inputs[0][0] is before)
               and matrix_batch_panels.suits(node.op.program, specs[node.inputs[0]].shape, share)
               for before, node in zip([None, *run], run))


def _chain(run, share, across, where):
    """The node in place of a run. across: see `_goes_across`."""
    line_of = {node: number for number, node in enumerate(run)}
    inputs, batched, program = {}, set(), []
    for node in run:
        op, operands = node.op, []
        if across:
            op = matrix_batch_panels.BatchPanelDense(program=op.program, reads=node is not run[0],
                                                     writes=node is not run[-1])
        for k, (parent, index) in enumerate(node.inputs[:-1] if across else node.inputs):
            if parent in line_of:
                operands.append(-1 - line_of[parent])
                continue
            operands.append(inputs.setdefault(where[parent, index], len(inputs)))
            if k in _batched(node):
                batched.add(operands[-1])
        program.append((op, tuple(operands)))
    op = BatchChain(program=tuple(program), batched=tuple(sorted(batched)), share=share)
    return Node(op, run[-1].name, list(inputs), place=run[-1].place)
