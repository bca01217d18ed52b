"""What is cut out of the engine."""

from ...step import Hole, Part, Step

PLAN = "minigluon.hybrid.plan"
PROGRAM = "minigluon.hybrid.program"

STEP = Step(
    title="The plan executor: lines, slots, and a loop",
    parts=[
        Part(PROGRAM, "Program.__init__", (Hole(
            "one step becomes one line. It reads the slots step.inputs, and writes step.outputs and, behind them, "
            "step.scratch. A kernel that writes (step.writes) stands in the line as it is, with a getter of its "
            "operands and one of its targets. One that allocates is wrapped by allocating(step), and its targets are "
            "_all_values: it gets the whole list. Put the line into self.lines. `targets` is to be the slots "
            "that the step writes.",
            "targets = step.outputs", "self.lines.append(line)"),)),
        Part(PROGRAM, "Program.__call__", (Hole(
            "run the lines in order: each kernel on its operands and its targets. If one raises an error of the kinds "
            "in FAILURES, call fail_at(step, values, error), which raises one that names "
            "the node of that line. Other errors go through as they are.",
            "lines = iter", "try:"),)),
        Part("minigluon.hybrid.allocating", "allocating", (Hole(
            "call the kernel. Its first results are the outputs: put them into their slots of values. One that is not "
            "contiguous in memory, or that is one of the inputs itself, is copied. Behind the outputs come the new "
            "values of the inputs that the operator mutates: store_mutated(op, inputs, new values) writes them there. "
            "`count` is the number of outputs.",
            "results = kernel", "if op.mutates"),), in_lenet=False),
        Part(PROGRAM, "_all_values"),
        Part(PLAN, "Plan.take", (Hole(
            "self._take() gives a list of the pool, or raises IndexError where it is empty. Then make one: "
            "self._layout.new_values(self._backend).",),)),
        Part(PLAN, "Plan.give_back", (Hole(
            "empty what is not the plan's own: the inputs, which are the first self._layout.inputs slots, and the "
            "slots in self._outside. Then put the list into the pool with self._put.",),)),
        Part(PLAN, "Plan.call"),
        Part(PLAN, "Plan.forward", (Hole(
            "put the buffers into the first self._inputs slots. Allocate the results: self._fresh_results has (shape, "
            "dtype, members) of each, where members are (slot, shape): one array, which is in `values` under one or "
            "more shapes. self._empty(shape, dtype, self.ctx) allocates. Run self._forward, and return what "
            "self._get_results finds in values.",),)),
        Part(PLAN, "Plan.backward", (Hole(
            "with keep, go on with self._layout.copy_values(values, self._backend) in place of values. Put head_grads "
            "into the slots self._heads (a slice), allocate self._fresh_gradients with self._allocate, run "
            "self._backward, and return the arrays in the slots self._gradients. The last argument of _allocate is a "
            "dict from slot to array; targets belong to the slots in self._gradients, one to one, and may "
            "be None.",),)),
        Part(PLAN, "Plan._allocate", (Hole(
            "as in forward, for gradients: each item of fresh is one array. If one of its members has a target, that "
            "is the array; otherwise allocate it. Put it into the slots of all its members, reshaped where their shape "
            "is another one.",),)),
    ],
    hints={
        "Program.__init__": [
            "The slots of inputs, outputs and scratch are tuples: + joins them.",
            "getter(slots) makes the function; it is not called here.",
        ],
        "Program.__call__": [
            "for kernel, operands, targets in self.lines: and a try around the call or around the loop.",
            "self.steps has a step for each line, in the same order. enumerate tells the number of the line.",
        ],
        "allocating": [
            "zip(step.outputs, results) ends with the outputs; results[count:] is what comes behind them.",
            "result.flags.c_contiguous; `is` finds an array among the inputs, == would compare its elements.",
            "store_mutated is for operators that mutate something: op.mutates has the names of these inputs.",
        ],
        "Plan.take": ["try, and except IndexError."],
        "Plan.give_back": [
            "The list keeps its length: it is slots that are set to None, by slice and one by one. self._no_inputs has "
            "the Nones for the slice.",
        ],
        "Plan.forward": [
            "values[:n] = buffers replaces the first n.",
            "array.reshape(shape) is a view of the same memory, so all members show the same numbers.",
        ],
        "Plan.backward": [
            "dict(zip(self._gradients, targets)); without targets the dict is empty.",
        ],
        "Plan._allocate": [
            "targets.get(slot) is None both where there is no target and where it is None. next(..., None) takes the "
            "first that is not.",
        ],
    },
)
