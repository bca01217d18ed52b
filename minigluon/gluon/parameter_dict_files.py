"""Saving and loading a ParameterDict with full names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .. import ndarray as nd
from ..base import ArgumentError
from ..common.docstrings import share_sentences
from ..common.types import Contexts
from .parameter_devices import as_contexts
from .parameter_file import load_arrays, match
from .parameter_snapshots import parameter_snapshot, replace_together

__all__ = ["ParameterDictFiles"]


class ParameterDictFiles:
    """Mixin for ParameterDict that writes and reads files."""

    def save(self, filename: str, strip_prefix: str = "") -> None:
        """Write a .params file with full names.

        filename: the path of the file.
        strip_prefix: a prefix to remove from the names.

        Raises ArgumentError for a name without this prefix.

        >>> layer = nn.Dense(2, in_units=3, prefix="dense_")
        >>> layer.initialize()
        >>> layer.params.save("layer.params", strip_prefix="dense_")
        >>> layer.params.load("layer.params", restore_prefix="dense_")
        """
        arrays = {}
        for param in self.values():
            if not param.name.startswith(strip_prefix):
                raise ArgumentError(f"{param.described()}: its name does not start with the prefix {strip_prefix!r} "
                                    "to be stripped. Save the parameters of the block with "
                                    "Block.save_parameters.")
            arrays[param.name[len(strip_prefix):]] = param
        with parameter_snapshot():
            arrays = {name: param._reduce() for name, param in arrays.items()}
        nd.save(filename, arrays)

    def load(self, filename: str, ctx: Contexts | None = None, allow_missing: bool = False, ignore_extra: bool = False,
             restore_prefix: str = "", cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """Read a .params file written by `save`.

        Other threads see either all values replaced or none; after an error, none are replaced.

        filename: the path of the file.
        ctx: the device for parameters without a value.
        allow_missing, ignore_extra: accept parameters missing from the file, and arrays that are not parameters here.
        restore_prefix: a prefix to add to the names in the file.
        cast_dtype: if True, convert differing dtypes to the parameter's dtype or, with dtype_source='saved', to the
        file's.

        Raises MXNetError for parameters missing from the file, for arrays that are not parameters here, and if a shape
        or dtype differs.

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
        """Load values from a dict of arrays, like `load`.

        param_dict: the arrays by name; prefixes 'arg:' and 'aux:' are ignored.
        filename: the file named in errors as the arrays' source.

        >>> layer = nn.Dense(1, in_units=2, use_bias=False, prefix="dense_")
        >>> layer.params.load_dict({"dense_weight": nd.array([[5, 6]])})
        >>> layer.weight.data().asnumpy().tolist()
        [[5.0, 6.0]]
        """
        source = f"file {filename!r}" if filename else "the given dict"
        arrays = {restore_prefix + re.sub("^(arg|aux):", "", name): x for name, x in param_dict.items()}
        contexts = None if ctx is None else as_contexts(ctx)
        pairs = match(self._params, arrays, source, allow_missing, ignore_extra)
        with replace_together():
            for param, array in pairs:
                param._load_init(array, contexts, cast_dtype, dtype_source)

    share_sentences(load, load_dict)
