"""kvstore='dist_sync': processes that do not do the same, hang or leave. The campaign `mpi` has many more faults."""

import json
import re

import pytest
from helpers import ROOT
from helpers.mpi import run

import minigluon as mx
from minigluon.kvstore import job
from minigluon.kvstore.agreement import Call, difference, processes

PROGRAM = ROOT / "tests" / "kvstore" / "mpi_disagreements.py"
FAULTS = ROOT / "tests" / "helpers" / "mpi_faults.py"
SAME = "All processes must make the same calls, with the same keys, types and shapes, in the same order."


@pytest.mark.once
def test_processes_that_do_not_do_the_same_are_told_so_and_can_go_on():
    """Before any number is exchanged; the sums after each of these errors are right."""
    result = run(2, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    prefix = "the processes are not at the same call of their store: "
    assert [line.removeprefix(prefix).removesuffix(f". {SAME}") for line in result.stdout.splitlines()] == [
        "process 0: init of key 'w' float32 (2,); process 1: init of key 'w' float32 (3,)",
        "process 0: init of key 'w' float32 (2,); process 1: init of key 'w' float64 (2,)",
        "process 0: push of key 'a' float32 (2,); process 1: push of key 'b' float32 (2,)",
        "process 0: push of key 'a' float32 (2,); process 1: push of key 'a' float16 (2,)",
        "process 0: pushpull of key 'x' float32 (2,); process 1: pushpull of key 'x' float32 (200000,)",
        "pushpull, key number 2 of 3: process 0: key 'y' float32 (2,); process 1: key 'z' float32 (2,)",
        "pushpull, key number 3 of 3: process 0: key 'z' float32 (2,); process 1: no further key",
        "process 0: push of key 'a' float32 (2,); process 1: barrier",
        "process 0: push of key 'a' float32 (2,); process 1: push to store 2 of key 'a' float32 (2,)",
        "process 0: push of key 'a' float32 (2,); process 1: push for steps of SGD "
        "(learning rate 0.01, rescale_grad 1.0) of key 'a' float32 (2,)",
        "process 0: push of key 'a' float32 (2,); "
        "process 1: push in two bits with threshold 0.5 of key 'a' float32 (2,)",
        "process 0: pushpull to store 5 for steps of SGD on the devices (learning rate 0.01, rescale_grad 1.0) of key "
        "0 float32 (1, 2); process 1: pushpull to store 5 for steps of Adam on the devices (learning rate 0.001, "
        "rescale_grad 1.0) of key 0 float32 (1, 2)",
        "process 0: pushpull to store 6 for steps of SGD on the devices (learning rate 0.01, rescale_grad 1.0) of key "
        "0 float32 (1, 2); process 1: pushpull to store 6 for steps of SGD on the devices (learning rate 0.01, "
        "rescale_grad 0.5) of key 0 float32 (1, 2)",
        "process 0: pushpull to store 7 for steps of SGD on the devices (learning rate 0.01, rescale_grad 1.0) of key "
        "0 float32 (1, 2); process 1: pushpull to store 7 for steps of SGD on the devices (learning rate 0.5, "
        "rescale_grad 1.0) of key 0 float32 (1, 2)",
        "they have begun different numbers of calls (process 0: 34 calls; process 1: 35 calls), so one has failed, at "
        "push of key 'a' float32 (2,)",
        "process 0: pushpull of key 'again' float32 (2,); process 1: barrier",
        "done",
    ]


@pytest.mark.once
def test_a_process_that_hangs_is_named_and_the_job_ends():
    case = {"fault": "stopped", "rank": 1, "at": 2}
    result = run(2, FAULTS, json.dumps(case), MINIGLUON_MPI_TIMEOUT="3")
    assert result.returncode == 1
    assert re.search(
        r"MXNetError: process 0 has waited \d+ s for process 1 of 2 \(pid \d+ on .+\), in its call 7: push of key 'c' "
        r"float16 \(40,\)\. It hangs, or takes longer than MINIGLUON_MPI_TIMEOUT, the limit in "
        r"seconds; 0 is no limit\.\n", result.stderr)


def test_where_calls_differ_in_words():
    one, two = (Call("push", [(key, "float32", (2,)) for key in keys]) for keys in ("abcde", "abxde"))
    assert (one.digest == two.digest, len(one.digest)) == (False, 16)
    assert str(one) == "push of key 'a' float32 (2,), key 'b' float32 (2,), key 'c' float32 (2,) and 2 more"
    assert difference([one.text, two.text, one.text], [3, 3, 3]) == (
        "push, key number 3 of 5: processes 0 and 2: key 'c' float32 (2,); process 1: key 'x' float32 (2,)")
    assert difference([Call("barrier").text] * 3, [3, 3, 4]) == (
        "they have begun different numbers of calls (processes 0 and 1: 3 calls; process 2: 4 calls), so one has "
        "failed, at barrier")
    assert (processes([2]), processes([3, 0, 2])) == ("process 2", "processes 0, 2 and 3")


@pytest.mark.parametrize("text", ["soon", "-1", "inf", "nan", ""])
def test_limits_that_are_none(monkeypatch, text):
    monkeypatch.setenv("MINIGLUON_MPI_TIMEOUT", text)
    with pytest.raises(mx.MXNetError) as caught:
        job.join.__wrapped__()
    assert str(caught.value) == (f"MINIGLUON_MPI_TIMEOUT is {text!r}, expected a number of seconds, or 0 for no limit")


def test_checks_that_there_are_not(monkeypatch):
    monkeypatch.setenv("MINIGLUON_MPI_CHECK", "first")
    with pytest.raises(mx.MXNetError) as caught:
        job.join.__wrapped__()
    assert str(caught.value) == "MINIGLUON_MPI_CHECK is 'first', expected 'always' or 'never'"
