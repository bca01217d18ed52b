"""TrainStep: forward, loss, backward and the optimizer's step as one call. MXNet has nothing of the kind."""

import weakref
from operator import is_

from .. import autograd
from ..backend import Spec
from ..base import ArgumentError
from ..dispatch import keepers
from ..hybrid import Steps, compile_graph
from ..hybrid.specs import infer_specs, is_static
from ..hybrid.unroll import has_control_flow, unroll
from ..ndarray import NDArray, empty
from ..structure import flatten, regroup
from ..symbol.composition import merge_namesakes
from ..symbol.symbol import Symbol
from ..tape import state
from .block import Block
from .hybrid_block import HybridBlock
from .parameter import Parameter
from .tracing import trace
from .trainer import Trainer

__all__ = ["TrainStep"]

MOST_PLANS = 64


class TrainStep:
    """A training step as one call. It is an addition of minigluon: MXNet has no such class.

        step = gluon.TrainStep(net, loss, trainer)
        for data, label in batches:
            value = step(data, label)

    It does what these lines do, with the same results up to rounding:

        with autograd.record():
            value = loss(net(data), label)
        value.backward()
        trainer.step(batch_size)

    If net and loss are hybridized and the optimizer is SGD or Adam, all of it is one plan: a gradient is used as soon
    as it is there, and `Parameter.grad()` does not get to see it. Otherwise it runs these lines; `reason` tells why.
    """

    def __init__(self, net, loss, trainer):
        for value, kind, name in ((net, Block, "net"), (loss, Block, "loss"), (trainer, Trainer, "trainer")):
            if not isinstance(value, kind):
                raise ArgumentError(f"TrainStep: {name} must be a {kind.__name__}, found {type(value).__name__}")
        self.net, self.loss, self.trainer = net, loss, trainer
        self.reason = "there was no step yet"
        self._graphs = {}           # signature -> _PlannedStep, or why there is none; blocks empty it when they change
        self._flags_seen = None     # the blocks' own traces, which they replace when they are hybridized again
        keepers.add(self)

    def forget_kernels(self):
        """Prepare the steps anew when they are needed next."""
        self._graphs.clear()

    def __call__(self, data, label, batch_size=None):
        """One step; returns the loss. data, label: an NDArray, or nested lists of them, each item an argument.

        batch_size: what the gradients are divided by, the length of data's first axis without it. Raises what the
        lines above raise.
        """
        leaves, structure = flatten((data, label))
        if batch_size is None:
            batch_size = self._batch_size(leaves)
        planned = self._planned(leaves, structure)
        if not isinstance(planned, str):
            self.reason = None
            return planned.run(leaves, batch_size)
        self.reason = planned
        with autograd.record():
            value = self.loss(_call(self.net, data), *_arguments(label))
        autograd.backward(flatten(value)[0])
        self.trainer.step(batch_size)
        return value

    def _batch_size(self, leaves):
        if not leaves or not isinstance(leaves[0], NDArray) or not leaves[0].shape:
            raise ArgumentError("TrainStep: data must be an NDArray, or a list of them, with an axis for the items of "
                                f"the batch, found {leaves[0] if leaves else leaves!r}. Pass batch_size=.")
        return leaves[0].shape[0]

    # -- one plan, or the reason why not ------------------------------------------------------------------------

    def _planned(self, leaves, structure):
        """What makes the step for such arguments, or a text: why the three calls make it."""
        reason = self._obstacle(leaves)
        if reason is not None:
            return reason
        seen = (self.net._graphs, self.loss._graphs)
        if self._flags_seen is None or not all(map(is_, seen, self._flags_seen)):
            self._graphs, self._flags_seen = {}, seen
        key = (structure, *[(x._data.shape, x._data.dtype, x._ctx) for x in leaves])
        found = self._graphs.get(key)
        if found is None or not (isinstance(found, str) or found.is_current()):
            if len(self._graphs) >= MOST_PLANS:
                self._graphs.clear()
            found = self._not_now()
            if found is None:
                with autograd.train_mode():
                    found = self._graphs[key] = self._prepare(leaves, structure)
        return found

    def _obstacle(self, leaves):
        """What may be different in the next step."""
        for block in (self.net, self.loss):
            if not isinstance(block, HybridBlock) or not block._active:
                return f"{type(block).__name__} {block.name!r} is not hybridized"
            if block._forward_hooks or block._forward_pre_hooks or block._op_hook is not None:
                return f"{type(block).__name__} {block.name!r} has hooks"
        if state.recording:
            return "autograd.record() is on"
        if type(self.trainer) is not Trainer or len(self.trainer._contexts) != 1:
            return "the trainer is one for several devices, or of a class of its own"
        if self.trainer._kvstore is not None:
            return "the trainer's gradients go to a store"
        for x in leaves:
            if x.__class__ is not NDArray:
                return f"an argument is no NDArray, but {type(x).__name__}"
            if x._entry is not None:
                return "an argument wants a gradient, or is on the tape"
            if x._ctx is not self.trainer._contexts[0]:
                return "an argument is on another device"
        return None

    def _not_now(self):
        """What of the parameters and of the optimizer stands against a plan, or None."""
        ctx, params = self.trainer._contexts[0], self.params()
        for param in (*params.values(), *self.trainer._params):
            if param._data is None:
                return f"parameter {param.name!r} has no value yet"
            if param._computes_data():
                return f"parameter {param.name!r} is of a class that computes its data"
            if ctx not in param._data:
                return f"parameter {param.name!r} is on another device"
            if param.grad_req == "add":
                return f"parameter {param.name!r} adds up its gradients"
        trained = [pair for pair in enumerate(self.trainer._params) if pair[1]._grad is not None]
        found = _states_and_operator(self.trainer, trained)
        return found if isinstance(found, str) else None

    def params(self):
        """{name: Parameter} of net and loss."""
        return {p.name: p for block in (self.net, self.loss) for p in block.collect_params().values()}

    def _prepare(self, leaves, structure):
        trainer = self.trainer
        traced = trace(_Joint(self.net, self.loss), regroup(leaves, structure))
        for block in _blocks(self.net, self.loss):      # that tell it of a change
            block._hosts = weakref.WeakSet([*block._hosts, self])
        params = self.params()
        symbol = Symbol(merge_namesakes(traced.outputs._outputs))
        used = [name for name in symbol.list_inputs() if name in params]
        numbers = {id(param): number for number, param in enumerate(trainer._params) if param._grad is not None}
        for name in used:
            if params[name]._grad is not None and id(params[name]) not in numbers:
                return f"parameter {name!r} wants a gradient, but is not among the trainer's"
        wanted = [name for name in used if id(params[name]) in numbers]
        if len(wanted) < len(numbers):
            return "the trainer has a parameter that the loss does not depend on"
        return _PlannedStep.prepare(self, symbol, traced, leaves, [params[n] for n in used],
                                    [(numbers[id(params[n])], params[n]) for n in wanted])


