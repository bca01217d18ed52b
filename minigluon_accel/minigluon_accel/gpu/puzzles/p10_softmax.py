"""Shared memory that is used twice, and exp that does not overflow."""

import numpy as np

from .puzzle import Case, Puzzle, many, numbers

THREADS = 8


def cases():
    for rows, n in (1, 5), (2, 20), (3, 9):
        x = numbers(rows, n)
        if rows == 3:
            x[0, -1], x[1] = 150, x[1] - 300        # exp of each of these overflows or underflows in float32
        e = np.exp(x - x.max(1, keepdims=True))
        with np.errstate(over="ignore", invalid="ignore"):
            plain = np.exp(x) / np.exp(x).sum(1, keepdims=True)
            of_thread = e / np.stack([e[:, i % THREADS::THREADS].sum(1) for i in range(n)], 1)
        errors = [(of_thread, "a division by the thread's own sum: that of the row is in part[0] after reduce"),
                  (e, "only exp: it is not divided by the sum")]
        if not np.isfinite(plain).all():
            errors.append((plain, "what comes out when exp is taken of large numbers: take the largest of the row away "
                                 "first"))
        yield Case(f"{many(rows, 'row')} of {n} numbers up to {x.max():g}, a block of 8 threads for each",
                   (rows,), (THREADS,), {"x": x, "n": n}, e / e.sum(1, keepdims=True), errors)


PUZZLE = Puzzle(
    title="Softmax: two reductions and a map",
    cases=cases,
    hints={"softmax": [
        "Three loops of the kind for (int i = t; i < n; i += THREADS), each over x[row + i].",
        "The first finds the thread's largest number, from -INFINITY on: part[t] = top; reduce(part, true); top = "
        "part[0];",
        "Between reading part[0] and writing part[t] again a barrier is needed: a fast thread would write part[0] "
        "while a slow one still reads it.",
    ]},
)
