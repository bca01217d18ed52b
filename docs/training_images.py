"""The images of reverse mode, a training step, data, and multiple devices. `make_images.py` draws them."""

import pickle

import numpy as np
from drawing import Drawing

from minigluon import autograd, cpu, gluon, nd, tape
from minigluon.gluon import data, nn
from minigluon.gluon.data.transport import pack

__all__ = ["IMAGES"]


# -- chapter 2: two orders of one product -----------------------------------------------------------------------------

def reverse_mode():
    """Draw three Jacobians to scale, multiplied from the inputs and from the output, with the cost of each product."""
    sizes = 400, 300, 200, 1
    jacobians = [np.zeros((rows, columns)) for columns, rows in zip(sizes, sizes[1:])]
    drawing = Drawing(1000, 640, "The Jacobian of three maps, multiplied out from either end")
    drawing.text(30, 36, "y = f₃(f₂(f₁(x))): a product of three Jacobians, drawn to scale", 15, bold=True)
    left, middle, right = 190, 470, 750

    def matrix(x, y, array, kind, title, below):
        height, width = (max(n * 0.3, 4) for n in array.shape)
        drawing.box(x, y, width, height, kind, radius=2)
        drawing.text(x, y - 10, f"{title}  {array.shape}", 13, kind, bold=True)
        drawing.text(x, y + height + 18, below, 12, "muted")

    for x, jacobian, number in zip((left, middle, right), jacobians, "₁₂₃"):
        matrix(x, 90, jacobian, "base", f"J{number}", "")
    drawing.text(30, 110, "the parts", 13, bold=True)

    drawing.text(30, 250, "from the inputs", 13, "gluon", bold=True)
    drawing.text(30, 272, "400 columns\nare carried along", 12, "muted")
    product, spent = jacobians[0], 0
    matrix(left, 250, product, "gluon", "J₁", "")
    for x, before, jacobian, title in ((middle, left, jacobians[1], "J₂J₁"), (right, middle, jacobians[2], "J₃J₂J₁")):
        cost = jacobian.shape[0] * jacobian.shape[1] * product.shape[1]
        drawing.arrow(before + product.shape[1] * 0.3 + 10, 254, x - 12, 254, "gluon")
        product, spent = jacobian @ product, spent + cost
        matrix(x, 250, product, "gluon", title, f"{cost:,} multiplications")
    drawing.text(right, 350, f"{spent:,} in total", 15, "gluon", bold=True)

    drawing.text(30, 450, "from the output", 13, "tape", bold=True)
    drawing.text(30, 472, "one row is\ncarried back", 12, "muted")
    product, spent = jacobians[2], 0
    matrix(right, 450, product, "tape", "J₃", "")
    for x, before, jacobian, title in ((middle, right, jacobians[1], "J₃J₂"), (left, middle, jacobians[0], "J₃J₂J₁")):
        cost = product.shape[0] * product.shape[1] * jacobian.shape[1]
        product, spent = product @ jacobian, spent + cost
        drawing.arrow(before - 12, 452, x + product.shape[1] * 0.3 + 12, 452, "tape")
        matrix(x, 450, product, "tape", title, f"{cost:,} multiplications")
    drawing.text(left, 520, f"{spent:,} in total", 15, "tape", bold=True)

    value = sum(jacobian.size for jacobian in jacobians)
    drawing.text(30, 590, f"Computing y itself takes {value:,} multiplications.", 13)
    drawing.text(30, 614, "The row that is carried back is the gradient that arrives at each function's result.", 13)
    return drawing


# -- chapter 5: what is read and written when -------------------------------------------------------------------------

PHASES = "record(): loss_fn(net(x), y)", "losses.backward()", "trainer.step(n)"
READ = [                # what each phase reads; what it writes is observed during a step
    ("batch x, y", "array", (1, 1, 0)),
    ("Parameter.data()", "gluon", (1, 1, 1)),
    ("the tape: kept values", "tape", (0, 1, 0)),
    ("losses", "array", (0, 1, 0)),
    ("Parameter.grad()", "gluon", (0, 0, 1)),
    ("fresh?", "tape", (0, 0, 1)),
    ("states (momentum)", "backend", (0, 0, 1)),
    ("rescale_grad, num_update", "backend", (0, 0, 1)),
]


def observed_step():
    """Return [{row: text}] before a step and after each of its phases."""
    net = nn.Dense(1, in_units=2, prefix="line_")
    net.initialize("ones")
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    x, y = nd.array([[1, 2], [3, 4]]), nd.array([1, 2])
    entry, losses = None, None

    def now():
        kept = [e for e in tape._newest_first([entry]) if isinstance(e, tape.Entry)] if entry else []
        values = sum(len(e.inputs) + len(e.outputs) for e in kept)
        state = trainer._updaters[0].states.get(1)
        optimizer = trainer.optimizer
        return [str(x.asnumpy().ravel()), str(net.weight.data().asnumpy().round(2)[0]),
                f"{values} arrays" if values else "nothing",
                "-" if losses is None else str(losses.asnumpy()), str(net.weight.grad().asnumpy()[0]),
                "fresh" if net.weight.data().entry.fresh else "stale",
                "none yet" if state is None else str(state.asnumpy().round(2)[0]),
                f"{optimizer.rescale_grad:g}, {optimizer.num_update}"]

    seen = [now()]
    with autograd.record():
        losses = gluon.loss.L2Loss()(net(x), y)
    entry = losses.entry
    seen.append(now())
    losses.backward()
    seen.append(now())
    trainer.step(2)
    return [*seen, now()]


