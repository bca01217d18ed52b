"""CTCLoss and its gradient: softmax, then sums over paths frame by frame, in both directions for the gradient."""


from minigluon.backend import Spec

from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, size
from ..reductions import ctype, transform, wide
from ..registry import kernel_for
from ..transfers import download

SOFTMAX_SOURCE = SourceFile("nn/softmax.cu")
SOURCE = SourceFile("nn/ctc.cu")
LOG, ALPHA, LOSSES, BETA = (Scratch(k) for k in range(4))


class _Paths:
    """The launches shared by CTCLoss and its gradient. first: the index of the input `data`."""

    def __init__(self, op, inputs, device, first):
        self.op, self.device = op, device
        self.data, label, *lengths = inputs[first:]
        self.frames, self.batch, self.classes = self.data.shape
        self.places, self.among = 2 * label.shape[1] + 1, wide(self.data.dtype)
        by_name = {name: (In(first + 2 + k), spec) for k, (name, spec) in enumerate(
            zip(op.list_arguments()[first + 2:], lengths, strict=True))}
        frames, counts = (by_name.get(name) for name in ("data_lengths", "label_lengths"))
        starts = op.blank_label == "first"
        sizes = dims([self.frames, self.batch, self.classes, label.shape[1], 0 if starts else self.classes - 1,
                      0 if starts else -1, frames is not None, counts is not None])
        self.defines = {"T": ctype(self.data.dtype), "A": ctype(self.among), "LABEL": ctype(label.dtype),
                        "LENGTH": ctype(frames[1].dtype) if frames else "float",
                        "COUNT": ctype(counts[1].dtype) if counts else "float"}
        some = In(first + 1)                        # an address for an absent array, which is not read
        self.arguments = [LOG, In(first + 1), frames[0] if frames else some, counts[0] if counts else some, sizes]
        self.before = [self.check(name, *operand, *limits) for name, operand, limits in (
            ("data_lengths", frames, (1, self.frames)), ("label_lengths", counts, (0, label.shape[1]))) if operand]
        normalize = {"T": self.defines["T"], "TO": self.defines["A"], "A": self.defines["A"], "LENGTH": "float"}
        lines = self.frames * self.batch, self.classes, 1
        self.before.append(transform(SOFTMAX_SOURCE, "softmax", normalize, lines, [In(first), LOG, 1.0, 1]))
        self.before.append(self.launch("beginnings", [*self.arguments, ALPHA, LOSSES]))

    def launch(self, function, arguments, count=None):
        """Returns a launch with one block for each sequence, or with a given number of threads."""
        threads = THREADS if count is not None else min(THREADS, -(-self.places // 32) * 32)
        grid = blocks(self.batch, 1) if count is None else blocks(count)
        return Launch(SOURCE, function, self.defines, grid, threads, arguments)

    def check(self, name, operand, spec, least, most):
        """Returns the check that raises ArgumentError, on the host, for a length outside the two bounds."""
        def within(stream, pointers):
            self.op.within(name, download(self.device, stream, pointers[0], spec), least, most)
        return Enqueue(f"{self.op.name}: {name}", within, [operand], replayable=False)

    @property
    def scratch(self):
        paths = Spec((self.batch, self.frames, self.places), self.among)
        return [Spec(self.data.shape, self.among), paths, Spec((self.batch,), self.among), paths]


@kernel_for("CTCLoss")
def ctc_loss(op, inputs, outputs, device):
    if not size(outputs[0]):
        return Work()
    paths = _Paths(op, inputs, device, 0)
    return Work(*paths.before, paths.launch("rounded_losses", [LOSSES, Out(0), paths.batch], paths.batch),
                scratch=paths.scratch[:3])


@kernel_for("_ctc_loss_grad")
def ctc_loss_grad(op, inputs, outputs, device):
    n = size(outputs[0])
    if not n:
        return Work()
    paths = _Paths(op, inputs, device, 1)
    return Work(*paths.before, paths.launch("endings", [*paths.arguments, BETA]),
                paths.launch("path_gradient", [*paths.arguments, ALPHA, BETA, LOSSES, In(0), Out(0), n], n),
                scratch=paths.scratch)
