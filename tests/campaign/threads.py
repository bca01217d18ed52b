"""Threads that predict while another one replaces all weights: each result belongs to one version of them.

Version v has all its weights from seed v, and a table tells what each version makes of an input, bit for bit. Results
are looked up there. A longer run, with its counts:

    python tests/campaign/threads.py --seconds 60
"""

import argparse
import contextlib
import os
import random
import sys
import tempfile
import threading
import time

import numpy as np

import minigluon as mx
from minigluon import gluon, nd
from minigluon.backend import backend_for
from minigluon.gluon import nn

SECONDS = 20.0
IN_CI = 4
THREADS, PERIOD = 24, 0.01      # those that predict; seconds between two replacements
PAUSE = 0.002                   # seconds between two predictions of a thread
MAX_GROWTH = 48 << 20           # bytes resident between a third of a run and its end
MODES = "hybridized", "snapshot", "hybridized snapshot", "node by node"


def case(seed):
    """A net, how it is called, and how its weights are replaced."""
    draw = random.Random(seed)
    return {"net": draw.choice(["mlp", "convolutions", "recurrent"]), "mode": MODES[seed % len(MODES)],
            "replace": draw.choice(["load_dict", "load_parameters", "set_data"]), "versions": draw.randint(2, 12),
            "batch": draw.choice([1, 8]), "seconds": 0.3}


def run(case):
    """None, or how many results belong to no version."""
    return trouble(counts(case))


def smaller(case):
    """Simpler nets and ways."""
    for key, simplest in (("net", "mlp"), ("replace", "set_data"), ("mode", "hybridized"), ("versions", 2),
                          ("batch", 1)):
        if case[key] != simplest:
            yield {**case, key: simplest}


def trouble(found):
    """What the counts of a run have in them that was not promised."""
    if found["errors"]:
        return f"an error in a thread: {found['errors'][0]!r}"
    if found["mixed"]:
        return f"{found['mixed']} of {found['results']} results belong to no version"
    if found["growth"] > MAX_GROWTH:
        return f"resident memory grew by {found['growth'] >> 20} MB"
    return None


# -- a net and its versions --------------------------------------------------------------------------------------------


class Chosen(gluon.HybridBlock):
    """Rows of an input that a mask in it chooses: its graph cannot be planned, and runs node by node."""

    def hybrid_forward(self, F, x):
        return F.contrib.boolean_mask(x, F.ones_like(F.slice_axis(x, axis=1, begin=0, end=1)).reshape((-1,)))


def build(case):
    """(net, its input)."""
    net, shape = nn.HybridSequential(), (64,)
    if case["net"] == "mlp":
        net.add(nn.Dense(256, in_units=64, activation="relu"), nn.Dense(256, in_units=256, activation="tanh"),
                nn.Dense(16, in_units=256))
    elif case["net"] == "convolutions":
        shape = (3, 12, 12)
        net.add(nn.Conv2D(8, 3, in_channels=3, activation="relu"), nn.BatchNorm(in_channels=8), nn.MaxPool2D(2, 2),
                nn.Flatten(), nn.Dense(16, in_units=200))
    else:
        shape = (5, 12)
        net.add(gluon.rnn.LSTM(24, layout="NTC", input_size=12), nn.Flatten(), nn.Dense(16, in_units=120))
    if case["mode"] == "node by node":
        net.add(Chosen())
    net.initialize()
    if case["mode"] != "snapshot":
        net.hybridize()
    return net, nd.array(np.random.default_rng(0).normal(size=(case["batch"], *shape)))


def replacer(case, net, folder):
    """`replace(v)` gives the net the weights of version v."""
    params = net.collect_params()
    versions = [{name: drawn(param.shape, v) for name, param in params.items()} for v in range(case["versions"])]
    if case["replace"] == "load_dict":
        return lambda v: params.load_dict(versions[v])
    if case["replace"] == "load_parameters":
        for v, arrays in enumerate(versions):
            params.load_dict(arrays)
            net.save_parameters(os.path.join(folder, str(v)))
        return lambda v: net.load_parameters(os.path.join(folder, str(v)))

    def replace(v):
        with gluon.replace_together():
            for name, param in params.items():
                param.set_data(versions[v][name])
    return replace


def drawn(shape, version):
    """Weights; positive ones, which variances may be."""
    return nd.array(np.random.default_rng(version).uniform(0.1, 0.2, shape) / max(1, shape[-1]) * 8)


# -- a run -------------------------------------------------------------------------------------------------------------


def counts(case):
    """{"results", "mixed", "seen" versions, "replacements", "growth" of resident memory in bytes, "errors"}."""
    net, x = build(case)
    before = sys.getswitchinterval()
    with tempfile.TemporaryDirectory() as folder:
        replace, table = replacer(case, net, folder), {}
        for v in range(case["versions"]):
            replace(v)
            table[net(x).asnumpy().tobytes()] = v
        assert len(table) == case["versions"]
        sys.setswitchinterval(2e-4)
        try:
            return watched(case, lambda: net(x).asnumpy().tobytes(), replace, table)
        finally:
            sys.setswitchinterval(before)


def watched(case, predict, replace, table):
    """The counts of THREADS that predict, and of this thread, which replaces."""
    scope = gluon.parameter_snapshot if "snapshot" in case["mode"] else contextlib.nullcontext
    found = {"results": 0, "mixed": 0, "seen": 0, "replacements": 0, "growth": 0, "errors": []}
    lock, end = threading.Lock(), time.monotonic() + case["seconds"]

    def body():
        results, mixed, seen = 0, 0, set()
        try:
            while time.monotonic() < end:
                with scope():
                    result = predict()
                results += 1
                mixed += result not in table
                seen.add(table.get(result))
                time.sleep(PAUSE)           # without, who replaces gets the interpreter's lock a few times a second
        except Exception as error:          # whatever it is: it is told
            found["errors"].append(error)
        with lock:
            found["results"] += results
            found["mixed"] += mixed
            found["seen"] = max(found["seen"], len(seen))

    threads = [threading.Thread(target=body) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    resident = replace_until(end, case, replace, found)
    for thread in threads:
        thread.join()
    found["growth"] = max(0, resident_bytes() - resident)
    return found


def replace_until(end, case, replace, found):
    """Replace the weights every PERIOD; the resident bytes after a third of the time."""
    due, mark, resident = time.monotonic(), end - case["seconds"] * 2 / 3, 0
    while time.monotonic() < end:
        replace(found["replacements"] % case["versions"])
        found["replacements"] += 1
        if not resident and time.monotonic() > mark:
            resident = resident_bytes()
        due += PERIOD
        time.sleep(max(0, due - time.monotonic()))
    return resident or resident_bytes()


def resident_bytes():
    """Of this process; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="for each way of calling")
    seconds = parser.parse_args().seconds
    for mode in MODES:
        chosen = {"net": "mlp", "mode": mode, "replace": "load_dict", "versions": 12, "batch": 8, "seconds": seconds}
        found = counts(chosen)
        print(f"{backend_for(mx.cpu()).name}, {mode}: {found['results']} results of {THREADS} threads in {seconds:g} s,"
              f" {found['mixed']} mixed, {found['replacements'] / seconds:.0f} replacements a second, "
              f"up to {found['seen']} versions seen by a thread, memory grew by {found['growth'] >> 10} KB: "
              f"{trouble(found) or 'holds'}", flush=True)


if __name__ == "__main__":
    main()
