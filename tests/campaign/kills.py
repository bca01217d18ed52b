"""Processes that save, killed at a random moment: what is left is one version, or an error that says what to do.

A case forks a process that saves versions 0 and 1 by turns, and kills it some milliseconds after its start or some
microseconds after it begins to rename; or two processes, which save to the same names. The next save must then leave no
file of theirs.
"""

import ast
import contextlib
import os
import random
import select
import shutil
import signal
import struct
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from unittest import mock

from helpers import savers

from minigluon import MXNetError, recordio
from minigluon.serialization.atomic_write import Replacement

SECONDS = 5.0
IN_CI = 18
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None      # a folder where a sync takes no time
MAX_SECONDS = 5.0       # until a process does what its kill waits for
WRITERS = [*savers.__all__, "Stream"]

_savers = {}            # {name: made once, for this process and those that it forks}


def case(seed):
    rng = random.Random(seed)
    writer = WRITERS[seed % len(WRITERS)]
    kills = []
    for _ in range(1 if writer == "Stream" else rng.choice([1, 1, 2])):
        renaming = rng.random() < 0.7
        kills.append({"renaming": renaming, "after": rng.uniform(0, 1e-3 if renaming else 2e-2)})
    return {"writer": writer, "kills": kills}


def smaller(case):
    if len(case["kills"]) > 1:
        for kill in case["kills"]:
            yield {**case, "kills": [kill]}


def run(case):
    folder = Path(tempfile.mkdtemp(dir=MEMORY))
    try:
        return judge_stream(folder, case["kills"][0]) if case["writer"] == "Stream" else judge(folder, **case)
    finally:
        shutil.rmtree(folder)


class Forked:
    """A process that calls function(*arguments, tell), and dies with a `with` block. tell() sends a byte here."""

    def __init__(self, function, *arguments):
        self.told, tell = os.pipe()
        self.process = os.fork()
        if not self.process:
            try:
                function(*arguments, lambda: os.write(tell, b"."))
            except BaseException:
                os.write(tell, traceback.format_exc().encode())
            finally:
                os._exit(1)
        os.close(tell)

    def kill(self, after, renaming):
        """Kill it so many seconds from now on, or from when it tells for the first time."""
        if renaming and not select.select([self.told], [], [], MAX_SECONDS)[0]:
            raise TimeoutError(f"a process told nothing for {MAX_SECONDS} s")
        end = time.perf_counter() + after
        while time.perf_counter() < end:
            pass
        os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        self.process = None
        if not os.WIFSIGNALED(status):
            raise RuntimeError(f"a process ended by itself: {os.read(self.told, 1 << 16).decode().lstrip('.')}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process is not None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.told)


# -- versions -------------------------------------------------------------------------------------------------------


def judge(folder, writer, kills):
    """One or several processes that save to the same names."""
    if writer not in _savers:
        _savers[writer] = getattr(savers, writer)()
    saver = _savers[writer]
    saver.save(folder, 0)
    names = sorted(os.listdir(folder))
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(Forked(save_forever, saver, folder)) for _ in kills]
        for process, kill in zip(processes, kills, strict=True):
            process.kill(**kill)
    try:
        found = loaded(saver, folder)
    except MXNetError as error:
        return f"after a kill: {error}"
    if len(found) != 1:
        return f"after a kill: a mixture of the versions {found}"
    left = set(os.listdir(folder)) - set(names)
    saver.save(folder, 1)
    if sorted(os.listdir(folder)) != names:
        return f"after the next save: {sorted(os.listdir(folder))}, and {left} before it"
    found = saver.load(folder)
    return None if found == {1} else f"after the next save: {found}"


def loaded(saver, folder):
    """The versions of what is there, after what errors tell to do."""
    for _ in range(3):
        try:
            return saver.load(folder)
        except MXNetError as error:
            told = str(error).partition("os.rename")[2].partition(", or save")[0]
            if not told:
                raise
            os.rename(*ast.literal_eval(told))
    return saver.load(folder)


def save_forever(saver, folder, tell):
    commit = Replacement.commit

    def told(self):
        tell()
        commit(self)

    with mock.patch.object(Replacement, "commit", told):
        while True:
            for version in (1, 0):
                saver.save(folder, version)


# -- records that are written one by one ----------------------------------------------------------------------------


def record(number):
    """Of 1 byte to 400 KB, some of them with the mark that begins records."""
    return (struct.pack("<II", 0xCED7230A, number)[number % 2:] * (number % 7 * 10 ** (number % 5) + 1))[:400_000]


def judge_stream(folder, kill):
    """Every record that `write_idx` has returned from is there; what was being written is passed over."""
    names = str(folder / "a.idx"), str(folder / "a.rec")
    with Forked(write_forever, names) as process:
        process.kill(**kill)
        told = 0
        while part := os.read(process.told, 1 << 16):
            told += len(part)
    if not told:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with recordio.MXIndexedRecordIO(*names, "r") as reader:
            keys = reader.keys
            right = all(reader.read_idx(key) == record(key) for key in keys)
            reader.seek(0)
            in_order = list(iter(reader.read, None))
        recordio.write_index(names[1])
    if keys != list(range(len(keys))) or not told <= len(keys) <= told + 1 or not right:
        return f"{told} records were written, the index has {len(keys)}, and they are {'' if right else 'not '}the same"
    if in_order != [record(key) for key in range(len(in_order))] or not 0 <= len(in_order) - len(keys) <= 1:
        return f"{told} records were written, and {len(in_order)} are in the file"
    with recordio.MXIndexedRecordIO(*names, "r") as reader:
        return None if len(reader.keys) == len(in_order) else f"a new index has {len(reader.keys)} lines"


def write_forever(names, tell):
    with recordio.MXIndexedRecordIO(*names, "w") as writer:
        number = 0
        while True:
            writer.write_idx(number, record(number))
            tell()
            number += 1
