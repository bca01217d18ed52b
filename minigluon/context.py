"""Devices: `cpu(0)`, `gpu(1)`, and the device on which new arrays are created."""

from __future__ import annotations

import numbers
import threading
from typing import Any

from .base import ContextError
from .common.gpu_queries import cache_emptiers, gpu_memory_info, num_gpus
from .diagnostics import strictness

__all__ = ["Context", "cpu", "cpu_pinned", "current_context", "gpu", "gpu_memory_info", "num_gpus"]

_TYPES = {"cpu": 1, "gpu": 2, "cpu_pinned": 3, "cpu_shared": 5}      # the codes that MXNet's files use
_NAMES = {code: name for name, code in _TYPES.items()}


class _Stack(threading.local):
    """The `with ctx:` blocks that this thread has entered."""

    def __init__(self) -> None:
        self.entered: list[Context] = []
        self.default: Context | None = None     # the device that `set_default` set for the thread


class _DefaultContextProperty(type):
    """`Context.default_ctx`, which older programs read and set."""

    @property
    def default_ctx(cls) -> Context:
        """The current device in this thread. Deprecated: use `current_context()`, and `with ctx:` to set it."""
        strictness.warn(_DEPRECATED, DeprecationWarning)
        return current_context()

    @default_ctx.setter
    def default_ctx(cls, ctx: Context) -> None:
        strictness.warn(_DEPRECATED, DeprecationWarning)
        set_default(ctx)


_DEPRECATED = "Context.default_ctx is deprecated. Read mx.current_context(), and set it by `with ctx:`."


class Context(metaclass=_DefaultContextProperty):
    """A device, named by its type and number. Equal contexts are the same object, so `is` compares them.

    device_type: 'cpu', 'gpu' or 'cpu_pinned', or another Context.
    device_id: the device's id.

    >>> mx.Context("cpu", 0) is mx.cpu()
    True
    >>> with mx.Context("cpu", 1):
    ...     x = nd.zeros((2,))
    >>> x.context, x.context.device_typeid
    (cpu(1), 1)
    >>> x.context.empty_cache()
    """

    devtype2str: dict[int, str] = _NAMES
    devstr2type: dict[str, int] = _TYPES
    _interned: dict[tuple[str, int], Context] = {}
    _stack = _Stack()

    device_type: str
    device_id: int
    kernels: dict[Any, Any]         # kernels that `dispatch` has prepared for the device
    stand_ins: dict[Any, Any]       # arrays without elements, see `nd._stand_in`

    def __new__(cls, device_type: Any, device_id: Any = 0) -> Any:
        if isinstance(device_type, Context):
            return device_type
        if not isinstance(device_type, str) or device_type not in _TYPES:
            raise ContextError(f"unknown device type {device_type!r}; expected one of {', '.join(_TYPES)}")
        if not isinstance(device_id, numbers.Integral) or device_id < 0:
            raise ContextError(f"device number {device_id!r} of {device_type!r} must be an integer, at least 0")
        key = (device_type, int(device_id))
        self = cls._interned.get(key)
        if self is None:
            self = super().__new__(cls)
            self.device_type, self.device_id = key
            self.kernels, self.stand_ins = {}, {}
            self = cls._interned.setdefault(key, self)      # another thread may have created it meanwhile
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("device_") and getattr(self, name, value) != value:
            raise ContextError(f"{name} of {self} is fixed: arrays share it. Make another one: mx.Context('gpu', 1).")
        super().__setattr__(name, value)

    @property
    def device_typeid(self) -> int:
        return _TYPES[self.device_type]

    def __reduce__(self) -> Any:
        return Context, (self.device_type, self.device_id)

    def __str__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __repr__ = __str__

    def __enter__(self) -> Any:
        self._stack.entered.append(self)
        return self

    def __exit__(self, *exc_info: Any) -> Any:
        self._stack.entered.pop()

    def empty_cache(self) -> None:
        """Return to the system the memory of freed arrays that a backend has kept. The reference keeps none."""
        for empty in cache_emptiers:
            empty(self)


def cpu(device_id: int = 0) -> Context:
    """Return a CPU context. Contexts with different ids share the same memory and exist for data parallelism.

    device_id: the device's id.

    >>> nd.zeros((2,), ctx=mx.cpu(1)).context
    cpu(1)
    """
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """Return a context for CPU memory from which a GPU copies faster. Without a GPU backend, it is plain CPU memory.

    device_id: the device's id.

    >>> nd.zeros((2,), ctx=mx.cpu_pinned()).asnumpy().tolist()
    [0.0, 0.0]
    """
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """Return a GPU context.

    Any id is accepted, but using the GPU requires a backend that serves it (see `minigluon info`).

    device_id: the device's id.

    >>> ctx = mx.gpu(0) if mx.num_gpus() else mx.cpu()
    >>> nd.zeros((2,), ctx=ctx).context is ctx
    True
    """
    return Context("gpu", device_id)


def current_context() -> Context:
    """Return the device of this thread's innermost `with ctx:` block, or `cpu(0)`.

    >>> with mx.cpu(1):
    ...     mx.current_context()
    cpu(1)
    """
    entered = Context._stack.entered
    return entered[-1] if entered else Context._stack.default or _CPU0


def set_default(ctx: Any) -> None:
    """Make a device the current one in this thread, until the end of the enclosing `with ctx:` block or permanently."""
    stack = Context._stack
    if stack.entered:
        stack.entered[-1] = Context(ctx)
    else:
        stack.default = Context(ctx)


def parse(text: Any) -> Context:
    """Return a `Context` from MXNet's text form, `'gpu(1)'`; '' and None mean the current device."""
    if isinstance(text, Context):
        return text
    if text is None or isinstance(text, str) and not text:
        return current_context()
    if not isinstance(text, str):
        remedy = "; a shape of several lengths is one tuple, (2, 3)" if isinstance(text, int) else ""
        raise ContextError(f"a device is {text!r}, expected a Context such as mx.cpu() or mx.gpu(0){remedy}")
    device_type, _, id_text = text.partition("(")
    number = id_text.rstrip(")") or "0"
    if not number.isdigit():
        raise ContextError(f"cannot read {text!r} as a device; expected for example 'cpu(0)'")
    return Context(device_type, int(number))


_CPU0 = cpu(0)
