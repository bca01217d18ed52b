"""Einstein sums: products of arrays whose axes have letters, summed over the letters missing in the result."""

from __future__ import annotations

import math
from typing import Any

from ...base import ArgumentError, ShapeError
from ..table import function
from .common import promoted, shaped, zeros
from .indexing import diagonal
from .reduction import sum_
from .shape import broadcast_to, moveaxis, transpose

__all__ = ["einsum"]


@function("einsum")
def einsum(F, subscripts, *operands, optimize=False, out=None):
    """Return the Einstein sum of arrays, such as einsum("ij,jk->ik", a, b) for the product of two matrices.

    operands (any shapes, any types) | out with an axis for each letter after the arrow, with the common type

    subscripts: the letters of the axes of each operand, separated by commas, and those of the result after '->'; '...'
        stands for additional axes, which broadcast. Without '->', the result has the letters that occur once, in
        alphabetical order.
    optimize: no effect; operands are combined from left to right.

    Raises ArgumentError for subscripts that do not match the operands, and ShapeError for lengths that do not match.

    >>> np.einsum("ij,j->i", np.array([[1, 2], [3, 4]]), np.array([1, 10]))
    array([21., 43.])
    """
    if not isinstance(subscripts, str) or not operands:
        raise ArgumentError("np.einsum: expected subscripts such as 'ij,jk->ik' and at least one array, found "
                            f"{subscripts!r} and {len(operands)} arrays")
    arrays = promoted(F, *operands)
    terms, result = _parsed(subscripts, [len(x.shape) for x in arrays])
    lengths = _lengths(terms, arrays)
    pairs = [_alone(F, x, term) for x, term in zip(arrays, terms, strict=True)]
    while len(pairs) > 1:
        (x, left), (y, right), *pairs = pairs
        wanted = {*result, *(letter for _, term in pairs for letter in term)}
        pairs.insert(0, _combined(F, x, left, y, right, wanted, lengths))
    x, term = pairs[0]
    x, term = _without(F, x, term, [letter for letter in term if letter not in result])
    return broadcast_to(F, transpose(F, x, [term.index(letter) for letter in result]) if term else x,
                        [lengths[letter] for letter in result])


def _parsed(subscripts, ndims):
    """Return the letters of each operand and those of the result.

    The axes of '...' are numbered, with 0 for the last one.
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    parts = inputs.split(",")
    if len(parts) != len(ndims):
        raise ArgumentError(f"np.einsum: {subscripts!r} has {len(parts)} parts before '->', but there are {len(ndims)} "
                            "arrays")
    terms, dots = [], 0
    for part, ndim in zip(parts, ndims, strict=True):
        letters = part.replace("...", "")
        extra = ndim - len(letters)
        if extra and ("..." not in part or extra < 0):
            raise ArgumentError(f"np.einsum: the part {part!r} of {subscripts!r} does not fit an array of {ndim} axes")
        dots = max(dots, extra)
        before, _, after = part.partition("...")
        terms.append([*before, *map(str, range(extra - 1, -1, -1)), *after])
    axes = [str(i) for i in range(dots - 1, -1, -1)]
    if not arrow:
        every = [letter for term in terms for letter in term if not letter.isdigit()]
        return _checked(subscripts, terms, axes + sorted(letter for letter in every if every.count(letter) == 1))
    before, _, after = output.partition("...")
    return _checked(subscripts, terms, [*before, *(axes if "..." in output else ()), *after])


def _checked(subscripts, terms, result):
    known = {letter for term in terms for letter in term}
    if not all(letter.isalpha() or letter.isdigit() for letter in {*known, *result}) or not known.issuperset(result) \
            or len(set(result)) != len(result):
        raise ArgumentError(f"np.einsum: the subscripts {subscripts!r} are not valid; each letter of the result must "
                            "occur once there, and in an operand")
    return terms, result


def _lengths(terms, arrays):
    lengths: dict[str, int] = {}
    for term, x in zip(terms, arrays, strict=True):
        for letter, n in zip(term, x.shape, strict=True):
            if lengths.setdefault(letter, n) == 1:
                lengths[letter] = n
            elif n not in (1, lengths[letter]):
                raise ShapeError(f"np.einsum: axis {letter!r} has the lengths {lengths[letter]} and {n}")
    return lengths


def _alone(F, x, term):
    """Return an operand in which each letter occurs only once, by taking diagonals."""
    term = list(term)
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            i, j = [k for k, other in enumerate(term) if other == letter][:2]
            if x.shape[i] != x.shape[j]:
                x = broadcast_to(F, x, [max(x.shape[i], x.shape[j]) if k in (i, j) else n
                                        for k, n in enumerate(x.shape)])
            x = moveaxis(F, diagonal(F, x, 0, i, j), -1, i)
            del term[j]
    return x, term


def _without(F, x, term, letters):
    """Return an operand summed over letters."""
    if not letters:
        return x, term
    return sum_(F, x, tuple(term.index(letter) for letter in letters)), [t for t in term if t not in letters]


def _combined(F, x, left, y, right, wanted, lengths):
    """Return the matrix product of two operands, summed over the letters that occur nowhere else."""
    x, left = _without(F, x, left, [t for t in left if t not in right and t not in wanted])
    y, right = _without(F, y, right, [t for t in right if t not in left and t not in wanted])
    shared = [t for t in left if t in right]
    x, y = (_full(F, v, term, shared, lengths) for v, term in ((x, left), (y, right)))
    batch, summed = ([t for t in shared if (t in wanted) == kept] for kept in (True, False))
    ours, theirs = [t for t in left if t not in right], [t for t in right if t not in left]
    a = _matrices(F, x, left, batch, ours, summed)
    b = _matrices(F, y, right, batch, summed, theirs)
    shape = [*a.shape[:1], a.shape[1], b.shape[2]]
    product = F.batch_dot(a, b) if math.prod(shape) and a.shape[2] else zeros(F, a, shape)
    sizes = {**dict(zip(left, x.shape, strict=True)), **dict(zip(right, y.shape, strict=True))}
    letters = [*batch, *ours, *theirs]
    return shaped(F, product, [sizes[t] for t in letters]), letters


def _full(F, x, term, shared, lengths):
    """Return an operand with its shared axes stretched to their lengths."""
    return broadcast_to(F, x, [lengths[t] if t in shared else n for t, n in zip(term, x.shape, strict=True)])


def _matrices(F, x: Any, term: list[str], *groups: list[str]) -> Any:
    """Return an operand with one axis for each group of letters."""
    sizes = dict(zip(term, x.shape, strict=True))
    ordered = transpose(F, x, [term.index(t) for group in groups for t in group]) if term else x
    return shaped(F, ordered, [math.prod(sizes[t] for t in group) for group in groups])
