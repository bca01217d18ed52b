"""Debug mode's checks around each kernel for NaN and Inf, and for indices that are out of range."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backend import backend_for
from ...base import MXNetError, NotFiniteError, OutOfRangeError
from ...contrib.amp import loss_scaler
from ...diagnostics import strictness
from ...ops import array
from . import origins

__all__ = ["checked", "is_finite", "look_for", "state"]

_nan = _inf = _indices = True


class _State(threading.local):
    """Per-thread state.

    in_backward: whether an operator's gradient is being computed. Its caller has more precise information about where
    the operator was called. found: the first error in the gradient. It counts only if the gradient itself is not
        finite, because intermediate values may overflow, as in 1 / (1 + x²) in float16.
    """

    in_backward = False
    found: MXNetError | None = None


state: _State = _State()


def look_for(nan: bool, inf: bool, indices: bool) -> None:
    """Set what to check for."""
    global _nan, _inf, _indices
    _nan, _inf, _indices = nan, inf, indices


def checked(op: Any, ctx: Any, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `kernel` and checks its inputs and outputs.

    For `watch_kernels`: `kernel(inputs)` returns the results; `kernel(inputs, targets)` writes them.
    """
    to_numpy = backend_for(ctx).to_numpy
    names = op.argument_names

    def on_host(buffer: Any) -> np.ndarray:
        return buffer if isinstance(buffer, np.ndarray) else to_numpy(buffer)

    def run(*buffers: Any) -> Any:
        inputs = [on_host(x) for x in buffers[0]]
        if _indices:
            _look_at_indices(op, names(len(inputs)), inputs)
        before = _NonFiniteInputs(op, inputs)   # created before the kernel overwrites them
        results = kernel(*buffers)
        if len(buffers) > 1:
            mutated = [buffers[0][names(len(inputs)).index(name)] for name in op.mutates]
            outputs = [*buffers[1][:op.num_outputs], *mutated]
        else:
            outputs = [x for x in results if x is not None]         # including new values of mutated arrays
        error = before.error_of([on_host(x) for x in outputs])
        if error is not None and not state.in_backward:
            raise error
        state.found = state.found or error
        return results
    return run


class _NonFiniteInputs:
    """The non-finite values in the inputs and attributes of an operator."""

    def __init__(self, op: Any, inputs: Sequence[np.ndarray]):
        self.op, self.inputs = op, inputs
        named = [value for value in op.attributes.values() if isinstance(value, float)]
        self.nan = [i for i, x in enumerate(inputs) if _any(np.isnan, x)]
        self.asks_for_nan = any(map(math.isnan, named))
        self.has_inf = any(_any(np.isinf, x) for x in inputs) or any(map(math.isinf, named))
        self.ranges = [_described(x) for x in inputs]

    def error_of(self, outputs: Sequence[np.ndarray]) -> MXNetError | None:
        """Return a NotFiniteError if the outputs contain NaN or Inf that the operator has produced or passed on."""
        if not self.inputs or self.asks_for_nan:
            return None     # the program asked for this constant
        followed = self.has_inf or bool(self.nan)       # the inputs already contain Inf or NaN
        overflows = loss_scaler.state.overflow_expected
        let_nan = followed and overflows or self.nan and _only_moves(self.op)
        let_inf = followed or overflows
        for y in outputs:
            if _nan and not let_nan and _any(np.isnan, y):
                return self.error(y, np.isnan(y))
            if _inf and not let_inf and _any(np.isinf, y):
                return self.error(y, np.isinf(y))
        return None

    def error(self, y: np.ndarray, bad: np.ndarray) -> MXNetError:
        names = self.op.argument_names(len(self.inputs))
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        where = f"in {int(bad.sum())} of {y.size} elements, the first at {first}"
        if self.nan:
            text = (f"input {names[self.nan[0]]} has nan, which no operator has produced in debug mode: it was in the "
                    f"data, or came from outside; the result has it {where}")
        else:
            inputs = "inputs with inf" if self.has_inf else "finite inputs"
            text = f"produces {y[first]} from {inputs}, {where}"
        error = NotFiniteError(f"{self.op.name}: {text}")
        described = ", ".join(f"{name} {span}" for name, span in zip(names, self.ranges, strict=True))
        return _placed(error.add(f"inputs: {described}"), self.op)


def _only_moves(op: Any) -> bool:
    """Return whether the operator only moves elements. Such elements may include NaN that means 'missing'."""
    return op.is_view or type(op).__module__.startswith(f"{array.__name__}.")


def _look_at_indices(op: Any, names: Sequence[str], inputs: Sequence[np.ndarray]) -> None:
    """Raise OutOfRangeError if an index or label is outside the operator's `index_ranges`.

    For -1 there is only a warning, because it is used for padding and programs ignore its results.
    """
    fillings = op.fillings(*inputs)
    for name, (least, most, *others) in op.index_ranges(*[x.shape for x in inputs]).items():
        x = inputs[names.index(name)]
        bad = ~((x >= least) & (x <= most) | np.isin(x, others))
        if name in fillings:
            bad &= ~fillings[name]
        if bad.any():
            if (x[bad] == -1).all():
                _warn_of_filling(op, name, least, most)
                continue
            first = tuple(int(i) for i in np.argwhere(bad)[0])
            number = x[first]
            index = int(number) if number == np.floor(number) else number
            also = f", or {', '.join(f'{other:g}' for other in others)}" if others else ""
            error = OutOfRangeError(
                f"{op.name}: {name} has {index} at {first}, expected {least} to {most}{also}; {int(bad.sum())} of "
                f"{x.size} are out of range. Without debug mode, the operator would use another number")
            described = ", ".join(f"{n} {_described(x)}" for n, x in zip(names, inputs, strict=True))
            raise _placed(error.add(f"inputs: {described}"), op)


def _warn_of_filling(op: Any, name: str, least: float, most: float) -> None:
    """Warn about padding. The message contains no numbers from the batch, so that Python shows it once per line."""
    lines = ["", *origins.here(op.name).lines()]
    strictness.warn(f"debug mode: {op.name}: {name} has -1, expected {least} to {most}. That is correct only "
                    "for padding whose result is ignored later, by a mask or a weight of 0"
                    + "\n  ".join(lines))


def _placed(error: MXNetError, op: Any) -> MXNetError:
    """Add the block and the line to the error, unless the operator's caller (a graph or `backward`) will do so."""
    origin = origins.here(op.name)
    if not state.in_backward and (origin.node is None or origin.node.place is None):
        for line in origin.lines():
            if not line.startswith("node: "):
                error.add(line)
    return error


def is_finite(x: np.ndarray) -> bool:
    """Return whether the array has neither NaN nor Inf."""
    return not _is_float(x) or bool(np.isfinite(x).all())


def _any(test: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> bool:
    return _is_float(x) and bool(test(x).any())


def _is_float(x: np.ndarray) -> bool:
    return x.dtype.kind == "f" or x.dtype.name == "bfloat16"


def _described(x: np.ndarray) -> str:
    """Return a string such as '(2, 3) float32 from -1 to 4.5'."""
    text = f"{x.shape} {x.dtype}"
    finite = x[np.isfinite(x)] if _is_float(x) else x
    if not finite.size or finite.dtype.kind not in "fiu":
        return text
    return f"{text} from {finite.min():.6g} to {finite.max():.6g}"
