"""Symbolic dimensions: shapes for any batch size and sequence length, as formulas.

A `SymbolicDim` replaces a number in a shape. It has an example value and a formula. Arithmetic returns other
SymbolicDims; a comparison is evaluated for the example, and its answer is recorded as a condition in the `Scope`. Code
that is unaware of names (shape rules, passes, functions that prepare kernels) therefore computes with them as with
numbers, and its results hold for every size that satisfies the conditions. Code that needs the number itself (`range`,
an array of that shape) raises ConcreteSizeError, because then there is no formula.

A SymbolicDim is deliberately not an int, because C code would silently read the example's value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import MXNetError

__all__ = ["LEAST", "ConcreteSizeError", "Formulas", "Scope", "Sums", "SymbolicDim", "has_symbolic_dim",
           "map_symbolic_dims"]

LEAST = 2           # the minimum of a named length, because many rules treat 0 and 1 as special cases


class ConcreteSizeError(MXNetError):
    """Raised if code needs the actual number behind a named length."""


class Scope:
    """Names with example values, and the conditions under which results computed with them hold.

    needed: the reason why the results hold only for the example, if a number was needed; otherwise None.
    """

    values: dict[str, int]

    def __init__(self, values: dict[str, int]):
        self.names: list[str] = list(values)
        self.values = dict(values)                      # the example values of names and of operations written as names
        self.least: dict[str, int] = dict.fromkeys(values, LEAST)       # lower bounds, if known
        self.conditions: dict[str, None] = {}
        self.needed: str | None = None

    def length(self, name: str) -> SymbolicDim:
        """Returns the SymbolicDim with that name."""
        return SymbolicDim(self, {(name,): 1})

    def at(self, values: Sequence[int]) -> Scope:
        """Returns a new scope for the same names with other example values."""
        scope = Scope(dict(zip(self.names, values, strict=True)))
        scope.least.update(self.least)
        return scope

    def take(self, length: SymbolicDim) -> SymbolicDim:
        """Converts a SymbolicDim from another scope with the same names to this scope."""
        for name in {name for names in length.terms for name in names}:
            if name not in self.values:
                self.values[name] = eval(name, {}, self.values)
        return SymbolicDim(self, length.terms)


class SymbolicDim:
    """A polynomial in names and in non-polynomial terms such as '((N + 1) // 2)'. It is never constant.

    terms: {sorted names in a product: factor}; the key () is the constant.
    """

    scope: Scope
    terms: dict[tuple[str, ...], int]

    __slots__ = ("_hash", "scope", "terms", "value")

    def __init__(self, scope: Scope, terms: dict[tuple[str, ...], int], value: int | None = None):
        self.scope, self.terms = scope, terms
        self.value: int = _value(scope, terms) if value is None else value
        self._hash = hash((id(scope), frozenset(terms.items())))

    # -- arithmetic -------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        terms = _terms(self, other)
        return NotImplemented if terms is None else _sum(self.scope, self.terms, terms, 1)

    def __sub__(self, other: Any) -> Any:
        terms = _terms(self, other)
        return NotImplemented if terms is None else _sum(self.scope, self.terms, terms, -1)

    def __rsub__(self, other: Any) -> Any:
        terms = _terms(self, other)
        return NotImplemented if terms is None else _sum(self.scope, terms, self.terms, -1)

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> SymbolicDim:
        return self

    def __abs__(self) -> Any:
        return self if self >= 0 else -self

    def __mul__(self, other: Any) -> Any:
        terms = _terms(self, other)
        if terms is None:
            return NotImplemented
        product: dict[tuple[str, ...], int] = {}
        for a, m in self.terms.items():
            for b, n in terms.items():
                names = tuple(sorted(a + b))
                product[names] = product.get(names, 0) + m * n
        return _length(self.scope, product)

    def __floordiv__(self, other: Any) -> Any:
        return _divided(self, other)[0]

    def __mod__(self, other: Any) -> Any:
        return _divided(self, other)[1]

    def __divmod__(self, other: Any) -> Any:
        return _divided(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _divided(other, self)[0]

    def __rmod__(self, other: Any) -> Any:
        return _divided(other, self)[1]

    __radd__, __rmul__ = __add__, __mul__

    # -- comparison: the answer for the example, recorded as a condition
    # -----------------------------------------------------

    def __eq__(self, other: Any) -> Any:
        return _compare(self, "==", other)

    def __ne__(self, other: Any) -> Any:
        return _compare(self, "!=", other)

    def __lt__(self, other: Any) -> Any:
        return _compare(self, "<", other)

    def __le__(self, other: Any) -> Any:
        return _compare(self, "<=", other)

    def __gt__(self, other: Any) -> Any:
        return _compare(self, ">", other)

    def __ge__(self, other: Any) -> Any:
        return _compare(self, ">=", other)

    def __bool__(self) -> bool:
        return self != 0

    def __hash__(self) -> int:
        return self._hash

    # -- concrete sizes --------------------------------------------------------------------------------------------

    def __index__(self) -> int:
        self.scope.needed = self.scope.needed or f"the number that {self} stands for is needed"
        raise ConcreteSizeError(self.scope.needed)

    def __truediv__(self, other: Any) -> Any:
        ratio = _ratio(self.terms, other.terms) if isinstance(other, SymbolicDim) else None
        return self.__index__() if ratio is None else ratio

    __int__ = __float__ = __round__ = __ceil__ = __floor__ = __trunc__ = __index__

    def __rtruediv__(self, other: Any) -> Any:
        return self.__index__()

    __pow__ = __rpow__ = __rtruediv__

    # -- text -------------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        text = _text(self.terms)
        return text[1:-1] if text[0] == "(" and text[-1] == ")" and text.count("(") == 1 else text

    __repr__ = __str__


class Formulas:
    """Numbers that depend on named lengths, as one function: `formulas(*values)` -> a list, or None.

    items: SymbolicDims, numbers, and tuples of them. The result is None if a condition does not hold or a formula
    divides by 0.
    """

    def __init__(self, names: list[str], items: list[Any], conditions: Any = ()):
        self._function = _function(names, ", ".join(map(_item, items)), conditions, "[", "]")

    def __call__(self, *values: int) -> list[Any] | None:
        try:
            return self._function(*values)
        except ZeroDivisionError:
            return None


class Sums:
    """Numbers that depend on named lengths, as sums of products of lengths, so that many can be computed at once.

    items: SymbolicDims and numbers; each equals `constants` at its index plus factor * products(*values)[product] for
    each of its (index, product, factor) in `terms`. `products(*values)` is None if a condition does not hold.
    """

    def __init__(self, names: list[str], items: list[Any], conditions: Any = ()):
        number: dict[str, int] = {}
        self.constants: list[Any] = [item.terms.get((), 0) if isinstance(item, SymbolicDim) else item for item in items]
        self.terms: list[tuple[int, int, int]] = [(place, number.setdefault("*".join(product), len(number)), factor)
                                                  for place, item in enumerate(items) if isinstance(item, SymbolicDim)
                                                  for product, factor in item.terms.items() if product]
        self.products: Any = _function(names, "".join(f"{product}, " for product in number), conditions, "(", ")")


def _function(names: list[str], result: str, conditions: Any, begin: str, end: str) -> Any:
    """Returns a function that computes `result`, or returns None if a condition does not hold."""
    fits = " and ".join(conditions) or "True"
    text = f"lambda {', '.join(names)}: {begin}{result}{end} if {fits} else None"
    return eval(compile(text, "<formulas of named lengths>", "eval"), {})


def _item(item: Any) -> str:
    if isinstance(item, tuple):
        return "(" + "".join(f"{_item(part)}, " for part in item) + ")"
    if isinstance(item, float) and not math.isfinite(item):
        return f"float('{item}')"
    return _text(item.terms) if isinstance(item, SymbolicDim) else repr(item)


def has_symbolic_dim(value: Any) -> bool:
    """Returns whether value is a SymbolicDim, or a tuple or list that contains one."""
    if isinstance(value, (tuple, list)):
        return any(map(has_symbolic_dim, value))
    return isinstance(value, SymbolicDim)


def map_symbolic_dims(value: Any, convert: Any) -> Any:
    """Returns a value, or tuples of values, with each SymbolicDim replaced by `convert(length)`."""
    if isinstance(value, SymbolicDim):
        return convert(value)
    if isinstance(value, tuple) and has_symbolic_dim(value):
        items = [map_symbolic_dims(item, convert) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


# -- polynomials ----------------------------------------------------------------------------------------------------

def _terms(length: SymbolicDim, other: Any) -> Any:
    """Returns the terms of a SymbolicDim or an integer, or None for anything else."""
    if isinstance(other, SymbolicDim):
        return other.terms
    return {(): int(other)} if isinstance(other, (int, np.integer)) else None


def _value(scope: Scope, terms: Any) -> int:
    return sum(factor * math.prod(scope.values[name] for name in names) for names, factor in terms.items())


def _length(scope: Scope, terms: Any) -> Any:
    """Returns a number if terms are constant, else a SymbolicDim."""
    terms = {names: factor for names, factor in terms.items() if factor}
    if not terms:
        return 0
    return terms[()] if list(terms) == [()] else SymbolicDim(scope, terms)


def _sum(scope: Scope, a: Any, b: Any, sign: int) -> Any:
    terms = dict(a)
    for names, factor in b.items():
        terms[names] = terms.get(names, 0) + sign * factor
    return _length(scope, terms)


def _text(terms: Any) -> str:
    def product(names, factor):
        parts = [str(factor)] if factor != 1 or not names else []
        return "*".join([*parts, *names])
    ordered = sorted(terms.items(), key=lambda item: (-len(item[0]), item[0]))
    text = " + ".join(product(*item) for item in ordered)
    return text if len(ordered) == 1 and "*" not in text else f"({text})"


def _divided(a: Any, b: Any) -> tuple[Any, Any]:
    """Returns (a // b, a % b) as polynomials if possible, otherwise as names that stand for the operations."""
    scope = a.scope if isinstance(a, SymbolicDim) else b.scope
    a_terms, b_terms = _terms(a, a), _terms(b, b)
    if a_terms is None or b_terms is None:
        raise ConcreteSizeError("a length is divided by something that is not an integer")
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if len(b_terms) == 1:
        (names, divisor), = b_terms.items()
        exact, remainder = {}, {}
        for others, factor in a_terms.items():
            quotient = _without(others, names)
            if quotient is not None and factor % divisor == 0:
                exact[quotient] = factor // divisor
            else:
                remainder[others] = factor
        if not remainder:
            return _length(scope, exact), 0
        if not names and list(remainder) == [()] and 0 < remainder[()] < divisor:
            return _length(scope, exact), remainder[()]     # (8·N + 3) // 8
    left, right, bounded = _text(a_terms), _text(b_terms), (_least(scope, b_terms, 1) or 0) > 0
    a, b = _value(scope, a_terms), _value(scope, b_terms)
    return (_operation(scope, f"({left} // {right})", a // b, bounded and (_least(scope, a_terms, 1) or -1) >= 0),
            _operation(scope, f"({left} % {right})", a % b, bounded))


def _operation(scope: Scope, text: str, value: int, is_positive: bool) -> SymbolicDim:
    """Returns a name that stands for an operation. is_positive: whether its result is known to be at least 0."""
    scope.values[text] = value
    if is_positive:
        scope.least[text] = 0
    return SymbolicDim(scope, {(text,): 1})


def _ratio(a: Any, b: Any) -> float | None:
    """Returns a constant ratio, such as 64 for (128*N + 128) / (2*N + 2), or None if it is not constant."""
    names = next(iter(a))
    if a.keys() != b.keys() or any(a[key] * b[names] != b[key] * a[names] for key in a):
        return None
    return a[names] / b[names]


def _without(names: tuple[str, ...], divisor: tuple[str, ...]) -> tuple[str, ...] | None:
    """Returns the names that are left when one product is divided by another, or None if it is not divisible."""
    remaining = list(names)
    for name in divisor:
        if name not in remaining:
            return None
        remaining.remove(name)
    return tuple(remaining)


def _compare(a: SymbolicDim, sign: str, b: Any) -> Any:
    if b is a:
        return sign in ("==", "<=", ">=")
    terms = _terms(a, b)
    if terms is None:
        if isinstance(b, float) and sign not in ("==", "!="):
            return _condition(a.scope, a.value, _text(a.terms), sign, b)
        return NotImplemented
    difference = _sum(a.scope, a.terms, terms, -1)
    if not isinstance(difference, SymbolicDim):
        return _SIGNS[sign](difference, 0)
    least, most = _least(a.scope, difference.terms, 1), _least(a.scope, difference.terms, -1)
    decided = _decided(sign, -math.inf if least is None else least, math.inf if most is None else -most)
    if decided is not None:
        return decided
    return _condition(a.scope, difference.value, _text(difference.terms), sign, 0)


def _least(scope: Scope, terms: Any, sign: int) -> int | None:
    """Returns a lower bound of sign * terms for all lengths, or None if it is not obvious."""
    bound = 0
    for names, factor in terms.items():
        if names and (sign * factor < 0 or any(name not in scope.least for name in names)):
            return None
        bound += sign * factor * math.prod(scope.least[name] for name in names)
    return bound


def _decided(sign: str, least: float, most: float) -> bool | None:
    """Returns the value of `x sign 0` if it is the same for all x from the least to the greatest, otherwise None."""
    if sign in ("==", "!="):
        return None if least <= 0 <= most else sign == "!="
    ends = [_SIGNS[sign](end, 0) for end in (least, most)]
    return ends[0] if ends[0] == ends[1] else None


def _condition(scope: Scope, value: float, text: str, sign: str, other: float) -> bool:
    answer = _SIGNS[sign](value, other)
    scope.conditions[f"{text} {sign if answer else _OPPOSITE[sign]} {other!r}"] = None
    return answer


_SIGNS: dict[str, Any] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
