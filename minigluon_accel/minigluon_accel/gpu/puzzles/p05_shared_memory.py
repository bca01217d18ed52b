"""`__shared__` and `__syncthreads()`."""

import numpy as np

from .puzzle import Case, Puzzle, many, numbers
from .traffic import reads_at_most

THREADS = 8


def cases():
    for n in 8, 20, 5:
        x = np.sort(numbers(n)) - 10            # the last element of a piece is the largest
        count = -(-n // THREADS)
        pieces = [x[k:k + THREADS] for k in range(0, n, THREADS)]
        zeros = np.concatenate([piece - max(piece.max(), 0 if len(piece) < THREADS else -np.inf) for piece in pieces])
        errors = [(x - x.max(), "x[i] minus the largest of all blocks")] * (n > THREADS)
        errors += [(zeros, "what comes out when threads without an element bring 0")] * (n % THREADS > 0)
        yield Case(f"{many(n, 'number')}, {many(count, 'block')} of 8 threads", (count,), (THREADS,),
                   {"x": x, "n": n}, np.concatenate([piece - piece.max() for piece in pieces]), errors)


PUZZLE = Puzzle(
    title="Shared memory: the threads of a block work together",
    cases=cases,
    rules=[reads_at_most(1, "x")],
    hints={"shared_memory": [
        "__shared__ float piece[THREADS]; is one array for the whole block. Each thread writes piece[threadIdx.x].",
        "Then __syncthreads(), for all threads, outside of any if. Read what others have written only after it.",
        "fmaxf(a, b) is the larger one of two numbers. Guard only the write to out: if (i < n).",
    ]},
)
