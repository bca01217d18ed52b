"""A small training with everything in it that random numbers and counters decide, and what it comes to.

    python -m helpers.resumed_training FOLDER WORKERS HYBRIDIZE RESUME

Dropout, running statistics, transforms that draw from Python's `random` and from NumPy's global generator, a shuffled
order whose last batch rolls over, Adam with a schedule, metrics, early stopping, a table.
"""

import csv
import hashlib
import json
import os
import random
import sys

import numpy as np

import minigluon as mx
from minigluon import gluon
from minigluon.common import generators as rng
from minigluon.gluon import nn
from minigluon.gluon.contrib.estimator import CSVLogHandler, EarlyStoppingHandler, Estimator, ResumeHandler

EPOCHS, SAMPLES, BATCH = 12, 70, 8


class Noisy:
    """Samples that are others each time."""

    def __init__(self, samples, watch=None):
        x = np.random.RandomState(5).randn(samples, 6).astype("float32")
        self.x, self.y, self.watch = x, (x.sum(1) > 0).astype("float32"), watch

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        if self.watch is not None:
            self.watch("sample")
        noise = np.random.randn(6).astype("float32") * random.random()
        return self.x[index] + 0.3 * noise, self.y[index]


def train(folder, workers=0, hybridize=False, resume=False, watch=None, epochs=EPOCHS, begin=None):
    """Train, and return what came of it: {part: a text that tells whether it is the same}.

    watch: called with 'sample' for each, to interrupt. begin: called when it is about to begin.
    """
    mx.random.seed(3)
    np.random.seed(4)
    random.seed(5)
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="relu"), nn.BatchNorm(), nn.Dropout(0.4), nn.Dense(2))
    net.initialize(mx.init.Xavier())
    if hybridize:
        net.hybridize()
    schedule = mx.lr_scheduler.FactorScheduler(step=20, factor=0.9, base_lr=0.02)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, "lr_scheduler": schedule})
    metrics = [mx.metric.Accuracy(), mx.metric.MCC(), mx.metric.Perplexity(ignore_label=None)]
    estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer, train_metrics=metrics)
    estimator.logger.setLevel("ERROR")
    train_data = gluon.data.DataLoader(Noisy(SAMPLES, watch), BATCH, shuffle=True, last_batch="rollover",
                                       num_workers=workers)
    val_data = gluon.data.DataLoader(Noisy(20), BATCH)
    table = os.path.join(folder, "log.csv")
    handlers = [ResumeHandler(folder, resume=resume, batch_period=11), CSVLogHandler(table),
                EarlyStoppingHandler(estimator.val_metrics[0], patience=epochs + 1)]
    if begin is not None:
        begin()
    estimator.fit(train_data, val_data, epochs=epochs, event_handlers=handlers)
    return _digest(estimator, handlers, table)


def _digest(estimator, handlers, table):
    with open(table) as file:
        rows = [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(file)]
    state = rng.state()
    parts = {
        "parameters": [p.data().asnumpy().tobytes() for p in estimator.net.collect_params().values()],
        "optimizer": estimator.trainer._updaters[0].get_states(dump_optimizer=True),
        "metrics": [metric.get() for metric in estimator.train_metrics + estimator.val_metrics],
        "table": rows, "early stopping": [handlers[2].best, handlers[2].wait],
        "random numbers": [state["python"], state["numpy"]["state"]["pos"], state["numpy"]["state"]["key"].tobytes(),
                           mx.nd.random.uniform(shape=(4,)).asnumpy().tobytes()],
    }
    return {name: hashlib.sha256(repr(part).encode()).hexdigest()[:16] for name, part in parts.items()}


if __name__ == "__main__":
    path, loaders, compiled, again = sys.argv[1], *map(int, sys.argv[2:])
    try:
        found = train(path, loaders, bool(compiled), bool(again), begin=lambda: print("begins", flush=True))
    except KeyboardInterrupt:
        sys.exit(130)
    print(json.dumps(found), flush=True)
