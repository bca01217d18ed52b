"""Connectionist temporal classification: the loss for a label sequence whose alignment with the data is unknown.

Source: Graves, Fernández, Gomez and Schmidhuber, ICML 2006. All probabilities are logarithms, and the only loop is over
time.
"""

from typing import Literal, NamedTuple

import numpy as np

from ...base import ArgumentError, MXNetError
from ..numeric import integers_of
from ..op import Op
from ..registry import register
from .softmax import log_normalized

__all__ = ["CTCLoss"]


class Paths(NamedTuple):
    """The labels with blanks around them, S = 2 L + 1 positions for each of N items."""

    places: np.ndarray          # (N, S) the class at each position
    skips: np.ndarray           # (N, S) whether a path may skip the blank before this position
    ends: np.ndarray            # (N, S) whether a path may end at this position
    emits: np.ndarray           # (T, N, S) log-probability of the position's class at each time step
    frames: np.ndarray          # (N,) number of frames in each item


class _CTC(Op):
    """The attributes of `CTCLoss`, and the sums over paths in both directions.

    use_data_lengths: if True, data_lengths gives the number of frames of each item, at most T.
    use_label_lengths: if True, label_lengths gives the number of labels of each item, at most L, regardless of the
    padding.
    blank_label: the class of the blank. first: 0, and label is padded with 0; last: classes - 1, and label is padded
    with -1.
    """

    use_data_lengths: bool = False
    use_label_lengths: bool = False
    blank_label: Literal["first", "last"] = "first"

    def paths(self, data, label, lengths):
        """Returns (log-probabilities (T, N, C), Paths). lengths: the inputs that the attributes require."""
        log = log_normalized(data.astype(np.promote_types(data.dtype, np.float32), copy=False), 2)
        lengths = list(lengths)
        count, batch, classes = data.shape
        frames = np.full(batch, count)
        if self.use_data_lengths:
            frames = self.within("data_lengths", lengths.pop(0), 1, count)
        blank = 0 if self.blank_label == "first" else classes - 1
        filled = self.filled(label, lengths)
        places = np.full((batch, 2 * label.shape[1] + 1), blank)
        inside = np.arange(label.shape[1]) < filled[:, None]
        places[:, 1::2] = np.where(inside, np.clip(integers_of(label), 0, classes - 1), blank)
        skips = np.zeros(places.shape, bool)
        skips[:, 2:] = (places[:, 2:] != blank) & (places[:, 2:] != places[:, :-2])
        last = 2 * filled[:, None]
        at = np.arange(places.shape[1])
        ends = (at == last) | (at == last - 1)
        emits = np.take_along_axis(log, np.broadcast_to(places, (count, *places.shape)), axis=2)
        return log, Paths(places, skips, ends, emits, frames)

    def filled(self, label, lengths):
        """Returns (N,), the number of labels in each item. lengths: label_lengths, if used."""
        if self.use_label_lengths:
            return self.within("label_lengths", lengths[-1], 0, label.shape[1])
        padding = 0 if self.blank_label == "first" else -1
        return np.cumprod(label != padding, axis=1).sum(1).astype(int)

    def within(self, name, lengths, least, most):
        """Returns lengths as integers. Raises ArgumentError for a length outside the bounds."""
        if not ((lengths >= least) & (lengths <= most)).all():
            raise ArgumentError(f"{self.name}: {name} must lie between {least} and {most}, found {lengths.tolist()}")
        return lengths.astype(int)

    @staticmethod
    def forward_sums(paths):
        """Returns alpha (T, N, S): the log-probability that a path prefix reaches each position at each time."""
        alpha = np.full_like(paths.emits, -np.inf)
        alpha[0, :, :2] = paths.emits[0, :, :2]
        for t in range(1, len(alpha)):
            before, here = alpha[t - 1], alpha[t]
            here[:] = before
            here[:, 1:] = np.logaddexp(here[:, 1:], before[:, :-1])
            here[:, 2:] = np.where(paths.skips[:, 2:], np.logaddexp(here[:, 2:], before[:, :-2]), here[:, 2:])
            here += paths.emits[t]
        return alpha

    @staticmethod
    def backward_sums(paths):
        """Returns beta (T, N, S): the log-probability that a path continues from each position at each time to its end.
        """
        beta = np.full_like(paths.emits, -np.inf)
        ends = np.where(paths.ends, 0, -np.inf)
        for t in reversed(range(len(beta))):
            here = beta[t]
            if t + 1 < len(beta):
                after = beta[t + 1] + paths.emits[t + 1]
                here[:] = after
                here[:, :-1] = np.logaddexp(here[:, :-1], after[:, 1:])
                jumped = np.logaddexp(here[:, :-2], after[:, 2:])
                here[:, :-2] = np.where(paths.skips[:, 2:], jumped, here[:, :-2])
            here[:] = np.where((t == paths.frames - 1)[:, None], ends, here)
        return beta

    @staticmethod
    def losses(alpha, paths):
        """Returns (N,): -log of the total probability of all paths; inf if there are too few frames for the labels."""
        final = alpha[paths.frames - 1, np.arange(len(paths.frames))]
        return -np.logaddexp.reduce(np.where(paths.ends, final, -np.inf), axis=1)


