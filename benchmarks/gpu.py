"""Time and memory of nets on a card, minigluon beside PyTorch by turns; then each kernel's share of the limits.

    python benchmarks/gpu.py [OUT] [--nets mlp lenet alexnet resnet] [--batches 64 256] [--precisions float32 tf32]
    MINIGLUON_GPU=emulate python benchmarks/gpu.py OUT --quick         tries the script out, on the CPU

Writes OUT/gpu.json, OUT/gpu.md and the same for the kernels (gpu_kernels.py). PyTorch takes part where
MINIGLUON_TORCH_PYTHON names a Python that has it, or this one has, and where it finds the card. A run of a program ends
when the device has done all of it; libraries and modes take turns, and a ratio is the median over the rounds.
"""

import argparse
import contextlib
import datetime
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys

from minigluon import machine
from minigluon.base import MXNetError
from minigluon.bench.nets import QUICK, SIZES
from minigluon.bench.peers import Peer, interpreters
from minigluon.bench.report import median_ratio
from minigluon.bench.rounds import Contender, Pace, measure
from minigluon.bench.table import bytes_text, range_text, time_text

HERE = pathlib.Path(__file__).parent
FILES = {library: [str(HERE / f"gpu_nets_{family}.py")] for library, family in (("minigluon", "gluon"),
                                                                               ("torch", "torch"))}
MODES = {"minigluon": ["imperative", "hybridized", "one call"], "torch": ["eager", "compile", "graph"]}
NETS = ["mlp", "lenet", "alexnet", "resnet"]
EAGER = ("torch", "eager")
# (nets, minigluon's best hybridized time by the best time of these modes of PyTorch, at most)
GOALS = [(("mlp", "lenet"), ["eager"], 0.5), (("alexnet", "resnet"), ["eager", "compile", "graph"], 1.3)]


def main():
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    report = measured(args)
    (args.out / "gpu.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (args.out / "gpu.md").write_text(markdown(report), encoding="utf-8")
    print(markdown(report))
    if args.kernels:
        kernels_of(args)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=pathlib.Path("minigluon-out"))
    parser.add_argument("--nets", nargs="+", choices=NETS)
    parser.add_argument("--batches", nargs="+", type=int)
    parser.add_argument("--precisions", nargs="+", choices=["float32", "tf32"], default=["float32", "tf32"])
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--patience", type=float, default=6, help="seconds for one program (default: %(default)s)")
    parser.add_argument("--torch-python", help="the Python of an environment that has PyTorch")
    parser.add_argument("--no-kernels", dest="kernels", action="store_false", help="leave the kernels' shares out")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds, to try the script out")
    args = parser.parse_args()
    args.nets = args.nets or (["mlp", "lenet"] if args.quick else NETS)
    args.batches = args.batches or ([2] if args.quick else [64, 256])
    return args


# -- the measurement --------------------------------------------------------------------------------------------------


def measured(args):
    """All numbers, as a dict that goes to JSON as it is."""
    sizes = {**(QUICK if args.quick else {**SIZES, "alexnet_batch": 64}), "batches": args.batches}
    pace = Pace(2, burst=0, rest=0) if args.quick else Pace(9, burst=0.05, rest=0.01)
    pace = pace._replace(rounds=args.rounds or pace.rounds, patience=args.patience)
    report = {"format": 1, "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
              "machine": {"processor": machine.processor(), "cores": machine.cores()}, "quick": args.quick,
              "settings": {"batches": args.batches, **pace._asdict()},
              "libraries": {}, "facts": {}, "ceilings": {}, "rows": [], "left_out": []}
    for precision in args.precisions:
        with contextlib.ExitStack() as stack:
            peers = started(stack, precision, sizes, args, report)
            for net in args.nets:
                for batch in args.batches:
                    for what in "forward", "train step":
                        measure_one(report, peers, f"{net} {batch} {what}", precision, pace)
    return report


def started(stack, precision, sizes, args, report):
    """Peers of both libraries for a precision; what cannot take part is entered into the report."""
    pythons = {"minigluon": sys.executable, "torch": torch_python(args)}
    more = {"MINIGLUON_TF32": "1" if precision == "tf32" else "0"}
    peers = []
    for library, python in pythons.items():
        if python is None:
            continue
        peer = stack.enter_context(Peer(library, python, sizes, FILES, more=more))
        facts = peer.ask("more", "facts")
        report["libraries"][library], report["facts"][library] = peer.version, facts
        if facts["card"] is None:
            report["facts"][library] = "finds no card, and takes no part"
            continue
        peers.append(peer)
        if library == "torch":
            report["ceilings"][precision] = peer.ask("more", "ceilings", 256 if args.quick else 8192)
    return peers


def torch_python(args):
    """A Python with PyTorch, or None."""
    named = interpreters(torch=args.torch_python).get("torch")
    return named or (sys.executable if importlib.util.find_spec("torch") else None)


