"""How close each kernel of the nets comes to the GPU's peak.

    python benchmarks/gpu_kernels.py FILE.jsonl [--nets resnet alexnet ...] [--batch 64] [--quick]

This is what benchmarks/kernel_limits.py does for the CPU. The peaks come from the driver if it reports them: memory
clock times bus width, and clock times multiprocessors times multiplications per cycle. Otherwise, and on the emulated
device, they are measured here: copies by the driver, products by `dot`. A copy that stays in the GPU's cache may be
faster than its memory; small arrays are compared with that.

A kernel is launched twenty times in a row, as one CUDA graph if the device supports them, between two device events;
the time is the shortest of several rounds. Each result is immediately a row in FILE.jsonl, and is not measured again;
the tables are printed at the end. MINIGLUON_TF32=1 allows products in TF32.
"""

import argparse
import os

import gpu_nets_gluon
import gpu_table
import numpy as np
from kernel_limits import NOTHING, Work
from minigluon_accel.gpu import cublas, driver

import minigluon as mx
from minigluon.tools.bench import journal
from minigluon.tools.bench.nets import QUICK, SIZES

COPIES = [2 ** n for n in range(12, 29, 2)]         # bytes read
REPEATED = 20                                       # launches between two events
PRECISION = "tf32" if os.environ.get("MINIGLUON_TF32") == "1" else "float32"
# Fused multiply-adds of a multiprocessor per cycle, by compute capability: CUDA's programming guide has the first
# number, papers on the architectures the second, which is for dense products on tensor cores.
FUSED = {"float32": {(7, 0): 64, (7, 5): 64, (8, 0): 64, (8, 6): 128, (8, 9): 128, (9, 0): 128, (10, 0): 128,
                     (12, 0): 128},
         "tf32": {(8, 0): 512, (8, 6): 128, (8, 9): 128, (9, 0): 1024}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("journal", metavar="FILE.jsonl")
    parser.add_argument("--nets", nargs="+", choices=["resnet", "alexnet", "bert-mini", "lenet", "mlp", "lstm"],
                        default=["resnet", "alexnet", "bert-mini", "lenet"])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try out the script")
    args = parser.parse_args()
    args.rounds, args.repeated = (1, 1) if args.quick else (args.rounds, REPEATED)
    journal.mend(args.journal)
    card = gpu_nets_gluon.device(mx)
    peaks = next((row for row in journal.rows(args.journal) if row["kind"] == "peaks"
                  and row["precision"] == PRECISION), None) or peaks_of(card, args)
    sizes = {**(QUICK if args.quick else SIZES), "batches": [2 if args.quick else args.batch]}
    makers = gpu_nets_gluon.makers(mx, sizes)
    for net in args.nets:
        name = f"{net} {sizes['batches'][0]} train step"
        done = {row["number"] for row in journal.rows(args.journal) if row["kind"] == "kernel" and row["net"] == name
                and row["precision"] == PRECISION}
        if (name, PRECISION) not in finished(args):
            measure(card, name, makers[name]("hybridized"), done, peaks, args)
            journal.add(args.journal, {"kind": "net of kernels", "net": name, "precision": PRECISION})
    own = [row for row in journal.rows(args.journal) if row.get("precision") == PRECISION]
    print("\n".join(gpu_table.kernels(own)))


def finished(args):
    """Return {(net, precision)} for which all kernels have rows."""
    return {(row["net"], row["precision"]) for row in journal.rows(args.journal) if row["kind"] == "net of kernels"}


def measure(card, name, program, done, peaks, args):
    """Add a row for each step of a program's plans, except those whose numbers are in `done`."""
    copies = {int(size): max(rate, peaks["bytes"]) for size, rate in peaks["copies"].items()}
    for number, (step, specs) in enumerate(steps_of(program)):
        if number in done:
            continue
        work = Work(step, specs, step_seconds(card, step, specs, args))
        work.limit(peaks["flops"], copies)
        journal.add(args.journal, {
            "kind": "kernel", "net": name, "precision": PRECISION, "number": number, "operator": work.name,
            "shapes": work.shapes, "seconds": work.seconds, "bytes": work.bytes, "flops": work.flops,
            "least": work.least, "by_flops": work.by_flops >= work.by_bytes})


# -- the peaks of the GPU ---------------------------------------------------------------------------------------------


def peaks_of(card, args):
    """Return the row of the GPU's peaks, with their sources."""
    copies = copy_rates(card, COPIES[:3] if args.quick else COPIES)
    products = product_rates(card, [128] if args.quick else [2048, 4096, 8192])
    by = "this project's kernels" if cublas.available() else cublas.version()
    row = {"kind": "peaks", "precision": PRECISION, "card": card.name, "emulated": driver.emulated(), "copies": copies,
           "products": products, "products_by": by, "bytes": max(copies.values()),
           "bytes_from": "measured, a copy by the driver", "flops": max(products.values()),
           "flops_from": f"measured, a product by {by}"}
    told = {} if driver.emulated() else attributes(card)
    if told.get("bus") and told.get("memory"):          # two transfers in a cycle of the clock
        row["bytes"] = 2 * told["memory"] * 1e3 * told["bus"] / 8
        row["bytes_from"] = f"memory clock {told['memory'] / 1e3:.0f} MHz x 2 x bus of {told['bus']} bits"
    fused = FUSED[PRECISION].get(card.capability)
    if fused and told.get("clock"):
        row["flops"] = 2 * fused * told["processors"] * told["clock"] * 1e3
        row["flops_from"] = (f"clock {told['clock'] / 1e3:.0f} MHz x {told['processors']} multiprocessors x {fused} "
                             "multiplications and additions")
    journal.add(args.journal, row)
    return row


def attributes(card):
    """Return the GPU's attributes from the driver. Newer drivers may omit a clock: 0."""
    names = driver.loaded().device_attribute
    asked = {"memory": names.MEMORY_CLOCK_RATE, "bus": names.GLOBAL_MEMORY_BUS_WIDTH, "clock": names.CLOCK_RATE,
             "processors": names.MULTIPROCESSOR_COUNT}
    return {name: card.handle.get_attribute(number) for name, number in asked.items()}


def seconds_of(card, enqueue, rounds):
    """Return the seconds that the device needs for the work of `enqueue()`, in the fastest of several rounds."""
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
    """Return {bytes: bytes read and written per second} for copies on the device."""
    cuda, rates = driver.loaded(), {}
    for size in sizes:
        source, target = (card.memory.empty((size,), np.dtype("uint8")) for _ in range(2))

        def enqueue(source=source.pointer, target=target.pointer, size=size):
            for _ in range(REPEATED):
                cuda.memcpy_dtod_async(target, source, size, card.stream)
        rates[size] = 2 * size * REPEATED / max(seconds_of(card, enqueue, rounds), 1e-9)
    return rates


def product_rates(card, sizes, rounds=5):
    """Return {length: multiplications and additions per second} for minigluon's products of square matrices."""
    rates = {}
    for size in sizes:
        a, b = mx.nd.random.uniform(-1, 1, shape=(2, size, size), ctx=mx.gpu())
        mx.nd.dot(a, b).wait_to_read()
        seconds = seconds_of(card, lambda a=a, b=b: [mx.nd.dot(a, b) for _ in range(3)], rounds)
        rates[size] = 3 * 2 * size ** 3 / max(seconds, 1e-9)
    return rates


# -- the kernels ------------------------------------------------------------------------------------------------------


def steps_of(program):
    """Yield (step, {slot: Spec}) of a program's plans that launch kernels, in the same order each time."""
    program.run()
    for block in program.blocks:
        for graph in {id(graph): graph for graph in block._graphs.values()}.values():
            plan = graph.compiled.last_plan
            specs = {slot: plan._layout.specs.get(pair, NOTHING) for pair, slot in plan._layout.slot_of.items()}
            for step in plan.steps:
                if getattr(step.kernel, "kernels", None):
                    yield step, specs


def step_seconds(card, step, specs, args):
    """Return the seconds of one launch of a step's kernels."""
    backend, draw = mx.backend.backend_for(mx.gpu()), np.random.default_rng(0)
    inputs = [backend.from_numpy(draw.uniform(0.1, 1, specs[slot].shape).astype(specs[slot].dtype), mx.gpu())
              for slot in step.inputs]
    targets = [*step.kernel._outputs, *step.kernel._scratch]
    values = [*inputs, *[card.memory.empty(shape, dtype) for shape, dtype in targets]]
    program = backend.prepare_program([(step.kernel, list(range(len(values))))] * args.repeated, {}, len(values))
    for _ in range(3):
        program.run(values, 0)          # compiled, then captured, then launched as a graph
    return seconds_of(card, lambda: program.run(values, 0), args.rounds) / args.repeated


if __name__ == "__main__":
    main()
