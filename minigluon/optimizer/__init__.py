"""`mx.optimizer` (`mx.opt`): how weights follow from gradients. One class an optimizer, created by name or by class."""

from ..docstrings import share_sentences
from . import contrib
from .adaptive import FTML, LAMB, AdaDelta, AdaGrad, Adam, Adamax, Ftrl, Nadam, RMSProp
from .layerwise import LARS, LBSGD
from .optimizer import Optimizer, Test, create, register
from .sgd import DCASGD, NAG, SGD, SGLD, SignSGD, Signum, ccSGD
from .updater import Updater, get_updater

__all__ = ["DCASGD", "FTML", "LAMB", "LARS", "LBSGD", "NAG", "SGD", "SGLD", "AdaDelta", "AdaGrad", "Adam", "Adamax",
           "Ftrl", "Nadam", "Optimizer", "RMSProp", "SignSGD", "Signum", "Test", "Updater", "ccSGD", "contrib",
           "create", "get_updater", "register"]

_others = (DCASGD, FTML, LAMB, LARS, LBSGD, NAG, SGLD, AdaDelta, AdaGrad, Adam, Adamax, Ftrl, Nadam, RMSProp, SignSGD,
           Signum, ccSGD)
share_sentences(SGD, *_others)
share_sentences(Optimizer, Test, *_others)
