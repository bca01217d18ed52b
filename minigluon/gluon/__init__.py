"""Gluon: layers, parameters, losses, data and training."""

from . import data, loss, nn, parameter, utils
from .block import Block
from .hybrid_block import HybridBlock
from .parameter import Constant, DeferredInitializationError, Parameter
from .parameter_dict import ParameterDict
from .trainer import Trainer

parameter.ParameterDict = ParameterDict     # `gluon.parameter.ParameterDict`, as MXNet's module has it

__all__ = ["Block", "Constant", "DeferredInitializationError", "HybridBlock", "Parameter", "ParameterDict", "Trainer",
           "data", "loss", "nn", "utils"]
