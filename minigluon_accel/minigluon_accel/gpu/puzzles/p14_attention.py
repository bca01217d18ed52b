"""Softmax in one pass: sums that are rescaled when a larger score appears."""

import numpy as np

from .puzzle import Case, Puzzle, many, numbers
from .traffic import reads_at_most

THREADS, D = 8, 4


def cases():
    for queries, keys in (8, 8), (10, 20), (3, 5):
        q, k, v = (numbers(length, D, seed=seed) / 4 for seed, length in enumerate((queries, keys, keys)))
        more = np.zeros((-keys % THREADS, D), "float32")
        count = -(-queries // THREADS)
        older = "what comes out when {} what was added up relative to an older top: multiply by exp(old top - new top)"
        errors = [(_attention(q, k, v, scale=1), "what comes out when the scores are not divided by sqrt(D)"),
                  (_attention(q, k, v, sums="running"), older.format("sum keeps")),
                  (_attention(q, k, v, totals="running"), older.format("total keeps")),
                  (_attention(q, k, v, sums="running", totals="running"), older.format("sum and total keep"))]
        if len(more):
            errors.append((_attention(q, np.concatenate([k, more]), np.concatenate([v, more])),
                           "what comes out when keys after the last one take part, as zeros"))
        if len(more) and keys > THREADS:
            old = slice(keys - THREADS, keys - keys % THREADS)      # left over at the end of the last tile
            errors.append((_attention(q, np.concatenate([k, k[old]]), np.concatenate([v, v[old]])),
                           "what comes out when the last tile, which is short, is used to its end: rows of the tile "
                           "before are still there"))
        yield Case(f"{queries} queries and {keys} keys, {many(count, 'block')} of 8 threads", (count,),
                   (THREADS,), {"q": q, "k": k, "v": v, "queries": queries, "keys": keys}, _attention(q, k, v), errors)


def _attention(q, k, v, scale=D ** -0.5, sums="last", totals="last"):
    """Returns out, with sums and totals relative to the final top, which is correct, or to the top so far."""
    scores = q @ k.T * np.float32(scale)
    weights = {"last": np.exp(scores - scores.max(1, keepdims=True)),
               "running": np.exp(scores - np.maximum.accumulate(scores, 1))}
    return weights[sums] @ v / weights[totals].sum(1, keepdims=True)


PUZZLE = Puzzle(
    title="Attention: softmax that never has its row",
    cases=cases,
    rules=[reads_at_most(lambda grid: grid[0], "k", "v")],
    hints={"attention": [
        "Thread t fetches one row of k into key[t], and one of v into value[t]. Between two barriers all threads use "
        "all rows.",
        "float higher = fmaxf(top, score), factor = expf(top - higher), weight = expf(score - higher); at first top is "
        "-INFINITY, and the factor 0.",
        "total = total * factor + weight, sum[d] = sum[d] * factor + weight * value[j][d], and then top = higher.",
    ]},
)
