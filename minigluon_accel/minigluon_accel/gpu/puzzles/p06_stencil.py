"""A block that needs more elements than it has threads."""

import numpy as np

from .puzzle import Case, Puzzle, many, numbers
from .traffic import reads_at_most

THREADS = 8


def cases():
    for n in 8, 17, 3:
        x = numbers(n)
        count = -(-n // THREADS)
        errors = [(_sums(x, left, right), f"what comes out when a block has 0 {where} its own piece: the halo is the "
                                         "neighbours' numbers")
                  for left, right, where in ((True, True, "around"), (True, False, "before"), (False, True, "behind"))]
        yield Case(f"{many(n, 'number')}, {many(count, 'block')} of 8 threads", (count,), (THREADS,),
                   {"x": x, "n": n}, _sums(x), errors * (count > 1))


def _sums(x, no_left=False, no_right=False):
    """Returns the correct sums, or the sums without the numbers from the block on the left or on the right."""
    padded, i = np.pad(x, 1), np.arange(len(x))
    left, right = padded[:-2], padded[2:]
    return (np.where(no_left & (i % THREADS == 0), 0, left) + x
            + np.where(no_right & (i % THREADS == THREADS - 1), 0, right))


PUZZLE = Puzzle(
    title="Stencil: a tile with a halo",
    cases=cases,
    rules=[reads_at_most(2, "x")],
    hints={"stencil": [
        "__shared__ float tile[THREADS + 2]; thread t fetches x[i] into tile[t + 1].",
        "Thread 0 also fetches x[i - 1] into tile[0], the last thread x[i + 1] into tile[THREADS + 1]: each only if it "
        "is there, else 0.",
        "After the barrier: out[i] = tile[t] + tile[t + 1] + tile[t + 2], if i < n.",
    ]},
)
