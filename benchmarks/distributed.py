"""Time of a training step of several processes, compared with PyTorch's DistributedDataParallel (gloo) and with as many
processes of the same library that are not connected; prints Markdown.

    MINIGLUON_TORCH_PYTHON=... python benchmarks/distributed.py [--nets lenet] [--wires shared tcp 1gbit] [--ranks 2]

The jobs take turns, a few steps each, and wait in between; a ratio is the median over the rounds of one time divided by
the other in the same round. The processor time of a step depends less on other programs. Each process has one thread.
The wires:

- shared: memory of one machine, without copying from another process's memory, which containers do not allow
- tcp: TCP on the loopback device
- 1gbit: two or more network namespaces, which `tc` limits to 1 Gbit/s each. Only root can create them.

The nets: LeNet with a batch of 64 (1.7 MB of gradients), a perceptron with 25 MB, and ResNet-18 with 47 MB on 8 images
of 64 x 64. minigluon hybridizes the whole net, or with "layers" each child of its sequence, so that gradients can be
sent while backward continues; "plan" is a TrainStep, whose plan sends them.
"""

import argparse
import atexit
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
NETS = ("lenet", "mlp", "resnet")
GLUON = {"minigluon": {}, "minigluon layers": {"hybrid": "children"},
         "minigluon plan": {"hybrid": "plan"},
         "minigluon layers float16": {"hybrid": "children", "compression": {"type": "float16"}},
         "minigluon 2bit": {"compression": {"type": "2bit", "threshold": 0.5}}}
TORCH = {"DDP": {}, "DDP float16": {"float16": True}}
BASES = ("minigluon unconnected", "minigluon layers unconnected", "PyTorch unconnected")
AGENT = """#!/bin/sh
host=$1; shift
exec ip netns exec "minigluon${host##*.}" unshare -u sh -c "hostname node${host##*.}; $*"
"""
SUBNET = "10.77.0"
PATIENCE = 180              # seconds


class Job:
    """A training job, whose processes wait for rounds."""

    def __init__(self, commands, ranks, environment):
        self.folder, self.ranks = Path(tempfile.mkdtemp()), ranks
        for rank in range(ranks):
            os.mkfifo(self.folder / f"pipe{rank}")
        self.processes = [subprocess.Popen([part.replace("FOLDER", str(self.folder)) for part in command],
                                           env=environment, start_new_session=True) for command in commands]
        atexit.register(self.kill)
        self._wait("ready")

    def kill(self):
        """End the processes that have not ended."""
        for process in self.processes:
            if process.poll() is None:
                process.terminate()

    def _wait(self, name):
        end = time.monotonic() + PATIENCE
        paths = [self.folder / f"{name}{rank}" for rank in range(self.ranks)]
        while not all(path.exists() for path in paths):
            if time.monotonic() > end or any(process.poll() for process in self.processes):
                raise SystemExit(f"a job failed: {self.processes[0].args}")
            time.sleep(0.01)
        texts = [path.read_text() for path in paths]
        for path in paths:
            path.unlink()
        return texts

    def _tell(self, steps):
        for rank in range(self.ranks):
            (self.folder / f"pipe{rank}").write_text(str(steps))

    def seconds(self, steps):
        """Return the elapsed time of a step and its processor time, of the slowest process."""
        self._tell(steps)
        rows = [map(float, text.split()) for text in self._wait("result")]
        return tuple(map(max, zip(*rows, strict=True)))

    def end(self):
        self._tell(0)
        for process in self.processes:
            process.wait(PATIENCE)
        shutil.rmtree(self.folder)


