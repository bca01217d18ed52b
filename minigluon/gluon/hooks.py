"""Hooks: functions called before or after a block's forward, and handles to detach them."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from typing import Any

__all__ = ["BlockHooks", "Hook", "HookHandle"]

Hook = Callable[..., Any]

_ids = count()


class HookHandle:
    """Handle that detaches a hook. `with handle:` detaches it at the end of the `with` block.

    hooks: the dict that contains the hook. The handle does not keep the dict alive.
    key: the hook's key in the dict.

    >>> layer = nn.Flatten()
    >>> with layer.register_forward_hook(lambda block, inputs, output: print(output.shape)):
    ...     out = layer(nd.ones((2, 3, 4)))
    (2, 12)
    >>> out = layer(nd.ones((2, 3, 4)))
    >>> handle = layer.register_forward_hook(print)
    >>> isinstance(handle, gluon.utils.HookHandle)
    True
    >>> handle.detach()
    """

    def __init__(self, hooks: OrderedDict[int, Any], key: int) -> None:
        self._hooks = weakref.ref(hooks)
        self._key = key

    @classmethod
    def attach(cls, hooks: OrderedDict[int, Any], hook: Any) -> HookHandle:
        """Add `hook` to an OrderedDict of hooks."""
        key = next(_ids)
        hooks[key] = hook
        return cls(hooks, key)

    def detach(self) -> None:
        """Remove the hook, if it is still registered."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self._key, None)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc_info: Any) -> Any:
        self.detach()


class BlockHooks:
    """Mixin for Block that registers hooks and calls them."""

    _forward_hooks: OrderedDict[int, Hook]
    _forward_pre_hooks: OrderedDict[int, Hook]

    def register_forward_pre_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs)` before each forward. Returns a handle with `detach()`.

        >>> layer = nn.Flatten()
        >>> handle = layer.register_forward_pre_hook(lambda block, inputs: print("in", inputs[0].shape))
        >>> out = layer(nd.ones((2, 3, 4)))
        in (2, 3, 4)
        >>> handle.detach()
        """
        return HookHandle.attach(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Hook) -> HookHandle:
        """Call `hook(block, inputs, output)` after each forward. Returns a handle with `detach()`.

        >>> layer = nn.Flatten()
        >>> handle = layer.register_forward_hook(lambda block, inputs, output: print("out", output.shape))
        >>> out = layer(nd.ones((2, 3, 4)))
        out (2, 12)
        """
        return HookHandle.attach(self._forward_hooks, hook)

    def _call_with_hooks(self, args: tuple[Any, ...]) -> Any:
        for hook in list(self._forward_pre_hooks.values()):
            hook(self, args)
        out = self.forward(*args)
        for hook in list(self._forward_hooks.values()):
            hook(self, args, out)
        return out
