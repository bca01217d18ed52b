"""Sums of products over named axes."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING, Any

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from ..call import Call


class _Term:
    """A symbol and the letters of its axes."""

    def __init__(self, symbol, letters):
        self.symbol, self.letters = symbol, letters

    def ordered(self, letters):
        """Returns the symbol with its axes in this order, and an axis of length 1 for each missing letter."""
        if not self.letters:
            return sym.reshape(self.symbol, shape=(1,) * max(1, len(letters)))
        own = [letter for letter in letters if letter in self.letters]
        axes = tuple(self.letters.index(letter) for letter in own)
        x = sym.transpose(self.symbol, axes=axes) if axes != tuple(range(len(axes))) else self.symbol
        for axis, letter in enumerate(letters):
            if letter not in self.letters:
                x = sym.expand_dims(x, axis=axis)
        return x

    def summed(self, output_letters):
        """Returns the term summed over the axes whose letters are not in `output_letters`."""
        axes = tuple(axis for axis, letter in enumerate(self.letters) if letter not in output_letters)
        if not axes:
            return self
        return _Term(sym.sum(self.symbol, axis=axes), [letter for letter in self.letters if letter in output_letters])


@operator("Einsum")
def einsum(call: Call) -> Any:
    """Contracts the terms from left to right, two at a time, with a matrix product if each kind of axis occurs only
    once.
    """
    terms, result = _terms(call)
    later = [set(result).union(*(term.letters for term in terms[number + 1:])) for number in range(len(terms))]
    terms = [term.summed(set(result).union(*(other.letters for other in terms if other is not term)))
             for term in terms]
    open_letters = {letter for letter in result if not letter.isalpha()}
    last = terms[0]
    for term, letters in zip(terms[1:], later[1:], strict=True):
        last = _product(call, last, term, letters, open_letters)
    result_symbol = last.ordered(result) if result else sym.identity(last.symbol)
    return result_symbol if result else call.scalar(result_symbol)


def _terms(call):
    """Returns (terms, letters of the result). The axes of `...` are named 0, 1, 2 ..., starting from the last."""
    left, arrow, right = call.attribute("equation").replace(" ", "").partition("->")
    operands = left.split(",")
    if len(operands) != len(call.inputs):
        raise call.refuse(f"{len(call.inputs)} inputs for the equation {left!r}")
    spelled = [_spelled(text, call.rank(index)) for index, text in enumerate(operands)]
    longest = max((sum(letter.isdigit() for letter in letters) for letters in spelled), default=0)
    around = [str(n) for n in reversed(range(longest))]
    if arrow:
        head, dots, tail = right.partition("...")
        result = [*head, *(around if dots else []), *tail]
    else:
        counts = Counter(letter for letters in spelled for letter in letters)
        result = around + sorted(letter for letter in counts if counts[letter] == 1 and letter.isalpha())
    if longest > 10 or any(letter not in {x for letters in spelled for x in letters} for letter in result):
        raise call.refuse(f"the equation {left}->{right}")
    return [_without_repeats(call.data(index), letters) for index, letters in enumerate(spelled)], result


def _spelled(text, rank):
    head, dots, tail = text.partition("...")
    between = rank - len(head) - len(tail) if dots else 0
    return [*head, *(str(n) for n in reversed(range(between))), *tail]


def _without_repeats(x, letters):
    """Takes the diagonal over axes that share a letter."""
    letters = list(letters)
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            x = sym.diag(x, k=0, axis1=first, axis2=second)
            letters = [*(other for axis, other in enumerate(letters) if axis not in (first, second)), letter]
    return _Term(x, letters)


def _product(call, a, b, output_letters, around):
    """Multiplies two terms and sums over letters that are not in the output."""
    both = [letter for letter in a.letters if letter in b.letters]
    batch, inner = [x for x in both if x in output_letters], [x for x in both if x not in output_letters]
    rows, columns = ([x for x in term.letters if x not in both] for term in (a, b))
    letters = [*batch, *rows, *columns]
    if (len(inner) == len(rows) == len(columns) == 1 and not around.intersection(both)
            and call.dtype().name in ("float32", "float64")):
        pair = a.ordered([*batch, *rows, *inner]), b.ordered([*batch, *inner, *columns])
        return _Term(sym.linalg.gemm2(*pair), letters)
    everything = [*letters, *inner]
    product = reduce(sym.broadcast_mul, (term.ordered(everything) for term in (a, b)))
    return _Term(product, everything).summed(output_letters)
