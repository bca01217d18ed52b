"""The parts of the engine that the learner writes, with tasks and hints."""

from ...step import Hole, Part, Step

FUSE, FUSED = "minigluon.hybrid.fuse", "minigluon.hybrid.fused_chain"

STEP = Step(
    title="Fusion: chains of elementwise operators become one",
    parts=[
        Part(FUSED, "FusedChain.forward", (Hole(
            "run the program line by line. Look up the values of the operands among inputs and results, and put the "
            "result of forward_for(op, *dtypes)(*values) into results, where dtypes are those of the values.",
            "for op, operands in"),), in_lenet=False),
        Part(FUSED, "FusedChain.registers", (Hole(
            "registers gets the register of each line except the last; they are numbered from 0. last_use says for "
            "each operand below 0 which line reads it last. Operands that this line reads for the last time are dying: "
            "their registers become free. If the operator may overwrite the operand, its register is free for this "
            "line's own result, otherwise only for later lines; an operand may be an input under two names, and then "
            "both must be in op.in_place. Take a free register; if there is none, create a new one with number `used`.",
            "names =", "free += [registers[-1 - k] for k in dying if k in not_in_place]"),)),
        Part(FUSED, "_in_blocks", (Hole(
            "flatten the inputs and the output; the other targets are the registers. For each block of BLOCK elements, "
            "create the list `values`: the blocks of the inputs and of the output, followed by the registers, cut to "
            "the length of this block, because the last one may be shorter. Then run the lines, each on "
            "operands(values) and target(values).",
            "arrays =", "for start in"),), in_lenet=False),
        Part(FUSE, "_groups", (Hole(
            "`node` is elementwise, and its users already have their roots in root_of, if they are in a group at all. "
            "It joins their group if all its users are in the same one, and it is not a head of the graph. But the "
            "root must have the same spec and be on the same side of the boundary: both in `forward_nodes` or neither. "
            "Otherwise the node is a root itself. Store its root in root_of.",
            "roots =", "root_of[node] ="),)),
        Part(FUSE, "_is_elementwise", (Hole(
            "return true for a node whose operator is elementwise, with one output and at least one input, does not "
            "depend on the training mode (takes_train), is not random and mutates nothing, and whose inputs all have "
            "the spec of its output. specs has the Spec of each pair (node, index). A variable has no operator: op is "
            "None.",),)),
        Part(FUSE, "_fuse_group", (Hole(
            "build the lines of the program, in the order of the group. The result of the node at position n of the "
            "group is operand -1 - n. Any other value is an input of the fused node: where[pair] in the new graph. "
            "Each input is in `inputs` once, even if it is read several times; its position there is the operand.",
            "for node in group"),)),
    ],
    hints={
        "FusedChain.forward": ["An operand k below 0 is the result of line -1 - k."],
        "FusedChain.registers": [
            "op.argument_names(len(operands)) has a name for each operand. First find those that must not be "
            "overwritten: not_in_place.",
            "Use set(operands), because an operand that is read twice dies only once.",
            "Three steps, in this order: free the dying operands that may be overwritten; take a register; free the "
            "other dying operands.",
        ],
        "_in_blocks": [
            "x[start:start + BLOCK] of a flat array is a view: writing to it writes into the output.",
            "Registers have BLOCK elements: r[:n] for a shorter block.",
        ],
        "_groups": [
            "roots is the set of root_of.get(user) for all users. A user that is in no group gives None.",
            "A node without users has no roots: it is a head, or dead.",
        ],
        "_is_elementwise": ["One expression with `and`; all(...) for the inputs, which are pairs."],
        "_fuse_group": [
            "lines has the position of each node of the group, so `pair[0] in lines` checks whether it is one of them.",
            "inputs.index(...) returns the position; first append the input if it is missing.",
            "A line is (node.op, tuple of operands).",
        ],
    },
    equivalent={
        "_groups: specs[root, 0] == specs[node, 0] and (root in forward_nodes) == (node in forward_nodes)  ->  "
        "specs[root, 0] == specs[node, 0] or (root in forward_nodes) == (node in forward_nodes)":
            "the reader of an elementwise node has its spec, and one reader of an forward node is one, so both are "
            "always true",
    },
)
