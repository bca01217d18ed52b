"""Peak memory and number of kernels in a run, measured in separate runs that are not timed."""

import gc
import tracemalloc

import numpy as np

__all__ = ["count_kernels", "examine", "peak_memory"]


def examine(mx, make):
    """Return {"peak_bytes", "kept_bytes", "kernels", "planned_bytes"} for the Program that `make()` sets up."""
    programs = []

    def setup():
        programs.append(make())
        return programs[0].run
    peak, retained_bytes = peak_memory(setup)
    return {"peak_bytes": peak, "kept_bytes": retained_bytes, "kernels": count_kernels(mx, programs[0]),
            "planned_bytes": sum(plan.memory.size for plan in _plans(programs[0])) or None}


def peak_memory(make):
    """Return (peak, kept) in bytes: the maximum that one run needs, and how much of it stays allocated between runs.

    make: sets up the program and returns the function that runs it once. Memory that NumPy holds after the setup
    (parameters and their gradients) does not count, nor do Python objects that are kept between runs (the plan of a
    hybridized block, or prepared kernels). Buffers kept by such a plan do count, and so does everything that a run
    allocates and frees.
    """
    tracemalloc.start()
    try:
        run = make()
        before = _numpy_bytes()
        run()           # prepares kernels, or traces and plans
        run()
        retained_bytes = _numpy_bytes() - before
        start = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        run()
        return retained_bytes + tracemalloc.get_traced_memory()[1] - start, retained_bytes
    finally:
        tracemalloc.stop()


def _numpy_bytes():
    gc.collect()
    only_numpy = tracemalloc.DomainFilter(True, np.lib.tracemalloc_domain)
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([only_numpy]).traces)


class _CountingDict(dict):
    """The kernels of a device, with a count of their calls.

    A kernel that writes to preallocated arrays is stored in a tuple, (writer, ...), which is empty if there is none.
    """

    calls = 0

    def get(self, key, default=None):
        if not isinstance(key, tuple):
            return None             # a plugin's compiled path; without it, calls take the slow path and are counted
        entry = super().get(key, default)
        if not entry:
            return entry
        return (self._counted(entry[0]), *entry[1:]) if isinstance(entry, tuple) else self._counted(entry)

    def _counted(self, kernel):
        def call(*args):
            self.calls += 1
            return kernel(*args)
        return call


def count_kernels(mx, program):
    """Return the number of kernels that one run of a Program calls: individually dispatched operators, and steps of
    plans. """
    ctx = mx.cpu()
    program.run()           # now all kernels exist
    kernels, ctx.kernels = ctx.kernels, _CountingDict(ctx.kernels)
    try:
        program.run()
        return ctx.kernels.calls + sum(map(_kernels_of, _plans(program)))
    finally:
        ctx.kernels = kernels


def _plans(program):
    """Return the plans of the program's hybridized blocks, one for each, or of its TrainStep."""
    plans = []
    for block in program.blocks:
        if hasattr(block, "plans"):
            plans += block.plans
        else:
            plans += [graph.compiled.last_plan for graph in set(block.block_graphs.values())]
    return plans


def _kernels_of(plan):
    """Count the steps that compute something; the other steps are views of existing memory."""
    return sum(step.kernel is not None for step in plan.steps)
