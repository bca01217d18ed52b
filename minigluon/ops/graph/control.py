"""Loops and branches in a graph: operators that contain graphs.

A `_foreach` node contains the body of the loop. Its inputs are the body's inputs for all steps, and `wiring` maps them.
Such a node has no kernel: `hybrid` unrolls the steps, or runs the node like `nd.contrib.foreach`. This file defines the
number of inputs and outputs, their shapes and their types.

A contained graph (`symbol.subgraph.Subgraph`) has

    num_inputs, num_outputs
    infer_shapes(inputs, outputs), infer_dtypes(inputs, outputs)        (inputs, outputs), completed; None is unknown
    mutated                                                 indices of the inputs that its operators overwrite
    is_random, takes_train, is_dynamic                      true if it is true for any of its operators
"""

from typing import ClassVar

from ...base import DTypeError, MXNetError, OpAttributeError
from ..fields import Graph, Shape
from ..registry import register
from ..shapes import merge
from .holder import GraphHolder
from .interpreted_op import InterpretedOp

__all__ = ["ControlOp"]


class ControlOp(InterpretedOp, GraphHolder):
    """An operator that runs graphs, which are its attributes of type `Graph`. The other attributes are the same as in
    MXNet's files, where num_args counts inputs and graphs.
    """

    num_args: int
    num_outputs: int
    conditions: ClassVar[int] = 0       # how many of the first graphs are conditions with one output

    @classmethod
    def complete(cls, attributes):
        """Also checks that the counts match the graphs, because a file may be wrong."""
        values = super().complete(attributes)
        problem = cls.misfit(values["num_args"] - len(cls.graph_fields()), **values)
        if problem:
            raise OpAttributeError(f"{cls.name}: {problem}")
        return values

    @property
    def num_inputs(self):
        """The number of inputs of a node."""
        return self.num_args - len(self.graph_fields())

    @property
    def wiring(self):
        """Returns [(graph, index of the node's input for each of the graph's inputs)]."""
        raise NotImplementedError

    @property
    def mutates(self):
        """The inputs that operators inside the graphs overwrite, such as the moving mean of a BatchNorm."""
        overwritten = {positions[i] for graph, positions in self.wiring for i in graph.mutated}
        names = self.argument_names(self.num_inputs)
        return tuple([names[position] for position in sorted(overwritten)])

    @property
    def random(self):
        return any(graph.is_random for graph in self.subgraphs)

    @property
    def takes_train(self):
        return any(graph.takes_train for graph in self.subgraphs)

    @property
    def dynamic(self):
        return any(graph.is_dynamic for graph in self.subgraphs)

    def forward(self, *inputs, **how):
        """Always raises an error: arrays use the function of the same name in `nd.contrib`."""
        raise MXNetError(f"{self.name} is a node of a graph and has no kernel; nd.contrib.{self.name[1:]} computes "
                         "the same on arrays")

    def gradient(self, F, out_grads, inputs, outputs):
        """Always raises an error: plans unroll a loop before differentiating it, and the interpreter uses the tape."""
        raise MXNetError(f"{self.name}: Symbol.gradient cannot write down the gradient of a loop or branch. Bind the "
                         "graph and call backward on the executor, or use it in a block inside autograd.record().")

    # -- inference ----------------------------------------------------------------------------------------------

    def infer_shape(self, *shapes):
        return self.complete_shapes(list(shapes), [None] * self.num_outputs)

    def infer_inputs(self, shapes, outputs):
        return self.complete_shapes(list(shapes), list(outputs))[0]

    def complete_shapes(self, inputs, outputs):
        """Returns (inputs, outputs), each completed from the other."""
        raise NotImplementedError

    def through(self, number, shapes, outputs):
        """Returns the shapes of the node's inputs and of the outputs of graph `number`, completed by inference in that
        graph.
        """
        graph, positions = self.wiring[number]
        inferred, outputs = graph.infer_shapes([shapes[p] for p in positions], outputs)
        shapes = list(shapes)
        for position, shape in zip(positions, inferred, strict=True):
            shapes[position] = self.agree(f"input {position}", shapes[position], shape)
        return shapes, outputs

    def agree(self, what, first, second):
        """Merges two shapes that must be equal."""
        merged = merge(first, second)
        if merged is False:
            raise self.shape_clash(f"{what} has shape {first} and must have shape {second}")
        return merged

    def infer_dtype(self, *dtypes):
        return self.complete_dtypes(list(dtypes), [None] * self.num_outputs)

    def complete_dtypes(self, dtypes, outputs):
        """Returns (inputs, outputs), each completed from the other."""
        results = []
        for number, (graph, positions) in enumerate(self.wiring):
            heads = [None] if number < self.conditions else outputs
            inner, after = graph.infer_dtypes([dtypes[p] for p in positions], heads)
            for position, dtype in zip(positions, inner, strict=True):
                dtypes[position] = self.one_dtype(f"input {position}", dtypes[position], dtype)
            results.append(list(after))
        return dtypes, self.join_dtypes(dtypes, *results)

    def join_dtypes(self, inputs, *results):
        """Infers the types in all graphs, completes `inputs` and returns the outputs' types."""
        raise NotImplementedError

    def one_dtype(self, what, first, second):
        if first is None or second is None:
            return second if first is None else first
        if first != second:
            raise DTypeError(f"{self.name}: {what} has dtype {first} and must have dtype {second}. Convert with "
                             ".astype(dtype).")
        return first

    def tie_states(self, tie, inputs, outputs):
        """Merges the states after a step with the states before the next step: `tie` merges two entries in both lists.
        """
        for number in range(len(inputs)):
            both = tie(f"state {number} before a step", inputs[number], outputs[number])
            inputs[number] = outputs[number] = both


