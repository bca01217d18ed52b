"""The switch of `mx.np`: whether functions of Gluon create arrays of `mx.np`. There is one switch per thread."""

from __future__ import annotations

import threading

__all__ = ["is_np_array", "set_np_array"]

_switch = threading.local()


def is_np_array() -> bool:
    """Return whether parameters and data loaders create arrays of `mx.np` instead of NDArrays.

    >>> mx.is_np_array()
    False
    """
    return getattr(_switch, "active", False)


def set_np_array(active: bool) -> bool:
    """Turn arrays of `mx.np` on or off for this thread. Returns the previous setting.

    active: whether to turn them on.

    >>> from minigluon.common.array_semantics import set_np_array
    >>> set_np_array(True), set_np_array(False)
    (False, True)
    """
    before = is_np_array()
    _switch.active = bool(active)
    return before
