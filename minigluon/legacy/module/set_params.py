"""`set_params` for modules that accept values for only some of their parameters: Module and BucketingModule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...diagnostics import strictness
from .base_module import BaseModule

if TYPE_CHECKING:
    from ...ndarray import NDArray

__all__ = ["SettableModule"]


class SettableModule(BaseModule):
    """Base class of modules that define `_replace_params`, which leaves parameters without a given value unchanged.

    `_params_dirty`: whether the devices' values differ from the copies on the CPU.
    """

    def set_params(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray],
                   allow_missing: bool = False, force_init: bool = True, allow_extra: bool = False) -> None:
        if not allow_missing:
            super().set_params(arg_params, aux_params, allow_missing, force_init, allow_extra)
            return
        if self.params_initialized and not force_init:
            strictness.warn("Parameters already initialized and force_init=False. set_params call ignored.")
            return
        self._require("set_params")
        self._replace_params(arg_params, aux_params, force_init, allow_extra)
        self.params_initialized = self._params_dirty = True

    def _replace_params(self, arg_params, aux_params, force_init, allow_extra):
        """Set the given parameters. allow_extra: whether to skip unknown names; otherwise they are an error."""
        raise self._undefined("_replace_params")
