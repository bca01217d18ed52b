"""Optimizers by name, and their attributes under MXNet's names."""

from __future__ import annotations

from typing import Any

from ..common.class_registry import Class, Factory

__all__ = ["Registered"]

_factory = Factory("optimizer")


class Registered:
    """The part of Optimizer that is found by a name, and written to files of states: see states_file.py."""

    opt_registry: dict[str, type[Any]] = _factory.classes
    aggregate_num: int

    @staticmethod
    def register(cls: Class) -> Class:  # pyright: ignore[reportSelfClsParameterName]
        """Class decorator: make the class known by its name, in lower case.

        >>> @mx.optimizer.register
        ... class Backwards(mx.optimizer.SGD):
        ...     direction = -1
        >>> type(mx.optimizer.create("backwards")).__name__
        'Backwards'
        """
        return _factory.register(cls)

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> Any:
        """An optimizer by name, such as create_optimizer('sgd', learning_rate=0.1).

        name: that of its class, in lower or upper case; an instance comes back as it is.
        kwargs: the parameters of the class.

        Raises CheckError where there is no such class.

        >>> mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9).momentum
        0.9
        """
        return _factory.create(name, **kwargs)

    def _to_file(self) -> dict[str, Any]:
        """The attributes under MXNet's names. A subclass whose attributes are others than MXNet's changes them."""
        return {**self.__getstate__(), "aggregate_num": self.aggregate_num, "allow_np_array": False}

    def _from_file(self, attributes: dict[str, Any]) -> None:
        """Take attributes under MXNet's names."""
        self.__setstate__({name: value for name, value in attributes.items() if name != "allow_np_array"})