def measure_one(report, peers, program, precision, pace):
    """Add the rows of a program."""
    modes = {library: [m for m in modes if m != "one call" or program.endswith("train step")]
             for library, modes in MODES.items()}
    field = [Contender(peer, mode) for peer in peers for mode in modes[peer.library]]
    print(f"{datetime.datetime.now():%H:%M:%S} {precision} {program}", file=sys.stderr, flush=True)
    times, refusals = measure(field, program, pace, own=None)
    for (library, mode), reason in refusals.items():
        report["left_out"].append({"program": program, "precision": precision, "library": library, "mode": mode,
                                   "reason": reason})
    for peer in peers:
        peer.forget()
    by_name = {peer.library: peer for peer in peers}
    for (library, mode), seconds in times.items():
        row = {"program": program, "precision": precision, "library": library, "mode": mode, "seconds": seconds,
               "median": statistics.median(seconds), "low": min(seconds), "high": max(seconds),
               "of_eager": median_ratio(seconds, times[EAGER]) if EAGER in times else None}
        row["device_bytes"] = memory_of(by_name[library], program, mode, report)
        report["rows"].append(row)


def memory_of(peer, program, mode, report):
    try:
        return peer.ask("more", "device_bytes", program, mode)
    except MXNetError as error:
        report["left_out"].append({"program": program, "precision": "memory", "library": peer.library, "mode": mode,
                                   "reason": str(error)})
        return None


# -- the tables -------------------------------------------------------------------------------------------------------


def markdown(report):
    facts = report["facts"]["minigluon"]
    lines = [f"{report['date'][:10]}, {facts['card']}, driver {facts['driver']}, PyCUDA {facts['PyCUDA']}, kernels by "
             f"{facts['compiler of kernels']}; {report['machine']['processor']}, {report['machine']['cores']} cores; "
             + "; ".join(report["libraries"].values()) + ".", ""]
    if facts["emulated"]:
        lines += ["**Emulated: no card took part. These numbers say that the script works, and nothing else.**", ""]
    if report["quick"]:
        lines += ["Quick: sizes and rounds are small, so these numbers mean nothing.", ""]
    lines += ["| program | precision | library | median | range | / PyTorch eager | taken on the device |",
              "|---|---|---|---|---|---|---|"]
    for row in report["rows"]:
        ratio = "" if row["of_eager"] is None else f"{row['of_eager']:.2f}"
        memory = "" if row["device_bytes"] is None else bytes_text(row["device_bytes"])
        lines.append(f"| {row['program']} | {row['precision']} | {row['library']} {row['mode']} "
                     f"| {time_text(row['median'])} | {range_text(row['low'], row['high'])} | {ratio} | {memory} |")
    lines += ["", *goals(report)]
    lines += [f"{library}: {text}." for library, text in report["facts"].items() if isinstance(text, str)]
    lines += [f"{out['library']} {out['mode']} could not run {out['program']} ({out['precision']}): "
              f"{out['reason'].splitlines()[0][:300]}" for out in report["left_out"]]
    return "\n".join(lines) + "\n"


def goals(report):
    """Lines: for each program what was to be reached, and whether it was. Empty without PyTorch."""
    times = {}
    for row in report["rows"]:
        times.setdefault((row["program"], row["precision"]), {})[row["library"], row["mode"]] = row["median"]
    for (program, precision), found in times.items():
        ours = [found[key] for key in (("minigluon", "hybridized"), ("minigluon", "one call")) if key in found]
        for nets, modes, limit in GOALS:
            theirs = [found["torch", mode] for mode in modes if ("torch", mode) in found]
            if program.split()[0] in nets and ours and theirs:
                ratio = min(ours) / min(theirs)
                yield (f"- {program}, {precision}: {ratio:.2f} of PyTorch {' / '.join(modes)}, at most {limit} was to "
                       f"be reached: {'yes' if ratio <= limit else '**no**'}")


def kernels_of(args):
    """Run gpu_kernels.py for each precision, and keep what it prints."""
    for precision in args.precisions:
        nets = [net for net in args.nets if net != "mlp"] or args.nets
        command = [sys.executable, str(HERE / "gpu_kernels.py"), "--nets", *nets, "--batch", str(args.batches[0]),
                   "--json", str(args.out / f"gpu-kernels-{precision}.json"), *["--quick"] * args.quick]
        environment = {**os.environ, "MINIGLUON_TF32": "1" if precision == "tf32" else "0"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        text = done.stdout + (f"\nfailed:\n{done.stderr}" if done.returncode else "")
        (args.out / f"gpu-kernels-{precision}.md").write_text(text, encoding="utf-8")
        print(f"\n## Kernels, {precision}\n\n{text}")


if __name__ == "__main__":
    main()
