"""Recurrent layers: LSTM, GRU and RNN."""

from . import recurrent
