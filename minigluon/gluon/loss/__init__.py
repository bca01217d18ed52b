"""`gluon.loss`: loss functions.

Most losses return one value for each item in the batch: the mean over all other axes. `weight` is a common factor.
`sample_weight` contains individual factors; it broadcasts to the loss before the mean is taken.
"""

from ...common.docstrings import share_docstring, share_sentences
from ..block import Block
from ..hybrid_block import HybridBlock
from .base import Loss, _apply_weighting, _reshape_like
from .classification import (
    CTCLoss,
    HingeLoss,
    KLDivLoss,
    LogisticLoss,
    SigmoidBCELoss,
    SigmoidBinaryCrossEntropyLoss,
    SoftmaxCELoss,
    SoftmaxCrossEntropyLoss,
    SquaredHingeLoss,
)
from .ranking import CosineEmbeddingLoss, SDMLLoss, TripletLoss
from .regression import HuberLoss, L1Loss, L2Loss, PoissonNLLLoss

__all__ = ["CTCLoss", "CosineEmbeddingLoss", "HingeLoss", "HuberLoss", "KLDivLoss", "L1Loss", "L2Loss", "LogisticLoss",
           "Loss", "PoissonNLLLoss", "SDMLLoss", "SigmoidBCELoss", "SigmoidBinaryCrossEntropyLoss", "SoftmaxCELoss",
           "SoftmaxCrossEntropyLoss", "SquaredHingeLoss", "TripletLoss"]

share_sentences(Block, Loss)
share_docstring(Loss, CTCLoss, CosineEmbeddingLoss, HingeLoss, HuberLoss, KLDivLoss, L1Loss, L2Loss, LogisticLoss,
                PoissonNLLLoss, SDMLLoss, SigmoidBinaryCrossEntropyLoss, SoftmaxCrossEntropyLoss, SquaredHingeLoss,
                TripletLoss)
