"""Rows of the operators in `minigluon/ops/array/sequence.py`."""

import numpy as np

from ..case import case, fixed, u

_lengths = fixed([1, 3, 2], floating=False)
_inside = np.array([[1, 1, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]], bool)
case("SequenceMask", u(4, 3, 2), expect=np.copy)
case("SequenceMask", u(4, 3, 2), _lengths, use_sequence_length=True, value=-2,
     expect=lambda x, n: np.where(_inside[..., None], x, -2))
case("SequenceMask", u(3, 4), _lengths, use_sequence_length=True, axis=1, expect=lambda x, n: np.where(_inside.T, x, 0))
case("SequenceMask", u(2, 2), fixed([0, 9], floating=False), use_sequence_length=True,
     expect=lambda x, n: x * np.array([0, 1]))
case("SequenceLast", u(4, 3, 2), expect=lambda x: x[-1], oracle="MXNet crashes in the gradient without lengths")
case("SequenceLast", u(4, 3, 2), _lengths, use_sequence_length=True,
     expect=lambda x, n: np.array([x[0, 0], x[2, 1], x[1, 2]]))
case("SequenceLast", u(3, 4), _lengths, use_sequence_length=True, axis=1,
     expect=lambda x, n: np.array([x[0, 0], x[1, 2], x[2, 1]]))
case("SequenceReverse", u(4, 3), expect=lambda x: x[::-1])
case("SequenceReverse", u(4, 3), _lengths, use_sequence_length=True, expect=lambda x, n: np.stack(
    [x[:, 0], x[[2, 1, 0, 3], 1], x[[1, 0, 2, 3], 2]], 1))
case("SequenceReverse", u(4, 3, 2), _lengths, use_sequence_length=True, expect=lambda x, n: np.stack(
    [x[:, 0], x[[2, 1, 0, 3], 1], x[[1, 0, 2, 3], 2]], 1))
case("SequenceReverse", u(2, 3), fixed([0, 2], floating=False), axis=1, use_sequence_length=True,
     expect=lambda x, n: np.stack([x[0], x[1, [1, 0, 2]]]), oracle="MXNet wants axis 0")
