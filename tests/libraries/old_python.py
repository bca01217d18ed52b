"""A pytest plugin, `-p old_python`, with names that Python 3.10 removed and that libraries of MXNet's time import."""

import collections
import collections.abc

for _name in ("Callable", "Iterable", "Iterator", "Mapping", "MutableMapping", "Sequence"):
    setattr(collections, _name, getattr(collections.abc, _name))
