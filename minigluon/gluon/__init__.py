"""Gluon: layers, parameters, losses, data and training."""

from .. import ndarray, symbol
from . import block, contrib, data, loss, model_zoo, nn, parameter, rnn, trainer, utils
from .block import Block
from .hybrid_block import HybridBlock
from .parameter import Constant, DeferredInitializationError, Parameter
from .parameter_dict import ParameterDict
from .symbol_block import SymbolBlock
from .train_step import TrainStep
from .trainer import Trainer
from .versions import parameter_snapshot, replace_together

# Names where MXNet's modules have them, and programs import them from.
parameter.ParameterDict = trainer.ParameterDict = ParameterDict
block.HybridBlock, block.SymbolBlock = HybridBlock, SymbolBlock
block.DeferredInitializationError, block.load_json = DeferredInitializationError, symbol.load_json
tensor_types = parameter.tensor_types = (symbol.Symbol, ndarray.NDArray)

__all__ = ["Block", "Constant", "DeferredInitializationError", "HybridBlock", "Parameter", "ParameterDict",
           "SymbolBlock", "TrainStep", "Trainer", "contrib", "data", "loss", "model_zoo", "nn", "parameter_snapshot",
           "replace_together", "rnn", "utils"]
