"""A training step as one plan, which `TrainStep` runs for one shape of data and labels, or for all shapes."""

from __future__ import annotations

from operator import is_
from typing import Any

from ..backend import Spec
from ..base import MXNetError
from ..common.nest import regroup
from ..hybrid import Steps, compile_graph
from ..hybrid.flags import saving
from ..hybrid.plan import buffers_of
from ..hybrid.registered_passes import passes_for
from ..hybrid.specs import has_control_flow, infer_specs, is_static
from ..hybrid.symbolic.shape_families import SymbolicPlan, with_names
from ..hybrid.symbolic.size_formulas import SizedPlan
from ..hybrid.unroll import unrolled
from ..ndarray import NDArray, empty
from ..ndarray.writers import count_writes
from .parameter import Parameter

__all__ = ["PlannedStep"]


class PlannedStep:
    """A plan for an entire step, and the arrays it overwrites."""

    groups: list[list[Any]]
    rates: Any
    buffers: list[Any]
    replacements: int

    @classmethod
    def prepare(cls, owner: Any, symbol: Any, traced: Any, leaves: Any, params: Any, weights: Any, family: Any,
                key: Any) -> Any:
        """Return a step for these arrays, or the reason why there is none.

        params: the graph's parameters, in the plan's order.
        weights: {name: index in the trainer} for the updated parameters.
        family, key: see `TrainStep._new_step`. From the second shape on, one plan is used for all shapes if possible.
        """
        self = cls()
        self.structure, self.trainer, self.replacements = traced.out_structure, owner.trainer, Parameter.replacements
        operator, all_states = self._take_operator()
        positions = [self.replica.indices.index(number) for number in weights.values()]
        arrays = [p.data(self.replica.ctx).as_nd_ndarray() for p in params]
        states = [all_states[i] for i in positions]
        targets = [*arrays, *[x for of_weight in states for x in of_weight]]
        roots = {id(x._root()) for x in targets}
        if len(roots) < len(targets) or not all(x.buffer.flags.c_contiguous for x in targets):
            return "weights or states that share memory, or are views with holes"
        names, used = [*traced.inputs, *[p.name for p in params]], set(symbol.list_inputs())
        input_specs = {name: Spec(x.shape, x.buffer.dtype) for name, x in zip(names, [*leaves, *arrays], strict=True)
                       if name in used}
        graph = unrolled(symbol, input_specs)
        if has_control_flow(graph) or not is_static(infer_specs(graph, input_specs)):
            return "the graph has shapes, loops or branches that depend on values"
        steps = Steps(list(weights), operator,
                      [[Spec(x.shape, x.buffer.dtype) for x in of_weight] for of_weight in states])
        flags = owner.net.hybrid_flags
        how = {"steps": steps, "recomputed": saving(flags), "passes": passes_for(flags)}
        named = self._with_names(family, symbol, names, leaves, input_specs, how)
        if named is None:
            self.plan, grad_indices = compile_graph(graph, input_specs, names, self.replica.ctx, True, list(weights),
                                                    **how)
            if self.plan is None:
                return ("the trainer has a parameter that the loss does not depend on" if None in grad_indices else
                        "the gradients have shapes that depend on values")
        self.params, self.arrays = params, arrays
        self._bind(arrays, states, steps.groups(input_specs), positions)
        auxiliary = set(symbol.list_auxiliary_states())
        self.written = [x for x, p in zip(arrays, params, strict=True) if p.name in auxiliary]
        self.written += self._overwritten([x for x, p in zip(arrays, params, strict=True) if p.name in weights], states)
        return self if named is None else family.add(named[0], self, named[1], key)

    def _take_operator(self):
        """Return (the operator for all weights, for each weight the arrays that the operator keeps), which are current
        from now on. """
        self.replica, self.step = self.trainer.single_device_step()
        return self.step.operator, self.step.state_arrays

    def _overwritten(self, weights, states):
        """Return the arrays that the operator writes to."""
        return [*weights, *[x for of_weight in states for x in of_weight]]

    def _with_names(self, family, symbol, names, leaves, input_specs, how):
        """Return (SymbolicPlan, axes of its names), with names for argument lengths that have changed, or None."""
        axes = family.names_for(tuple([x.shape for x in leaves]))
        if axes is None:
            return None
        specs = [Spec(x.shape, x.buffer.dtype) for x in leaves]
        scope, named = with_names(axes, names[:len(leaves)], specs, input_specs)
        input_specs = {**input_specs, **named}
        try:
            graph = unrolled(symbol, input_specs)
            if has_control_flow(graph):
                return family.give_up("the graph has loops or branches")
            symbolic = SymbolicPlan.make(scope, graph, input_specs, names, self.replica.ctx, True, how["steps"].weights,
                                         **how)
        except (MXNetError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            return family.give_up(str(error))
        if symbolic is None:
            return family.give_up("the shape of a result depends on values")
        self.plan = symbolic.plan
        return symbolic, axes

    def at(self, affine_plan: Any, size: int) -> PlannedStep:
        """Return this step for a different size of affine_plan."""
        return self.like(SizedPlan(affine_plan, size))

    def like(self, plan: Any) -> PlannedStep:
        """Return this step with the plan for a different size."""
        step = object.__new__(type(self))
        step.__dict__ = {**self.__dict__, "plan": plan}
        return step

    def _bind(self, arrays, states, groups, positions):
        """Return the buffers that follow the arguments, in the order of `add_steps`. positions: the weights' positions
        in the Step. """
        self.buffers, end = [x.buffer for x in arrays], 0
        self.groups = [[positions[i] for i in group] for group in groups]
        # All groups' rates are contiguous, so that one copy moves them to a GPU.
        self.rates = empty((sum(1 + 2 * len(group) for group in groups),), self.replica.ctx, "float64").buffer
        self.written_rates = None
        for group in groups:
            start, end = end, end + 1 + 2 * len(group)
            self.buffers += [*[x.buffer for i in group for x in states[i]], self.rates[start:end]]

    def is_current(self) -> bool:
        """Return whether the step was prepared for the current arrays, optimizer and settings."""
        return (self.replacements == Parameter.replacements or self._follow()) and self._has_same()

    def _has_same(self):
        """Return whether Replica and Step are the trainer's current ones."""
        replica, step = self.trainer.single_device_step()
        return replica is self.replica and step is self.step

    def _follow(self):
        """Update the arrays' memory after `set_data`. Returns False if anything else has changed."""
        replacements = Parameter.replacements
        if not all(map(is_, self.arrays, [p.data(self.replica.ctx).as_nd_ndarray() for p in self.params])):
            return False
        if not self._take_like():
            return False
        self.buffers[:len(self.arrays)] = [x.buffer for x in self.arrays]
        self.replacements = replacements
        return True

    def _take_like(self):
        """Take the trainer's current Replica and Step. Returns False if they need another plan."""
        replica, step = self.trainer.single_device_step()
        if not step.is_like(self.step) or not all(map(is_, replica.grads, self.replica.grads)):
            return False
        self.replica, self.step = replica, step
        return True

    def run(self, leaves: Any, own: int, batch_size: int | None) -> Any:
        """Take the step, and return the loss. own: the number of samples. batch_size: see `TrainStep`."""
        self.trainer.rescale(own if batch_size is None else batch_size)
        scale, lrs, wds = self.step.begin()
        rates = []
        for group in self.groups:
            rates += [scale, *[lrs[i] for i in group], *[wds[i] for i in group]]
        if rates != self.written_rates:         # a copy to a GPU takes longer than many kernels
            self.rates[:] = self.written_rates = rates
        outputs = self._call(leaves)
        self.replica.mark_stale()
        return outputs

    def _call(self, leaves):
        """Run the plan, and return the loss."""
        results = self.plan.call(buffers_of(leaves) + self.buffers)
        count_writes(self.written)
        count = len(results) - len(self.groups)
        outputs = [NDArray(buffer, self.replica.ctx) for buffer in results[:count]]
        return outputs[0] if self.structure is None else regroup(outputs, self.structure)
