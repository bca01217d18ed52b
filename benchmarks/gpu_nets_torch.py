"""The programs of benchmarks/gpu.py in PyTorch: the nets of `minigluon bench` on a GPU, and their memory.

    eager      operator by operator
    compile    through torch.compile with its defaults
    graph      eager operators, captured once as a CUDA graph and launched as one

Every run ends when the device has finished. MINIGLUON_TF32=1 allows products in TF32. Without a GPU, which `facts`
reports, the programs run on the CPU, so that this file can be tried.
"""

import os
import sys
from functools import partial
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "minigluon" / "tools" / "bench"))
from workers import programs_torch as programs
from workers import transformers_torch as transformers

__all__ = ["ceilings", "device_bytes", "facts", "lives", "makers"]

CARD = torch.device("cuda" if torch.cuda.is_available() else "cpu")
TF32 = os.environ.get("MINIGLUON_TF32") == "1"
torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = TF32
torch.backends.cudnn.benchmark = True           # the fastest of cuDNN's algorithms for these shapes


def makers(sizes):
    """Return {"lenet 64 forward": function of a mode that returns its runner}, for each net and sizes["batches"]."""
    nets = {"mlp": mlp, "lenet": programs.lenet, "alexnet": programs.alexnet, "resnet": programs.resnet,
            "bert-mini": transformers.bert_mini, "lstm": partial(programs.text, "lstm")}
    found = {}
    for name, net in nets.items():
        for batch in sizes["batches"]:
            own = {**sizes, **{size: batch for size in sizes if size.endswith("_batch")}, "mlp_batch": batch}
            make = partial(on_card, net)
            found[f"{name} {batch} forward"] = partial(finished, partial(programs.forward, make, own))
            found[f"{name} {batch} train step"] = partial(finished, partial(programs.train_step, make, own))
    return found


def mlp(sizes):
    net, _, _ = programs.mlp(sizes)
    batch = sizes["mlp_batch"]
    return net, torch.randn(batch, 512), torch.arange(batch) % 2


def on_card(make, sizes):
    return [part.to(CARD) for part in make(sizes)]


def finished(make, mode):
    """Return the program of `make(mode)`, with the same random numbers; a run ends when the device is done."""
    torch.manual_seed(0)
    run = make("eager" if mode == "graph" else mode)
    if mode == "graph":
        run = captured(run)

    def whole():
        run()
        wait()
    return whole


def captured(run):
    """Return the work of `run` as a CUDA graph. Raises RuntimeError if there is no GPU."""
    if CARD.type != "cuda":
        raise RuntimeError("CUDA graphs need a GPU")
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):              # allocations and choices of the first runs are not part of the graph
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()

    def replay(kept=run):           # the graph's inputs must stay alive: net, batch and labels
        graph.replay()
    return replay


def wait():
    if CARD.type == "cuda":
        torch.cuda.synchronize()


def facts(worker):
    """Return {name: text} about the GPU and its software."""
    if CARD.type != "cuda":
        return {"card": None}
    return {"card": torch.cuda.get_device_name(), "CUDA": torch.version.cuda, "cuDNN": torch.backends.cudnn.version()}


def lives(worker):
    """Return True. Raises RuntimeError if the device accepts no more work, after an error in a kernel."""
    torch.ones(1, device=CARD).cpu()
    return True


def device_bytes(worker, program, mode):
    """Return how much less free memory the device has after several runs of a program than before its setup."""
    if CARD.type != "cuda":
        return None
    worker.forget()
    free_all()
    before, _ = torch.cuda.mem_get_info()
    run = worker.run(program, mode)
    for _ in range(3):
        run()
    after, _ = torch.cuda.mem_get_info()
    del run
    worker.forget()
    free_all()
    return before - after


def free_all():
    import gc
    gc.collect()
    wait()
    torch.cuda.empty_cache()


def ceilings(worker, size):
    """Return multiplications and additions per second: {"products": by cuBLAS, "layer": of a convolution}."""
    a, b = torch.randn(2, size, size, device=CARD)
    images, layer = torch.randn(16, 128, 56, 56, device=CARD), nn.Conv2d(128, 128, 3, padding=1, bias=False).to(CARD)
    with torch.no_grad():
        return {"products": 2 * size ** 3 / best_seconds(lambda: a @ b),
                "layer": 2 * 16 * 128 * 56 * 56 * 128 * 9 / best_seconds(lambda: layer(images))}


def best_seconds(run, rounds=10, count=5):
    """Return the seconds of one run in the fastest of several rounds."""
    import time
    run()
    best = float("inf")
    for _ in range(rounds):
        wait()
        start = time.perf_counter()
        for _ in range(count):
            run()
        wait()
        best = min(best, (time.perf_counter() - start) / count)
    return best
