"""TrainStep: forward pass, loss, backward pass and optimizer step in one call, which MXNet does not have."""

from __future__ import annotations

from operator import is_
from typing import Any

import numpy as np

from .. import autograd
from ..backend import backend_for
from ..backend.forgetting import kernel_caches
from ..backend.watchers import watching
from ..base import ArgumentError
from ..common.nest import flatten, regroup
from ..diagnostics.keywords import ChecksKeywords
from ..hybrid.symbolic.shape_families import ShapeFamily
from ..ndarray import NDArray
from ..symbol.composition import merge_namesakes
from ..symbol.symbol import Symbol
from ..tape import is_recorded, state
from .block import Block
from .planned_step import PlannedStep
from .sending_step import SendingStep
from .tracing import trace_function
from .trainer import Trainer

__all__ = ["TrainStep"]

MAX_PLANS = 64


class TrainStep(ChecksKeywords):
    """A training step as one call. This class is an addition to MXNet's API.

    `value = step(data, label)` does what these lines do, with the same results up to rounding:

        with autograd.record():
            value = loss(net(data), label)
        value.backward()
        trainer.step(batch_size)

    If net and loss are hybridized and the optimizer is SGD or Adam, everything is one plan: a gradient is used as soon
    as it is computed and never stored in `Parameter.grad()`. With the store 'dist_sync', the plan ends with the
    gradients, which are sent while it runs, and then the optimizer, which may be any, updates the weights. Otherwise
    the step runs these lines; `reason` says why.

    Raises ArgumentError if net and loss are not Blocks, or trainer is not a Trainer.

    >>> net = nn.Dense(1, in_units=2, use_bias=False)
    >>> net.initialize(init.One())
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> step = gluon.TrainStep(net, gluon.loss.L2Loss(), trainer)
    >>> value = step(nd.array([[1, 2]]), nd.array([[0]]))
    >>> value.item(), net.weight.data().asnumpy().round(1)      # 3² / 2; the gradient is 3 (1, 2)
    (4.5, array([[0.7, 0.4]], dtype=float32))
    >>> step.reason
    "Dense 'dense0' is not hybridized"
    """

    loss: Any
    net: Block
    trainer: Any
    reason: str | None

    def __init__(self, net: Block, loss: Any, trainer: Any) -> None:
        for value, kind, name in ((net, Block, "net"), (loss, Block, "loss"), (trainer, Trainer, "trainer")):
            if not isinstance(value, kind):
                raise ArgumentError(f"TrainStep: {name} must be a {kind.__name__}, found {type(value).__name__}")
        self.net, self.loss, self.trainer = net, loss, trainer
        self.reason = "no step has run yet"
        self._ctx = next(iter(trainer.contexts()), None)
        self._plans = {}            # signature -> PlannedStep, or the reason why there is none
        self._families = {}         # signature without lengths -> ShapeFamily
        self._graphs_seen = None    # the blocks' own graphs, which change when the blocks are hybridized again
        kernel_caches.add(self)

    @property
    def plans(self) -> Any:
        """The plans for the steps, one for each signature."""
        return [step.plan for step in self._plans.values() if not isinstance(step, str)]

    def forget_kernels(self) -> None:
        """Discard prepared steps; they are recreated on demand."""
        self._plans.clear()
        self._families.clear()

    def drop_graphs(self) -> None:
        """Call `forget_kernels`; net and loss call this when they change (see `HybridBlock.add_graph_host`)."""
        self.forget_kernels()

    def __call__(self, data: Any, label: Any, batch_size: int | None = None) -> Any:
        """Run one step and return the loss. data, label: an NDArray, or a list whose items are the arguments and may be
        nested.

        batch_size: the divisor of the gradients; by default the length of data's first axis, summed over all
            processes.

        Raises the same errors as the lines above.
        """
        leaves, structure = flatten((data, label))
        own = self._batch_size(leaves) if batch_size is None else 0
        planned = self._step_for(leaves, structure)
        if not isinstance(planned, str):
            self.reason = None
            return planned.run(leaves, own, batch_size)
        self.reason = planned
        with autograd.record():
            value = self.loss(_call(self.net, data), *_arguments(label))
        autograd.backward(flatten(value)[0])
        if batch_size is None:
            self.trainer.step_share(own)
        else:
            self.trainer.step(batch_size)
        return value

    def _batch_size(self, leaves):
        if not leaves or not isinstance(leaves[0], NDArray) or not leaves[0].shape:
            raise ArgumentError("TrainStep: data must be an NDArray, or a list of them, with an axis for the items of "
                                f"the batch, found {leaves[0] if leaves else leaves!r}. Pass batch_size=.")
        return leaves[0].shape[0]

    # -- one plan, or the reason why not ------------------------------------------------------------------------

    def _step_for(self, leaves, structure):
        """Return the PlannedStep for these arguments, or the reason why the three calls are used instead."""
        reason = self._obstacle(leaves)
        if reason is not None:
            return reason
        graphs = (self.net.block_graphs, self.loss.block_graphs)
        if self._graphs_seen is None or not all(map(is_, graphs, self._graphs_seen)):
            self._plans, self._families, self._graphs_seen = {}, {}, graphs
        key = len(leaves), structure                # followed by the arrays, as in a `Signature`
        for x in leaves:
            key += x.buffer.shape, x.buffer.dtype, x.device
        step = self._plans.get(key)
        if step is None or not (isinstance(step, str) or step.is_current()):
            if step is not None:
                self.forget_kernels()       # these steps were for the old parameters and optimizer
            if len(self._plans) >= MAX_PLANS:
                self._plans.clear()
            step = self._reason_against()
            if step is None:
                step = self._plans[key] = self._new_step(key, leaves, structure)
        return step

    def _new_step(self, key, leaves, structure):
        """Return a PlannedStep, with a symbolic plan or compiled for these arguments, or the reason why there is none.
        """
        kind = structure, *[(x.buffer.ndim, x.buffer.dtype) for x in leaves]
        family = self._families.get(kind)
        if family is None:
            family = self._families[kind] = ShapeFamily(backend_for(self._ctx).supports_symbolic_dims, [])
            if self.net.hybrid_flags.get("memory") is not None:
                family.give_up("hybridize(memory=...) lays out the plans of each shape to choose one")
        for variant in family.variants:
            step = variant.runner_at(key)
            if step is not None and step.is_current():
                return step
        with autograd.train_mode():
            return self._prepare(leaves, structure, family, key)

    def _obstacle(self, leaves):
        """Return the reason why this step cannot be planned, or None. Checked at each step because it may change."""
        reason = self.net.graph_obstacle() or self.loss.graph_obstacle()
        if reason is not None:
            return reason
        if state.recording:
            return "autograd.record() is on"
        reason = self.trainer.plan_obstacle()
        if reason is not None:
            return reason
        for x in leaves:
            if x.__class__ is not NDArray:
                return f"an argument is not an NDArray, but {type(x).__name__}"
            if is_recorded(x):
                return "an argument requires a gradient, or is on the tape"
            if x.device is not self._ctx:
                return "an argument is on another device"
        return None

    def _reason_against(self):
        """Return the reason in the parameters or the optimizer that rules out a plan, or None."""
        if watching.node_by_node:
            return "debug mode is on, which checks each operator"
        for param in (*self.params().values(), *self.trainer.parameters()):
            if not param.is_initialized:
                return f"parameter {param.name!r} has no value yet"
            if param.computes_data:
                return f"parameter {param.name!r} is of a class that computes its data"
            if self._ctx not in param.list_ctx():
                return f"parameter {param.name!r} is on another device"
            if param.grad_req == "add":
                return f"parameter {param.name!r} accumulates its gradients"
        replica, = self.trainer.replicas()
        dtypes = {x.dtype for x in replica.values}
        if dtypes not in ({np.float32}, {np.float64}):
            return "weights that are not all float32 or all float64"
        if self.trainer.sends_early():
            return "row_sparse gradients" if any(grad.stype != "default" for grad in replica.grads) else None
        return self.trainer.single_device_step()[1].reason

    def params(self) -> Any:
        """Return {name: Parameter} for net and loss."""
        return {p.name: p for block in (self.net, self.loss) for p in block.collect_params().values()}

    def _prepare(self, leaves, structure, family, key):
        """Return a PlannedStep, or the reason why there is none."""
        def loss_of(args):
            return self.loss(_call(self.net, args[0]), *_arguments(args[1]))
        traced = trace_function(loss_of, regroup(leaves, structure), "TrainStep: the loss returned")
        self.net.add_graph_host(self)
        self.loss.add_graph_host(self)
        params, trainers = self.params(), self.trainer.parameters()
        symbol = Symbol(merge_namesakes(traced.outputs.heads))
        used = [name for name in symbol.list_inputs() if name in params]
        numbers = {id(trainers[number]): number for number in self.trainer.replicas()[0].indices}
        for name in used:
            if params[name].grad_req != "null" and id(params[name]) not in numbers:
                return f"parameter {name!r} requires a gradient, but is not among the trainer's"
        weights = {name: numbers[id(params[name])] for name in used if id(params[name]) in numbers}
        if len(weights) < len(numbers):
            return "the trainer has a parameter that the loss does not depend on"
        kind = SendingStep if self.trainer.sends_early() else PlannedStep
        return kind.prepare(self, symbol, traced, leaves, [params[name] for name in used], weights, family, key)


def _arguments(value):
    return value if isinstance(value, (list, tuple)) else (value,)


def _call(net, data):
    return net(*_arguments(data))
