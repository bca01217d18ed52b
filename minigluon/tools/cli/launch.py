"""`minigluon launch`: start a program in several processes with mpirun, and print the command."""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ...base import ArgumentError, FileFormatError, MXNetError
from .train_options import positive

__all__ = ["add_parser", "launch_command"]

FORWARDED = ("MINIGLUON_", "MXNET_", "PYTHONPATH", "OMP_NUM_THREADS")     # beginnings of variables that all hosts need

ANSWER_SECONDS = 30         # the time in which a host must start a process to be used again


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "launch", help="start a program in several processes, on one or several machines",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Start a program in several processes with mpirun (Open MPI), for kvstore='dist_sync'.\n"
                    "The command is printed first; with --dry-run, it is only printed.",
        epilog="examples:\n"
               "  minigluon launch -n 2 train.py --epochs 3     two processes on this machine\n"
               "  minigluon launch -n 8 --hosts hosts train.py  a file with lines such as 'node1 slots=4'\n"
               "  minigluon launch -n 4 --restarts 2 train.py   train.py resumes from its last checkpoint\n")
    add = parser.add_argument
    add("-n", type=positive(int), required=True, metavar="N", help="number of processes")
    add("--hosts", metavar="FILE", help="a file with a line for each host: its name, and slots=K for K processes")
    add("--threads", type=positive(int), metavar="N",
        help="threads of each process (default: the cores of this machine, divided by the processes on it)")
    add("--restarts", type=count_of_restarts, default=0, metavar="K",
        help="start the program again, at most K times, if a process ends with an error: on the hosts that still "
             "answer, with one process less if all of them do (default: 0)")
    add("--dry-run", action="store_true", help="print the command without running it")
    add("program", metavar="PROGRAM", help="a Python program")
    add("arguments", nargs=argparse.REMAINDER, metavar="...", help="its arguments")
    parser.set_defaults(run=_run)


def launch_command(count: int, hosts: str | None, threads: int | None, program: list[str]) -> list[str]:
    """Return the command that starts a program.

    count: the number of processes.
    hosts: None, or the file with the hosts.
    threads: the number of threads of each process; None to divide the cores.
    program: the program and its arguments.

    Raises FileFormatError for a damaged file of hosts, and ArgumentError if its hosts have too few slots.
    """
    here = count if hosts is None else min(count, max(_slots_of_hosts(hosts, count)))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    command = ["mpirun", "-n", str(count)]
    command += [] if hosts is None else ["--hostfile", hosts]
    command += ["--bind-to", "none"]                    # otherwise all threads of a process share one core
    if hosts is None and count > cores:
        command.append("--oversubscribe")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-run-as-root")
    if not _may_copy_between_processes():
        command += ["--mca", "btl_vader_single_copy_mechanism", "none"]
    command += ["-x", f"OMP_NUM_THREADS={threads or max(1, cores // max(1, here))}"]
    for name in sorted(os.environ):
        if name.startswith(FORWARDED) and name != "OMP_NUM_THREADS":
            command += ["-x", name]
    return [*command, sys.executable, *program]


def count_of_restarts(text: str) -> int:
    """Return the value of --restarts. Raises ArgumentTypeError for anything except a count."""
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a count, 0 or more")
    return int(text)


def _slots_of_hosts(path, count):
    """Return the number of slots of each host in a file."""
    slots = [slots for _, slots in _lines_of_hosts(path)]
    if sum(slots) < count:
        raise ArgumentError(f"{path}: the hosts have {sum(slots)} slots for {count} processes. Write 'NAME slots=K' "
                            "for each host, or start fewer processes.")
    return slots


def _lines_of_hosts(path):
    """Return [(line, slots)], an item for each host in a file."""
    lines = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        options = [re.fullmatch(r"(slots|max[-_]slots)=([1-9]\d*)", word) for word in words[1:]]
        if not all(options):
            raise FileFormatError(f"{path}, line {number}: found {line.strip()!r}, expected the name of a host, "
                                  "such as 'node1 slots=4'")
        slots = next((int(option[2]) for option in options if option and option[1] == "slots"), 1)
        lines.append((" ".join(words), slots))
    return lines


def _may_copy_between_processes():
    """Return whether the system lets a process read another one's memory, which containers often forbid."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        read = libc.process_vm_readv
    except (AttributeError, OSError):       # not Linux
        return True
    return read(os.getpid(), None, 0, None, 0, 0) == 0 or ctypes.get_errno() != errno.EPERM


def _run(args):
    if not Path(args.program).is_file():
        raise MXNetError(f"there is no file {args.program!r}. Give the path of a Python program.")
    command = launch_command(args.n, args.hosts, args.threads, [args.program, *args.arguments])
    print(shlex.join(command), file=sys.stderr, flush=True)
    if args.dry_run:
        return 0
    if shutil.which("mpirun") is None:
        raise MXNetError("there is no program mpirun. Install Open MPI (on Debian: apt-get install openmpi-bin "
                         'libopenmpi-dev) and pip install "minigluon[mpi]".')
    code, interrupted = _wait(command)
    return code if not code or interrupted else _restarted(args, code)


def _wait(command):
    """Return (the exit status, whether Ctrl-C was pressed)."""
    process, interrupted = subprocess.Popen(command), False
    while True:
        try:
            return process.wait(), interrupted
        except KeyboardInterrupt:           # mpirun has received it too, and ends the processes
            interrupted = True


def _restarted(args, code):
    """Start the program again with the processes that are left. Returns the last exit status."""
    count, lines = args.n, None if args.hosts is None else _lines_of_hosts(args.hosts)
    for number in range(1, args.restarts + 1):
        count, lines = _left(count, lines)
        if not count:
            print("minigluon launch: no process is left", file=sys.stderr)
            break
        with tempfile.TemporaryDirectory() as folder:
            hosts = None if lines is None else os.path.join(folder, "hosts")
            if lines is not None:
                Path(hosts).write_text("".join(f"{line}\n" for line, _ in lines), encoding="utf-8")
            command = launch_command(count, hosts, args.threads, [args.program, *args.arguments])
            print(f"minigluon launch: the job ended with exit status {code}; restart {number} of {args.restarts} with "
                  f"{count} process{'es' * (count > 1)}\n{shlex.join(command)}", file=sys.stderr, flush=True)
            code, interrupted = _wait(command)
        if not code or interrupted:
            break
    return code


def _left(count, lines):
    """Return (the number of processes to start again, the lines of hosts that answer)."""
    if lines is None:
        return count - 1, None
    answering = [(line, slots) for line, slots in lines if _answers(line.split()[0])]
    slots = sum(slots for _, slots in answering)
    return (min(count, slots) if len(answering) < len(lines) else min(count - 1, slots)), answering


def _answers(host):
    """Return whether mpirun can start a process on a host."""
    root = ["--allow-run-as-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    try:
        return subprocess.run(["mpirun", *root, "--host", host, "-n", "1", "true"], timeout=ANSWER_SECONDS,
                              capture_output=True, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False
