"""`mx.registry`: registries of classes by name, for programs with their own classes.

    class Layer: ...

    register = mx.registry.get_register_func(Layer, "layer")
    create = mx.registry.get_create_func(Layer, "layer")

    @register
    class Wide(Layer): ...

    create("wide")                  # a Wide; also create('["wide", {}]')

Each base class has a single registry. The registries for initializers, optimizers and metrics already exist.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import initializer, metric, optimizer
from ..base import ArgumentError
from ..common.class_registry import Factory

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

_factories: dict[type, Factory] = {
    initializer.Initializer: initializer.initializer._factory,
    optimizer.Optimizer: optimizer.registered._factory,
    metric.EvalMetric: metric.base.factory,
}


def _factory_of(base_class, nickname):
    if base_class not in _factories:
        _factories[base_class] = Factory(nickname)
    return _factories[base_class]


def get_registry(base_class: Any) -> Any:
    """Return a copy of the registry of `base_class`: a dict from lower-case names to classes.

    >>> sorted(mx.registry.get_registry(mx.lr_scheduler.LRScheduler))
    []
    """
    return dict(_factories[base_class].classes) if base_class in _factories else {}


def get_register_func(base_class: Any, nickname: Any) -> Callable[..., Any]:
    """Return the function `register(cls, name=None)`, also usable as a decorator, for subclasses of `base_class`.

    nickname: the word for such a class in messages, and the keyword for its name in `create`. `register` returns the
        class, and raises ArgumentError for a class that is not a subclass.

    >>> class Shape:
    ...     pass
    >>> register = mx.registry.get_register_func(Shape, "shape")
    >>> @register
    ... class Square(Shape):
    ...     pass
    >>> mx.registry.get_registry(Shape) == {"square": Square}
    True
    """
    def register(klass, name=None):
        if not (isinstance(klass, type) and issubclass(klass, base_class)):
            raise ArgumentError(f"a {nickname} must be a subclass of {base_class.__name__}, found {klass!r}")
        return _factory_of(base_class, nickname).register(klass, name)
    return register


def get_alias_func(base_class: Any, nickname: Any) -> Callable[..., Any]:
    """Return the class decorator `alias(*names)`, which registers a subclass of `base_class` under each of these names.

    nickname: the word for such a class in messages.

    >>> class Shape:
    ...     pass
    >>> @mx.registry.get_alias_func(Shape, "shape")("quadrangle", "tetragon")
    ... class Square(Shape):
    ...     pass
    >>> sorted(mx.registry.get_registry(Shape))
    ['quadrangle', 'tetragon']
    """
    register = get_register_func(base_class, nickname)

    def alias(*names):
        def enter(klass):
            for name in names:
                register(klass, name)
            return klass
        return enter
    return alias


def get_create_func(base_class: Any, nickname: Any) -> Callable[..., Any]:
    """Return the function `create(name, *args, **kwargs)`, which instantiates a registered class.

    It also accepts the name as the keyword `nickname`, a dict of keywords, JSON for such a dict or for [name,
    keywords], and an instance, which it returns. It raises ArgumentError for an unregistered name.

    base_class: the base of these classes.

    >>> class Shape:
    ...     pass
    >>> register, create = mx.registry.get_register_func(Shape, "shape"), mx.registry.get_create_func(Shape, "shape")
    >>> type(create(register(type("Square", (Shape,), {}))())).__name__, type(create("square")).__name__
    ('Square', 'Square')
    """
    def create(*args, **kwargs):
        if not args and nickname not in kwargs:
            raise ArgumentError(f"create needs the name of a {nickname}")
        described, *others = args or (kwargs.pop(nickname),)
        if isinstance(described, dict):
            return create(**described)
        if not isinstance(described, (str, base_class)):
            raise ArgumentError(f"{nickname} is {described!r}, expected a name or a {base_class.__name__}")
        return _factory_of(base_class, nickname).create(described, *others, **kwargs)
    return create
