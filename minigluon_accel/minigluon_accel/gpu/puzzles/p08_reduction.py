"""Half as many threads in each round: a tree."""

import numpy as np

from .puzzle import Case, Puzzle, many, numbers
from .traffic import reads_at_most

THREADS = 32


def cases():
    for n in 32, 70, 5:
        x = numbers(n)
        count = -(-n // THREADS)
        pieces = np.pad(x, (0, count * THREADS - n)).reshape(count, THREADS)
        yield Case(f"{many(n, 'number')}, {many(count, 'block')} of 32 threads", (count,), (THREADS,),
                   {"x": x, "n": n}, pieces.sum(1),
                   [(pieces[:, ::2].sum(1),
                     "the sum of every second number: the last round, with half = 1, is missing"),
                    (pieces[:, :THREADS // 2].sum(1), "the sum of the first half: the first round is missing")])


PUZZLE = Puzzle(
    title="Reduction: a sum in rounds",
    cases=cases,
    rules=[reads_at_most(1, "x")],
    hints={"reduction": [
        "for (int half = THREADS / 2; half > 0; half /= 2) is the loop over the rounds.",
        "In a round, only threads with t < half add: part[t] += part[t + half]. The barrier stands before that if.",
        "After the last round part[0] is the sum. Thread 0 has written it itself, so it needs no barrier to read it.",
    ]},
)
