"""Rounds that read first and then write, with two barriers."""

import numpy as np

from .puzzle import Case, Puzzle, many, numbers
from .traffic import reads_at_most

THREADS = 32


def cases():
    for rows, n in (1, 32), (3, 20), (2, 1):
        x = numbers(rows, n)
        sums = np.cumsum(x, 1)
        errors = [(sums - x, "the sum of the numbers before, without the number itself"),
                  (_without_the_first(x), "what comes out with t > by: thread `by` also has a neighbour, thread 0")]
        yield Case(f"{many(rows, 'row')} of {many(n, 'number')}, a block of 32 threads for each", (rows,),
                   (THREADS,), {"x": x, "n": n}, sums, errors * (n > 1))


def _without_the_first(x):
    sums, by = x.copy(), 1
    while by < THREADS:
        old = sums.copy()
        sums[:, by + 1:] += old[:, 1:-by]
        by *= 2
    return sums


PUZZLE = Puzzle(
    title="Scan: all sums from the beginning",
    cases=cases,
    rules=[reads_at_most(1, "x")],
    hints={"scan": [
        "for (int by = 1; by < THREADS; by *= 2) is the loop over the rounds.",
        "A round: barrier; read sum[t - by] into a variable, 0 where t < by; barrier; add the variable to sum[t].",
        "The barriers belong in the loop, but not in an if: float left = t >= by ? sum[t - by] : 0; is an if only for "
        "the read.",
    ]},
)
