"""Single operators on a GPU, minigluon's compared with PyTorch's: time, and GB/s if they are limited by memory.

    python benchmarks/gpu_operators.py [FILE.jsonl] [--only softmax pooling ...] [--seconds 60]
    MINIGLUON_GPU=emulate python benchmarks/gpu_operators.py --quick        tries out the script, on the CPU

Both libraries run the same table, OPERATORS, each in a separate process, one operator after another. Calls are made
without waiting, and the wait at the end counts; the time is that of one call, the shortest of several rounds. Operators
that move little memory for their work (products, convolutions, sorting) have no GB/s. PyTorch takes part if
MINIGLUON_TORCH_PYTHON names a Python that has it, or this one has it. Each result is immediately a line of FILE, and is
not measured again. Exits with 3 if --seconds were over before everything was done.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

BIG, QUICK = 2 ** 26, 2 ** 12       # elements of a large array
MORE = 3                            # the exit status if there is more to do
IMAGES, HEADS, WORDS = (64, 64, 112, 112), (8, 128, 12, 64), (64, 128)


class Row:
    """An operator in both libraries: `mx` and `torch` are expressions.

    inputs: {name: shape, or ("whole", shape, limit) for integers}. moved: the minimum of four-byte numbers read and
    written, from the inputs' sizes, or None if memory is not the limit. step: with the gradients of all inputs that are
    not integers.
    """

    def __init__(self, mx, torch, inputs, moved=None, step=False):
        self.mx, self.torch, self.inputs, self.moved, self.step = mx, torch, inputs, moved, step


def operators(big):
    """Return {name: Row}."""
    side = int(big ** 0.5)
    rows = max(big // 1024, 1)
    scale = 1 if big == BIG else 16
    images = tuple(max(n // scale, 2) for n in IMAGES)
    b, c, h, w = images
    heads = (max(b, 2), *HEADS[1:]) if scale == 1 else (2, 8, 2, 4)
    square = (side, side)
    one = {"x": square}
    conv = ("nd.Convolution(x, y, kernel=({0}, {0}), pad=({1}, {1}), num_group={2}, no_bias=True, "
            f"num_filter={c})")
    filtered, depthwise = {"x": (b, c, h // 2, w // 2), "y": (c, c, 3, 3)}, {"x": images, "y": (c, 1, 3, 3)}
    return {
        # elementwise
        "x + y": Row("x + y", "x + y", {"x": square, "y": square}, 3 * big),
        "exp": Row("nd.exp(x)", "x.exp()", one, 2 * big),
        "x += y": Row("x.__iadd__(y)", "x.add_(y)", {"x": square, "y": square}, 3 * big),
        "bias of channels": Row("nd.broadcast_add(x, y)", "x + y", {"x": images, "y": (1, c, 1, 1)}, 2 * b * c * h * w),
        "where": Row("nd.where(x > 0.5, x, y)", "torch.where(x > 0.5, x, y)", {"x": square, "y": square}, 3 * big),
        "cast to float16": Row("x.astype('float16')", "x.half()", one, 1.5 * big),
        "gelu step": Row("nd.LeakyReLU(x, act_type='gelu')", "F.gelu(x)", one, 5 * big, step=True),
        "a small addition": Row("x + y", "x + y", {"x": (64, 64), "y": (64, 64)}),
        # reductions
        "sum of all": Row("nd.sum(x)", "x.sum()", one, big),
        "sums of columns": Row("nd.sum(x, axis=0)", "x.sum(0)", one, big),
        "sums of rows": Row("nd.sum(x, axis=1)", "x.sum(1)", one, big),
        "sums of channels": Row("nd.sum(x, axis=(0, 2, 3))", "x.sum((0, 2, 3))", {"x": images}, b * c * h * w),
        "argmax of rows": Row("nd.argmax(x, axis=1)", "x.argmax(1)", one, big),
        "norm": Row("nd.norm(x)", "x.norm()", one, big),
        "cumsum": Row("nd.cumsum(x, axis=1)", "x.cumsum(1)", one, 2 * big),
        # lines that are read and written
        "softmax of 1024": Row("nd.softmax(x)", "x.softmax(-1)", {"x": (rows, 1024)}, 2 * big),
        "softmax of 128": Row("nd.softmax(x)", "x.softmax(-1)", {"x": (rows * 8, 128)}, 2 * big),
        "log_softmax of 32768": Row("nd.log_softmax(x)", "x.log_softmax(-1)", {"x": (max(rows // 32, 1), 32768)},
                                    2 * big),
        "softmax step": Row("nd.softmax(x)", "x.softmax(-1)", {"x": (rows, 1024)}, 5 * big, step=True),
        "LayerNorm": Row("nd.LayerNorm(x, y, z)", "F.layer_norm(x, (1024,), y, z)",
                         {"x": (rows, 1024), "y": (1024,), "z": (1024,)}, 2 * big),
        "LayerNorm step": Row("nd.LayerNorm(x, y, z)", "F.layer_norm(x, (1024,), y, z)",
                              {"x": (rows, 1024), "y": (1024,), "z": (1024,)}, 5 * big, step=True),
        "BatchNorm step": Row("nd.BatchNorm(x, y, z, nd.zeros_like(y), nd.ones_like(y), fix_gamma=False)",
                              "F.batch_norm(x, None, None, y, z, training=True)", {"x": images, "y": (c,), "z": (c,)},
                              6 * b * c * h * w, step=True),
        # windows
        "max pooling 3 x 3": Row("nd.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1))", "F.max_pool2d(x, 3, 2, 1)",
                                 {"x": images}, 1.25 * b * c * h * w),
        "max pooling step": Row("nd.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1))", "F.max_pool2d(x, 3, 2, 1)",
                                {"x": images}, 2.5 * b * c * h * w, step=True),
        "average pooling step": Row("nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type='avg')",
                                    "F.avg_pool2d(x, 2)", {"x": images}, 2.5 * b * c * h * w, step=True),
        "pooling of all": Row("nd.Pooling(x, global_pool=True, pool_type='avg')", "x.mean((2, 3), keepdim=True)",
                              {"x": images}, b * c * h * w),
        # movement
        "transposed matrix": Row("nd.transpose(x)", "x.t().contiguous()", one, 2 * big),
        "heads behind": Row("nd.transpose(x, axes=(0, 2, 1, 3))", "x.transpose(1, 2).contiguous()", {"x": heads},
                            2 * heads[0] * heads[1] * heads[2] * heads[3]),
        "channels last": Row("nd.transpose(x, axes=(0, 2, 3, 1))", "x.permute(0, 2, 3, 1).contiguous()", {"x": images},
                             2 * b * c * h * w),
        "concat": Row("nd.concat(x, y, dim=1)", "torch.cat([x, y], 1)", {"x": square, "y": square}, 4 * big),
        "slice": Row(f"nd.slice_axis(x, axis=1, begin=0, end={side // 2})", f"x[:, :{side // 2}].contiguous()", one,
                     big),
        "flip": Row("nd.flip(x, axis=1)", "x.flip(1)", one, 2 * big),
        "embedding": Row(f"nd.Embedding(i, x, input_dim={rows}, output_dim=1024)", "F.embedding(i.long(), x)",
                         {"i": ("whole", WORDS, rows), "x": (rows, 1024)}, 2 * WORDS[0] * WORDS[1] * 1024),
        "embedding step": Row(f"nd.Embedding(i, x, input_dim={rows}, output_dim=1024)", "F.embedding(i.long(), x)",
                              {"i": ("whole", WORDS, rows), "x": (rows, 1024)}, None, step=True),
        "one_hot": Row("nd.one_hot(i, 1024)", "F.one_hot(i.long(), 1024).float()", {"i": ("whole", (rows,), 1024)},
                       big),
        # order, and numbers drawn
        "topk": Row("nd.topk(x, k=5, ret_typ='value')", "x.topk(5)[0]", {"x": (rows, 1024)}),
        "sort": Row("nd.sort(x)", "x.sort()[0]", {"x": (rows // 16 or 1, 1024)}),
        "sort of a long line": Row("nd.sort(x, axis=None)", "x.flatten().sort()[0]", {"x": (rows // 16 or 1, 1024)}),
        "uniform": Row("nd.random.uniform(shape=x.shape, ctx=x.ctx)", "torch.rand_like(x)", one, big),
        "normal": Row("nd.random.normal(shape=x.shape, ctx=x.ctx)", "torch.randn_like(x)", one, big),
        "dropout step": Row("nd.Dropout(x, p=0.5)", "F.dropout(x, 0.5)", one, 4 * big, step=True),
        # steps of optimizers
        "sgd_mom_update": Row("nd.sgd_mom_update(x, y, z, lr=0.1, momentum=0.9, out=x)",
                              "(z.mul_(0.9).sub_(y, alpha=0.1), x.add_(z))", {"x": square, "y": square, "z": square},
                              5 * big),
        "adam_update": Row("nd.adam_update(x, y, z, u, lr=0.1, out=x)", "torch._fused_adam_([x], [y], [z], [u], [], "
                           "[step], lr=0.1, beta1=0.9, beta2=0.999, weight_decay=0.0, eps=1e-8, amsgrad=False, "
                           "maximize=False)", {"x": square, "y": square, "z": square, "u": square}, 7 * big),
        # products
        "dot": Row("nd.dot(x, y)", "x @ y", {"x": (side // 2, side // 2), "y": (side // 2, side // 2)}),
        "a layer 64 x 512": Row("nd.FullyConnected(x, y, z, num_hidden=512)", "F.linear(x, y, z)",
                                {"x": (64, 512), "y": (512, 512), "z": (512,)}),
        "a layer 64 x 4096": Row("nd.FullyConnected(x, y, z, num_hidden=4096)", "F.linear(x, y, z)",
                                 {"x": (64, 4096), "y": (4096, 4096), "z": (4096,)}),
        "batch_dot": Row("nd.batch_dot(x, y, transpose_b=True)", "x @ y.transpose(1, 2)",
                         {"x": (96 * 4 // scale, 128, 64), "y": (96 * 4 // scale, 128, 64)}),
        "convolution 3 x 3": Row(conv.format(3, 1, 1), "F.conv2d(x, y, padding=1)", filtered),
        "convolution 3 x 3 step": Row(conv.format(3, 1, 1), "F.conv2d(x, y, padding=1)", filtered, step=True),
        "convolution 1 x 1": Row(conv.format(1, 0, 1), "F.conv2d(x, y)", {"x": images, "y": (c, c, 1, 1)}),
        "depthwise convolution": Row(conv.format(3, 1, c), f"F.conv2d(x, y, padding=1, groups={c})", depthwise,
                                     2 * b * c * h * w),
        "depthwise convolution step": Row(conv.format(3, 1, c), f"F.conv2d(x, y, padding=1, groups={c})", depthwise,
                                          6 * b * c * h * w, step=True),
        "attention": Row("nd.batch_dot(nd.softmax(nd.batch_dot(x, y, transpose_b=True) * 0.125), z)",
                         "(x @ y.transpose(1, 2) * 0.125).softmax(-1) @ z",
                         dict.fromkeys("xyz", (96 // scale, 512 // scale, 64))),
        "LSTM": Row("lstm(x)", "lstm(x)[0]", {"x": (64 // scale, 64, 512 // scale)}),
        "LSTM step": Row("lstm(x)", "lstm(x)[0]", {"x": (64 // scale, 64, 512 // scale)}, step=True),
    }


def main():
    args = arguments()
    if args.worker:
        return {"minigluon": gluon_worker, "torch": torch_worker}[args.worker](args)
    done, codes = {(row["operator"], row["library"]) for row in rows_of(args.file)}, []
    for library, python in (("minigluon", sys.executable), ("torch", torch_python())):
        if python is not None:
            command = [python, __file__, str(args.file), "--worker", library, "--seconds", str(args.seconds / 2),
                       "--rounds", str(args.rounds), *["--quick"] * args.quick]
            command += ["--only", *args.only] if args.only else []
            environment = {**os.environ, "GPU_OPERATORS_DONE": json.dumps([op for op, own in done if own == library])}
            if library == "torch":
                environment.pop("PYTHONPATH", None)         # another Python, with its own packages
            codes.append(subprocess.run(command, env=environment).returncode)
    import gpu_table  # needs minigluon, which PyTorch's process does not have
    print("\n".join(gpu_table.operators(rows_of(args.file))))
    return max(codes)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=pathlib.Path("gpu_operators.jsonl"))
    parser.add_argument("--only", nargs="+", metavar="WORD", help="operators with one of these words in their names")
    parser.add_argument("--seconds", type=float, default=120, help="start nothing new after this many seconds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small arrays, to try out the script")
    parser.add_argument("--worker", choices=["minigluon", "torch"], help=argparse.SUPPRESS)
    return parser.parse_args()


def torch_python():
    """Return a Python with PyTorch, or None."""
    import importlib.util
    named = os.environ.get("MINIGLUON_TORCH_PYTHON")
    return named or (sys.executable if importlib.util.find_spec("torch") else None)


def rows_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


# -- a library's process ----------------------------------------------------------------------------------------------


def measure_all(args, library, program):
    """Write a line for each operator. program(row): (function that makes a call, function that waits)."""
    done, until = json.loads(os.environ["GPU_OPERATORS_DONE"]), time.monotonic() + args.seconds
    for name, row in operators(QUICK if args.quick else BIG).items():
        if name in done or not (args.only is None or any(word in name for word in args.only)):
            continue
        if time.monotonic() > until:
            return MORE
        found = {"kind": "operator", "operator": name, "library": library, "moved": row.moved}
        try:
            call, wait = program(row)
            found["seconds"] = best_of(call, wait, args.rounds)
            del call
        except Exception as error:      # whatever the error, it is reported in the operator's place
            found["error"] = f"{type(error).__name__}: {error}"[:300]
        with open(args.file, "a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
    return 0


def best_of(call, wait, rounds):
    """Return the seconds of one call, from enough calls in a row to take several milliseconds, and one wait."""
    for _ in range(3):
        call()
    wait()
    start = time.perf_counter()
    call()
    wait()
    count = max(1, min(200, int(0.01 / (time.perf_counter() - start))))
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def gluon_worker(args):
    import numpy as np

    import minigluon as mx
    from minigluon import autograd, nd

    def program(row):
        ctx, draw, inputs = mx.gpu(), np.random.default_rng(0), {}
        for name, shape in row.inputs.items():
            whole = shape[0] == "whole"
            values = draw.integers(0, shape[2], shape[1]) if whole else draw.random(shape, np.float32)
            inputs[name] = nd.array(values, ctx=ctx, dtype="int32" if whole else "float32")
        names = {"nd": nd, **inputs}
        code = compile(row.mx, row.mx, "eval")
        learned = [x for name, x in inputs.items() if row.inputs[name][0] != "whole"]
        if "lstm(" in row.mx:
            names["lstm"] = mx.gluon.rnn.LSTM(inputs["x"].shape[-1], input_size=inputs["x"].shape[-1])
            names["lstm"].initialize(ctx=ctx)
        if not row.step:
            return lambda: eval(code, names), nd.waitall
        for x in learned:
            x.attach_grad()

        def step():
            with autograd.record():
                result = eval(code, names)
            result.backward()
        return step, nd.waitall
    return measure_all(args, "minigluon", program)


def torch_worker(args):
    import torch
    from torch.nn import functional
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    card = "cuda" if torch.cuda.is_available() else "cpu"

    def program(row):
        inputs = {}
        for name, shape in row.inputs.items():
            whole = shape[0] == "whole"
            inputs[name] = (torch.randint(0, shape[2], shape[1], device=card, dtype=torch.int32) if whole
                            else torch.rand(shape, device=card))
        names = {"torch": torch, "F": functional, "step": torch.ones((), device=card), **inputs}
        if "lstm(" in row.torch:
            size = inputs["x"].shape[-1]
            names["lstm"] = torch.nn.LSTM(size, size).to(card)
        code = compile(row.torch, row.torch, "eval")
        wait = torch.cuda.synchronize if card == "cuda" else lambda: None
        if not row.step:
            def forward():
                with torch.no_grad():
                    eval(code, names)
            return forward, wait
        learned = [x for x in inputs.values() if x.is_floating_point()]
        for x in learned:
            x.requires_grad_()
        head = torch.ones_like(eval(code, names))

        def step():
            for x in learned:
                x.grad = None
            eval(code, names).backward(head)
        return step, wait
    return measure_all(args, "torch", program)


if __name__ == "__main__":
    sys.exit(main())
