"""Classes that can be asked for by name: initializers, optimizers, metrics, schedulers."""

import json
import warnings

from .base import ArgumentError, nearest

__all__ = ["Factory"]


class Factory:
    """The subclasses of one base class by name. Names are lower case, and the class's own unless told otherwise.

    >>> Factory("optimizer").classes
    {}
    """

    def __init__(self, kind):
        self.kind = kind            # 'initializer', for messages and for the keyword in dicts
        self.classes = {}

    def register(self, cls, name=None):
        """Enter a class under its own name; also usable as a decorator. A second one of a name replaces the first."""
        name = (name or cls.__name__).lower()
        before = self.classes.get(name)
        if before is not None and before is not cls:
            warnings.warn(f"{self.kind} {name!r} was {before.__module__}.{before.__qualname__} and is now "
                          f"{cls.__module__}.{cls.__qualname__}", UserWarning, stacklevel=2)
        self.classes[name] = cls
        return cls

    def alias(self, *names):
        """Class decorator: enter it under these names, too."""
        def enter(cls):
            for name in names:
                self.register(cls, name)
            return cls
        return enter

    def create(self, described, *args, **kwargs):
        """An instance from a name and arguments, or from JSON: '["normal", {"sigma": 0.1}]', '{"initializer": ...}'.

        Something that is no string or dict is an instance already, and comes back. Raises ArgumentError.
        """
        if isinstance(described, dict):
            described = dict(described)
            return self.create(described.pop(self.kind), **described)
        if isinstance(described, type):
            raise ArgumentError(f"{self.kind} is the class {described.__name__}, expected an instance or a name. Write "
                                f"{described.__name__}().")
        if not isinstance(described, str):
            if args or kwargs:
                raise ArgumentError(f"{self.kind} is an instance already; further arguments have no meaning")
            return described
        if described[:1] in "[{" and described:
            loaded = json.loads(described)
            return self.create(loaded) if isinstance(loaded, dict) else self.create(loaded[0], **loaded[1])
        return self.find(described)(*args, **kwargs)

    def find(self, name):
        """The class of a name. Raises ArgumentError with the nearest names."""
        cls = self.classes.get(name.lower())
        if cls is None:
            raise ArgumentError(f"no {self.kind} is called {name!r}." + nearest(name.lower(), self.classes)
                                + f" Registered: {', '.join(sorted(self.classes))}.")
        return cls