def training_step():
    """Draw a table with a row for each array and a column for each phase. New values are framed."""
    seen = observed_step()
    drawing = Drawing(1130, 0, "A training step: what each phase reads and writes")
    left, width, top, line = 250, 290, 84, 62
    drawing.text(30, 36, "one training step of a layer with two inputs and a batch of two", 15, bold=True)
    for column, phase in enumerate(PHASES):
        drawing.text(left + column * width, 70, phase, 13, bold=True)
    for row, (name, kind, reads) in enumerate(READ):
        y = top + row * line
        drawing.text(30, y + 22, name, 13, kind, bold=True)
        drawing.text(30, y + 42, f"before: {seen[0][row]}", 12, "muted")
        for column, is_read in enumerate(reads):
            x, before, after = left + column * width, seen[column][row], seen[column + 1][row]
            if before != after:
                done = ("released" if after == "nothing" else
                        "created" if before in ("-", "none yet", "nothing") else "written")
                drawing.labelled(x, y, width - 20, kind, f"read, {done}" if is_read else done, after, size=12)
            elif is_read:
                drawing.box(x, y, width - 20, 50, "base", dashed=True)
                drawing.text(x + 10, y + 30, "read", 12, "muted")
    drawing.height = top + len(READ) * line + 14
    return drawing


# -- chapter 6: the path of a batch -----------------------------------------------------------------------------------

def way_of_a_batch():
    """Draw the steps from a list of indices to a batch, in a worker process, with the bytes that go through the
    pipe."""
    samples = data.ArrayDataset(np.zeros((64, 3, 32, 32), "float32"), np.zeros(64, "float32"))
    indices = list(data.BatchSampler(data.SequentialSampler(64), 32))[1]
    task = pickle.dumps((1, 20_011, indices))
    batch = data.batchify.default_batchify_fn([samples[i] for i in indices])
    sizes, _, *buffers = pack((True, batch, ""))
    shapes = "  ".join(str(x.shape) for x in batch)
    moved = " + ".join(f"{len(buffer):,}" for buffer in buffers)

    drawing = Drawing(1120, 560, "The path of a batch through a worker process")
    for x, width, title in ((20, 510, "your program: DataLoader(dataset, 32, num_workers=2)"),
                            (640, 460, "a worker process: it has the dataset, and no tape")):
        drawing.box(x, 20, width, 520, "base", dashed=True)
        drawing.text(x + 16, 46, title, 13, bold=True)
    left, right = 40, 660
    drawing.labelled(left, 66, 290, "gluon", "BatchSampler", f"[{indices[0]}, {indices[1]}, ..., {indices[-1]}]")
    drawing.labelled(left, 150, 290, "gluon", "task: number, seed, indices", f"pickled, {len(task)} bytes")
    drawing.labelled(left, 242, 200, "base", "thread of worker 1", "waits for a task")
    drawing.labelled(left + 230, 242, 200, "base", "thread of worker 0", "one for each worker")
    drawing.arrow(left + 100, 116, left + 100, 150)
    drawing.path(f"M {left + 140} 200 L {left + 140} 221 L {left + 280} 221 L {left + 280} 242")
    drawing.path(f"M {left + 370} 242 L {left + 370} 90 L {right} 90", "gluon")
    drawing.text(545, 80, "pipe", 12, "gluon", bold=True)

    steps = [("ops", "dataset[i] for each index", "transforms; generators seeded before"),
             ("ops", "batchify_fn(samples)", f"copy 1: {shapes}"),
             ("backend", "pack", f"sizes {len(sizes)} bytes, a short pickle,\narrays {moved} bytes")]
    y = 66
    for number, (kind, title, lines) in enumerate(steps):
        height = drawing.labelled(right, y, 420, kind, title, lines)
        if number < len(steps) - 1:
            drawing.arrow(right + 60, y + height, right + 60, y + height + 40)
        y += height + 40
    drawing.path(f"M {right + 60} {y - 40} L {right + 60} 388 L {left + 420} 388", "backend")
    drawing.text(545, 378, "pipe", 12, "backend", bold=True)
    drawing.text(right + 76, 382, "copy 2: the arrays' bytes into the pipe", 12, "muted")

    drawing.labelled(left, 358, 420, "backend", "receive", "copy 3: from the pipe into memory for the arrays")
    drawing.arrow(left + 330, 292, left + 330, 358, dashed=True)
    drawing.labelled(left, 450, 420, "array", "Future of batch 1: [data, label]",
                     f"{shapes}\ntaken in the order of the tasks")
    drawing.arrow(left + 100, 408, left + 100, 450)
    drawing.text(right + 16, 470, "An error in the dataset comes back in place of\na batch. If the process ends, the "
                 "pipe ends,\nand the thread raises an error that says how.", 12, "muted")
    return drawing


