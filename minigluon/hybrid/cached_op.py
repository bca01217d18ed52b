"""CachedOp: a traced graph that is called like a function, through one plan for each signature.

A call looks up the plan for its `Signature`: shapes, dtypes and devices, train mode, and which arrays need a gradient.
On the tape it records one entry, which runs the plan's backward part.
"""

from operator import itemgetter

from ..backend.forgetting import forgotten, kernel_caches
from ..context import current_context
from ..symbol.composition import merge_namesakes
from ..symbol.symbol import Symbol
from ..tape import state
from ..tape.constants import Constant
from . import runners
from .cached_op_views import CachedOpViews
from .parameter_constants import PackedParameters

__all__ = ["CachedOp", "Signature"]

MAX_PLANS = 256         # if a program keeps using new shapes, the cache is cleared at this size


class Signature(tuple):
    """Everything that determines which plan runs a call, except for the parameters' device, shapes and types.

    training: train mode. needs_grad: for each array in data and parameters, whether the tape needs its gradient; () if
    none is needed. After these two, the tuple has the shape, dtype and device of each array in `data`, all in a row.
    """

    training, needs_grad = property(itemgetter(0)), property(itemgetter(1))
    data = property(lambda self: [self[i:i + 3] for i in range(2, len(self), 3)])


class CachedOp(CachedOpViews):
    """A graph, `symbol`, as a function of arrays. inputs: the names of its variables in the order of the arguments:
    first those that change with each call, then the parameters, which are passed to `bind`."""

    def __init__(self, symbol, inputs, flags=None):
        names = symbol.list_inputs()
        if len(names) > len(set(names)):            # the arrays are looked up by name
            symbol = Symbol(merge_namesakes(symbol.heads))
        self.symbol = symbol
        self.inputs = list(inputs)
        self.flags = dict(flags or {})
        self._last_runner = None
        self.used = set(names)
        self.mutated = set(symbol.list_auxiliary_states())
        self.prepackers = {}            # for all plans (see `parameter_constants.py`)
        self._plans = {}                # device, shapes and dtypes of the parameters -> Plans
        kernel_caches.add(self)

    def __call__(self, data, params=()):
        """Return the outputs as a list of NDArrays. data, params: lists of NDArrays on one device."""
        arrays = [*data, *params]
        return self.run(data, self.bind(params, arrays[0].context if arrays else current_context()))

    def run(self, data, params):
        """Return the outputs like `__call__`, for parameters bound on the data's device."""
        parents, needs_grad = None, ()
        if state.recording:
            parents = [None if (entry := x.entry) is None or entry.versions is None else (entry, x.output_index)
                       for x in (*data, *params.arrays)]        # None for an array that is not on the tape
            if any(parents):
                needs_grad = tuple([p is not None for p in parents])
        if len(data) == 1:
            buffer = data[0].buffer             # the loop would take as long as the rest of the lookup
            key = state.training, needs_grad, buffer.shape, buffer.dtype, data[0].device
        else:
            key = state.training, needs_grad
            for x in data:
                key += x.buffer.shape, x.buffer.dtype, x.device
        # A tuple equals a Signature with the same items and takes a tenth of the time to create.
        runner = params.plans.get(key) or self._make_runner(Signature(key), data, params)
        if parents is None:
            return runner.run(data, params)
        if needs_grad:
            return runner.record(data, params, parents)
        if Constant.made and any(x.entry.__class__ is Constant for x in data):
            return runner.record_constants(data, params, parents)
        return runner.run(data, params)

    def bind(self, params, ctx, buffers=None, version=None):
        """Prepare the parameters' arrays on a device for calls. Valid until their memory is replaced.
        buffers: the memory to bind, by default the current memory. version: tells whether the memory has changed."""
        buffers = [x.buffer for x in params] if buffers is None else buffers
        kind = (ctx, *[(b.shape, b.dtype, x.device) for b, x in zip(buffers, params, strict=True)])
        plans = self._plans.get(kind)
        if plans is None:
            if len(self._plans) >= MAX_PLANS:
                self._plans.clear()
            plans = self._plans[kind] = Plans()
        return BoundParameters(list(params), buffers, plans, version)

    def forget_kernels(self):
        """Discard all plans; they are recreated when needed."""
        for plans in list(self._plans.values()):
            plans.clear()
            plans.lengths = None

    def _make_runner(self, signature, data, params):
        """Create and store the runner for a signature. Raises ContextError and inference errors."""
        times = forgotten.times
        runner = runners.make_runner(self, signature, data, params)
        if times != forgotten.times:         # another thread has changed the backend or the passes in the meantime
            self.forget_kernels()
            return runner
        if isinstance(runner, runners.PlannedRunner):
            self._last_runner = runner
        if len(params.plans) >= MAX_PLANS:
            params.plans.clear()            # another thread may clear them at any time
        params.plans[signature] = runner
        return runner


class Plans(dict):
    """{Signature: the runner for such calls}, for parameters with the same device, shapes and dtypes."""

    lengths = None      # the lengths in these signatures (see `lengths.py`)


class BoundParameters:
    """The parameters' arrays and buffers, with the Plans for parameters like these."""

    __slots__ = ("_constants", "arrays", "buffers", "plans", "version")

    def __init__(self, arrays, buffers, plans, version):
        self.arrays, self.buffers, self.plans, self.version = arrays, buffers, plans, version
        self._constants = []

    @property
    def constants(self):
        """Return the values that plans compute only from the parameters."""
        if not self._constants:
            self._constants.append(PackedParameters(self.arrays, self.buffers))
        return self._constants[0]            # the first set, even if two threads have created one

    def fixed(self):
        """Return arrays with this memory, even if another thread replaces it in the meantime."""
        return [x._fixed(buffer) for x, buffer in zip(self.arrays, self.buffers, strict=True)]
