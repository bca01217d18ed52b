"""`mx.optimizer` (`mx.opt`): how weights follow from gradients. One class an optimizer, created by name or by class."""

from ..common.docstrings import share_sentences
from . import contrib
from .adaptive import FTML, LAMB, AdaDelta, AdaGrad, Adam, Adamax, Ftrl, Nadam, RMSProp
from .layerwise import LARS, LBSGD
from .optimizer import Optimizer, Test, create, register
from .sgd import DCASGD, NAG, SGD, SGLD, SignSGD, Signum, ccSGD
from .updater import Updater, get_updater

__all__ = ["DCASGD", "FTML", "LAMB", "LARS", "LBSGD", "NAG", "SGD", "SGLD", "AdaDelta", "AdaGrad", "Adam", "Adamax",
           "Ftrl", "Nadam", "Optimizer", "RMSProp", "SignSGD", "Signum", "Test", "Updater", "ccSGD", "contrib",
           "create", "get_updater", "register"]

share_sentences(Optimizer, DCASGD, FTML, LAMB, LARS, LBSGD, NAG, SGD, SGLD, AdaDelta, AdaGrad, Adam, Adamax, Ftrl,
                Nadam, RMSProp, SignSGD, Signum, Test, contrib.GroupAdaGrad)
share_sentences(SGD, ccSGD)
