"""Rows of the operators in `minigluon/ops/nn/ctc.py`."""

import itertools

import numpy as np

from ..case import case, fixed, u
from .softmax import softmax


def ctc(x, labels, frames=None, blank=0):
    """The definition: the sum over all sequences of classes that become the label without repeats and blanks."""
    out = []
    for n, label in enumerate(labels):
        p = softmax(x[:, n] if frames is None else x[:frames[n], n])
        total = 0
        for path in itertools.product(range(x.shape[2]), repeat=len(p)):
            shown = [c for c, before in zip(path, (-1, *path)) if c not in (before, blank)]
            if shown == label:
                total += p[range(len(p)), path].prod()
        out.append(-np.log(total) if total else 0)
    return np.array(out)


def known(values, dtype="float64"):
    return fixed(values, dtype, floating=False)


case("CTCLoss", u(5, 3, 3), known([[1, 2], [1, 1], [2, 0]]), second=False, dtype="float32",
     expect=lambda x, n: ctc(x, [[1, 2], [1, 1], [2]]))
case("CTCLoss", u(4, 2, 3), known([[0, 1, -1], [-1, -1, -1]]), blank_label="last", second=False,
     dtype="float32", expect=lambda x, n: ctc(x, [[0, 1], []], blank=2))
case("CTCLoss", u(5, 2, 4), known([[1, 2, 3], [2, 2, 1]]), known([4, 5]), known([2, 3]), use_data_lengths=True,
     use_label_lengths=True, second=False, dtype="float32",
     expect=lambda x, n, t, k: ctc(x, [[1, 2], [2, 2, 1]], [4, 5]))
case("CTCLoss", u(4, 2, 3), known([[1, 0], [2, 1]]), known([3, 4], "int32"), use_data_lengths=True, second=False,
     oracle="MXNet takes lengths of the data's type alone", expect=lambda x, n, t: ctc(x, [[1], [2, 1]], [3, 4]))
case("CTCLoss", u(3, 2, 4), known([[1, 1, 2], [1, 1, 0]]), second=False, dtype="float32", note="does not fit",
     oracle="MXNet leaves the gradient of a label that does not fit as it finds the memory",
     expect=lambda x, n: ctc(x, [[1, 1, 2], [1, 1]]))
