"""Wrong answers to step 13, and what the course says to them."""

WRONG = [
    ("        inputs = [self.where[pair] for pair in node.inputs]\n", "        inputs = list(node.inputs)\n",
     "tanh(exp(_mul_scalar[1.0](x))), simplified, is 'tanh(exp(_mul_scalar[1.0](x)))'; expected 'tanh(exp(x))'"),
    ("pure = not op.random and not op.mutates", "pure = True",
     "both results: they have become one node; expected two: it is random: two draws differ"),
    ("key = op, tuple(inputs)", "key = op, frozenset(inputs)",
     "elemwise_sub(x, y) and elemwise_sub(y, x), both results: they have become one node; expected two: the order of "
     "inputs matters"),
    ("tuple(first[a] for a in second)", "tuple(second[a] for a in first)",
     "expected 'transpose[(1, 0, 2)](cube)': axis i of the result is axis first[second[i]] of cube"),
    ("name in _IDENTITY_AFTER_GRADIENTS and walk.differentiated", "name in _IDENTITY_AFTER_GRADIENTS",
     "BlockGrad(x) with wanted=('x',), simplified, is 'x'; expected 'BlockGrad(x)'"),
    ("            return inputs\n", "            return [self.stand_in(pair) for pair in inputs]\n",
     "nothing to simplify"),
]
