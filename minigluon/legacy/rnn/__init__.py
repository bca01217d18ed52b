"""`mx.rnn`: recurrent cells that create symbols, for programs that do not use Gluon (other programs use `gluon.rnn`).

    cell = mx.rnn.LSTMCell(num_hidden=200, prefix="lstm_")
    outputs, states = cell.unroll(35, inputs=mx.sym.var("data"), merge_outputs=True)
"""

from ...diagnostics.argument_kinds import check_class
from . import base_cell, containers, conv_cell, fused, io, modifiers, rnn, rnn_cell
from .base_cell import *
from .containers import *
from .conv_cell import *
from .fused import *
from .io import *
from .modifiers import *
from .rnn import *
from .rnn_cell import *

__all__ = [*base_cell.__all__, *containers.__all__, *conv_cell.__all__, *fused.__all__, *io.__all__,
           *modifiers.__all__, *rnn.__all__, *rnn_cell.__all__]

for _name in __all__:
    if isinstance(globals()[_name], type):
        check_class(globals()[_name])

# MXNet's modules, which programs import from.
for _name in (*base_cell.__all__, *containers.__all__, *conv_cell.__all__, *fused.__all__, *modifiers.__all__):
    setattr(rnn_cell, _name, globals()[_name])
