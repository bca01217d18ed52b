"""Initializers that choose values or other initializers by the parameter's name."""

from __future__ import annotations

import logging
import re
from typing import Any

from ..base import ArgumentError, ShapeError
from ..diagnostics.keywords import ChecksKeywords

__all__ = ["Load", "Mixed"]


class Load(ChecksKeywords):
    """Initializer that takes values from a .params file or a dict; the prefixes `arg:` and `aux:` of names are removed.

    default_init: the initializer for parameters without a value; if omitted, such parameters raise an error.

    param: the name of the file, or {name: NDArray}.
    verbose: if True, log where each value comes from.

    >>> net = nn.Dense(1, in_units=2, prefix="dense_")
    >>> net.initialize(init.Load({"arg:dense_weight": nd.array([[5, 6]])}, default_init=init.Zero()))
    >>> net.weight.data().asnumpy().tolist()
    [[5.0, 6.0]]
    """

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False) -> None:
        if isinstance(param, str):
            from ..ndarray import load
            param = load(param)
        if not isinstance(param, dict):
            raise ArgumentError(f"Load needs a dict of arrays or the name of a file with one, found "
                                f"{type(param).__name__}")
        if default_init is not None and not callable(default_init):
            raise ArgumentError(f"Load: default_init is {default_init!r}, expected an Initializer, such as "
                                "mx.init.Uniform()")
        self.param: dict[str, Any] = {re.sub("^(arg|aux):", "", name): arr for name, arr in param.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: Any) -> Any:
        loaded = self.param.get(name)
        if loaded is not None:
            if loaded.shape != arr.shape:
                raise ShapeError(f"parameter {name} has shape {arr.shape}, but the loaded one has {loaded.shape}")
            arr[:] = loaded
        elif self.default_init is None:
            raise ArgumentError(f"parameter {name} is not among the loaded ones, and no default_init was given")
        else:
            self.default_init(name, arr)
        if self.verbose:
            logging.info("Initialized %s by %s", name, "default" if loaded is None else "loading")


class Mixed(ChecksKeywords):
    """Initializer that delegates to the first initializer whose pattern, a regular expression, matches the start of the
    name.

    patterns: regular expressions.
    initializers: the same number of Initializers.

    >>> fill = init.Mixed(["first", ".*"], [init.One(), init.Zero()])
    >>> first, second = nd.zeros((2,)), nd.ones((2,))
    >>> fill(init.InitDesc("first_weight"), first), fill(init.InitDesc("second_weight"), second)
    (None, None)
    >>> first.asnumpy().tolist(), second.asnumpy().tolist()
    ([1.0, 1.0], [0.0, 0.0])
    """

    def __init__(self, patterns: Any, initializers: Any) -> None:
        for which, value in (("patterns", patterns), ("initializers", initializers)):
            if not isinstance(value, (list, tuple)):
                raise ArgumentError(f"Mixed: {which} is {value!r}, expected a list")
        if len(patterns) != len(initializers):
            raise ArgumentError(f"Mixed: {len(patterns)} patterns for {len(initializers)} initializers")
        self.map = [(re.compile(p), init) for p, init in zip(patterns, initializers, strict=True)]

    def __call__(self, name: str, arr: Any) -> Any:
        for pattern, init in self.map:
            if pattern.match(name):
                init(name, arr)
                return
        raise ArgumentError(f"the name {name} matches none of the patterns {[p.pattern for p, _ in self.map]}. "
                            "Add '.*' with a default initializer at the end.")
