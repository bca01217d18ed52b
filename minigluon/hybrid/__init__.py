"""`hybridize()`: trace once, improve the graph in passes, lay out its memory, run the plan many times.

    trace           gluon/hybrid_block.py: hybrid_forward with F=sym, once for each train mode
    unroll          unroll.py: the steps of a foreach one after the other (control.py runs other loops)
    infer           specs.py: shape and dtype of everything
    simplify        simplify.py: what need not be computed, or not twice
    differentiate   differentiate.py: the gradient graph, when recording
    save memory     winners.py: max pooling; recompute.py and budget.py: what hybridize() was asked to, by again.py
    step            steps.py: the optimizer's steps in the graph, for `gluon.TrainStep`
    fuse            fuse.py: chains of elementwise operators become one step
    lay out         memory.py: which buffer lies where, from when to when
    prepare         plan.py: a kernel for each node, with its buffers
    run             compiled_graph.py: choose the plan for the inputs; runners.py: run it, one entry on the tape
    new shapes      families.py: one plan for shapes that differ in lengths; named_layout.py and named_kernels.py: it
                    with names for numbers; forms.py: all of it as sums, where the backend adds them up

`compiler.py` is the line from the trace to the plan; `interpret.py` computes the same, node by node.
"""

from .cached_op import FLAGS
from .compiled_graph import CompiledGraph
from .compiler import compile_graph
from .interpret import interpret
from .steps import Steps

__all__ = ["FLAGS", "CompiledGraph", "Steps", "compile_graph", "interpret"]
