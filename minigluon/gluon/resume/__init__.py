"""Resumable training: a checkpoint contains the complete state, so that resumed training is bit-identical.

    checkpoint.py   the content of a checkpoint, and the folder with the latest ones
    batches.py      a pass over a DataLoader that can resume in the middle
    attributes.py   the state of objects: `checkpointed`
    interrupts.py   Ctrl-C as a flag that a loop checks between two batches

`minigluon train` and `gluon.contrib.estimator.ResumeHandler` are built on these functions; a custom loop can also use
them.
"""

from .attributes import checkpointed_values, restore
from .batches import Pass
from .checkpoint import Checkpoint, Checkpoints
from .interrupts import Interrupts

__all__ = ["Checkpoint", "Checkpoints", "Interrupts", "Pass", "checkpointed_values", "restore"]
