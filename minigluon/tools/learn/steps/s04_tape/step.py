"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

TAPE = "minigluon.tape"

STEP = Step(
    title="The tape: record, and walk back",
    parts=[
        Part(TAPE, "Entry.__init__", (Hole(
            "keep only what op.gradient needs. self.outputs: with 'outputs' in keeps, a _twin() of each output. "
            "self.inputs: with 'inputs' in keeps, the inputs themselves. self.input_specs: with 'shapes' in keeps, "
            "(shape, dtype, device) of each input, from x.buffer.shape, x.buffer.dtype and x.device. Anything not kept "
            "is ().",
            "self.outputs:", "self.input_specs:"),)),
        Part(TAPE, "record_op", (
            Hole("parents: a list with (entry, output_index) for each input that is on the tape, and None for each "
                 "that is not. See is_recorded below for what counts as being on the tape. tracked: whether any input "
                 "is on it.",
                 "parents:", "for x in inputs:"),
            Hole("store in each output its entry, and its index among the entry's outputs.",
                 "for index, y in"))),
        Part(TAPE, "is_recorded"),
        Part(TAPE, "_newest_first", (Hole(
            "collect all entries that the heads lead back to through .parents, a list of (entry, index), with None if "
            "an input is a constant. Include each entry once; do not use recursion, because a chain may be long. Sort "
            "the entries by .number, the largest first.",),)),
        Part(TAPE, "_add", (Hole(
            "grads[entry] is a list with a slot for each output of the entry; a Variable has one output, others have "
            "len(entry.specs). Create the list if there is none, then put grad into slot `index`, added with "
            "F.elemwise_add to what is already there.",
            "slots = grads.get", "slots[index] ="),)),
        Part(TAPE, "gradients", (Hole(
            "one entry on the way back. Take its gradients out of grads (leave them there if it is one of `entries`), "
            "check() the entry, and ask it for the gradients of its inputs: entry.gradients(F, out_grads, "
            "retain_graph, walk), or an observer's visit. Each goes to its parent with _add; it may be a function "
            "without arguments, which makes it: call that only where there is a parent. A parent that gets None is "
            "added to reached, and so is one that is a Constant. At the end free() the entry, unless the graph is "
            "retained.",
            "out_grads =", "if not retain_graph"),)),
        Part(TAPE, "backward", (Hole(
            "entry is a Variable, and grads[0] its gradient. Store it in the array entry.grad according to entry.req, "
            "'write' or 'add'; it may already be that array. Then mark the variable as fresh.",
            'if entry.req == "write"', "entry.fresh"),)),
    ],
    hints={
        "Entry.__init__": [
            "An array refers to its entry. If the entry referred to the array, both would keep each other alive. So it "
            "keeps a twin, another array on the same memory.",
            "Three conditional expressions: a list if the word is in keeps, else ().",
        ],
        "record_op": [
            "x.entry is None for an array that is not on the tape, and x.entry.versions is None if its graph was "
            "freed.",
            "Set y.entry and y.output_index; enumerate yields the index.",
        ],
        "_newest_first": [
            "Keep two collections: entries that were seen, and entries still to visit. Visit one entry, and put each "
            "parent that was not seen into both.",
            "_number is operator.attrgetter('number'): sorted(..., key=_number, reverse=True).",
        ],
        "_add": [
            "grads.get(entry) is None at the first gradient that arrives.",
            "A slot that is None is empty: put the gradient there unchanged, without adding.",
        ],
        "gradients": [
            "grads.pop(entry) takes them out, grads[entry] leaves them.",
            "entry.parents and the gradients have one item for each input: zip.",
            "parent is a pair: parent[0] is the entry. isinstance(grad, FunctionType) recognizes a function.",
        ],
        "backward": [
            "entry.grad[...] = value writes into the array; entry.grad = value would be another array, and the one "
            "that x.grad shows would stay unchanged.",
        ],
    },
    equivalent={
        "_add: F.elemwise_add(slots[index], grad)  ->  F.elemwise_add(grad, slots[index])": "the order of a sum does "
                                                                                            "not matter",
    },
)