@register("data", "label", "data_lengths", "label_lengths",
          aliases=["ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss"])
class CTCLoss(_CTC):
    """-log of the total probability of all alignments of data with label.

    data (T, N, classes), not yet normalized | label (N, L), T ≥ L | data_lengths, label_lengths (N,), if used
    out (N,)

    A label sequence that does not fit in its frames has loss 0 and no gradient, as in MXNet, so that the sum over a
    batch with such an item stays finite.

    Raises ArgumentError for lengths beyond T or L.
    Source: Graves, Fernández, Gomez and Schmidhuber, ICML 2006.

    Three of the four paths through two frames produce the label: 1 1, blank 1 and 1 blank.

    >>> print(nd.CTCLoss(nd.zeros((2, 1, 2)), nd.array([[1]])).asnumpy().round(3), -np.log(3 / 4).round(3))
    [0.288] 0.288
    """

    keeps = ("inputs",)
    output_names = ("output0",)         # in MXNet the gradient is a second output, which is hidden

    def list_arguments(self):
        used = {"data_lengths": self.use_data_lengths, "label_lengths": self.use_label_lengths}
        return tuple(name for name in self.arguments if used.get(name, True))

    def infer_shape(self, data, label, *lengths):
        self.require_rank("data", data, 3)
        self.require_rank("label", label, 2)
        if data is not None and (data[0] == 0 or data[2] == 0):
            raise self.shape_clash(f"data {data} must have at least one frame and one class", "data")
        batch = (None,)
        if data is not None:
            batch = data[1:2]
        if label is not None:
            batch = self.require("label", label[:1], batch)
            label = batch + label[1:]
        if data is not None and label is not None and None not in (data[0], label[1]) and label[1] > data[0]:
            raise self.shape_clash(f"label {label} is longer than data {data}: {label[1]} labels in {data[0]} frames",
                                   "label")
        lengths = [self.require(name, shape, batch)
                   for name, shape in zip(self.list_arguments()[2:], lengths, strict=True)]
        return [data, label, *lengths], [batch]

    def infer_dtype(self, data, *rest):
        return [data, *rest], [data]

    def index_ranges(self, data, label, *lengths):
        return {"label": (0, data[2] - 1) if self.blank_label == "first" else (-1, data[2] - 2)}

    def fillings(self, data, label, *lengths):
        return {"label": np.arange(label.shape[1]) >= self.filled(label, lengths)[:, None]}

    def forward(self, data, label, *lengths):
        _, paths = self.paths(data, label, lengths)
        losses = self.losses(self.forward_sums(paths), paths)
        return np.where(np.isposinf(losses), 0, losses).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        grad = F._ctc_loss_grad(out_grads[0], *inputs, **self.attributes)
        return [grad] + [None] * (len(inputs) - 1)


@register("grad", "data", "label", "data_lengths", "label_lengths")
class _ctc_loss_grad(_CTC):
    """grad · (softmax(data) - the share of the paths that emit a class at each time); 0 after an item's last frame."""

    keeps = ()

    def list_arguments(self):
        used = {"data_lengths": self.use_data_lengths, "label_lengths": self.use_label_lengths}
        return tuple(name for name in self.arguments if used.get(name, True))

    def infer_shape(self, grad, *shapes):
        shapes, (losses,) = CTCLoss(**self.attributes).infer_shape(*shapes)
        return [self.require("grad", grad, losses), *shapes], [shapes[0]]

    def infer_dtype(self, grad, data, *rest):
        data = self.require_dtype("grad", grad, data)
        return [data, data, *rest], [data]

    def forward(self, grad, data, label, *lengths):
        log, paths = self.paths(data, label, lengths)
        alpha, beta = self.forward_sums(paths), self.backward_sums(paths)
        losses = self.losses(alpha, paths)
        fits = np.isfinite(losses)
        shares = np.exp(alpha + beta + np.where(fits, losses, 0)[:, None])
        out = np.exp(log)
        for place in range(shares.shape[2]):        # several positions may have the same class
            np.subtract.at(out, (slice(None), np.arange(len(fits)), paths.places[:, place]), shares[:, :, place])
        counts = (np.arange(len(out))[:, None] < paths.frames) & fits
        return np.where(counts[:, :, None], out * grad[:, None], 0).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        raise MXNetError("CTCLoss: its gradient cannot be differentiated again. Call backward, or grad without "
                         "create_graph=True, for what depends on a CTCLoss.")