@register("*data")
class _foreach(ControlOp):
    """Applies the body to each slice of the data along axis 0, in order, passing states from step to step.

    inputs: data (L, *slice), then states, then the body's other inputs
    outputs: num_out_data results, stacked over all steps (L, *result), then the states after the last step
    in_data_locs, in_state_locs, remain_locs: the index of each input among the body's inputs
    """

    num_out_data: int
    in_state_locs: Shape
    in_data_locs: Shape
    remain_locs: Shape
    body: Graph

    @classmethod
    def misfit(cls, inputs, num_outputs, num_out_data, in_data_locs, in_state_locs, remain_locs, body, **_):
        """Returns what is wrong with the attributes, or None if they are valid for a loop."""
        places = in_data_locs + in_state_locs + remain_locs
        if sorted(places) != list(range(body.num_inputs)) or len(places) != inputs:
            return (f"in_data_locs={in_data_locs}, in_state_locs={in_state_locs} and remain_locs={remain_locs} do not "
                    f"give each of {inputs} inputs a place among the {body.num_inputs} of the body")
        if not in_data_locs:
            return "there are no data to loop over"
        return _misfit_outputs(num_outputs, num_out_data, len(in_state_locs), body)

    @property
    def wiring(self):
        positions = [0] * self.body.num_inputs
        for position, place in enumerate(self.in_data_locs + self.in_state_locs + self.remain_locs):
            positions[place] = position
        return [(self.body, positions)]

    def complete_shapes(self, inputs, outputs):
        data, results = len(self.in_data_locs), self.num_out_data
        states = slice(data, data + len(self.in_state_locs))
        length = self.length([*inputs[:data], *outputs[:results]])
        inner = [*map(_slice, inputs[:data]), *inputs[data:]]
        inner, step_outputs = self.through(0, inner, [*[s and s[1:] for s in outputs[:results]], *outputs[results:]])
        before, after = inner[states], step_outputs[results:]
        self.tie_states(self.agree, before, after)
        whole = [_stacked(length, s, shape) for s, shape in zip(inner[:data], inputs, strict=False)]
        return ([*whole, *before, *inner[states.stop:]],
                [*[None if s is None else (length, *s) for s in step_outputs[:results]], *after])

    def length(self, shapes):
        """Returns the number of steps: the length of axis 0 of all data and all results."""
        length = None
        for shape in shapes:
            if shape == ():
                raise self.shape_clash("the data have no axis to loop over")
            if shape is not None and shape[0] is not None:
                if length not in (None, shape[0]):
                    raise self.shape_clash(f"axis 0 of the data and results has lengths {length} and {shape[0]}, one "
                                           "step for each")
                length = shape[0]
        return length

    def join_dtypes(self, inputs, outputs):
        data, states = len(self.in_data_locs), len(self.in_state_locs)
        before, after = inputs[data:data + states], outputs[self.num_out_data:]
        self.tie_states(self.one_dtype, before, after)
        inputs[data:data + states] = before
        return outputs[:self.num_out_data] + after


