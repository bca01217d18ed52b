"""The training loop of `minigluon train`: gradient descent that can be stopped by Ctrl-C between any two batches."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from ... import autograd, gluon
from ... import ndarray as nd
from ...base import MXNetError
from ...common import generators as rng
from ...gluon.resume import Interrupts, Pass

if TYPE_CHECKING:
    from ...context import Context
    from ...gluon.block import Block
    from ...gluon.data.dataloader import DataLoader
    from ...gluon.loss.classification import SoftmaxCrossEntropyLoss
    from ...gluon.trainer import Trainer

__all__ = ["History", "Training", "batches_of", "predict"]

TOLD = "Ctrl-C: will save and stop after this batch. Press it twice more to stop at once."


class History:
    """The record of a training run: the loss of each batch, and the accuracies after each epoch."""

    def __init__(self):
        self.losses: list[Any] = []            # the losses of the batches
        self.epoch_ends: list[Any] = []        # the number of batches up to the end of each epoch
        self.train_accuracy: list[Any] = []
        self.test_accuracy: list[Any] = []


class Training:
    """Stochastic gradient descent on the cross-entropy, and everything that its checkpoints contain.

    settings: see train_options. checkpoints: where to save. board: a TensorBoardHandler, or None.
    store: a KVStore. Because their seeds are equal, several processes see the same batches, and each process takes a
    part.
    """

    ctx: Context
    images: Any
    net: Block
    settings: Any
    board: Any
    checkpoints: Any
    store: Any
    history: History
    epoch: int
    right: int
    seen: int
    total: float

    def __init__(self, net: Block, images: Any, ctx: Context, settings: Any, store: Any, checkpoints: Any,
                 board: Any = None):
        self.net, self.images, self.ctx, self.settings = net, images, ctx, settings
        self.store, self.checkpoints, self.board = store, checkpoints, board
        self.loss_fn: SoftmaxCrossEntropyLoss = gluon.loss.SoftmaxCrossEntropyLoss()
        self.trainer: Trainer = gluon.Trainer(
            net.collect_params(), "sgd", {"learning_rate": settings.lr, "momentum": settings.momentum},
            kvstore=store if store.num_workers > 1 else "device")
        self.batches: Pass = Pass(batches_of(images, settings))
        self.history, self.epoch = History(), 0
        self.total, self.right, self.seen = 0.0, 0, 0       # sums over this epoch: loss, correct images, all images

    def run(self) -> None:
        """Train all epochs. After Ctrl-C, save a checkpoint and raise KeyboardInterrupt."""
        alone = self.store.num_workers == 1         # otherwise, several processes would stop at different batches
        with Interrupts(TOLD, heard=alone) as interrupts:
            while self.epoch < self.settings.epochs:
                self._train_epoch(interrupts)
                self._save_if(True, interrupts)

    # -- an epoch ---------------------------------------------------------------------------------------------------

    def _train_epoch(self, interrupts):
        start, seen_before = time.perf_counter(), self.seen
        self.trainer.set_learning_rate(self._rate())
        # disable=None: no progress bar if the output is not a terminal.
        with tqdm(total=len(self.images.y_train), desc=f"epoch {self.epoch + 1}/{self.settings.epochs}", leave=False,
                  unit=" samples", disable=True if self.store.rank else None, dynamic_ncols=True,
                  initial=self.seen) as bar:
            for x, y in self.batches:
                self._step(x.as_in_context(self.ctx), y.as_in_context(self.ctx))
                bar.set_postfix_str(f"loss {self.total / self.seen:.4f}, accuracy {self.right / self.seen:.2%}",
                                    refresh=False)
                bar.update(len(y))
                self._save_if(False, interrupts)
        seconds = time.perf_counter() - start
        self._end_epoch(self.batches.batches, seconds, (self.seen - seen_before) / seconds)

    def _rate(self):
        """Return the learning rate of this epoch."""
        part = 1 - self.epoch / self.settings.epochs if self.settings.decay else 1
        return self.settings.lr * part

    def _step(self, x, y):
        """Run one step of gradient descent."""
        size = len(y)
        if self.store.num_workers > 1:
            begin, end = (size * rank // self.store.num_workers for rank in (self.store.rank, self.store.rank + 1))
            x, y = x[begin:end], y[begin:end]
        with autograd.record():
            output = self.net(x)
            loss = self.loss_fn(output, y)
        loss.backward()
        self.trainer.step(size)
        self.total += (of_batch := float(loss.asnumpy().sum()))
        self.right += int((output.asnumpy().argmax(1) == y.asnumpy()).sum())
        self.seen += size
        self.history.losses.append(of_batch / size)

    def _end_epoch(self, batches, seconds, speed):
        """Evaluate, and print the results."""
        self.batches.end()
        history, store = self.history, self.store
        total, right = _over_processes(store, [self.total, self.right])
        history.losses[-batches:] = _over_processes(store, history.losses[-batches:])
        count, self.total, self.right, self.seen = self.seen, 0.0, 0, 0
        self.epoch += 1
        _require_finite(total, self.epoch, self.settings.lr)
        if store.rank > 0:
            return
        probabilities = predict(self.net, self.images.x_test, self.ctx)
        history.epoch_ends.append(len(history.losses))
        history.train_accuracy.append(right / count)
        history.test_accuracy.append(float((probabilities.argmax(1) == self.images.y_test).mean()))
        recent = history.losses[-max(1, batches // 4):]
        if self.epoch == 1 and sum(recent) / len(recent) > 0.9 * math.log(len(self.images.names)):
            print("the loss is still at the level of guessing: if it does not fall soon, try "
                  f"--lr {self.settings.lr / 5:g} or another --seed")
        print(f"epoch {self.epoch}/{self.settings.epochs}: loss {total / count:.4f}, accuracy {right / count:.2%}, "
              f"test accuracy {history.test_accuracy[-1]:.2%}, {seconds:.1f} s, {speed:,.0f} samples/s", flush=True)
        if self.board is not None:
            self.board.write(self.epoch, {"loss": total / count, "accuracy": right / count,
                                          "test accuracy": history.test_accuracy[-1]})

    # -- checkpoints ------------------------------------------------------------------------------------------------

    def _save_if(self, due, interrupts):
        """Save after an epoch, and after Ctrl-C, which is handled here."""
        if self.store.rank == 0 and (due or interrupts.asked):
            with interrupts.shielded():
                self.checkpoints.save(self.net, self.trainer, self.epoch, self.batches.batches, self._state())
        if interrupts.asked:
            interrupts.ignore()         # the process is about to end, and another Ctrl-C must not change how it ends
            raise KeyboardInterrupt

    def _state(self):
        return {"settings": vars(self.settings), "epoch": self.epoch, "sums": [self.total, self.right, self.seen],
                "history": vars(self.history), "pass": self.batches.state(), "random": rng.state()}

    def take_up(self, checkpoint: Any) -> None:
        """Continue from a checkpoint."""
        checkpoint.load(self.net, self.trainer, self.ctx)
        state = checkpoint.state
        self.epoch, (self.total, self.right, self.seen) = state["epoch"], state["sums"]
        vars(self.history).update(state["history"])
        self.batches.restore(state["pass"])
        rng.restore(state["random"])


def batches_of(images: Any, settings: Any) -> DataLoader:
    """Return the DataLoader of the training images."""
    return gluon.data.DataLoader(gluon.data.ArrayDataset(images.x_train, images.y_train), settings.batch_size,
                                 shuffle=True, num_workers=settings.workers)


def predict(net: Block, x: Any, ctx: Context, batch_size: int = 256) -> np.ndarray[Any, Any]:
    """Return the probabilities (N, classes) of images (N, C, H, W)."""
    parts = [nd.softmax(net(nd.array(x[i:i + batch_size], ctx=ctx))).asnumpy() for i in range(0, len(x), batch_size)]
    return np.concatenate(parts)


def _over_processes(store, numbers):
    """Return the sums of these numbers over all processes."""
    if store.num_workers == 1:
        return numbers
    sums = nd.array(numbers, dtype="float64")
    store.pushpull(0, sums)
    return sums.asnumpy().tolist()


def _require_finite(loss, epoch, rate):
    if not np.isfinite(loss):
        raise MXNetError(f"the loss is {loss} after epoch {epoch}: training diverged. Try a learning rate below "
                         f"{rate:g}, for example --lr {rate / 5:g}")
