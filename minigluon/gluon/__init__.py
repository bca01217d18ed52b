"""Gluon: layers, parameters, losses, data and training."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from .. import autograd as _autograd
from .. import initializer as _initializer
from .. import ndarray, symbol
from ..base import MXNetError as _MXNetError
from ..context import cpu as _cpu
from ..diagnostics.suggestions import missing_in
from . import block, fast_calls, loss, nn, parameter, trainer, utils
from .block import Block
from .constant import Constant
from .hooks import HookHandle
from .hybrid_block import HybridBlock
from .parameter import DeferredInitializationError, Parameter
from .parameter_dict import ParameterDict
from .parameter_snapshots import parameter_snapshot, replace_together
from .symbol_block import SymbolBlock
from .train_step import TrainStep
from .trainer import Trainer

# Names that programs import from the MXNet modules that define them.
parameter.ParameterDict = trainer.ParameterDict = ParameterDict
parameter.Constant = Constant
block.HybridBlock, block.SymbolBlock = HybridBlock, SymbolBlock
block.DeferredInitializationError, block.load_json = DeferredInitializationError, symbol.load_json
block.HookHandle, block.MXNetError = HookHandle, _MXNetError
block.initializer = parameter.initializer = _initializer
parameter.autograd, parameter.cpu = _autograd, _cpu
tensor_types = parameter.tensor_types = (symbol.Symbol, ndarray.NDArray)

__all__ = ["Block", "Constant", "DeferredInitializationError", "HybridBlock", "Parameter", "ParameterDict",
           "SymbolBlock", "TrainStep", "Trainer", "contrib", "data", "loss", "model_zoo", "nn", "parameter_snapshot",
           "replace_together", "rnn", "utils"]

if TYPE_CHECKING:
    from . import contrib, data, model_zoo, rnn


def __getattr__(name: str) -> ModuleType:
    """Import, on first use, the parts that only some programs need."""
    if name in ("contrib", "data", "model_zoo", "rnn"):
        return importlib.import_module("." + name, __name__)
    raise missing_in(sys.modules[__name__], name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
