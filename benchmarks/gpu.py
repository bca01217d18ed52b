"""Time and memory of nets on a GPU, minigluon and PyTorch in turns; then each kernel's share of the GPU's peak.

    python benchmarks/gpu.py [OUT] [--nets resnet bert-mini lenet ...] [--batches 64 256] [--precisions float32 tf32]
    MINIGLUON_GPU=emulate python benchmarks/gpu.py OUT --quick         tries out the script, on the CPU

In this order: ResNet-18, AlexNet, an encoder of 4 x 256, LeNet, the perceptron and an LSTM on text, compared with
PyTorch's eager mode and CUDA graphs; the kernels (gpu_kernels.py); torch.compile within --compile-seconds. Each result
is saved to OUT/gpu.jsonl immediately, and is not measured again: the script may be interrupted at any moment, and the
same command continues it. OUT/gpu.md has the tables. Exits with 3 if --seconds were over before everything was done.

PyTorch takes part if MINIGLUON_TORCH_PYTHON names a Python that has it, or this one has it, and if it finds the GPU. A
run of a program ends when the device has finished it; libraries and modes take turns, and a ratio is the median over
the rounds.
"""

import argparse
import contextlib
import datetime
import importlib.util
import os
import pathlib
import subprocess
import sys
import threading
import time

import gpu_table

from minigluon.base import MXNetError
from minigluon.common import hardware as machine
from minigluon.tools.bench import journal
from minigluon.tools.bench.nets import QUICK, SIZES
from minigluon.tools.bench.peers import Peer, ProgramError, interpreters
from minigluon.tools.bench.report import median_ratio
from minigluon.tools.bench.rounds import Contender, Pace, measure

HERE = pathlib.Path(__file__).parent
FILES = {library: [str(HERE / f"gpu_nets_{family}.py")] for library, family in (("minigluon", "gluon"),
                                                                               ("torch", "torch"))}
NETS = ["resnet", "alexnet", "bert-mini", "lenet", "mlp", "lstm"]
EAGER, COMPILE = ("torch", "eager"), ("torch", "compile")
FIELD = [("minigluon", "imperative"), ("minigluon", "hybridized"), ("minigluon", "one call"), EAGER, ("torch", "graph")]
MORE = 3                # the exit status if there is more to do
PATIENCE = 300          # seconds for one answer of a worker, which may have to compile many kernels


