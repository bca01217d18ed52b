"""Output operators, which have a built-in loss. Only their predictions are exported, and labels are not inputs of the
file.
"""

import numpy as np

from ...table import translates

__all__ = []


@translates("SoftmaxOutput")
def softmax_output(g, op, data, label):
    if op.preserve_shape or data.rank == 1:
        return g.Softmax(data, axis=data.rank - 1)
    if op.multi_output or data.rank == 2:
        return g.Softmax(data, axis=1)
    return g.reshape(g.Softmax(g.Flatten(data, axis=1), axis=1), data.shape)


@translates("LogisticRegressionOutput")
def logistic_regression_output(g, op, data, label):
    return g.Sigmoid(data)


@translates("LinearRegressionOutput", "MAERegressionOutput", "SVMOutput")
def unchanged(g, op, data, label):
    return data


@translates("softmax_cross_entropy")
def softmax_cross_entropy(g, op, data, label):
    index = g.unsqueeze(g.cast(label, np.int64), 1)
    picked = g.GatherElements(g.LogSoftmax(data, axis=1), index, axis=1)
    return g.reshape(g.Neg(g.reduce("Sum", picked, [0, 1])), (1,))


@translates("_one_hot_like")
def one_hot_like(g, op, label, like):
    places = g.constant(np.arange(like.shape[1], dtype=np.int64))
    return g.cast(g.Equal(g.unsqueeze(g.cast(label, np.int64), 1), places), like.dtype)
