"""Contributed recurrent cells: with convolutions, with a projection, with one dropout mask for a whole sequence."""

from . import conv_rnn_cell, rnn_cell
from .conv_rnn_cell import *
from .rnn_cell import *

__all__ = [*conv_rnn_cell.__all__, *rnn_cell.__all__]
