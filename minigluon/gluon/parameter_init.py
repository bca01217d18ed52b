"""The initial values of a Parameter, created immediately or once its shape is known.

A parameter may be created before its shape is known. In that case, `initialize` only records the initializer and the
devices (deferred initialization). The first forward pass completes the shape with the operators' shape rules, and
`_finish_deferred_init` creates the arrays.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .. import autograd, initializer
from .. import ndarray as nd
from ..base import ArgumentError, CheckError, ShapeError
from ..context import Context, cpu
from ..diagnostics import strictness
from ..diagnostics.keywords import ChecksKeywords
from ..initializer.checks import require_initializer
from ..ops.shapes import PartialShape
from .parameter_devices import Array, as_contexts
from .parameter_errors import DeferredInitializationError

__all__ = ["ParameterInit", "as_shape", "require_storage"]


class ParameterInit(ChecksKeywords):
    """Mixin for Parameter that creates its arrays."""

    @property
    def is_deferred(self) -> bool:
        """Whether `initialize` was called but the shape is still unknown."""
        return self._deferred is not None

    def initialize(self, init: Any = None, ctx: Any = None, default_init: Any = None,
                   force_reinit: bool = False) -> None:
        """Create the arrays, or defer that until the shape is known.

        init: an Initializer that overrides the parameter's own.
        ctx: a Context or a list of Contexts; the current one if None.
        default_init: the Initializer if neither init nor the parameter's own is given; Uniform() if None.
        force_reinit: if True, also replace an existing value.

        Warns if there is a value, and raises ShapeError if the shape is unknown and initialization may not be deferred.
        """
        if self._data is not None and not force_reinit:
            strictness.warn(f"{self.described()} is already initialized and keeps its value. To initialize it anew, "
                            "pass force_reinit=True.")
            return
        contexts = as_contexts(ctx)
        default_init = require_initializer(default_init, "initialize: init") or initializer.Uniform()
        init = require_initializer(init, "initialize: init") or (default_init if self.init is None else self.init)
        if self._is_shape_known():
            self._initialize_now(init, contexts, default_init, None)
            return
        self._replace(None)
        self._grad = None
        self._deferred = (init, contexts, default_init, None)
        if not self._allow_deferred_init:
            self._deferred = None
            raise ShapeError(f"{self.described()} cannot be initialized: its shape {self.shape} is not fully "
                             "known. Give the full shape, or pass allow_deferred_init=True.")

    def _finish_deferred_init(self) -> None:
        """Create the arrays that `initialize` deferred, if any."""
        if self._deferred is None:
            return
        if not self._is_shape_known():
            raise DeferredInitializationError(
                f"{self.described()} has shape {self.shape}, and the forward pass did not tell the rest. "
                "Give the sizes when the layer is made (in_units, in_channels, ...).")
        self._initialize_now(*self._deferred)
        self._deferred = None       # reset only now: other threads see it as deferred until it has a value

    def _initialize_now(self, init: Any, contexts: list[Context], default_init: Any, value: Array | None) -> None:
        with autograd.pause():
            if value is None:
                value = nd.zeros(self._shape, ctx=cpu(), dtype=self._dtype)
                desc = initializer.InitDesc(self.name, {"__init__": init})      # regardless of the name's suffix
                initializer.create(default_init)(desc, self._to_own_class(value))
            self._replace({ctx: self._stored(value.copyto(ctx)) for ctx in contexts})
        trainer = self._trainer and self._trainer()
        if trainer is not None:
            trainer.share(self)

    def _stored(self, value: Array) -> Array:
        """Return an array with the parameter's storage type. A row_sparse array stores all rows."""
        if self.stype == "row_sparse":
            all_rows: Array = cast(Any, nd.sparse).with_all_rows(value)
            return all_rows
        return value.tostype("default").tostype(self.stype)

    def _is_shape_known(self) -> bool:
        return self._shape is not None and None not in self._shape


def as_shape(shape: Any) -> PartialShape:
    """Return a shape with None for unknown dimensions; None if there is no shape. Raises ArgumentError."""
    if shape is None:
        return None
    lengths: Any = (shape,) if isinstance(shape, (int, np.integer)) else shape
    if not isinstance(lengths, (tuple, list)) or not all(isinstance(d, (int, np.integer, type(None)))
                                                        for d in cast("list[Any]", lengths)):
        raise ArgumentError(f"the shape of a parameter is {shape!r}, expected an integer or a tuple of integers, 0 or "
                            "None where it is not known yet")
    return tuple(int(d) if d is not None and d > 0 else None for d in cast("list[Any]", lengths))


def require_storage(name: str, **stypes: Any) -> None:
    """Raise CheckError for an argument that is not a storage type. name: the parameter's name."""
    for kind, value in stypes.items():
        if value not in ("default", "row_sparse", "csr"):
            raise CheckError(f"Parameter {name!r}: {kind}={value!r} is no storage type, expected 'default', "
                             "'row_sparse' or 'csr'")
