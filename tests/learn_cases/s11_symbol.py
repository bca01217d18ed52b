"""Wrong answers to step 11, and what the course says to them."""

WRONG = [
    ("            for parent, _ in reversed(node.inputs):\n", "            for parent, _ in node.inputs:\n",
     "c = f(a, b): the order is [b, a, c]; expected [a, b, c]"),
    ("    stack = [node for node, _ in reversed(heads)]", "    stack = [node for node, _ in heads]",
     "the order of the heads e and d is ["),
    ("    nodes = list(nodes)\n    auxiliary", "    auxiliary",
     "BatchNorm of x, gamma, beta, mean, var: the variables that are only read is []"),
    ("(), dict(attrs))", "(), attrs)", "fc_weight and the node share one dict of attributes; expected a copy"),
    ("attrs.setdefault(key, text)", "attrs.update({key: text})",
     "is '[\"Constant\", {\"value\": 0.25}]'; expected 'mine': a variable's own attributes are kept"),
    ("for i in range(node.num_visible_outputs)])", "for i in range(node.op.num_outputs)])",
     "compose(BatchNorm): its outputs is 4; expected 1"),
    ("[numbers[node], index, versions.get(node, 0)]", "[numbers[node], index, 0]",
     "the versions of the inputs of bn1 is [0, 0, 0]; expected [1, 1, 0]"),
    ("all(type(n) is int for n in raw)", "all(isinstance(n, int) for n in raw)",
     "a head [False, 0, 0]: False is not a number: nothing is raised; expected a FileFormatError"),
    ("        if not 0 <= number < len(self.nodes):\n", "        if not number < len(self.nodes):\n",
     "there is no node -1"),
]
