"""`hybridize()`: trace once, optimize the graph in passes, plan its memory, and run the plan many times.

    trace           gluon/hybrid_block.py: hybrid_forward with F=sym, once for each train mode
    unroll          unroll.py: writes out the steps of a foreach (control.py runs other loops)
    infer           specs.py: shape and dtype of everything
    simplify        simplify.py: removes unneeded and repeated work; slice_pushdown.py: skips rows that are never read
    differentiate   differentiate.py: the gradient graph, when recording
    save memory     pooling_argmax.py: max pooling; recompute.py and budget.py: if hybridize() requests it, by
                    rematerialize.py
    step            steps.py: the optimizer's steps in the graph, for `gluon.TrainStep`
    fuse            fuse.py: chains of elementwise operators become one step
    lay out         memory.py: the position and the lifetime of each buffer
    prepare         plan.py: a kernel per node, with its buffers; program.py: the lines that run them
    run             cached_op.py: chooses the plan for the inputs; runners.py: makes one and runs it, with one entry
                    on the tape (plan.py)
    new shapes      symbolic/: one plan for shapes that differ only in lengths

`compiler.py` contains the list of all passes, PASSES. A pass takes a `Draft` and returns one (draft.py). Backends and
programs can add more (registered_passes.py), and check_passes.py compares what graphs compute before and after each
pass. `interpret.py` computes the same results as a plan, node by node.
"""

from . import backend_programs, collector, lengths, write_targets  # replacements for plain functions
from .cached_op import CachedOp
from .compiler import PASSES, compile_graph
from .conditions import only_if, only_with
from .draft import Draft
from .flags import FLAGS
from .interpret import interpret
from .registered_passes import register_pass, unregister_pass
from .steps import Steps

__all__ = ["FLAGS", "PASSES", "CachedOp", "Draft", "Steps", "compile_graph", "interpret", "only_if", "only_with",
           "register_pass", "unregister_pass"]
