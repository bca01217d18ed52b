"""Comparison of the rows that a detector returns in two runs, where equal scores may have changed places."""

import numpy as np

__all__ = ["aligned"]

SAME_SCORE = 1e-5                       # of the largest score


def matching_rows(wanted, actual):
    """For each row of a detector's output, the row of another run that is compared with it.

    wanted, actual: lists of arrays (rows, numbers); the second has the scores. A row that agrees with the one at its
    own position is compared with it. Among the others with the same score up to rounding, the nearest one is taken. A
    row without such a partner is compared with the row at its own position.
    """
    wanted = [array.reshape(len(array), -1).astype("float64") for array in wanted]
    actual = [array.reshape(len(array), -1).astype("float64") for array in actual]
    order = np.arange(len(wanted[1]))
    agrees = np.all([np.abs(w - a).max(-1) <= SAME_SCORE * np.abs(w).max()
                     for w, a in zip(wanted, actual, strict=True)], axis=0)
    rest = np.flatnonzero(~agrees)
    order[rest] = rest[_matching([w[rest] for w in wanted], [a[rest] for a in actual],
                                 SAME_SCORE * np.abs(wanted[1]).max())]
    return order


def _matching(wanted, actual, allowed):
    """matching_rows for rows that do not agree in place. allowed: the difference between scores that count as equal."""
    near = np.abs(wanted[1] - actual[1].T) <= allowed
    far = np.max([np.abs(w[:, None] - a[None]).max(-1) for w, a in zip(wanted, actual, strict=True)], axis=0)
    order, free = np.full(len(near), -1), set(range(len(near)))
    for row in range(len(near)):
        candidates = [other for other in free if near[row, other]]
        if candidates:
            order[row] = min(candidates, key=lambda other: (far[row, other], abs(row - other)))
            free.remove(order[row])
    for row in np.flatnonzero(order < 0):
        order[row] = row if row in free else min(free)
        free.remove(order[row])
    return order


def aligned(wanted, actual):
    """(`actual` with the rows of detections in the order of `wanted`, the number of rows that moved)."""
    scores = wanted.get("out.1")
    if scores is None or scores.ndim != 3 or scores.shape[-1] != 1 or any(
            array.shape != wanted[path].shape or array.shape[:2] != scores.shape[:2] for path, array in actual.items()):
        return actual, 0
    found, moved = {path: array.copy() for path, array in actual.items()}, 0
    for item in range(len(scores)):
        order = matching_rows([array[item] for array in wanted.values()], [actual[path][item] for path in wanted])
        moved += int((order != np.arange(len(order))).sum())
        for path in found:
            found[path][item] = actual[path][item][order]
    return found, moved
