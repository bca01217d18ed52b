"""`gluon.rnn`: recurrent layers, which run a sequence as one operator, and cells, which run one step.

    layer = rnn.LSTM(650, num_layers=2)         output, states = layer(x, layer.begin_state(batch_size=20))
    cell = rnn.LSTMCell(650)                    output, states = cell(x[0], cell.begin_state(batch_size=20))
                                                outputs, states = cell.unroll(35, x, layout="TNC")
"""

from ...common.docstrings import share_sentences
from ..block import Block
from ..nn.kinds import check_kinds
from . import rnn_cell, rnn_layer
from .rnn_cell import *
from .rnn_layer import *

__all__ = [*rnn_cell.__all__, *rnn_layer.__all__]

for _name in rnn_layer.__all__:
    check_kinds(globals()[_name])

share_sentences(Block, *(globals()[_name] for _name in __all__))