def _states_and_operator(trainer, trained):
    """(states of these parameters, the operator for all their steps, its arrays of states), or why there is none.

    trained: (number in the trainer, Parameter).
    """
    ctx, updater = trainer._contexts[0], trainer._updaters[0]
    weights = [param._data[ctx] for _, param in trained]
    if len({x._data.dtype for x in weights}) != 1 or weights[0]._data.dtype.name not in ("float32", "float64"):
        return "weights that are not all float32 or all float64"
    states = updater.states_of([index for index, _ in trained], weights)
    found = updater.optimizer._joint_step(states)
    return found if isinstance(found, str) else (states, *found)


class _Joint:
    """The loss of a net, as a block for `trace`."""

    name = "train_step"

    def __init__(self, net, loss):
        self.net, self.loss = net, loss

    def _trace(self, args):
        return self.loss(_call(self.net, args[0]), *_arguments(args[1]))


class _PlannedStep:
    """A plan for a whole step, and the arrays that it overwrites.

    params: of the graph, in the order of the plan. trained: (number in the trainer, Parameter) of those with steps.
    """

    @classmethod
    def prepare(cls, owner, symbol, traced, leaves, params, trained):
        """One for such arrays, or why there is none."""
        self = cls()
        self.structure, self.trainer, self.net = traced.out_structure, owner.trainer, owner.net
        self.ctx = ctx = owner.trainer._contexts[0]
        self.params, self.trained = params, trained
        self.indices = [number for number, _ in trained]
        reason = self._bind()
        if reason is not None:
            return reason
        names = [*traced.inputs, *[p.name for p in params]]
        used = set(symbol.list_inputs())
        arrays = [*leaves, *self.arrays]
        known = {name: Spec(x.shape, x._data.dtype) for name, x in zip(names, arrays, strict=True) if name in used}
        graph = unroll(symbol, known)
        if has_control_flow(graph) or not is_static(infer_specs(graph, known)):
            return "the graph has shapes, loops or branches that depend on values"
        wanted = [param.name for _, param in trained]
        steps = Steps(wanted, self.op, [[Spec(s.shape, s._data.dtype) for s in arrays] for arrays in self.states])
        self.plan, _ = compile_graph(graph, known, names, ctx, True, wanted, steps=steps,
                                     recomputed=bool(owner.net._flags.get("recompute")))
        if self.plan is None:
            return "the trainer has a parameter that the loss does not depend on"
        self._bind_steps(steps, {p.name: Spec(p.shape, p.data(ctx)._data.dtype) for p in params},
                         set(symbol.list_auxiliary_states()))
        return self

    def _bind(self):
        """Look up the arrays of parameters and states; why that is not possible, or None."""
        self.replacements = Parameter.replacements
        self.arrays = [param._data[self.ctx] for param in self.params]
        self.weights = [param._data[self.ctx] for _, param in self.trained]
        self.entries = [x._entry for x in self.weights]
        self.updater = self.trainer._updaters[0]
        self.optimizer = self.updater.optimizer
        self.kept_states, self.op, self.states = _states_and_operator(self.trainer, self.trained)
        written = [*self.arrays, *[x for states in self.states for x in states]]
        if len({id(x.root()) for x in written}) < len(written) or not all(x._data.flags.c_contiguous for x in written):
            return "weights or states that share memory, or are views with holes"
        return None

    def _bind_steps(self, steps, specs, auxiliary):
        """The buffers that follow the arguments, in the order of `add_steps`; whose writes to count."""
        self.buffers = [x._data for x in self.arrays]
        self.rates = []
        for group in steps.groups(specs):
            self.buffers += [s._data for i in group for s in self.states[i]]
            self.rates.append((group, empty((1 + 2 * len(group),), self.ctx, "float64")._data))
            self.buffers.append(self.rates[-1][1])
        others = [x for x, p in zip(self.arrays, self.params, strict=True) if p.name in auxiliary]
        self.written = [x.root() for x in (*self.weights, *others, *[s for states in self.states for s in states])]

    def is_current(self):
        """Are the arrays and the optimizer still those that it was prepared for?"""
        if (self.replacements != Parameter.replacements or self.updater is not self.trainer._updaters[0]
                or self.optimizer is not self.updater.optimizer):
            return False
        states = self.updater.states
        if not all(map(is_, [x._entry for x in self.weights], self.entries)):
            return False
        if not all(map(is_, [states.get(i) for i in self.indices], self.kept_states)):
            return False
        if not all(self.updater.states_synced[i] for i in self.indices):
            return False
        found = self.optimizer._joint_step(self.kept_states)
        return not isinstance(found, str) and found[0] is self.op

    def run(self, leaves, batch_size):
        optimizer = self.optimizer
        self.trainer._rescale(batch_size, "step")
        scale = optimizer.rescale_grad
        optimizer._set_current_context(self.ctx.device_id)
        lrs, wds = optimizer._begin_all(self.indices)
        for group, rates in self.rates:
            rates[:] = [scale, *[lrs[i] for i in group], *[wds[i] for i in group]]
        data = [x._data if x._data.flags.c_contiguous else x.copy()._data for x in leaves]
        results = self.plan.call(data + self.buffers)
        for root in self.written:
            root._version += 1
        for entry in self.entries:
            entry.fresh = False
        count = len(results) - len(self.rates)
        outputs = [NDArray(buffer, self.ctx) for buffer in results[:count]]
        return outputs[0] if self.structure is None else regroup(outputs, self.structure)


def _arguments(value):
    return value if isinstance(value, (list, tuple)) else (value,)


def _call(net, data):
    return net(*_arguments(data))


def _blocks(*blocks):
    found = list(blocks)
    for parent in found:
        found += parent._children.values()
    return found
