"""`mx.optimizer` (`mx.opt`): optimizers, which update weights with gradients. Create them by name or by class."""

from ..common.docstrings import share_sentences
from . import contrib, joint_step, optimizer, sgd, sgd_joint, updater, updater_states
from .adaptive import FTML, LAMB, AdaDelta, AdaGrad, Adam, Adamax, Ftrl, Nadam, RMSProp
from .layerwise import LARS, LBSGD
from .optimizer import Optimizer, create, register
from .sgd import SGD
from .sgd_variants import DCASGD, NAG, SGLD, SignSGD, Signum, ccSGD
from .testing import Test
from .updater import Updater, get_updater

__all__ = ["DCASGD", "FTML", "LAMB", "LARS", "LBSGD", "NAG", "SGD", "SGLD", "AdaDelta", "AdaGrad", "Adam", "Adamax",
           "Ftrl", "Nadam", "Optimizer", "RMSProp", "SignSGD", "Signum", "Test", "Updater", "ccSGD", "contrib",
           "create", "get_updater", "register"]

share_sentences(Optimizer, DCASGD, FTML, LAMB, LARS, LBSGD, NAG, SGD, SGLD, AdaDelta, AdaGrad, Adam, Adamax, Ftrl,
                Nadam, RMSProp, SignSGD, Signum, Test, contrib.GroupAdaGrad)
share_sentences(SGD, ccSGD)

# Pickles from older versions and programs for MXNet look up these names in `optimizer`.
sgd.DCASGD, sgd.NAG, sgd.SGLD, sgd.SignSGD, sgd.Signum, sgd.ccSGD = DCASGD, NAG, SGLD, SignSGD, Signum, ccSGD
optimizer.Test, updater.load_states = Test, updater_states.load_states
