"""Wrong answers to step 4, and what the course says to them."""

WRONG = [
    ("[y._twin() for y in outputs]", "list(outputs)",
     "the entry of y = tanh(x) holds y, and y holds its entry: neither can be freed. Keep y._twin()"),
    ('inputs if "inputs" in keeps else ()', "inputs",
     "tanh keeps ('outputs',): entry.inputs is 1; expected 0: its gradient is written with the output"),
    ("parents.append((entry, x.output_index))", "parents.append((entry, 0))",
     "the parents of a product with the second of them is ["),
    ("key=_number, reverse=True", "key=_number",
     "c = f(a, constant, b), e = f(c), d = f(c, a): the order from the heads e and d is [a, b, c, e, d]; expected "
     "[d, e, c, b, a]"),
    ("grad if slots[index] is None or grad.buffer.dtype == bool else F.elemwise_add(slots[index], grad)", "grad",
     "_add of [1, 2] and of [10, 20] to a variable is [10., 20.]; expected [11., 22.]: an array that is used twice "
     "gets both gradients, added"),
    ("grad() if isinstance(grad, FunctionType) else grad", "grad", "expected an array: call the function, and pass on "
     "its result"),
    ("        entry.check()\n", "",
     "expected a GraphFreedError: check() each entry before you get its gradients"),
    ("entry.grad[...] = entry.grad + grads[0]", "entry.grad[...] = grads[0]",
     "grad_req='add', 7 in x.grad, y = 3 x: x.grad is [3., 3.]; expected [10., 10.]: 'add' adds to the old value"),
]
