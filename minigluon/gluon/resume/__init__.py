"""Training that can be interrupted: a checkpoint holds all that decides how it goes on, to the last bit.

    checkpoint.py   what is in such a file, and the folder that keeps the last ones
    batches.py      a pass over a DataLoader that goes on in its middle
    attributes.py   what objects tell about themselves: `checkpointed`
    interrupts.py   Ctrl-C as a question that a loop answers between two batches

`minigluon train` and `gluon.contrib.estimator.ResumeHandler` are made of these, and a loop of one's own can be.
"""

from .attributes import restore, taken
from .batches import Pass
from .checkpoint import Checkpoint, Checkpoints
from .interrupts import Interrupts

__all__ = ["Checkpoint", "Checkpoints", "Interrupts", "Pass", "restore", "taken"]
