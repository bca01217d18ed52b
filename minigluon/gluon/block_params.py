"""The parameters of a block and its children."""

# This module contains a part of Block.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import re
from typing import Any

from ..base import ArgumentError
from .block_tree import nested_too_deeply
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .tree_checks import Outermost, warn_of_unregistered

__all__ = ["BlockParams"]

_collecting = Outermost()


class BlockParams:
    """Mixin for Block that collects parameters."""

    @property
    def params(self) -> ParameterDict:
        """This block's own parameters; `collect_params()` includes those of its children."""
        return self._params

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return a ParameterDict of all parameters of this block and its children.

        select: a regular expression; only parameters whose full names match it at the start are returned.

        Warns about blocks in lists, tuples and dicts. Raises ArgumentError for an invalid `select`.

        >>> net = nn.Sequential(prefix="net_")
        >>> with net.name_scope():
        ...     net.add(nn.Dense(4), nn.BatchNorm())
        >>> list(net.collect_params(".*weight|.*bias"))
        ['net_dense0_weight', 'net_dense0_bias']
        """
        params = ParameterDict(self._params.prefix)
        try:
            pattern = re.compile(select) if select else None
        except (re.error, TypeError) as error:
            raise ArgumentError(f"{type(self).__name__} {self.name!r}: select is {select!r}, expected a regular "
                                f"expression for names of parameters: {error}") from None
        own = ((n, p) for n, p in self.params.items() if pattern is None or pattern.match(n))
        params.update(dict(own))
        outermost, _collecting.here = _collecting.here, False
        try:
            if outermost:
                warn_of_unregistered(self, BlockParams)
            for child in self._children.values():
                params.update(child.collect_params(select))
        except RecursionError:
            raise nested_too_deeply(self) from None
        finally:
            _collecting.here = outermost
        return params

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Return {structural name: parameter}, with names such as '0.weight', as in files."""
        prefix = prefix + "." if prefix else ""
        params = {prefix + key: param for key, param in self._reg_params.items()}
        try:
            for key, child in self._children.items():
                params.update(child._collect_params_with_prefix(prefix + key))
        except RecursionError:
            raise nested_too_deeply(self) from None
        return params

    def initialize(self, init: Any = None, ctx: Any = None, verbose: bool = False, force_reinit: bool = False) -> None:
        """Initialize all parameters.

        init: an Initializer for parameters without their own; Uniform(0.07) if None.
        ctx: a device or a list of devices.
        verbose: if True, print how each parameter is initialized.
        force_reinit: if True, also initialize parameters that have values.

        Warns as `collect_params` does.
        """
        self.collect_params().initialize(init, ctx, verbose, force_reinit)
