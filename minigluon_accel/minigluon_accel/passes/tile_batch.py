"""A pass over inference plans that lets each thread take its share of the batch through a whole network.

    consecutive nodes on blocks                     ->   _batch_chain, image by image
    consecutive small fully connected layers        ->   _batch_chain, some rows at a time

Without this pass, the whole batch goes through each kernel before the next one begins: intermediate results are as
large as the batch, do not stay in the caches, and have mostly been written by another core. If a layer takes only a few
microseconds, threads spend just as long waiting for each other. In a chain, a thread takes its share through all
kernels. Intermediate results are in the thread's own memory, which is only as large as one share needs, and threads
wait for each other only once. Small batches are left unchanged, because they cannot be divided evenly.

The pass runs after `blocked_layout.py` and `prepack_matrix.py`, whose nodes it combines.
"""

from minigluon.hybrid.parameter_constants import PrepackOp
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from ..kernels.nn import matrix_batch_panels, matrix_packed
from ..operators.blocked_images import OPERATORS, BatchChain

__all__ = ["shares_evenly", "tile_batch"]

ON_BLOCKS = {operator.name for operator in OPERATORS} - {"_batch_chain"}


def shares_evenly(batch):
    """Returns whether there are enough images for several threads. batch: an int; False for a SymbolicDim."""
    return isinstance(batch, int) and (batch == 4 or batch >= 8)


def tile_batch(draft):
    """Returns an inference plan's draft with runs of nodes replaced by chains."""
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
    """runs: [(consecutive nodes, how much of the batch goes through them at a time)]"""

    def __init__(self, graph, specs, runs):
        super().__init__(graph, specs)
        self.run_of = {run[-1]: (run, share, _goes_across(run, share, specs)) for run, share in runs}
        self.inside = {node for run, _ in runs for node in run[:-1]}

    def visit(self, node):
        """Visits a node, unless it is inside a run: a run is replaced when its last node is visited."""
        if node not in self.inside:
            super().visit(node)

    def replace(self, node):
        """Replaces a run with a chain."""
        return _chain(*self.run_of[node], self.where) if node in self.run_of else super().replace(node)


def _share(node, specs):
    """Returns how many items of the batch go through a node at a time, or None if the node cannot be in a chain."""
    batch = specs[node, 0].shape[0] if specs[node, 0].shape else None
    if node.op.name in ON_BLOCKS:
        return 1 if shares_evenly(batch) else None
    if node.op.name == "_packed_dense" and isinstance(batch, int):
        return matrix_packed.share_of(node.op, specs[node.inputs[0]].shape, specs[node.inputs[1]].shape)
    return None


def _batched(node):
    """Returns the indices of the inputs that have a batch axis."""
    if node.op.name == "_blocked_conv":
        return {0, *node.op.blocked}
    if node.op.name == "_packed_dense":
        return {0, *matrix_packed.added(node.op.program)}
    return {0}


def _runs(graph, specs):
    """Yields (nodes, share) for consecutive nodes with only parameters and their packed forms in between."""
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
    """Returns whether nodes outside the run read only the last node's result."""
    inside = set(run[:-1])
    read = {parent for node in graph.nodes() if node not in run for parent, _ in node.inputs}
    return not inside & (read | {node for node, _ in graph.heads})


def _goes_across(run, share, specs):
    """Returns whether the share can be stored transposed between the nodes of a run, from layer to layer."""
    return all(node.op.name == "_packed_dense" and (node is run[0] or node.inputs[0][0] is before)
               and matrix_batch_panels.suits(node.op.program, specs[node.inputs[0]].shape, share)
               for before, node in zip([None, *run], run))


def _chain(run, share, across, where):
    """Returns the node that replaces a run. across: see `_goes_across`."""
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
