"""Optimizers by name, how they are copied, and their attributes under MXNet's names."""

from __future__ import annotations

from typing import Any

from ..common.class_registry import Class, Factory
from ..diagnostics.keywords import ChecksKeywords
from .argument_checks import check_kinds

__all__ = ["Registered"]

_factory = Factory("optimizer")


class Registered(ChecksKeywords):
    """Mixin for Optimizer: its name, its copies, and its attributes in state files (see states_file.py)."""

    opt_registry: dict[str, type[Any]] = _factory.classes
    aggregate_num: int

    @staticmethod
    def register(cls: Class) -> Class:  # pyright: ignore[reportSelfClsParameterName]
        """Register a class under its lower-case name; usable as a decorator.

        >>> @mx.optimizer.register
        ... class Backwards(mx.optimizer.SGD):
        ...     direction = -1
        >>> type(mx.optimizer.create("backwards")).__name__
        'Backwards'
        """
        return _factory.register(cls)

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> Any:
        """Return an optimizer given its name, as in create_optimizer('sgd', learning_rate=0.1).

        name: the name of its class, in lower or upper case; an Optimizer is returned unchanged.
        kwargs: parameters of the class.

        Raises CheckError if there is no such class.

        >>> mx.optimizer.create("sgd", learning_rate=0.1, momentum=0.9).momentum
        0.9
        """
        return _factory.create(name, **kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_kinds(cls)

    def __getstate__(self) -> Any:
        return {name: value for name, value in self.__dict__.items() if name != "param_dict"}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state, param_dict={})
        self._index_update_count = self._all_index_update_counts[0]

    def _to_file(self) -> dict[str, Any]:
        """Return the attributes under MXNet's names. Subclasses with other attributes convert them."""
        return {**self.__getstate__(), "aggregate_num": self.aggregate_num, "allow_np_array": False}

    def _from_file(self, attributes: dict[str, Any]) -> None:
        """Set attributes given under MXNet's names."""
        self.__setstate__({name: value for name, value in attributes.items() if name != "allow_np_array"})
