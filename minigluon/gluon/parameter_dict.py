"""ParameterDict: a block's parameters by name, with a common prefix for all names."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any, cast

from .. import ndarray as nd
from ..base import MXNetError, nearest
from ..common.dtypes import as_dtype
from .constant import Constant
from .parameter import Parameter
from .parameter_dict_actions import ParameterDictActions
from .parameter_dict_files import ParameterDictFiles
from .parameter_init import as_shape

__all__ = ["ParameterDict"]


class ParameterDict(ParameterDictActions, ParameterDictFiles):
    """Parameters by full name, in creation order. It can be read like a dict.

    prefix: the text that `get` adds before a name.
    shared: another ParameterDict, whose parameters `get` returns instead of creating new ones.

    >>> params = gluon.ParameterDict("net_")
    >>> weight = params.get("weight", shape=(2,), init=init.One())
    >>> params.initialize()
    >>> list(params.keys()), list(params.values()) == [weight], params["net_weight"] is weight, params.prefix
    (['net_weight'], True, True, 'net_')
    >>> for name, param in params.items():
    ...     print(name, param.data().asnumpy())
    net_weight [1. 1.]
    >>> params.zero_grad()
    >>> params.reset_ctx(mx.cpu(1))
    >>> params.list_ctx()
    [cpu(1)]
    """

    def __init__(self, prefix: str = "", shared: ParameterDict | None = None) -> None:
        self._prefix = prefix
        self._params: OrderedDict[str, Parameter] = OrderedDict()
        self._shared = shared

    def __repr__(self) -> str:
        body = "\n".join(f"  {p}" for p in self.values())
        return f"{self._prefix + ' ' if self._prefix else ''}(\n{body}\n)"

    def _repr_html_(self) -> str:
        from ..display.parameters import parameters_html
        return parameters_html(self)

    def __getitem__(self, key: str) -> Parameter:
        if key not in self._params:
            raise KeyError(f"no parameter {key!r} in the dict with prefix {self._prefix!r}."
                           + nearest(key, self._params))
        return self._params[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def items(self) -> ItemsView[str, Parameter]:
        """Return (name, parameter) pairs."""
        return self._params.items()

    def keys(self) -> KeysView[str]:
        """Return the full names."""
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        """Return the parameters."""
        return self._params.values()

    @property
    def prefix(self) -> str:
        """The prefix that `get` adds before a name."""
        return self._prefix

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """Return the parameter called prefix + name, created with `kwargs` unless this or the shared dict contains it.

        kwargs: arguments of Parameter.

        Raises MXNetError if it exists with different attributes.

        >>> params = gluon.ParameterDict("net_")
        >>> params.get("weight", shape=(2, 0)) is params.get("weight", shape=(2, 3))
        True
        >>> params
        net_ (
          Parameter net_weight (shape=(2, 3), dtype=float32)
        )
        """
        name = self._prefix + name
        param = self._find(name)
        if param is None:
            param = self._params[name] = Parameter(name, **kwargs)
            return param
        for key, value in kwargs.items():
            self._agree(param, key, value)
        return param

    def _find(self, name: str) -> Parameter | None:
        if name in self._params:
            return self._params[name]
        if self._shared is not None and name in self._shared._params:
            self._params[name] = self._shared._params[name]
            return self._params[name]
        return None

    @staticmethod
    def _agree(param: Parameter, key: str, value: Any) -> None:
        """Check an attribute of an existing parameter; a shape may fill in unknown dimensions."""
        if value is None or not hasattr(param, key) or key == "init":
            return
        existing = getattr(param, key)
        if key == "shape" and existing is not None:
            value = as_shape(value) or ()
            if len(value) == len(existing):
                merged = tuple(old or new or 0 for old, new in zip(existing, value, strict=True))
                if all(new is None or new == m for new, m in zip(value, merged, strict=True)):
                    param.shape = merged
                    return
        if key == "dtype" and as_dtype(value) == as_dtype(existing):
            return
        if existing is not None and existing != value:
            raise MXNetError(f"{param.described()} exists with {key}={existing!r}, but {key}={value!r} is asked for. "
                             "Shared parameters must agree.")
        setattr(param, key, value)

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """Return the constant called prefix + name, created from `value` unless it exists.

        >>> gluon.ParameterDict("net_").get_constant("scale", [1, 2])
        Constant net_scale (shape=(2,), dtype=float32)
        """
        name = self._prefix + name
        param = self._find(name)
        if param is None:
            if value is None:
                raise KeyError(f"no constant {name!r}. Give its value to make a new one.")
            param = self._params[name] = Constant(name, value)
        elif value is not None:
            if not isinstance(param, Constant):
                raise MXNetError(f"{param.described()} exists, but it is not a constant.")
            new = value.asnumpy() if isinstance(value, nd.NDArray) else nd.array(value).asnumpy()
            if param.value.shape != new.shape or not (param.value.asnumpy() == new).all():
                raise MXNetError(f"Constant {name!r} exists with another value.")
        return cast(Constant, param)

    def update(self, other: Mapping[str, Parameter] | ParameterDict) -> None:
        """Add all parameters from another dict.

        other: a ParameterDict, or a dict of names and parameters.

        Raises MXNetError if two parameters have the same name.

        >>> params = gluon.ParameterDict()
        >>> params.update(nn.Dense(2).collect_params())
        >>> list(params)
        ['dense0_weight', 'dense0_bias']
        """
        for name, param in other.items():
            if self._params.get(name, param) is not param:
                raise MXNetError(f"cannot take in the parameters: {name!r} is the name of two different parameters.")
        self._params.update(other.items())

    def select(self, pattern: str | None) -> ParameterDict:
        """Return a ParameterDict with the matching parameters.

        pattern: a regular expression that must match at the start of the full name.

        >>> list(nn.Dense(2).params.select(".*bias"))
        ['dense0_bias']
        """
        chosen = ParameterDict(self._prefix)
        compiled = re.compile(cast(str, pattern))
        chosen._params.update((n, p) for n, p in self.items() if compiled.match(n))
        return chosen
