"""Classes that can be created by name: initializers, optimizers, metrics, and token embeddings."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..base import ArgumentError, CheckError, nearest
from ..diagnostics import strictness

__all__ = ["Factory"]

Class = TypeVar("Class", bound=type[Any])       # the class that a decorator takes and returns


class Factory:
    """The subclasses of one base class by name. Names are in lower case; by default they are the class names.

    >>> Factory("optimizer").classes
    {}
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind            # 'initializer', for messages and for the keyword in dicts
        self.classes: dict[str, Any] = {}

    def register(self, cls: Class, name: str | None = None) -> Class:
        """Register a class under its own name; also usable as a decorator. A second class with that name replaces it.

        cls: the class.

        >>> @init.register
        ... class Twos(init.Initializer):
        ...     def _init_weight(self, name, array):
        ...         array[:] = 2
        >>> weight = gluon.Parameter("weight", shape=(2,), init="twos")
        >>> weight.initialize()
        >>> weight.data().asnumpy().tolist()
        [2.0, 2.0]
        """
        name = (name or cls.__name__).lower()
        before = self.classes.get(name)
        if before is not None and before is not cls:
            strictness.warn(f"{self.kind} {name!r} was {before.__module__}.{before.__qualname__} and is now "
                            f"{cls.__module__}.{cls.__qualname__}")
        self.classes[name] = cls
        return cls

    def alias(self, *names: str) -> Callable[[Class], Class]:
        """Return a class decorator that also registers the class under these names.

        >>> @mx.metric.alias("furthest")
        ... class Largest(mx.metric.EvalMetric):
        ...     pass
        >>> mx.metric.create("furthest", name="largest").name
        'largest'
        """
        def enter(cls: Class) -> Class:
            for name in names:
                self.register(cls, name)
            return cls
        return enter

    def create(self, described: Any, *args: Any, **kwargs: Any) -> Any:
        """Return an instance from a name with arguments, or JSON: '["normal", {"sigma": 0.1}]', '{"initializer": ...}'.

        Anything other than a string or dict is already an instance and is returned. Raises ArgumentError.
        """
        if isinstance(described, dict):
            if self.kind not in described:
                raise ArgumentError(f"{self.kind} is {described!r}, expected a dict with a name under {self.kind!r}")
            settings = dict(cast("dict[str, Any]", described))
            return self.create(settings.pop(self.kind), **settings)
        if isinstance(described, type):
            raise ArgumentError(f"{self.kind} is the class {described.__name__}, expected an instance or a name. Write "
                                f"{described.__name__}().")
        if not isinstance(described, str):
            module = getattr(type(cast("object", described)), "__module__", "")
            if module in ("builtins", "numpy") and not callable(described):
                raise ArgumentError(f"{self.kind} is {described!r}, expected an instance or a name")
            if args or kwargs:
                raise ArgumentError(f"{self.kind} is an instance already; further arguments have no meaning")
            return described
        if described.startswith(("[", "{")):
            return self._from_json(described)
        return self.find(described)(*args, **kwargs)

    def _from_json(self, text: str) -> Any:
        try:
            loaded: Any = json.loads(text)
        except ValueError as error:
            raise ArgumentError(f"{self.kind} is {text!r}, which is not JSON: {error}") from None
        if isinstance(loaded, dict):
            return self.create(loaded)
        if [type(part) for part in loaded] != [str, dict]:
            raise ArgumentError(f"{self.kind} is {text!r}, expected a name and its settings, '[\"name\", {{}}]'")
        name, settings = loaded
        return self.create(name, **settings)

    def find(self, name: str) -> Any:
        """Return the class with this name. Raises CheckError with the closest names."""
        cls = self.classes.get(name.lower())
        if cls is None:
            raise CheckError(f"no {self.kind} is called {name!r}." + nearest(name.lower(), self.classes)
                             + f" Registered: {', '.join(sorted(self.classes))}.")
        return cls
