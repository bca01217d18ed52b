"""Answers to the exercises of chapters that people give and that are wrong. Their checks must refuse them.

tests/tools/run_doc.py runs each at the end of its chapter, with the names of the chapter.
"""

WRONG = {
    "2-reverse-mode": [
        # the same sum, not the one from the other end
        "check_1(lambda x: (np.cumsum(x), lambda g: (np.cumsum(g),)))",
        # the mean is a constant
        "check_2(lambda x: (x - x.mean(axis=0), lambda g: (g,)))",
        # g and w have changed places
        "check_3(lambda x, w: (np.correlate(x, w, 'valid'), lambda g: (np.correlate(g, w, 'full'),"
        " np.correlate(x, g, 'valid'))))",
        # a vector-Jacobian product
        """
def vjp(f, x, d):
    x.attach_grad()
    with autograd.record():
        y = f(x)
    y.backward(d)
    return x.grad

check_4(vjp)
""",
    ],
}
