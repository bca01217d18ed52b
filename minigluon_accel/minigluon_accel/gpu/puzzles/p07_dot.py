"""A strided loop, and one thread that adds up the results."""

import numpy as np

from .puzzle import Case, Puzzle, many, numbers

THREADS = 8


def cases():
    for n in 8, 30, 3:
        x, y = numbers(n), numbers(n, seed=1)
        products = x * y
        errors = [(products[::THREADS].sum(keepdims=True), "only the sum of thread 0")]
        if n > THREADS:
            errors.append((products[:THREADS].sum(keepdims=True),
                           "the sum of the first 8 products: each thread has more than one, 8 elements apart"))
        yield Case(f"{many(n, 'number')}, one block of 8 threads", (1,), (THREADS,), {"x": x, "y": y, "n": n},
                   np.array([products.sum()], "float32"), errors)


PUZZLE = Puzzle(
    title="Dot: many threads, one result",
    cases=cases,
    hints={"dot": [
        "for (int i = t; i < n; i += THREADS) visits every 8th element, from the thread's own index on. It is also "
        "a guard.",
        "A thread adds in a variable of its own, and writes it to part[t] once.",
        "After the barrier: if (t == 0), a loop over part, and the one write to out[0].",
    ]},
)
