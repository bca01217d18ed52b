"""tests/scripts/gpu_suite.py and benchmarks/gpu.py, killed while they work: what they had found is kept, and a second
run does the rest."""

import json
import random
import re
import subprocess
import sys
import time
from collections import Counter

import pytest
from helpers import ROOT, gpu_choice
from helpers.processes import SLOWER, environment

from minigluon.tools.bench import journal

gpu_choice.of_the_emulated_gpu("these tests are of the emulated GPU")

SUITE, BENCH = ROOT / "tests" / "scripts" / "gpu_suite.py", ROOT / "benchmarks" / "gpu.py"
# Each test writes down that it has run. The one in the middle ends its process, and the fifth the device.
SMALL = """
import os, signal, time
import numpy as np
import pytest

def run(name):
    with open(os.environ["RAN"], "a") as file:
        file.write(name + "\\n")
    time.sleep(0.05)

@pytest.mark.parametrize("number", range(3))
def test_before(number):
    run(f"test_before[{number}]")

def test_crash():
    run("test_crash")
    os.kill(os.getpid(), signal.SIGSEGV)

def test_lost():
    run("test_lost")
    import minigluon as mx
    from minigluon_accel.gpu import BACKEND
    from minigluon_accel.gpu.compile import Runner, prepare
    from minigluon_accel.gpu.launch import GeneratedSource, In, Launch
    x = mx.nd.zeros((4,), ctx=mx.gpu())
    source = GeneratedSource('extern "C" __global__ void beyond(float *x) { x[1 << 28] = 1; }')
    device = BACKEND.on(mx.gpu()).device
    Runner(device, [prepare(device, Launch(source, "beyond", {}, 1, 1, [In(0)]), {In: 0})], 1).run([x.buffer])
    x.asnumpy()

def test_fails():
    run("test_fails")
    assert 1 == 2

def test_skipped():
    run("test_skipped")
    pytest.skip("no reason")

def test_after():
    run("test_after")
"""
OUTCOMES = {"test_before[0]": ["passed"], "test_before[1]": ["passed"], "test_before[2]": ["passed"],
            "test_crash": ["crashed"], "test_lost": ["lost", "lost"], "test_fails": ["failed"],
            "test_skipped": ["skipped"], "test_after": ["passed"]}


# pytest's own start is most of what these tests take: without plugins it takes a third.
QUICK = {"MINIGLUON_GPU": "emulate", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "MINIGLUON_GPU_OPTIMIZE": "0"}


def suite(folder, *more):
    return [sys.executable, SUITE, folder / "out", "--emulate", "--only", "tests", "--workers", "2", "--files",
            folder / "test_small.py", folder / "test_broken.py", *more]


def killed(command, path, count, **more):
    """Kill a command when a file of rows has so many lines, or a little later. Returns the rows."""
    process = subprocess.Popen(list(map(str, command)), env=environment(**QUICK, **more), start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60 * SLOWER
    while process.poll() is None and len(journal.rows(path)) < count and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.1))
    process.kill()
    process.wait()
    assert len(journal.rows(path)) >= count
    return journal.rows(path)


def finished(command, **more):
    return subprocess.run(list(map(str, command)), env=environment(**QUICK, **more), capture_output=True, text=True)


def test_a_killed_suite_goes_on(tmp_path):
    (tmp_path / "test_small.py").write_text(SMALL)
    (tmp_path / "test_broken.py").write_text("import there_is_no_such_module\n")
    path, ran = tmp_path / "out" / "results.jsonl", tmp_path / "ran"
    kept = killed(suite(tmp_path), path, random.randint(2, 4), RAN=str(ran))
    done = [row["test"] for row in kept if "test" in row and row["outcome"] != "lost"]
    before = Counter(ran.read_text().split()) if ran.exists() else Counter()
    with open(path, "ab") as file:
        file.write(b'{"tool": null, "fi')           # as a kill may leave it
    ended = finished(suite(tmp_path), RAN=str(ran))
    assert ended.returncode == 1, ended.stdout + ended.stderr
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows[:len(kept)] == kept
    found = {}
    for row in rows:
        if "test" in row:
            found.setdefault(re.split("::|/", row["test"])[-1], []).append(row["outcome"])
    assert found == {**OUTCOMES, "test_broken.py": ["failed"]}
    for test in {name.rpartition("::")[2] for name in done} & set(OUTCOMES):
        assert Counter(ran.read_text().split())[test] == before[test], test
    summary = (tmp_path / "out" / "summary.md").read_text()
    assert "2 pieces, complete" in summary
    assert "| test_small.py | 4 | 1 | 1 | 1 | 1 |  |" in summary
    assert "| test_broken.py |  |  | 1 |  |  |  |" in summary
    assert "No module named 'there_is_no_such_module'" in summary


def test_a_killed_benchmark_goes_on(tmp_path):
    path, command = tmp_path / "gpu.jsonl", [
        sys.executable, BENCH, tmp_path, "--quick", "--nets", "mlp", "--precisions", "float32", "--no-kernels"]
    kept = killed(command, path, random.randint(3, 5))
    ended = finished(command)
    assert ended.returncode == 0, ended.stderr
    rows = journal.rows(path)
    assert rows[:len(kept)] == kept
    names = [(row["program"], row["mode"]) for row in rows if row["kind"] == "time"]
    assert sorted(names) == sorted([
        ("mlp 2 train step", "imperative"), ("mlp 2 train step", "hybridized"), ("mlp 2 train step", "one call"),
        ("mlp 2 forward", "imperative"), ("mlp 2 forward", "hybridized")])
    assert len([row for row in rows if row["kind"] == "memory"]) == 5
    assert (tmp_path / "gpu.md").read_text().count("| mlp 2 train step | float32 | minigluon one call |") == 1


def test_tables_go_into_the_page(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH.parent))
    import gpu_table
    page = gpu_table.PAGE.read_text(encoding="utf-8")
    rows = journal.rows(gpu_table.PAGE.parent / "gpu-h200.jsonl")
    assert gpu_table.put_into(gpu_table.put_into(page, "a table\n"), gpu_table.markdown(rows)) == page


def test_torn_lines(tmp_path):
    path = tmp_path / "rows.jsonl"
    assert journal.rows(path) == []
    journal.mend(path)
    journal.add(path, {"a": 1})
    with open(path, "ab") as file:
        file.write(b'{"a": 2')
    assert journal.rows(path) == [{"a": 1}]
    journal.mend(path)
    journal.add(path, {"a": 3})
    assert path.read_text() == '{"a": 1}\n{"a": 3}\n'
    path.write_text('{"a"\n{"a": 3}\n')
    with pytest.raises(ValueError, match="Expecting"):
        journal.rows(path)