@register("*data")
class _while_loop(ControlOp):
    """Applies `func` to the loop variables repeatedly while `cond` of them is not 0, at most max_iterations times.

    inputs: all inputs of the two graphs, including the loop variables
    outputs: num_out_data results, stacked over all steps (max_iterations, *result), with zeros for steps that did not
    run; then the loop variables after the last step
    cond_input_locs, func_input_locs: the index of each of the graph's inputs among the node's inputs
    func_var_locs: the index of each loop variable among the inputs of func
    """

    num_out_data: int
    max_iterations: int
    cond_input_locs: Shape
    func_input_locs: Shape
    func_var_locs: Shape
    cond: Graph
    func: Graph
    conditions = 1

    @classmethod
    def misfit(cls, inputs, num_outputs, num_out_data, max_iterations, cond_input_locs, func_input_locs, func_var_locs,
               cond, func, **_):
        """Returns what is wrong with the attributes, or None if they are valid for a loop."""
        if max_iterations < 0:
            return f"max_iterations is {max_iterations}, expected 0 or more"
        if cond.num_outputs != 1:
            return f"the condition has {cond.num_outputs} outputs, expected one"
        if not func_var_locs or not _is_choice(func_var_locs, func.num_inputs):
            return f"func_var_locs={func_var_locs} are not places among the {func.num_inputs} inputs of func"
        return (_misfit_inputs(inputs, cond_input_locs=(cond_input_locs, cond), func_input_locs=(func_input_locs, func))
                or _misfit_outputs(num_outputs, num_out_data, len(func_var_locs), func))

    @property
    def wiring(self):
        return [(self.cond, self.cond_input_locs), (self.func, self.func_input_locs)]

    @property
    def variables(self):
        """Returns the index of each loop variable among the node's inputs."""
        return [self.func_input_locs[index] for index in self.func_var_locs]

    def complete_shapes(self, inputs, outputs):
        results = self.num_out_data
        inputs, _ = self.through(0, inputs, [None])
        inputs, step_outputs = self.through(1, inputs, [*[s and s[1:] for s in outputs[:results]], *outputs[results:]])
        before, after = [inputs[index] for index in self.variables], step_outputs[results:]
        self.tie_states(self.agree, before, after)
        for index, shape in zip(self.variables, before, strict=True):
            inputs[index] = shape
        return inputs, [*[None if s is None else (self.max_iterations, *s) for s in step_outputs[:results]], *after]

    def join_dtypes(self, inputs, condition, outputs):
        before, after = [inputs[index] for index in self.variables], outputs[self.num_out_data:]
        self.tie_states(self.one_dtype, before, after)
        for index, dtype in zip(self.variables, before, strict=True):
            inputs[index] = dtype
        return outputs[:self.num_out_data] + after


@register("*data")
class _cond(ControlOp):
    """The outputs of `then_branch` if the only element of `pred` is not 0, otherwise the outputs of `else_branch`.

    inputs: all inputs of the three graphs. outputs: num_outputs, with the same shapes in both branches
    cond_input_locs, then_input_locs, else_input_locs: the index of each of the graph's inputs among the node's inputs
    """

    cond_input_locs: Shape
    then_input_locs: Shape
    else_input_locs: Shape
    pred: Graph
    then_branch: Graph
    else_branch: Graph
    conditions = 1

    @classmethod
    def misfit(cls, inputs, num_outputs, cond_input_locs, then_input_locs, else_input_locs, pred, then_branch,
               else_branch, **_):
        """Returns what is wrong with the attributes, or None if they are valid for a branch."""
        if pred.num_outputs != 1:
            return f"the condition has {pred.num_outputs} outputs, expected one"
        if not then_branch.num_outputs == else_branch.num_outputs == num_outputs:
            return (f"num_outputs is {num_outputs}, but the branches have {then_branch.num_outputs} and "
                    f"{else_branch.num_outputs} outputs")
        return _misfit_inputs(inputs, cond_input_locs=(cond_input_locs, pred),
                              then_input_locs=(then_input_locs, then_branch),
                              else_input_locs=(else_input_locs, else_branch))

    @property
    def wiring(self):
        return [(self.pred, self.cond_input_locs), (self.then_branch, self.then_input_locs),
                (self.else_branch, self.else_input_locs)]

    def complete_shapes(self, inputs, outputs):
        inputs, _ = self.through(0, inputs, [None])
        inputs, outputs = self.through(1, inputs, outputs)
        inputs, others = self.through(2, inputs, [None] * self.num_outputs)
        both = zip(outputs, others, strict=True)
        outputs = [self.agree(f"output {i} of the first branch", a, b) for i, (a, b) in enumerate(both)]
        return inputs, outputs

    def join_dtypes(self, inputs, condition, outputs, others):
        both = zip(outputs, others, strict=True)
        return [self.one_dtype(f"output {i} of the first branch", a, b) for i, (a, b) in enumerate(both)]


def _slice(shape):
    """Returns the shape of data[i]: without axis 0, but (1,) for an element of a vector."""
    return None if shape is None else shape[1:] or (1,)


def _stacked(length, shape, data):
    """Returns the shape of data from the shape of its slices. data: its shape, possibly with unknown parts."""
    if data is not None and len(data) == 1:
        return (length,)
    if shape is None or (data is None and len(shape) == 1 and shape[0] in (1, None)):
        return data                    # (1,) may be an element of a vector or a row of a matrix with one column
    return (length, *shape)


def _is_choice(places, count):
    """Returns whether these are distinct indices below `count`."""
    return len(set(places)) == len(places) and all(0 <= place < count for place in places)


def _misfit_inputs(inputs, **locs):
    """Returns what is wrong with the input indices of the graphs, or None."""
    for name, (places, graph) in locs.items():
        if len(places) != graph.num_inputs or not all(0 <= place < inputs for place in places):
            return (f"{name}={places} are not places among {inputs} inputs for the {graph.num_inputs} inputs of the "
                    "graph")
    return None


def _misfit_outputs(num_outputs, num_out_data, states, graph):
    """Returns what is wrong with the output counts of a loop, or None."""
    if num_out_data < 0 or not num_out_data + states == num_outputs == graph.num_outputs:
        return (f"num_out_data={num_out_data} results and {states} states are not num_outputs={num_outputs}, or not "
                f"the {graph.num_outputs} outputs of the body")
    return None
