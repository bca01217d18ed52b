"""`mx.init`: how parameters get their first values.

An initializer is called with a description and an array. The description is the parameter's name, with attributes: the
attribute `__init__` names the parameter's own initializer, otherwise the end of the name decides (weight, bias, gamma,
...). Parameters of Gluon always name theirs, so the ends matter to symbols that were written by hand.
"""

from . import chosen, fused_rnn, initializer
from .chosen import *
from .fused_rnn import *
from .initializer import *

__all__ = [*chosen.__all__, *fused_rnn.__all__, *initializer.__all__]
