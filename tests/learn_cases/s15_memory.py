"""Wrong answers to step 15, and what the course says to them."""

WRONG = [
    ("            self.last_use[pair] = len(run)\n", "            self.last_use.setdefault(pair, len(run))\n",
     "the last use of a is 2; expected 4: c reads it in step 2, but it is also a result"),
    ("storage.last <= position", "storage.last < position",
     "relu at step 3 on inputs (value, last read in step 3): _in_place returns None; expected the storage of input 0"),
    ("all(n in op.in_place for n in others)", "True",
     "_relu_grad at step 3 on inputs (value, last read in step 3; value, last read in step 3): _in_place returns the "
     "storage of input 0; expected the storage of input 1"),
    ("(others_first <= last)", "(others_first < last)", "both are alive at step 5"),
    ("np.maximum.accumulate(ends[rivals])", "ends[rivals]",
     "the offset is 128; expected 256: a buffer that begins lower may end higher"),
    ("key=lambda b: (-b.size, b.first)", "key=lambda b: b.first",
     "their offsets is [0, 64]; expected [640, 0]: the largest comes first"),
    ("        size = _aligned(buffer.size)\n", "        size = buffer.size\n",
     "the size of the block is 100; expected 128"),
    ('("value", "result", "gradient")', '("value",)',
     "the kind of the reshaped value's memory is 'own'; expected 'result': a view of a result is still a view"),
]
