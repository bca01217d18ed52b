"""ParameterDict: the parameters of a block, by name, with a prefix that all names share."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from .. import initializer
from .. import ndarray as nd
from ..base import ArgumentError, MXNetError, nearest
from ..common.docstrings import share_sentences
from ..common.dtypes import as_dtype
from ..common.types import Contexts
from ..context import Context
from ..diagnostics.strictness import refuse
from .parameter import Constant, Parameter, _as_contexts, _as_shape
from .parameter_file import load_arrays, match
from .parameter_snapshots import parameter_snapshot, replace_together

__all__ = ["ParameterDict"]


class ParameterDict:
    """Parameters by full name, in the order of their creation. It reads like a dict.

    prefix: what `get` puts before a name.
    shared: another ParameterDict, whose parameters `get` returns instead of making new ones.

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
        """(name, parameter) pairs."""
        return self._params.items()

    def keys(self) -> KeysView[str]:
        """Full names."""
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        """Parameters."""
        return self._params.values()

    @property
    def prefix(self) -> str:
        """What `get` puts before a name."""
        return self._prefix

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """The parameter called prefix + name, made with `kwargs` unless it exists here or in the shared dict.

        kwargs: arguments of Parameter.

        Raises MXNetError when it exists with other attributes.

        >>> params = gluon.ParameterDict("net_")
        >>> params.get("weight", shape=(2, 0)) is params.get("weight", shape=(2, 3))
        True
        >>> params
        net_ (
          Parameter net_weight (shape=(2, 3), dtype=float32)
        )
        """
        name = self._prefix + name
        found = self._find(name)
        if found is None:
            found = self._params[name] = Parameter(name, **kwargs)
            return found
        for key, wanted in kwargs.items():
            self._agree(found, key, wanted)
        return found

    def _find(self, name):
        if name in self._params:
            return self._params[name]
        if self._shared is not None and name in self._shared._params:
            self._params[name] = self._shared._params[name]
            return self._params[name]
        return None

    @staticmethod
    def _agree(param, key, wanted):
        """Check an attribute of an existing parameter; a shape may fill in unknown dimensions."""
        if wanted is None or not hasattr(param, key) or key == "init":
            return
        existing = getattr(param, key)
        if key == "shape" and existing is not None:
            wanted = _as_shape(wanted)
            if len(wanted) == len(existing):
                merged = tuple(old or new or 0 for old, new in zip(existing, wanted, strict=True))
                if all(new is None or new == m for new, m in zip(wanted, merged, strict=True)):
                    param.shape = merged
                    return
        if key == "dtype" and as_dtype(wanted) == as_dtype(existing):
            return
        if existing is not None and existing != wanted:
            raise MXNetError(f"{param.described()} exists with {key}={existing!r}, but {key}={wanted!r} is asked for. "
                             "Shared parameters must agree.")
        setattr(param, key, wanted)

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """The constant called prefix + name, made from `value` unless it exists.

        >>> gluon.ParameterDict("net_").get_constant("scale", [1, 2])
        Constant net_scale (shape=(2,), dtype=float32)
        """
        name = self._prefix + name
        found = self._find(name)
        if found is None:
            if value is None:
                raise KeyError(f"no constant {name!r}. Give its value to make a new one.")
            found = self._params[name] = Constant(name, value)
        elif value is not None:
            if not isinstance(found, Constant):
                raise MXNetError(f"{found.described()} exists, but it is not a constant.")
            new = value.asnumpy() if isinstance(value, nd.NDArray) else nd.array(value).asnumpy()
            if found.value.shape != new.shape or not (found.value.asnumpy() == new).all():
                raise MXNetError(f"Constant {name!r} exists with another value.")
        return found

    def update(self, other: Mapping[str, Parameter] | ParameterDict) -> None:
        """Take all parameters of another dict.

        other: a ParameterDict, or a dict of names and parameters.

        Raises MXNetError when a name stands for two parameters.

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
        """A ParameterDict of some of the parameters.

        pattern: a regular expression that full names match from their start.

        >>> list(nn.Dense(2).params.select(".*bias"))
        ['dense0_bias']
        """
        chosen = ParameterDict(self._prefix)
        compiled = re.compile(pattern)
        chosen._params.update((n, p) for n, p in self.items() if compiled.match(n))
        return chosen

    # -- all at once --------------------------------------------------------------------------------------------

    def initialize(self, init: Any = None, ctx: Any = None, verbose: bool = False, force_reinit: bool = False) -> None:
        """Initialize all parameters.

        init: for those without one of their own; Uniform() when None.
        ctx: a device or a list of devices.
        verbose: print how each is initialized?
        force_reinit: also those that have values?
        """
        init = initializer.create(init) if init else initializer.Uniform()     # a wrong name ends here
        if verbose and hasattr(init, "set_verbosity"):
            init.set_verbosity(verbose=verbose)
        with replace_together():
            for param in self.values():
                param.initialize(None, ctx, init, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for param in self.values():
            param.zero_grad()

    def reset_ctx(self, ctx: Contexts) -> None:
        """Move all parameters to other devices.

        ctx: a device or a list of devices.
        """
        with replace_together():
            for param in self.values():
                param.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """All devices that any parameter is on."""
        return list(dict.fromkeys(ctx for param in self.values() for ctx in param.list_ctx()))

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute on every parameter.

        name: the attribute, 'grad_req' or 'lr_mult' for example.
        value: what it becomes.

        Raises ArgumentError for an attribute that parameters do not have.

        >>> layer = nn.Dense(2)
        >>> layer.params.setattr("grad_req", "null")
        >>> layer.weight.grad_req
        'null'
        """
        for param in self.values():
            if not hasattr(param, name):
                refuse(ArgumentError(f"setattr: a Parameter has no attribute {name!r}." + nearest(name, dir(param))))
            setattr(param, name, value)

    # -- files --------------------------------------------------------------------------------------------------

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Write a .params file under full names.

        filename: the path of the file.
        strip_prefix: what is removed from their start.

        Raises ArgumentError for a name that does not begin with it.

        >>> layer = nn.Dense(2, in_units=3, prefix="dense_")
        >>> layer.initialize()
        >>> layer.params.save("layer.params", strip_prefix="dense_")
        >>> layer.params.load("layer.params", restore_prefix="dense_")
        """
        arrays = {}
        for param in self.values():
            if not param.name.startswith(strip_prefix):
                raise ArgumentError(f"{param.described()}: its name does not start with the prefix {strip_prefix!r} "
                                    "that is to be stripped. Save the parameters of the block with "
                                    "Block.save_parameters.")
            arrays[param.name[len(strip_prefix):]] = param
        with parameter_snapshot():
            arrays = {name: param._reduce() for name, param in arrays.items()}
        nd.save(filename, arrays)

    def load(self, filename: str, ctx: Contexts | None = None, allow_missing: bool = False, ignore_extra: bool = False,
             restore_prefix: str = "", cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """Read a .params file written by `save`.

        Other threads see all values replaced or none; after an error none is.

        filename: the path of the file.
        ctx: where parameters without a value go.
        allow_missing, ignore_extra: accept parameters that the file lacks, and arrays that are no parameter here?
        restore_prefix: is put before the names in the file.
        cast_dtype: convert where element types differ: to the parameter's, with dtype_source='saved' to the file's.

        Raises MXNetError for parameters that the file lacks, for arrays that are no parameter here, and where shape or
        dtype differ.

        >>> layer = nn.Dense(2, in_units=3)
        >>> layer.initialize()
        >>> layer.params.save("layer.params")
        >>> layer.params.load("layer.params")
        """
        self.load_dict(load_arrays(filename), ctx, allow_missing, ignore_extra, restore_prefix, filename, cast_dtype,
                       dtype_source)

    def load_dict(self, param_dict: Mapping[str, Any], ctx: Any = None, allow_missing: bool = False,
                  ignore_extra: bool = False, restore_prefix: str = "", filename: str | None = None,
                  cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """The same from a dict of arrays.

        param_dict: the arrays by name; names may begin with 'arg:' and 'aux:', which do not count.
        filename: the file that errors name as the arrays' source.

        >>> layer = nn.Dense(1, in_units=2, use_bias=False, prefix="dense_")
        >>> layer.params.load_dict({"dense_weight": nd.array([[5, 6]])})
        >>> layer.weight.data().asnumpy().tolist()
        [[5.0, 6.0]]
        """
        source = f"file {filename!r}" if filename else "the given dict"
        arrays = {restore_prefix + re.sub("^(arg|aux):", "", name): x for name, x in param_dict.items()}
        contexts = None if ctx is None else _as_contexts(ctx)
        pairs = match(self._params, arrays, source, allow_missing, ignore_extra)
        with replace_together():
            for param, array in pairs:
                param._load_init(array, contexts, cast_dtype, dtype_source)

    share_sentences(load, load_dict)
