"""`gluon.nn`: layers, and the containers that stack them."""

from ..block import Block
from ..hybrid_block import HybridBlock
from ..symbol_block import SymbolBlock
from . import activations, basic_layers, containers, conv_layers, norm_layers, pool_layers
from .activations import *
from .basic_layers import *
from .containers import *
from .conv_layers import *
from .norm_layers import *
from .pool_layers import *

__all__ = ["Block", "HybridBlock", "SymbolBlock", *activations.__all__, *basic_layers.__all__,
           *containers.__all__, *conv_layers.__all__, *norm_layers.__all__, *pool_layers.__all__]
