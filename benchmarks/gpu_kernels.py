"""How near each kernel of the nets comes to what the card can do, as Markdown; `--json FILE` writes the same as data.

    python benchmarks/gpu_kernels.py [--nets lenet resnet ...] [--batch 64] [--quick]

As benchmarks/kernel_limits.py does it on the CPU, with the same tables. The limits are measured in the same run: copies
of many sizes by the driver, and the largest product of matrices by minigluon's own `dot`. A kernel is launched twenty
times in a row, as one CUDA graph where the device has them, between two events of the device; the time is the shortest
of some rounds. MINIGLUON_TF32=1 allows products in TF32.
"""

import argparse
import json

import gpu_nets_gluon
import numpy as np
from kernel_limits import NOTHING, Work, rows_of
from minigluon_accel.gpu import driver

import minigluon as mx
from minigluon.bench.nets import QUICK, SIZES
from minigluon.bench.table import bytes_text, time_text

COPIES = [2 ** n for n in range(12, 29, 2)]         # bytes read
REPEATED = 20                                       # launches between two events


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+", choices=["mlp", "lenet", "alexnet", "resnet"],
                        default=["lenet", "alexnet", "resnet"])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    card = gpu_nets_gluon.device(mx)
    report = {"card": card.name, "emulated": driver.emulated(), "nets": {},
              "products": product_rates(card, [128] if args.quick else [2048, 4096, 8192]),
              "copies": copy_rates(card, COPIES[:3] if args.quick else COPIES)}
    for line in ceilings_text(report):
        print(line, flush=True)
    sizes = {**(QUICK if args.quick else SIZES), "batches": [2 if args.quick else args.batch]}
    makers = gpu_nets_gluon.makers(mx, sizes)
    for net in args.nets:
        name = f"{net} {sizes['batches'][0]} train step"
        works = works_of(card, makers[name]("hybridized"), args.rounds)
        for work in works:
            work.limit(max(report["products"].values()), report["copies"])
        report["nets"][name] = [as_data(work) for work in works]
        for line in net_text(name, works):
            print(line, flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)


# -- what the card can do ---------------------------------------------------------------------------------------------


def seconds_of(card, enqueue, rounds):
    """Seconds that the device works on what `enqueue()` gives it, in the fastest of some rounds."""
    cuda, best = driver.loaded(), float("inf")
    card.activate()
    for _ in range(rounds):
        start, end = cuda.Event(), cuda.Event()
        start.record(card.stream)
        enqueue()
        end.record(card.stream)
        end.synchronize()
        best = min(best, end.time_since(start) / 1e3)
    return best


def copy_rates(card, sizes, rounds=5):
    """{bytes: bytes read and written in a second} of copies on the device."""
    cuda, rates = driver.loaded(), {}
    for size in sizes:
        source, target = (card.memory.empty((size,), np.dtype("uint8")) for _ in range(2))

        def enqueue(source=source.pointer, target=target.pointer, size=size):
            for _ in range(REPEATED):
                cuda.memcpy_dtod_async(target, source, size, card.stream)
        rates[size] = 2 * size * REPEATED / max(seconds_of(card, enqueue, rounds), 1e-9)
    return rates


def product_rates(card, sizes, rounds=5):
    """{length: multiplications and additions in a second} of minigluon's products of square matrices."""
    rates = {}
    for size in sizes:
        a, b = mx.nd.random.uniform(-1, 1, shape=(2, size, size), ctx=mx.gpu())
        mx.nd.dot(a, b).wait_to_read()
        seconds = seconds_of(card, lambda a=a, b=b: [mx.nd.dot(a, b) for _ in range(3)], rounds)
        rates[size] = 3 * 2 * size ** 3 / max(seconds, 1e-9)
    return rates


# -- what the kernels do ----------------------------------------------------------------------------------------------


def works_of(card, program, rounds):
    """A Work for each step of the plans of a program, with the time that the device takes for it."""
    program.run()
    works = []
    for block in program.blocks:
        for graph in set(block._graphs.values()):
            plan = graph.compiled.last_plan
            specs = {slot: plan._layout.specs.get(pair, NOTHING) for pair, slot in plan._layout.slot_of.items()}
            works += [Work(step, specs, step_seconds(card, step, specs, rounds)) for step in plan.steps
                      if getattr(step.kernel, "kernels", None)]
    return works


def step_seconds(card, step, specs, rounds):
    """Seconds of one launch of a step's kernels."""
    backend, draw = mx.backend.backend_for(mx.gpu()), np.random.default_rng(0)
    inputs = [backend.from_numpy(draw.uniform(0.1, 1, specs[slot].shape).astype(specs[slot].dtype), mx.gpu())
              for slot in step.inputs]
    targets = [*step.kernel._outputs, *step.kernel._scratch]
    values = [*inputs, *[card.memory.empty(shape, dtype) for shape, dtype in targets]]
    program = backend.prepare_program([(step.kernel, list(range(len(values))))] * REPEATED, {}, len(values))
    for _ in range(3):
        program.run(values, 0)          # compiled, then captured, then launched as a graph
    return seconds_of(card, lambda: program.run(values, 0), rounds) / REPEATED


# -- the tables -------------------------------------------------------------------------------------------------------


def ceilings_text(report):
    emulated = " (emulated: no number on this page says anything about a card)" if report["emulated"] else ""
    yield f"{report['card']}{emulated}\n"
    yield "| own products of n x n matrices, n = | TFLOP/s |\n|---|---|"
    for size, rate in report["products"].items():
        yield f"| {size} | {rate / 1e12:.3g} |"
    yield "\n| copy of | " + " | ".join(map(bytes_text, report["copies"])) + " |"
    yield "|---|" + "---|" * len(report["copies"])
    yield "| GB/s, read and written | " + " | ".join(f"{rate / 1e9:.0f}" for rate in report["copies"].values()) + " |"


def net_text(name, works):
    total, least = sum(w.seconds for w in works), sum(w.least for w in works)
    yield f"\n### {name}\n\n{len(works)} steps, {time_text(total)}, {least / total:.0%} of the limits.\n"
    yield "| operator | inputs | time | of all | rate | of the limit |\n|---|---|---|---|---|---|"
    large = sum(sum(w.seconds for w in works if w.key == key) >= 0.01 * total for key in {w.key for w in works})
    for row in rows_of(works, large):
        yield "|".join(row.split("|")[:7]) + "|"            # without the reasons, which are the CPU's


def as_data(work):
    return {"operator": work.name, "shapes": work.shapes, "seconds": work.seconds, "bytes": work.bytes,
            "flops": work.flops, "of_limit": work.least / work.seconds}


if __name__ == "__main__":
    main()
