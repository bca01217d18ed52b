"""What is cut out of the engine."""

from ...step import Hole, Part, Step

FUSE, FUSED = "minigluon.hybrid.fuse", "minigluon.hybrid.fused_chain"

STEP = Step(
    title="Fusion: chains of elementwise operators become one",
    parts=[
        Part(FUSED, "Fused.forward", (Hole(
            "run the program line by line. Look up the values of the operands among inputs and results, and put what "
            "forward_for(op, *dtypes)(*values) gives into results, where dtypes are those of the values.",
            "for op, operands in"),), in_lenet=False),
        Part(FUSED, "Fused.registers", (Hole(
            "taken gets the register of each line but the last; registers are numbers from 0 on. last_use tells for "
            "each operand below 0 which line reads it last. Operands that this line reads for the last time are dying: "
            "their registers become free. If the operator may write over the operand, it is free for this line's own "
            "result, otherwise only for later lines; an operand may be an input under two names, and then both must be "
            "in op.in_place. Take a free register; where there is none, make a new one: number `used`.",
            "names =", "free += [taken[-1 - k] for k in dying if k in kept]"),)),
        Part(FUSED, "_in_blocks", (Hole(
            "flatten the inputs and the output; the other targets are the registers. For each BLOCK numbers: make the "
            "list `values` of the blocks of the inputs and of the output, and behind them the registers, cut to the "
            "length of this block: the last one may be shorter. Then run the lines, each on operands(values) and "
            "target(values).",
            "arrays =", "for start in"),), in_lenet=False),
        Part(FUSE, "_groups", (Hole(
            "`node` is elementwise, and whatever uses it has its root in root_of already if it is in a group at all. "
            "It joins their group if all its users are in one and the same, and it is no head of the graph. But the "
            "root must have the same spec, and be on the same side of the boundary: both in `early` or neither. "
            "Otherwise it is a root itself. Write its root into root_of.",
            "roots =", "root_of[node] ="),)),
        Part(FUSE, "_is_elementwise", (Hole(
            "true for a node with an operator that is elementwise, with one output and at least one input, which does "
            "not look at train mode (takes_train), is not random and mutates nothing, and whose inputs all have the "
            "spec of its output. specs has the Spec of each pair (node, index). A variable has no operator: op is "
            "None.",),)),
        Part(FUSE, "_fuse_group", (Hole(
            "the lines of the program, in the order of the group. The result of a node of the group, number n there, "
            "is operand -1 - n. Anything else is an input of the fused node: where[pair] in the new graph. Each input "
            "stands in `inputs` once, however often it is read; its place there is the operand.",
            "for node in group"),)),
    ],
    hints={
        "Fused.forward": ["An operand k below 0 is the result of line -1 - k."],
        "Fused.registers": [
            "op.argument_names(len(operands)) has a name for each operand. First find those that must not be written "
            "over: kept.",
            "set(operands), since an operand that is read twice dies only once.",
            "Three moves, in this order: free what dies and may be overwritten; take a register; free the rest of what "
            "dies.",
        ],
        "_in_blocks": [
            "x[start:start + BLOCK] of a flat array is a view: writing to it writes into the output.",
            "Registers have BLOCK numbers: r[:n] for a shorter block.",
        ],
        "_groups": [
            "roots is the set of root_of.get(user) for all users. What is in no group gives None.",
            "A node without users has no roots: it is a head, or dead.",
        ],
        "_is_elementwise": ["One expression with `and`; all(...) for the inputs, which are pairs."],
        "_fuse_group": [
            "lines has the number of each node of the group, so `pair[0] in lines` asks whether it is one of them.",
            "inputs.index(...) gives the place; append before, where it is not there yet.",
            "A line is (node.op, tuple of operands).",
        ],
    },
    equivalent={
        "_groups: specs[root, 0] == specs[node, 0] and (root in early) == (node in early)  ->  "
        "specs[root, 0] == specs[node, 0] or (root in early) == (node in early)":
            "who reads an elementwise node has its spec, and one reader of an early node is early: both always hold",
    },
)
