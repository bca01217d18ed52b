"""Wrong answers to step 14, and what the course says to them."""

WRONG = [
    ("inputs[k] if k >= 0 else results[-1 - k] for k in operands", "inputs[k] if k >= 0 else results[k] for k in "
     "operands", "the program exp (0,); elemwise_sub (1, -1); elemwise_sub (-2, -1) is"),
    ("dying = [k for k in set(operands) if", "dying = [k for k in operands if",
     "reads the result of line"),
    ("not_in_place = {k for k, name in names if name not in op.in_place}", "not_in_place = set()",
     "line 1 overwrites its operand grad, which it must not"),
    ("for start in range(0, size, BLOCK):", "for start in range(0, size - BLOCK + 1, BLOCK):",
     "each block goes through all lines; the last block may be shorter"),
    (" and node not in heads", "",
     "operators a, b, c with results b, c: the node b was made part of a group, but it is also needed outside it"),
    ("            if where[pair] not in inputs:\n                inputs.append(where[pair])\n",
     "            inputs.append(where[pair])\n",
     "its inputs is ['new x', 'w', 'new x']; expected ['new x', 'w']"),
    ("\n            and all(specs[pair] == specs[node, 0] for pair in node.inputs))", ")",
     "an input has another shape"),
]
