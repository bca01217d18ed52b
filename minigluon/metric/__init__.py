"""`mx.metric`: metrics that compare predictions with labels, accumulated over batches.

    metric = mx.metric.Accuracy()
    metric.update(labels, predictions)          # NDArrays or lists of them, batch after batch
    name, value = metric.get()
    metric.reset()

All metrics keep two sums, a local and a global one: `reset` clears both, and `reset_local` clears only the local sum.
"""

from ..common.docstrings import share_sentences
from ..diagnostics.argument_kinds import check_class
from .base import EvalMetric, alias, check_label_shapes, register
from .classification import F1, MCC, PCC, Accuracy, TopKAccuracy
from .composite import CompositeEvalMetric, create
from .likelihood import CrossEntropy, NegativeLogLikelihood, Perplexity
from .losses import Caffe, CustomMetric, Loss, Torch, np
from .regression import MAE, MSE, RMSE, PearsonCorrelation

__all__ = ["MAE", "MCC", "MSE", "PCC", "RMSE", "F1", "Accuracy", "Caffe", "CompositeEvalMetric", "CrossEntropy",
           "CustomMetric", "EvalMetric", "Loss", "NegativeLogLikelihood", "PearsonCorrelation", "Perplexity",
           "TopKAccuracy", "Torch", "alias", "check_label_shapes", "create", "np", "register"]

for _name in __all__:
    if isinstance(globals()[_name], type):
        check_class(globals()[_name])

share_sentences(EvalMetric, MAE, MCC, MSE, PCC, RMSE, Accuracy, Caffe, CompositeEvalMetric, CrossEntropy, CustomMetric,
                F1, Loss, NegativeLogLikelihood, PearsonCorrelation, Perplexity, TopKAccuracy, Torch)