def main():
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    with Bench(args) as bench:
        complete = bench.run()
    text = gpu_table.markdown(journal.rows(bench.journal))
    (args.out / "gpu.md").write_text(text, encoding="utf-8")
    print(text)
    return 0 if complete else MORE


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=pathlib.Path("minigluon-out"))
    parser.add_argument("--nets", nargs="+", choices=NETS)
    parser.add_argument("--batches", nargs="+", type=int)
    parser.add_argument("--precisions", nargs="+", choices=["float32", "tf32"], default=["float32", "tf32"])
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--patience", type=float, default=6, help="seconds for one program (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start nothing new after this many seconds")
    parser.add_argument("--compile-seconds", type=float, default=240, help="for torch.compile (default: %(default)s)")
    parser.add_argument("--again", action="store_true", help="retry the measurements that were left out")
    parser.add_argument("--torch-python", help="the Python of an environment that has PyTorch")
    parser.add_argument("--no-kernels", dest="kernels", action="store_false", help="leave out the kernels' shares")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds, to try out the script")
    args = parser.parse_args()
    args.nets = args.nets or (["lenet", "mlp"] if args.quick else NETS)
    args.batches = args.batches or ([2] if args.quick else [64, 256])
    return args


class TimedPeer(Peer):
    """A worker that is killed if an answer takes longer than `limit` seconds."""

    limit = PATIENCE

    def ask(self, *question):
        timer = threading.Timer(self.limit, self.kill)
        timer.start()
        try:
            return super().ask(*question)
        finally:
            timer.cancel()


class Bench:
    """A run, which measures everything not in its journal. Use it in a `with` statement, which ends the workers."""

    def __init__(self, args):
        self.args, self.until, self.peers = args, time.monotonic() + args.seconds, {}
        self.journal = args.out / "gpu.jsonl"
        self.sizes = {**(QUICK if args.quick else {**SIZES, "alexnet_batch": 64}), "batches": args.batches}
        pace = Pace(2, burst=0, rest=0) if args.quick else Pace(9, burst=0.05, rest=0.01)
        self.pace = pace._replace(rounds=args.rounds or pace.rounds, patience=args.patience)
        journal.mend(self.journal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for peer in self.peers.values():
            if peer is not None:
                peer.close()

    def run(self):
        """Measure. Returns whether everything is done."""
        args = self.args
        self.add("run", date=datetime.datetime.now().astimezone().isoformat(timespec="seconds"), quick=args.quick,
                 processor=machine.processor(), cores=machine.cores(), batches=args.batches, **self.pace._asdict())
        programs = [(f"{net} {batch} {what}", precision) for batch in args.batches for net in args.nets
                    for precision in args.precisions for what in ("train step", "forward")]
        for program, precision in programs:
            if self.over():
                return False
            self.measure(program, precision, self.field(program, precision, FIELD))
            self.weigh(program, precision)
        if args.kernels and not self.measure_kernels():
            return False
        end = time.monotonic() + args.compile_seconds
        for program, precision in programs:
            field = self.field(program, precision, [EAGER, COMPILE])
            if COMPILE not in field:
                continue
            if self.over() or time.monotonic() > end:
                return time.monotonic() > end
            self.measure(program, precision, field, limit=end - time.monotonic())
        return True

    def over(self):
        return time.monotonic() > self.until

    # -- rows ---------------------------------------------------------------------------------------------------------

    def add(self, kind, **row):
        journal.add(self.journal, {"kind": kind, **row})

    def known(self, *kinds):
        """Return {(program, precision, library, mode)} of the rows of these kinds."""
        return {(row["program"], row["precision"], row["library"], row["mode"]) for row in journal.rows(self.journal)
                if row["kind"] in kinds}

    # -- workers ------------------------------------------------------------------------------------------------------

    def peer(self, library, precision):
        """Return the worker of a library, or None if it cannot take part."""
        if (library, precision) not in self.peers:
            self.peers[library, precision] = self.started(library, precision)
        found = self.peers[library, precision]
        if found is not None and found.ended:
            found.close()
            found = self.peers[library, precision] = self.started(library, precision)
        return found

    def started(self, library, precision):
        python = sys.executable if library == "minigluon" else torch_python(self.args)
        if python is None:
            return None
        own = {"library": library, "precision": precision}
        known = any(own.items() <= row.items() for row in journal.rows(self.journal) if row["kind"] == "library")
        try:
            peer = TimedPeer(library, python, self.sizes, FILES, more={"MINIGLUON_TF32": str(int(precision == "tf32"))})
            facts = peer.ask("more", "facts")
        except MXNetError as error:
            if library == "minigluon":
                raise
            print(f"{library} takes no part: {error}", file=sys.stderr, flush=True)
            return None
        if not known:
            self.add("library", **own, version=peer.version, facts=facts, rates=self.rates(peer, facts))
        if facts["card"] is None:
            peer.close()
            return None
        return peer

    def rates(self, peer, facts):
        """Return the rates of PyTorch's libraries for a product and a convolution, or None."""
        if peer.library != "torch" or facts["card"] is None:
            return None
        try:
            return peer.ask("more", "ceilings", 256 if self.args.quick else 8192)
        except ProgramError:
            return None

    def field(self, program, precision, names):
        """Return the (library, mode) pairs to measure, with eager PyTorch for the ratios; none if all are known."""
        names = [(library, mode) for library, mode in names if self.peer(library, precision) is not None
                 and (mode != "one call" or program.endswith("train step"))]
        known = self.known("time") if self.args.again else self.known("time", "left out")
        missing = [name for name in names if (program, precision, *name) not in known]
        return [name for name in names if name in missing or name == EAGER] if missing else []

    # -- measuring ----------------------------------------------------------------------------------------------------

    def measure(self, program, precision, names, limit=PATIENCE):
        """Add a row for each (library, mode) without one. If a worker ends, its library is left out."""
        while names:
            print(f"{datetime.datetime.now():%H:%M:%S} {precision} {program}", file=sys.stderr, flush=True)
            field = [Contender(self.peer(library, precision), mode) for library, mode in names]
            for contender in field:
                contender.peer.limit = min(limit, PATIENCE)
            try:
                times, refusals = measure(field, program, self.pace, own=None)
            except MXNetError as error:
                ended = [contender.name for contender in field if contender.peer.ended]
                # A worker that answers is left alone: the error occurred during the turns.
                dead = set() if ended else {peer for peer in {one.peer for one in field} if not self.lives(peer)}
                lost = ended or [contender.name for contender in field if contender.peer in dead] or names
                for name in lost:
                    self.leave_out(program, precision, name, error)
                names = [name for name in names if name not in lost]
                continue
            for name, reason in refusals.items():
                self.leave_out(program, precision, name, reason)
            for name, seconds in times.items():
                of_eager = median_ratio(seconds, times[EAGER]) if EAGER in times else None
                self.add_new("time", program, precision, name, seconds=seconds, of_eager=of_eager)
            for peer in {contender.peer for contender in field}:
                if self.lives(peer):
                    peer.forget()
            return

    def leave_out(self, program, precision, name, reason):
        self.add_new("left out", program, precision, name, reason=str(reason)[:2000])

    def add_new(self, kind, program, precision, name, **more):
        if (program, precision, *name) not in self.known("time", kind):
            self.add(kind, program=program, precision=precision, library=name[0], mode=name[1], **more)

    def lives(self, peer):
        """Return whether the worker's device accepts work. If not, after an error in a kernel, end the worker."""
        with contextlib.suppress(MXNetError):
            return peer.ask("more", "lives")
        peer.kill()
        peer.close()
        return False

    def weigh(self, program, precision):
        """Add the device memory used by each program that has run."""
        for _, _, library, mode in sorted(key for key in self.known("time") - self.known("memory")
                                          if key[:2] == (program, precision)):
            peer = self.peer(library, precision)
            if peer is None or (library, mode) == COMPILE or self.over():
                continue
            try:
                taken = peer.ask("more", "device_bytes", program, mode)
            except ProgramError:        # a program that needs most of the memory may not fit twice in a row
                taken = None
                self.lives(peer)
            self.add("memory", program=program, precision=precision, library=library, mode=mode, bytes=taken)

    def measure_kernels(self):
        """Run gpu_kernels.py for each precision. Returns whether it is done."""
        for precision in self.args.precisions:
            left = self.until - time.monotonic()
            nets = [net for net in self.args.nets if net not in ("mlp", "lstm")] or self.args.nets
            command = [sys.executable, str(HERE / "gpu_kernels.py"), str(self.journal), "--nets", *nets, "--batch",
                       str(self.args.batches[0]), *["--quick"] * self.args.quick]
            environment = {**os.environ, "MINIGLUON_TF32": str(int(precision == "tf32"))}
            try:
                done = subprocess.run(command, env=environment, timeout=None if left == float("inf") else max(left, 1))
            except subprocess.TimeoutExpired:
                return False
            if done.returncode:
                print(f"gpu_kernels.py, {precision}: status {done.returncode}", file=sys.stderr)
        return True


def torch_python(args):
    """Return a Python with PyTorch, or None."""
    named = interpreters(torch=args.torch_python).get("torch")
    return named or (sys.executable if importlib.util.find_spec("torch") else None)


if __name__ == "__main__":
    sys.exit(main())
