"""Time and memory of a net, imperative and hybridized, measured without changing it."""

from __future__ import annotations

import statistics
import tracemalloc
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ... import autograd
from ...common import generators as rng
from ...common.nest import flatten
from ...ndarray.ndarray import NDArray

if TYPE_CHECKING:
    from ...gluon.block import Block

__all__ = ["Measurement", "measure", "undisturbed"]

MODES = ("imperative", "hybridized")


@dataclass
class Measurement:
    """The result for one mode, 'imperative' or 'hybridized'. seconds: one time per round. peak: the maximum number of
    additional bytes. """

    mode: str
    seconds: list
    peak: int

    @property
    def best(self):
        """The time of the shortest round."""
        return min(self.seconds)

    @property
    def median(self):
        """The time of the median round."""
        return statistics.median(self.seconds)


def measure(net: Block, inputs: Any, train: bool, backward: Any, budget: float = 0.6) -> list[Measurement]:
    """Return [Measurement, Measurement] for `net(*inputs)`, with or without training mode and a backward pass.

    The modes alternate, so that a busy moment affects both. budget: seconds for all rounds; a large net gets only one
    round.
    """
    with _switched(net):
        peaks = {mode: _peak(net, inputs, train, backward, mode) for mode in MODES}
        seconds = {mode: [] for mode in MODES}
        start = perf_counter()
        while not seconds[MODES[0]] or (perf_counter() - start < budget and len(seconds[MODES[0]]) < 1000):
            for mode in MODES:
                _set_active(net, mode == "hybridized")
                begin = perf_counter()
                _run(net, inputs, train, backward)
                seconds[mode].append(perf_counter() - begin)
    return [Measurement(mode, seconds[mode], peaks[mode]) for mode in MODES]


def _run(net, inputs, train, backward):
    if not backward:
        with autograd.train_mode() if train else autograd.predict_mode():
            net(*inputs)
        return
    with autograd.record(train):
        outputs = [y for y in flatten(net(*inputs))[0] if isinstance(y, NDArray)]
    autograd.backward([y for y in outputs if y.entry is not None])


def _peak(net, inputs, train, backward, mode):
    """Return the maximum number of bytes in use during a run or, if hybridized, during the first run, which allocates
    the plan's memory.
    """
    net.hybridize(mode == "hybridized", **net.hybrid_flags)
    _run(net, inputs, train, backward)
    if mode == "hybridized":
        for graph in net.block_graphs.values():
            if graph.compiled.last_plan is not None:
                graph.compiled.last_plan.free()
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    tracemalloc.reset_peak()
    try:
        before = tracemalloc.get_traced_memory()[0]
        _run(net, inputs, train, backward)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not was_tracing:
            tracemalloc.stop()


def _blocks(net):
    blocks = []
    net.apply(blocks.append)
    return blocks


def _set_active(net, active):
    """Set the same attributes as `hybridize`, without discarding the graphs."""
    for block in _blocks(net):
        block._active = active


@contextmanager
def _switched(net):
    """Restore afterward whether each block was hybridized."""
    saved = [(block, {key: block.__dict__[key] for key in ("_active", "_flags", "_graphs") if key in block.__dict__})
             for block in _blocks(net)]
    try:
        yield
    finally:
        for block, state in saved:
            for key in ("_active", "_flags", "_graphs"):
                block.__dict__.pop(key, None)
            block.__dict__.update(state)


@contextmanager
def undisturbed(net, ctx, train):
    """Afterward, restore states such as moving means, gradients and the random generator."""
    params = [p for p in net.collect_params().values() if p.is_initialized]
    arrays = [a for p in params if p.grad_req == "null" for a in p.list_data()]
    if train:
        arrays += [g for p in params if p.grad_req != "null" for g in p.list_grad()]
    saved = [(array, array.copy()) for array in arrays]
    generator = rng.generator(ctx).bit_generator
    state = generator.state
    try:
        with autograd.train_mode() if train else nullcontext():
            yield
    finally:
        generator.state = state
        for array, copy in saved:
            array[:] = copy
