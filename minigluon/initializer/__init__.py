"""`mx.init`: parameter initializers.

An initializer is called with a description and an array. The description is the parameter's name with attributes: the
attribute `__init__` names the parameter's own initializer; without it, the suffix of the name decides (weight, bias,
gamma, ...). Gluon's parameters always name their own initializer, so suffixes matter only for hand-written symbols.
"""

from ..diagnostics.argument_kinds import check_class
from . import by_name, constants, fused_rnn, initializer, layers
from .by_name import *
from .constants import *
from .fused_rnn import *
from .initializer import *
from .layers import *

__all__ = [*by_name.__all__, *constants.__all__, *fused_rnn.__all__, *initializer.__all__, *layers.__all__]

for _name in __all__:
    if isinstance(globals()[_name], type):
        check_class(globals()[_name], text_is_number=_name not in ("Uniform", "Orthogonal", "MSRAPrelu"))

# Pickles from older versions and programs for MXNet look up these names in `initializer`.
for _module in constants, layers:
    for _name in _module.__all__:
        setattr(initializer, _name, getattr(_module, _name))
initializer.GivenValue = constants.GivenValue
