"""What test_launch_restarts.py starts: `minigluon launch -n 3 --restarts 2 restarted_program.py`, in an empty folder.

A process of the first job kills itself in the third epoch; the next job resumes from the checkpoint of the second one.
"""

import contextlib
import io
import os
import signal
import sys

import numpy as np

import minigluon as mx
from minigluon import gluon
from minigluon.gluon.contrib import estimator as est

EPOCHS, BATCH, BATCHES = 4, 6, 3


class Dies(est.BatchBegin):
    """Ends process 1 in the third epoch, unless that has happened."""

    def __init__(self, rank):
        self.rank, self.batches = rank, 0

    def batch_begin(self, estimator, *args, **kwargs):
        self.batches += 1
        if self.rank == 1 and self.batches == 2 * BATCHES + 2 and not os.path.exists("died"):
            open("died", "w").close()
            os.kill(os.getpid(), signal.SIGKILL)


def train(store, rank, ranks):
    """Returns (the number of batches, the weights) after fitting this process's share of each batch."""
    data = np.random.default_rng(0).normal(size=(BATCH * BATCHES, 4)).astype("float32")
    mine = [i for i in range(len(data)) if i % BATCH % ranks == rank]
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(data[mine], data.argmax(1)[mine].astype("float32")),
                                   len(mine) // BATCHES)
    mx.random.seed(1)
    net = gluon.nn.Dense(4, in_units=4)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}, kvstore=store)
    dies = Dies(rank)
    handlers = [est.CheckpointHandler("saved", resume_from_checkpoint=True), dies] if store else []
    with contextlib.redirect_stdout(io.StringIO()):
        est.Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer).fit(
            loader, epochs=EPOCHS, event_handlers=handlers)
    return dies.batches, net.weight.data().asnumpy()


if __name__ == "__main__":
    store = mx.kv.create("dist_sync")
    batches, weights = train(store, store.rank, store.num_workers)
    if store.rank == 0:
        error = np.abs(weights - train(None, 0, 1)[1]).max()
        sys.stdout.write(f"{store.num_workers} processes, {batches} batches, error below 1e-6: {error < 1e-6}\n")
