"""Saving and loading a Block's parameters: `save_parameters`, `load_parameters`, and MXNet's older variants."""

from __future__ import annotations

import re
from typing import Any

from .. import ndarray as nd
from ..common.docstrings import share_sentences
from ..context import Context
from .block_tree import nested_too_deeply
from .model_file import load_model, save_model
from .parameter import Parameter
from .parameter_file import load_arrays, match
from .parameter_snapshots import parameter_snapshot, replace_together

__all__ = ["BlockFiles"]


class BlockFiles:
    """Mixin for Block that writes and reads files."""

    def save_parameters(self, filename: str, deduplicate: bool = False) -> None:
        """Write all parameters to a .params file that MXNet reads, under structural names ('0.weight').

        filename: the path of the file. The suffixes .safetensors and .npz select those formats.
        deduplicate: if True, write a shared parameter only once, at its first position and under its last name, as in
        MXNet.

        >>> layer, other = nn.Dense(1, in_units=2), nn.Dense(1, in_units=2)
        >>> layer.initialize()
        >>> layer.save_parameters("layer.params")
        >>> other.load_parameters("layer.params")
        >>> (other.weight.data() == layer.weight.data()).asnumpy().tolist()
        [[1.0, 1.0]]
        """
        params = self._collect_params_with_prefix()
        if deduplicate:
            last = {param: key for key, param in params.items()}
            params = {key: param for param, key in last.items()}
        with parameter_snapshot():
            arrays = {key: param._reduce() for key, param in params.items()}
        nd.save(filename, arrays)

    def load_parameters(self, filename: str, ctx: Any = None, allow_missing: bool = False, ignore_extra: bool = False,
                        cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """Read a file written by `save_parameters`, `save_params`, `export` or MXNet, or a .safetensors or .npz file.

        Other threads see either all values replaced or none; after an error, none are replaced.

        filename: the path of the file.
        ctx: the device of parameters without a value; the current device if None.
        allow_missing, ignore_extra: accept parameters missing from the file, and arrays that are not parameters here.
        cast_dtype: if True, convert differing dtypes to the parameter's dtype or, with dtype_source='saved', to the
        file's.

        Raises MXNetError for parameters missing from the file, for arrays that are not parameters here, and if a shape
        or dtype differs.

        >>> net, other = nn.Sequential(), nn.Sequential()
        >>> net.add(nn.Dense(1, in_units=2))
        >>> other.add(nn.Dense(1, in_units=2), nn.Dense(1, in_units=1))
        >>> net.initialize(init.One())
        >>> net.save_parameters("small.params")
        >>> other.initialize(init.Zero())
        >>> other.load_parameters("small.params", allow_missing=True)       # the second layer keeps its values
        >>> other[0].weight.data().asnumpy().tolist(), other[1].weight.data().asnumpy().tolist()
        ([[1.0, 1.0]], [[0.0]])
        """
        self._load_arrays(load_arrays(filename), filename, ctx, allow_missing, ignore_extra, cast_dtype, dtype_source)

    def _load_arrays(self, arrays: dict[str, Any], filename: str, ctx: Any = None, allow_missing: bool = False,
                     ignore_extra: bool = False, cast_dtype: bool = False, dtype_source: str = "current") -> None:
        params = self._collect_params_with_prefix()
        structural = any("." in key for key in arrays) or arrays.keys() <= params.keys()
        if arrays and params and not structural:        # full names, from older files
            exported = any(re.match("(arg|aux):", key) for key in arrays)
            self.collect_params().load_dict(arrays, ctx, allow_missing, ignore_extra, "" if exported else self.prefix,
                                            filename, cast_dtype, dtype_source)
            return
        shared = _same_parameter(params, arrays)
        targets = {key: p for key, p in params.items() if key in arrays or key not in shared}
        contexts = [ctx] if isinstance(ctx, Context) else ctx
        pairs = match(targets, arrays, f"file {filename!r}", allow_missing, ignore_extra)[::-1]
        arrays.clear()              # frees each array's memory as soon as its elements are in a parameter
        with replace_together():
            while pairs:
                param, array = pairs.pop()
                param._load_init(array, contexts, cast_dtype, dtype_source)

    def save(self, prefix: str) -> None:
        """Write the parameters to '<prefix>-model.params' and the structure to '<prefix>-model.json', as MXNet does.

        prefix: the prefix of the paths of both files.

        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize(init.One())
        >>> net.save("dense")                   # dense-model.params and dense-model.json
        >>> other = nn.Dense(1, in_units=2)
        >>> other.load("dense")
        >>> other.weight.data().asnumpy().tolist()
        [[1.0, 1.0]]
        """
        try:
            save_model(self, prefix)
        except RecursionError:
            raise nested_too_deeply(self) from None

    def load(self, prefix: str) -> None:
        """Read files written by `save`, here or in MXNet, into a network created by the same code.

        Blocks are matched by order, regardless of block and parameter names. Blocks that were
        hybridized when saved are hybridized.

        prefix: the prefix of the paths of both files.

        Raises FileFormatError if the files belong to a different network.

        >>> net, other = nn.Dense(1, in_units=2), nn.Dense(1, in_units=2)
        >>> net.initialize(init.One())
        >>> net.save("dense")
        >>> other.load("dense")
        """
        load_model(self, prefix)

    def save_params(self, filename: str) -> None:
        """Write parameters in the old format of `save_parameters`: full names without this block's prefix.

        filename: the path of the file.

        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize()
        >>> net.save_params("dense.params")
        >>> sorted(nd.load("dense.params"))
        ['bias', 'weight']
        """
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(self, filename: str, ctx: Any = None, allow_missing: bool = False,
                    ignore_extra: bool = False) -> None:
        """Call `load_parameters`, the current name of this method.

        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize()
        >>> net.save_params("dense.params")
        >>> net.load_params("dense.params")
        """
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)

    share_sentences(load_parameters, load_params)


def _same_parameter(params: dict[str, Parameter], arrays: dict[str, Any]) -> set[str]:
    """Return structural names that may be missing from the file because the parameter has a different name there."""
    loaded = {param for key, param in params.items() if key in arrays}
    return {key for key, param in params.items() if key not in arrays and param in loaded}
