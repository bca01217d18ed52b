"""`nd.CachedOp`: a symbol as a function of arrays, for programs that create such a function themselves, as in MXNet."""

from .. import ndarray as nd
from ..base import ArgumentError, DTypeError, listed, nearest
from ..symbol.symbol import Symbol
from ..tape import state
from . import cached_op
from .flags import FLAGS
from .interpret import interpret
from .watch import Watcher

__all__ = ["CachedOp"]


class CachedOp:
    """CachedOp(sym, flags)(*arrays): a symbol's outputs for arrays in the order of `sym.list_inputs()`.

    A single output is returned as an NDArray, several outputs as a list. Auxiliary states are updated. A call is
    recorded as one entry on the tape.

    sym: the symbol.
    flags: (name, value) pairs, as for `HybridBlock.hybridize`.

    Raises DTypeError and ArgumentError.

    >>> run = nd.CachedOp(sym.var("a") * sym.var("b"))
    >>> print(run(nd.array([3]), nd.array([4])).asnumpy())
    [12.]
    """

    def __init__(self, sym, flags=()):
        if not isinstance(sym, Symbol):
            raise DTypeError(f"CachedOp: sym must be a Symbol, found {type(sym).__name__}")
        flags = dict(flags)
        for name in flags:
            if name not in FLAGS:
                raise ArgumentError(f"CachedOp: no flag is called {name!r}; there are {', '.join(FLAGS)}."
                                    + nearest(name, FLAGS))
        self._op = cached_op.CachedOp(sym, dict.fromkeys(sym.list_inputs()), flags)
        self._hook = None

    def __call__(self, *args, out=None):
        """Returns the outputs for arrays on one device. out: an array or a list of arrays to write to; nothing is
        recorded then."""
        outputs = self._run(self._checked(args))
        if out is None:
            return outputs[0] if len(outputs) == 1 else outputs
        targets = [out] if isinstance(out, nd.NDArray) else list(out)
        if len(targets) != len(outputs):
            raise ArgumentError(f"CachedOp: out has {len(targets)} arrays for {len(outputs)} outputs")
        if state.recording:
            raise ArgumentError("CachedOp: out= cannot be recorded. Take what the call returns, or call it under "
                                "autograd.pause().")
        for target, y in zip(targets, outputs, strict=True):
            target[...] = y
        return out

    def _run(self, arrays):
        if self._hook is None:
            return self._op(arrays)
        values = dict(zip(self._op.inputs, arrays, strict=True))
        return interpret(self._op.symbol, values, Watcher(values, *self._hook))

    def _checked(self, args):
        names = self._op.inputs
        if len(args) != len(names):
            raise ArgumentError(f"CachedOp: {len(args)} arrays for the {len(names)} inputs {listed(names)}")
        for name, x in zip(names, args, strict=True):
            if not isinstance(x, nd.NDArray):
                raise DTypeError(f"CachedOp: input {name!r} must be an NDArray, found {type(x).__name__}. Convert it "
                                 "with nd.array(...).")
        return list(args)

    def _register_op_hook(self, callback, monitor_all=False):
        """Calls callback(name, operator's name, array) for each operator's outputs; see `HybridBlock`."""
        self._hook = None if callback is None else (callback, monitor_all)


nd.CachedOp = CachedOp          # `nd` is a lower layer than this package and cannot import it
