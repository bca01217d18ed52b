"""The computation of an executor: its graph's plan as one entry on the tape, or node by node if monitored."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import autograd
from ...base import MXNetError
from ...common import generators as rng
from ...hybrid import CachedOp, interpret
from ...hybrid.differentiate import gradients_of
from ...ops.graph.control import ControlOp
from ...ops.graph.interpreted_op import Composite, InterpretedOp
from ...ops.nn.dropout import Dropout
from ...symbol import Symbol
from ...symbol.graph import Node
from ...symbol.rewrite import Rewriter
from .memory import zeros

if TYPE_CHECKING:
    from ...context import Context
    from ...ndarray import NDArray
    from .gradient_watcher import GradientWatcher

__all__ = ["Runner"]


class Runner:
    """The computation behind an Executor, on its arrays.

    args, aux: {name: NDArray}.
    grads: {name: NDArray or None}.
    reqs: {name: 'write', 'add' or 'null'}.
    placement: the devices of the nodes if not all are on ctx. Because a plan is for a single device, the graph then
    runs node by node.
    """

    ctx: Context
    symbol: Symbol
    args: dict[str, NDArray]
    aux: dict[Any, Any]
    outputs: list[NDArray | None]

    def __init__(self, symbol: Symbol, ctx: Context, args: dict[str, NDArray], grads: dict[str, NDArray],
                 reqs: dict[str, str], aux: dict[Any, Any], specs: Sequence[Any], placement: Any = None):
        self.symbol, self.ctx = symbol, ctx
        self._device_of = None if placement is None else placement.of
        self._devices = [ctx] if placement is None else list(placement.devices)
        self.args, self.aux = args, aux
        self.wanted: dict[Any, tuple[Any, Any]] = {name: (grad, reqs[name]) for name, grad in grads.items()
                                                   if grad is not None and reqs[name] != "null"}
        # An array for each output, overwritten by every forward pass; None until its shape is known.
        places = [ctx if placement is None else placement.of_output(node) for node, _ in symbol.heads]
        self.outputs = [None if shape is None or None in shape else zeros(f"output {name!r}", shape, place, dtype)
                        for name, (shape, dtype), place in zip(symbol.list_outputs(), specs, places, strict=True)]
        self._graph = self._bound = None
        if placement is None:
            self._graph = CachedOp(symbol, [*args, *aux])
            self._bound = self._graph.bind(aux.values(), ctx)
        self._draws = any(n.op is not None and _draws_for_prediction(n.op) for n in symbol.nodes())
        self._train = None              # the mode of the last forward pass
        self._heads = None              # the outputs of that pass on the tape
        self._variables = []            # arguments on the tape that need gradients
        self._positions = None          # the state of the random generators before an unrecorded forward pass
        self._needed = None
        self._versions = None           # the arguments' versions, once a backward pass has consumed the saved values

    @property
    def has_run(self):
        """Whether there has been a forward pass."""
        return self._train is not None

    def forward(self, train: bool, callback: GradientWatcher | None = None) -> list[NDArray | None]:
        """Compute the outputs and store them in `self.outputs`. callback: see `interpret`."""
        self._train = train
        self._versions = None
        self._heads = None              # this allows the values of the last plan to be reused
        self._positions = None
        if self._draws and self.wanted and not train:
            self._positions = [(device, rng.position(device)) for device in self._devices]
        results = self._record(train, callback) if train else self._compute(callback)
        self._heads = results if train else None
        with autograd.pause():
            for index, (output, result) in enumerate(zip(self.outputs, results, strict=True)):
                if output is None or output.shape != result.shape:
                    self.outputs[index] = result.copy()
                else:
                    output[...] = result
        return self.outputs

    def _run(self, args, callback):
        with self.ctx:
            if callback is None and self._graph is not None:
                bound = self._bound
                if any(x.buffer is not memory for x, memory in zip(bound.arrays, bound.buffers, strict=True)):
                    # a Parameter has replaced its arrays
                    self._bound = self._graph.bind(self.aux.values(), self.ctx)
                return self._graph.run(list(args.values()), self._bound)
            return interpret(self.symbol, {**args, **self.aux}, callback, self._device_of)

    def _compute(self, callback):
        with autograd.pause():
            return self._run(self.args, callback)

    def _record(self, train, callback=None):
        """Compute the outputs on the tape, with the arguments that need gradients as variables."""
        args = {name: x.detach() for name, x in self.args.items()}
        for name, (grad, req) in self.wanted.items():
            args[name] = args[name].as_in_context(grad.context)         # with group2ctx, the device of its reader
            autograd.mark_variables([args[name]], [grad], [req])
        self._variables = [args[name].entry for name in self.wanted]
        with autograd.record(train_mode=train):
            return self._run(args, callback)

    def needed_heads(self) -> list[int]:
        """Return the indices of the outputs whose gradients are used. Losses ignore theirs."""
        if self._needed is None:
            symbol, results = _cut_at_loops(self.symbol)
            variables = [n for n in symbol.nodes() if n.op is None and n.name in self.wanted]
            grads, heads = gradients_of(symbol, variables + results)
            used = _computed_from([pair for grad in grads if grad is not None for pair in grad.heads])
            self._needed = [i for i, head in enumerate(heads) if head in used]
        return self._needed

    def backward(self, heads: Sequence[NDArray], keep: bool = True) -> None:
        """Store the gradients, with zeros for arguments that receive none. heads: an NDArray or None for each output.

        keep=False consumes the saved values of the forward pass instead of a copy of them; before another backward
        pass, the forward pass must run again.
        """
        if not self.wanted:
            return
        if self._versions is not None:
            self._require_repeatable()
        if self._heads is None:         # an inference pass does not save anything, but this case is rare
            with contextlib.ExitStack() as stack:
                for device, position in self._positions or ():
                    stack.enter_context(rng.rewound(device, position))
                self._heads = self._record(self._train)
        tracked = [(y, head) for y, head in zip(self._heads, heads, strict=True) if y.entry is not None]
        if tracked:
            autograd.backward([y for y, _ in tracked], [head for _, head in tracked], retain_graph=keep,
                              train_mode=self._train)
        for variable in self._variables:
            if not variable.fresh and variable.req == "write":
                variable.grad[...] = 0
        if not keep:
            self._heads, self._versions = None, [x._version for x in self.args.values()]

    def _require_repeatable(self):
        """Raise an error unless another forward pass would compute the same values as the last one."""
        changing = next((n for n in self.symbol.nodes() if n.op is not None and (n.op.random or n.op.mutates)), None)
        reason = (f"{changing.name!r} ({changing.op.name}) draws random numbers or updates its statistics"
                  if changing is not None else "an argument has been overwritten since")
        if changing is not None or self._versions != [x._version for x in self.args.values()]:
            raise MXNetError("backward: the values of the last forward pass were consumed by the first backward, and a "
                             f"second forward pass would compute others: {reason}. Call forward before each backward, "
                             "or use an executor of symbol.simple_bind, which keeps them.")

    def planned_bytes(self) -> Any:
        """Return the memory planned for intermediate values, in training mode if gradients are needed."""
        if self._graph is None:
            return 0
        with autograd.train_mode() if self.wanted else autograd.predict_mode():
            plan = self._graph.plan_for([*self.args.values(), *self.aux.values()], list(self.wanted))
        return 0 if plan is None else plan.memory.size

    def optimized(self) -> Symbol:
        """Return the last graph that ran, after the passes."""
        plan = None if self._graph is None else self._graph.last_plan
        return self.symbol if plan is None else Symbol(plan.graph.heads[:len(self.symbol)])


def _draws_for_prediction(op):
    """Return whether an operator may draw random numbers at inference; operators that have a training mode do not."""
    if isinstance(op, InterpretedOp):       # operators written in Python may draw random numbers
        return True
    return op.random and (op.draws(train=False) if isinstance(op, Dropout) else not op.takes_train)


def _cut_at_loops(symbol):
    """Return (graph, nodes) in which variables replace the results of loops, branches and Python operators.

    All of these pass gradients on, except a loss in Python, which is therefore not among the nodes.
    """
    cut = LoopSplit(symbol)
    return cut.rewritten(), cut.results


class LoopSplit(Rewriter):
    """Rewriter that replaces interpreted nodes. results: the variables for results that pass gradients on."""

    def __init__(self, symbol):
        super().__init__(symbol)
        self.results = []

    def visit(self, node):
        """Replace nodes that have to be interpreted with variables."""
        if not isinstance(node.op, InterpretedOp):
            super().visit(node)
            return
        for index in range(node.op.num_outputs):
            result = Node(None, node.output_name(index))
            self.where[node, index] = result, 0
            if isinstance(node.op, (ControlOp, Composite)) or node.op.prop.need_top_grad_:
                self.results.append(result)


def _computed_from(heads):
    """Return all nodes whose values, not just their shapes, affect the values of `heads`."""
    seen, todo = set(), [node for node, _ in heads]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            if node.op is not None and node.op.name not in ("zeros_like", "ones_like"):
                names = node.op.argument_names(len(node.inputs))
                todo += [parent for name, (parent, _) in zip(names, node.inputs, strict=True)
                         if name not in node.op.shape_only]
    return seen