# -- chapter 13: sums over devices and machines -----------------------------------------------------------------------

def sums_over_devices():
    """Draw a batch of eight on two machines with two devices each: every gradient, and the two sums."""
    x, y, devices = nd.array([[1], [2], [3], [4], [5], [6], [7], [8]]), nd.ones((8, 1)), [cpu(0), cpu(1)]
    net = nn.Dense(1, in_units=1, use_bias=False, prefix="line_")
    net.initialize("ones", ctx=devices)
    found = []                      # the gradients of each rank's devices
    for rank in range(2):
        xs, ys = (gluon.utils.split_and_load(values[4 * rank:4 * rank + 4], devices) for values in (x, y))
        with autograd.record():
            losses = [gluon.loss.L2Loss()(net(part), label) for part, label in zip(xs, ys, strict=True)]
        autograd.backward(losses)
        found.append([(part.asnumpy().ravel(), grad.asscalar())
                      for part, grad in zip(xs, net.weight.list_grad(), strict=True)])
    sums = [sum(grad for _, grad in of_rank) for of_rank in found]

    drawing = Drawing(1080, 530, "Where gradients are summed: over devices, then over machines")
    for rank, (of_rank, total) in enumerate(zip(found, sums, strict=True)):
        left = 20 + rank * 530
        drawing.box(left, 20, 510, 490, "base", dashed=True)
        drawing.text(left + 16, 46, f"rank {rank}", 14, bold=True)
        for number, (part, grad) in enumerate(of_rank):
            x0 = left + 16 + number * 246
            drawing.labelled(x0, 62, 232, "array", f"cpu({number}): its part", f"{part}\nw = 1")
            drawing.labelled(x0, 158, 232, "tape", "backward", f"gradient {grad:g}")
            drawing.arrow(x0 + 60, 132, x0 + 60, 158)
            drawing.arrow(x0 + 116, 208, x0 + 116, 250, "backend")
            drawing.arrow(x0 + 116, 386, x0 + 116, 426, "backend")
            drawing.labelled(x0, 426, 232, "gluon", f"cpu({number}): the same step",
                             f"gradient {sum(sums):g}, rescaled by 1/8\nw = {1 - 0.01 * sum(sums) / 8:g}")
        drawing.labelled(left + 16, 250, 478, "backend", "store: sum over the devices",
                         f"{' + '.join(f'{grad:g}' for _, grad in of_rank)} = {total:g}")
        drawing.arrow(left + 255, 300, left + 255, 336, "backend")
    drawing.labelled(36, 336, 1008, "symbol", "all-reduce over the ranks, one message for all arrays",
                     f"{' + '.join(f'{total:g}' for total in sums)} = {sum(sums):g}")
    return drawing


LAYERS = [("output", 20, 1), ("dense 2", 60, 16), ("dense 1", 60, 7)]       # name, ms of backward, MB of gradients
MILLISECONDS_PER_MB = 8                                                     # 1 Gbit/s


def overlapped_step():
    """Draw the end of a step in which gradients are sent after backward, and of one in which they are sent during it.

    The times are computed from LAYERS; the buckets are those of the store, of at least 1 MB and 8 MB.
    """
    drawing = Drawing(1080, 400, "When gradients travel: after backward, or while it continues")
    scale, left = 2.55, 120
    computed = [sum(ms for _, ms, _ in LAYERS[:number + 1]) for number in range(len(LAYERS))]
    for row, (title, starts) in enumerate([("gradients are sent after backward", [computed[-1]] * len(LAYERS)),
                                           ("gradients are sent while backward continues", computed)]):
        top = 20 + row * 190
        drawing.text(20, top + 16, title, 15, bold=True)
        drawing.text(20, top + 62, "backward", 13, "tape", bold=True)
        drawing.text(20, top + 112, "network", 13, "symbol", bold=True)
        drawing.text(20, top + 162, "step", 13, "gluon", bold=True)
        end = 0
        for (name, duration, size), done, start in zip(LAYERS, computed, starts, strict=True):
            begin = max(start, end)
            end = begin + size * MILLISECONDS_PER_MB
            at = left + (done - duration) * scale
            drawing.box(at, top + 38, duration * scale - 2, 38, "tape", radius=4)
            if duration > 30:
                drawing.text(at + 8, top + 62, name, 12, "tape")
            drawing.box(left + begin * scale, top + 88, size * MILLISECONDS_PER_MB * scale - 2, 38, "symbol", radius=4)
            if size > 1:
                drawing.text(left + begin * scale + 8, top + 112, f"{name}: {size} MB", 12, "symbol")
            drawing.arrow(left + done * scale, top + 76, left + begin * scale + 4, top + 90)
        drawing.box(left + end * scale, top + 138, 46, 38, "gluon", radius=4)
        drawing.text(left + end * scale + 54, top + 162, f"after {end:g} ms", 12, "muted")
    return drawing


IMAGES = {"reverse-mode": reverse_mode, "training-step": training_step, "data": way_of_a_batch,
          "devices": sums_over_devices, "overlap": overlapped_step}
