"""Checkpoints of a graph and its parameters, in the two files that `Module` and `HybridBlock.export` write."""

from __future__ import annotations

import logging
from collections import namedtuple
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import ndarray as nd
from .. import symbol as sym
from ..base import FileFormatError
from ..context import cpu
from ..serialization.atomic_write import reading_together, together

if TYPE_CHECKING:
    from ..ndarray import NDArray
    from ..symbol import Symbol

__all__ = ["BatchEndParam", "load_checkpoint", "load_params", "read_params", "save_checkpoint", "write_params"]

BatchEndParam = namedtuple("BatchEndParam", ["epoch", "nbatch", "eval_metric", "locals"])
BatchEndParam.__doc__ = """Argument of batch-end callbacks.

epoch, nbatch: counted from 0.
eval_metric: a metric, or None.
locals: the local variables of the calling loop.

>>> mx.model.BatchEndParam(epoch=0, nbatch=5, eval_metric=None, locals={}).nbatch
5
"""


def save_checkpoint(prefix: str, epoch: int, symbol: Symbol | None, arg_params: Mapping[str, NDArray],
                    aux_params: Mapping[str, NDArray], remove_amp_cast: bool = True) -> None:
    """Write '<prefix>-symbol.json', unless symbol is None, and '<prefix>-<epoch>.params' with a four-digit epoch.

    arg_params, aux_params: {name: NDArray}. A crash leaves old files intact, and never leaves an old file next to a new
        one.
    remove_amp_cast: whether to write the graph without the casts of mixed precision.

    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    >>> mx.model.save_checkpoint("net", 3, net, {"fc_bias": nd.ones((2,))}, {})
    >>> symbol, arg_params, aux_params = mx.model.load_checkpoint("net", 3)
    >>> symbol.list_arguments(), arg_params["fc_bias"].asnumpy().tolist()
    (['data', 'fc_weight', 'fc_bias'], [1.0, 1.0])
    """
    path = f"{prefix}-{epoch:04d}.params"
    with together():
        write_params(path, arg_params, aux_params)
        if symbol is not None:
            symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
    logging.info('Saved checkpoint to "%s"', path)


def load_params(prefix: str, epoch: int) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Return (arg_params, aux_params) from '<prefix>-<epoch>.params'. Raises FileFormatError for names without 'arg:'.

    >>> mx.model.save_checkpoint("net", 3, None, {"bias": nd.ones((2,))}, {"mean": nd.zeros((2,))})
    >>> arg_params, aux_params = mx.model.load_params("net", 3)
    >>> list(arg_params), list(aux_params)
    (['bias'], ['mean'])
    """
    return read_params(f"{prefix}-{epoch:04d}.params")


def write_params(path: str, arg_params: dict[str, NDArray], aux_params: dict[str, NDArray]) -> None:
    """Write {name: NDArray} as 'arg:name' and 'aux:name'. A crash leaves an old file intact."""
    arrays = {f"arg:{name}": x.as_in_context(cpu()) for name, x in arg_params.items()}
    arrays.update({f"aux:{name}": x.as_in_context(cpu()) for name, x in aux_params.items()})
    nd.save(path, arrays)


def read_params(path: str) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return (arg_params, aux_params) from a file written by `write_params`. Raises FileFormatError for any other file.
    """
    arrays = nd.load(path)
    if not arrays:
        logging.warning("Params file '%s' is empty", path)
        return {}, {}
    kinds = {"arg": {}, "aux": {}}
    for key in arrays:
        kind, _, name = key.partition(":") if isinstance(key, str) else ("", "", "")
        if kind not in kinds or not name:
            actual = repr(key) if isinstance(key, str) else "arrays without names"
            raise FileFormatError(f"{path!r} is not a checkpoint: its arrays must be called 'arg:name' or 'aux:name', "
                                  f"found {actual}. Read it with nd.load.")
        kinds[kind][name] = arrays[key]
    return kinds["arg"], kinds["aux"]


def load_checkpoint(prefix: str, epoch: int) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Return (symbol, arg_params, aux_params) from the two files.

    prefix, epoch: as passed to `save_checkpoint`.

    Raises MXNetError if a killed process left only one of them.

    >>> mx.model.save_checkpoint("net", 3, sym.var("data") + sym.var("b"), {"b": nd.ones((1,))}, {})
    >>> mx.model.load_checkpoint("net", 3)[0].list_arguments()
    ['data', 'b']
    """
    with reading_together(f"{prefix}-{epoch:04d}.params", f"{prefix}-symbol.json"):
        return sym.load(f"{prefix}-symbol.json"), *load_params(prefix, epoch)
