"""`gluon.nn`: layers, and the containers that stack them."""

from ...common.docstrings import share_sentences
from ..block import Block
from ..hybrid_block import HybridBlock
from ..symbol_block import SymbolBlock
from . import activations, basic_layers, containers, conv_layers, norm_layers, pool_layers
from .activations import *
from .basic_layers import *
from .containers import *
from .conv_layers import *
from .kinds import check_kinds
from .norm_layers import *
from .pool_layers import *

__all__ = ["Block", "HybridBlock", "SymbolBlock", *activations.__all__, *basic_layers.__all__,
           *containers.__all__, *conv_layers.__all__, *norm_layers.__all__, *pool_layers.__all__]

for _name in __all__[3:]:
    check_kinds(globals()[_name])

share_sentences(Block, *(globals()[_name] for _name in __all__))

# MXNet defines these in `nn.basic_layers` and `nn.conv_layers`, from which programs import them
for _place, _others in ((basic_layers, (activations, containers, norm_layers)), (conv_layers, (pool_layers,))):
    vars(_place).update({name: vars(_part)[name] for _part in _others for name in _part.__all__})
