"""What runs a call of a CompiledGraph: a plan and its entry on the tape, or the graph node by node."""

from functools import cached_property

from ..ndarray.ndarray import NDArray
from ..tape import Cut, cut_off
from .entry import PlanEntry, buffers_of
from .forms import SizedPlan
from .interpret import interpret

__all__ = ["NodeByNode", "PlannedRunner"]


def _with_cuts(data, parents):
    """The parents of a call, and for its data that are results of operators without a gradient those results."""
    found = [(x.entry, x.output_index) if x.entry.__class__ is Cut else parent
             for x, parent in zip(data, parents, strict=False)]
    return found + parents[len(data):]


class NodeByNode:
    """The graph node by node: where shapes, loops or branches depend on values, and for gradients of gradients."""

    def __init__(self, symbol, inputs):
        self.symbol, self.inputs = symbol, inputs

    def interpret(self, arrays):
        """The outputs computed node by node: each on the tape by itself, and in memory of its own, as a plan has it."""
        outputs = interpret(self.symbol, dict(zip(self.inputs, arrays, strict=True)))
        taken = {x._root() for x in arrays}
        for i, y in enumerate(outputs):
            if y._root() in taken:
                outputs[i] = y = y.copy()
            taken.add(y._root())
        return outputs

    def run(self, data, params):
        """The outputs, without a record."""
        return self.interpret([*data, *params.fixed()])

    def record(self, data, params, parents):
        """The outputs, with what is on the tape behind them."""
        return self.interpret([*data, *params.fixed()])

    def record_constants(self, data, params, parents):
        """The same where no gradient goes through any input; constants remember what they were computed from."""
        return self.record(data, params, parents)


class PlannedRunner(NodeByNode):
    """Runs a plan, and puts the call on the tape.

    It has no reference to its CompiledGraph: in a cycle, the plan's memory would live until the garbage collector runs.
    """

    def __init__(self, graph, plan, indices, tracked):
        super().__init__(graph.symbol, graph.inputs)
        self.plan, self.tracked = plan, tracked
        self.call, self.ctx, self.makers = plan.call, plan.ctx, plan.makers
        self.gradient_indices = [indices.get(name) for name in graph.inputs]    # of each input's gradient in the plan
        # Normalizations overwrite statistics while training alone.
        writes = any(step.op.mutates and (plan.train or not step.op.takes_train) for step in plan.steps)
        self.mutated = [i for i, name in enumerate(graph.inputs) if writes and name in graph.mutated]
        self.needed = [i for i in plan.inputs_of_backward() if i not in self.mutated]
        # What only a second forward pass reads, the one of `create_graph`.
        self.others = [i for i in range(len(graph.inputs)) if i not in self.needed and i not in self.mutated]
        self.needed_results = plan.results_of_backward()
        self._reached = {}              # results -> what `gradient_indices_from` says of them

    def like(self, plan):
        """The runner of a plan of the same graph for another size."""
        made = SizedRunner(self, plan.call)
        made.plan = plan
        return made

    def at(self, form, size):
        """The runner of a SizedPlan for another size, which is made when somebody looks at it."""
        made = SizedRunner(self, size)
        made.form = form
        return made

    def gradient_indices_from(self, results):
        """`gradient_indices` when gradients arrive at these results alone: None for inputs that lead to none of them.

        The tape would not get there, either; the plan would write zeros. The second value has the numbers of the inputs
        that do lead there, but only through operators without a gradient: the tape gives them zeros.
        """
        if results not in self._reached:
            names = self._names_behind(results)
            rows = list(zip(self.inputs, self.gradient_indices, strict=True))
            self._reached[results] = ([index if name in names else None for name, index in rows],
                                      {i for i, (name, index) in enumerate(rows) if index is None and name in names})
        return self._reached[results]

    def _names_behind(self, results):
        """Names of the variables that these results depend on."""
        nodes = dict.fromkeys(self.symbol.heads[number][0] for number in results)
        todo = list(nodes)
        while todo:
            node = todo.pop()
            found = [] if node.op is None else [parent for parent, _ in node.inputs]
            todo += [parent for parent in found if parent not in nodes]
            nodes.update(dict.fromkeys(found))
        return {node.name for node in nodes if node.op is None}

    @cached_property
    def constants(self):
        """The numbers of the results that no gradient goes through, each with those of the inputs it depends on."""
        found = []
        for number in range(len(self.symbol.heads)):
            if number not in self.tracked:
                names = self._names_behind((number,))
                found.append((number, [i for i, name in enumerate(self.inputs) if name in names]))
        return found

    def run(self, data, params):
        ctx = self.ctx
        buffers = buffers_of(data) + params.buffers
        if self.makers is not None:
            buffers += params.kept.of(self.makers)
        results = self.call(buffers)
        if self.mutated:
            self._count_writes(data, params)
        return [NDArray(buffer, ctx) for buffer in results]

    def record(self, data, params, parents):
        plan = self.plan
        values = plan.take()
        results = plan.forward(values, buffers_of(data) + params.buffers)
        if self.mutated:
            self._count_writes(data, params)
        outputs = [NDArray(buffer, plan.ctx) for buffer in results]
        behind = _with_cuts(data, parents) if Cut.made else parents
        entry = PlanEntry(self, behind, [*data, *params.arrays], outputs, values)
        for index in self.tracked:
            y = outputs[index]
            y.entry, y.output_index = entry, index
        if self.constants:
            self._remember(data, params, parents, outputs)
        return outputs

    def record_constants(self, data, params, parents):
        outputs = self.run(data, params)
        self._remember(data, params, parents, outputs)
        return outputs

    def _remember(self, data, params, parents, outputs):
        """Have each result that no gradient goes through remember what is on the tape behind it."""
        arrays = [*data, *params.arrays]
        for number, inputs in self.constants:
            cut_off([parents[i] for i in inputs], [arrays[i] for i in inputs], [outputs[number]], [None])

    def _count_writes(self, data, params):
        inputs = [*data, *params.arrays]
        for i in self.mutated:
            inputs[i]._count_write()


class SizedRunner(PlannedRunner):
    """The runner of a plan for another size. All but the plan is that of the runner which it is made from.

    `call` runs the plan. `plan` itself is there where it had to be made, and otherwise follows from `form`.
    """

    def __init__(self, runner, call):
        self.runner, self.call = runner, call
        self.ctx, self.makers, self.mutated = runner.ctx, runner.makers, runner.mutated

    @cached_property
    def plan(self):
        return SizedPlan(self.form, self.call)

    def __getattr__(self, name):
        return getattr(self.__dict__["runner"], name)
