"""The switch for `mx.np`: whether Gluon functions create `mx.np` arrays. There is one switch per thread."""

from __future__ import annotations

import threading

__all__ = ["is_np_array", "set_np_array"]

_switch = threading.local()


def is_np_array() -> bool:
    """Return whether parameters and data loaders create `mx.np` arrays instead of NDArrays.

    >>> mx.is_np_array()
    False
    """
    return getattr(_switch, "active", False)


def set_np_array(active: bool) -> bool:
    """Turn `mx.np` arrays on or off for this thread. Returns the previous setting.

    active: whether to turn them on.

    >>> from minigluon.common.array_semantics import set_np_array
    >>> set_np_array(True), set_np_array(False)
    (False, True)
    """
    before = is_np_array()
    _switch.active = bool(active)
    return before