def environment_of(more=()):
    base = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}
    path = [str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    return {**base, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(path),
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", **dict(more)}


def in_namespace(rank):
    return ["ip", "netns", "exec", f"minigluon{rank + 1}"]


def gluon_job(net, wire, ranks, options, connected=True):
    options = json.dumps({"net": net, "hybrid": "whole", "kvstore": "dist_sync" if connected else "local", **options})
    program = [sys.executable, str(HERE / "distributed_gluon.py"), "FOLDER"]
    if not connected:
        return Job([[*program, str(rank), options] for rank in range(ranks)], ranks, environment_of())
    return Job([[*mpirun(wire, ranks), *program, "mpi", options]], ranks, environment_of())


def mpirun(wire, ranks):
    """Return the command that starts a program in several processes."""
    run = ["mpirun", "-n", str(ranks), "--bind-to", "none"]
    if wire == "tcp":
        run += ["--mca", "btl", "tcp,self"]
    if wire == "1gbit":
        agent = Path(tempfile.gettempdir()) / "minigluon-agent.sh"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        hosts = ",".join(f"{SUBNET}.{rank + 1}:1" for rank in range(ranks))
        run = [*in_namespace(0), *run, "--host", hosts, "--mca", "plm_rsh_agent", str(agent), "--mca", "btl",
               "tcp,self", "--mca", "btl_tcp_if_include", f"{SUBNET}.0/24", "--mca", "oob_tcp_if_include",
               f"{SUBNET}.0/24", "-x", "PYTHONPATH", "-x", "OMP_NUM_THREADS", "-x", "OPENBLAS_NUM_THREADS"]
    return run


def torch_job(net, wire, ranks, options, connected=True):
    address = f"{SUBNET}.1" if wire == "1gbit" else "127.0.0.1"
    port = str(20000 + os.getpid() % 10000 + len(options))
    environment = environment_of({"MASTER_ADDR": address, "MASTER_PORT": port, "WORLD_SIZE": str(ranks)})
    options = json.dumps({"net": net, "ddp": connected, **options})
    commands = []
    for rank in range(ranks):
        device = f"mg{rank + 1}" if wire == "1gbit" else "lo"
        commands.append([*(in_namespace(rank) if wire == "1gbit" else []), "env", f"GLOO_SOCKET_IFNAME={device}",
                         os.environ["MINIGLUON_TORCH_PYTHON"], str(HERE / "distributed_torch.py"), "FOLDER", str(rank),
                         options])
    return Job(commands, ranks, environment)


def namespaces(ranks, verb, rate):
    """Create namespaces on one bridge, or delete them ('del')."""
    def sh(*words, check=True):
        subprocess.run(words, check=check, capture_output=verb == "del")

    if verb == "del":
        for rank in range(ranks):
            sh("ip", "netns", "del", f"minigluon{rank + 1}", check=False)
        sh("ip", "link", "del", "minigluon-br", check=False)
        return
    sh("ip", "link", "add", "minigluon-br", "type", "bridge")
    sh("ip", "link", "set", "minigluon-br", "up")
    for number in range(1, ranks + 1):
        space, device = f"minigluon{number}", f"mg{number}"
        sh("ip", "netns", "add", space)
        sh("ip", "link", "add", f"mgb{number}", "type", "veth", "peer", "name", device, "netns", space)
        sh("ip", "link", "set", f"mgb{number}", "master", "minigluon-br", "up")
        inside = ["ip", "netns", "exec", space]
        sh(*inside, "ip", "addr", "add", f"{SUBNET}.{number}/24", "dev", device)
        sh(*inside, "ip", "link", "set", device, "up")
        sh(*inside, "ip", "link", "set", "lo", "up")
        sh(*inside, "tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", "256kb", "latency",
           "50ms")


def jobs_of(net, wire, args):
    """Return {name: Job}."""
    jobs = {}
    for name in args.jobs:
        if name in TORCH or name == BASES[2]:
            if "MINIGLUON_TORCH_PYTHON" in os.environ:
                jobs[name] = torch_job(net, wire, args.ranks, TORCH.get(name, {}), name in TORCH)
        elif name in BASES:
            jobs[name] = gluon_job(net, wire, args.ranks, {"hybrid": "children"} if "layers" in name else {}, False)
        else:
            jobs[name] = gluon_job(net, wire, args.ranks, GLUON[name])
    return jobs


def measure(net, wire, args):
    jobs = jobs_of(net, wire, args)
    first = {name: job.seconds(2)[0] for name, job in jobs.items()}
    steps = {name: max(2, min(50, round(args.seconds / time_of_step))) for name, time_of_step in first.items()}
    times = {name: [] for name in jobs}
    for number in range(args.rounds):
        names = list(jobs)
        for name in names[number % len(names):] + names[:number % len(names)]:
            times[name].append(jobs[name].seconds(steps[name]))
    for job in jobs.values():
        job.end()
    return times


def ratio(times, name, base):
    if base not in times or name not in times or base == name:
        return ""
    pairs = zip(times[name], times[base], strict=True)
    return f"{statistics.median(one / other for (one, _), (other, _) in pairs):.2f}"


def main():
    names = [*GLUON, *TORCH, *BASES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=NETS, choices=NETS)
    parser.add_argument("--wires", nargs="+", default=["shared", "tcp", "1gbit"], choices=["shared", "tcp", "1gbit"])
    parser.add_argument("--jobs", nargs="+", default=names, choices=names)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a job in each round")
    parser.add_argument("--rate", default="1gbit", help="of the network namespaces")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for wire in args.wires:
        if wire == "1gbit" and (os.geteuid() or not shutil.which("tc")):
            print("1gbit: skipped, because only root can create network namespaces, with the programs ip and tc")
            continue
        if wire == "1gbit":
            namespaces(args.ranks, "del", args.rate)
            namespaces(args.ranks, "add", args.rate)
        for net in args.nets:
            times = measure(net, wire, args)
            print(f"\n{wire}, {net}, {args.ranks} processes\n\n| job | ms per step | ms of CPU | by DDP | by "
                  "unconnected |\n|---|---|---|---|---|")
            for name in times:
                base = BASES[2 if name in TORCH else "layers" in name]
                elapsed, cpu = (1e3 * statistics.median(column) for column in zip(*times[name], strict=True))
                print(f"| {name} | {elapsed:.1f} | {cpu:.1f} | {ratio(times, name, 'DDP')} | "
                      f"{ratio(times, name, base)} |", flush=True)
        if wire == "1gbit":
            namespaces(args.ranks, "del", args.rate)


if __name__ == "__main__":
    main()
