"""`with AttrScope(ctx_group="dev1"):` attributes for every symbol made inside."""

import threading

from .base import MXNetError

__all__ = ["AttrScope"]


class _Current(threading.local):
    def __init__(self):
        self.attrs = {}


class AttrScope:
    """Attributes, all strings, that symbols made inside the `with` block get. Scopes nest; the inner one wins."""

    def __init__(self, **attrs):
        for key, value in attrs.items():
            if not isinstance(value, str):
                raise MXNetError(f"AttrScope: attribute {key} must be a string, found {type(value).__name__} {value!r}")
        self._attrs = attrs

    def get(self, attrs=None):
        """The attributes in force, overridden by `attrs`."""
        return {**_current.attrs, **(attrs or {})}

    def __enter__(self):
        self._outer, _current.attrs = _current.attrs, {**_current.attrs, **self._attrs}
        return self

    def __exit__(self, *exc_info):
        _current.attrs = self._outer


def current():
    """The attributes in force in this thread."""
    return dict(_current.attrs)


_current = _Current()
