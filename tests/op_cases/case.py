"""How a row of the table is written.

    case("FullyConnected", u(2, 3), u(4, 3), u(4), num_hidden=4, expect=lambda d, w, b: d @ w.T + b)
"""

import inspect
import zlib
from dataclasses import dataclass, field

import numpy as np

__all__ = ["CASES", "Case", "case", "distinct", "fixed", "ints", "plain", "u"]

CASES = []


@dataclass(frozen=True)
class Case:
    """One call of an operator.

    op: its registered name. makers: for each input a function from a random generator to an array.
    expect: NumPy's answer from the inputs (an array or a tuple), or None when MXNet's recording is the only oracle.
    grad: indices of the inputs to check gradients of; () for none. train: run in training mode.
    oracle: compare with the recorded MXNet results; a string says why not. tol: extra relative tolerance, with reason.
    family: the street and the file that the row stands in, such as "nn.matrix".
    """

    op: str
    makers: tuple
    attrs: dict
    expect: object = None
    grad: tuple = ()
    train: bool = False
    oracle: object = True
    second: bool = True
    dtype: str = "float64"
    note: str = ""
    id: str = field(default="")
    family: str = ""

    def inputs(self, dtype=None):
        """The inputs as NumPy arrays. Floating ones in `dtype`, the case's own when None."""
        rng = np.random.default_rng(zlib.crc32(self.id.encode()))
        arrays = [np.asarray(make(rng)) for make in self.makers]
        return [a.astype(dtype or self.dtype) if a.dtype.kind == "f" else a for a in arrays]


def case(op, *makers, expect=None, grad=None, train=False, oracle=True, second=True, dtype="float64", note="",
         named=None, **attrs):
    """Enter a row. `grad` defaults to all floating inputs; second=False leaves out second-order gradients.

    named: further attributes, for those whose names are taken here (an operator's own dtype).
    """
    attrs.update(named or {})
    if grad is None:
        grad = tuple(i for i, make in enumerate(makers) if getattr(make, "floating", True))
    count = sum(c.op == op for c in CASES)
    CASES.append(Case(op, makers, attrs, expect, tuple(grad), train, oracle, second, dtype, note,
                      id=f"{op}-{count}" + (f"-{note.replace(' ', '_')}" if note else ""),
                      family=inspect.currentframe().f_back.f_globals["__name__"].removeprefix("op_cases.")))


def u(*shape, low=-1.0, high=1.0):
    """Uniform numbers in [low, high)."""
    return lambda rng: rng.uniform(low, high, shape)


def distinct(*shape, low=-2.0, high=2.0):
    """Numbers at equal distances in random order: no ties, for max, sort and pooling."""
    return lambda rng: rng.permutation(np.linspace(low, high, int(np.prod(shape)))).reshape(shape)


def ints(*shape, low=0, high=10, dtype="float64"):
    """Whole numbers, as indices and labels are; no gradient is taken for them."""
    def make(rng):
        return rng.integers(low, high, shape).astype(dtype)
    make.floating = False
    return make


def fixed(values, dtype="float64", floating=True):
    """Exactly these values."""
    def make(rng):
        return np.array(values, dtype)
    make.floating = floating
    return make


def plain(maker):
    """The same numbers, of which no gradient is taken."""
    def make(rng):
        return maker(rng)
    make.floating = False
    return make
