"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

PLAN = "minigluon.hybrid.plan"
PROGRAM = "minigluon.hybrid.program"

STEP = Step(
    title="The plan executor: lines, slots, and a loop",
    parts=[
        Part(PROGRAM, "Program.__init__", (Hole(
            "one step becomes one line. It reads the slots step.inputs, and writes step.outputs followed by "
            "step.scratch. A kernel that writes (step.writes) goes into the line unchanged, with a getter of its "
            "operands and one of its targets. A kernel that allocates is wrapped with allocating(step), and its "
            "targets are _all_values: it gets the whole list. Add the line to self.lines. `targets` must be the slots "
            "that the step writes.",
            "targets = step.outputs", "self.lines.append(line)"),)),
        Part(PROGRAM, "Program.__call__", (Hole(
            "run the lines in order: each kernel on its operands and its targets. If one raises an error of the types "
            "in FAILURES, call fail_at(step, values, error), which raises an error that names the node of that line. "
            "Other errors are not caught.",
            "lines = iter", "try:"),)),
        Part("minigluon.hybrid.allocating_kernels", "allocating", (Hole(
            "call the kernel. Its first results are the outputs: put them into their slots of values. Copy an output "
            "that is not contiguous in memory, or that is one of the inputs itself. After the outputs come the new "
            "values of the inputs that the operator mutates: store_mutated(op, inputs, new values) writes them there. "
            "`count` is the number of outputs.",
            "results = kernel", "if op.mutates"),), in_lenet=False),
        Part(PROGRAM, "_all_values"),
        Part(PLAN, "Plan.take", (Hole(
            "self._take() returns a list from the pool, or raises IndexError if the pool is empty. In that case, "
            "create one: self._layout.new_values(self._backend).",),)),
        Part(PLAN, "Plan.give_back", (Hole(
            "clear the slots that do not belong to the plan: the inputs, which are the first self._layout.inputs "
            "slots, and the slots in self._outside. Then put the list into the pool with self._put.",),)),
        Part(PLAN, "Plan.call"),
        Part(PLAN, "Plan.forward", (Hole(
            "put the buffers into the first self._inputs slots. Allocate the results: self._fresh_results has (shape, "
            "dtype, members) for each, where members are (slot, shape): one array, which is in `values` under one or "
            "more shapes. self._empty(shape, dtype, self.ctx) allocates. Run self._forward, and return what "
            "self._get_results finds in values.",),)),
        Part(PLAN, "Plan.backward", (Hole(
            "with keep, use self._layout.copy_values(values, self._backend) instead of values. Put head_grads into the "
            "slots self._heads (a slice), allocate self._fresh_gradients with self._allocate, run self._backward, and "
            "return the arrays in the slots self._gradients. The last argument of _allocate is a dict from slot to "
            "array; targets correspond to the slots in self._gradients, one to one, and may be None.",),)),
        Part(PLAN, "Plan._allocate", (Hole(
            "as in forward, for gradients: each item of fresh is one array. If one of its members has a target, use "
            "that as the array; otherwise allocate it. Put it into the slots of all its members, reshaped if their "
            "shapes differ.",),)),
    ],
    hints={
        "Program.__init__": [
            "The slots of inputs, outputs and scratch are tuples: + concatenates them.",
            "getter(slots) creates the function; do not call it here.",
        ],
        "Program.__call__": [
            "for kernel, operands, targets in self.lines: with a try around the call or around the loop.",
            "self.steps has a step for each line, in the same order. enumerate yields the index of the line.",
        ],
        "allocating": [
            "zip(step.outputs, results) ends with the outputs; results[count:] are the results after them.",
            "result.flags.c_contiguous; `is` finds an array among the inputs, == would compare its elements.",
            "store_mutated is for operators that mutate something: op.mutates has the names of these inputs.",
        ],
        "Plan.take": ["try, and except IndexError."],
        "Plan.give_back": [
            "The list keeps its length: set slots to None, by slice and one by one. self._no_inputs has the Nones for "
            "the slice.",
        ],
        "Plan.forward": [
            "values[:n] = buffers replaces the first n.",
            "array.reshape(shape) is a view of the same memory, so all members show the same values.",
        ],
        "Plan.backward": [
            "dict(zip(self._gradients, targets)); without targets the dict is empty.",
        ],
        "Plan._allocate": [
            "targets.get(slot) is None both if there is no target and if the target is None. next(..., None) takes the "
            "first that is not.",
        ],
    },
)
