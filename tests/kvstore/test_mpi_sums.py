"""How arrays are added up over processes: in every way and size, with the same bits everywhere, and the messages."""

import pytest
from helpers import ROOT
from helpers.mpi import run

from minigluon.kvstore.buckets import Buckets

PROGRAM = ROOT / "tests" / "kvstore" / "mpi_sums.py"

pytestmark = pytest.mark.once


def test_three_processes_add_up_in_every_way():
    result = run(3, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    differ = ("the processes are not at the same call of their store: pushpull, key number 1 of 2: processes 0 and 2: "
              "key 'a' float32 (3,); process 1: key 'c' float32 (300000,). All processes must make the same calls, "
              "with the same keys, types and shapes, in the same order.")
    of_steps = ["1 exchanges"] * 3 + ["4 exchanges", "2 exchanges", "2 exchanges"]
    assert result.stdout.splitlines() == ["direct", "ring", "doubling", "float16", "bfloat16",
                                          "extreme values", "two bits", "agreed 2 times on 6 calls", differ,
                                          differ, *of_steps, "done"]


def test_arrays_in_buckets():
    layout = Buckets([("float32", (1 << 18,), False), ("float16", (3, 2), False), ("float64", (), True),
                      ("float32", (1 << 21, 2), False), ("float32", (0, 4), False)], [4, 3, 2, 1, 0])
    assert [(bucket.members, bucket.flat.dtype.name, bucket.flat.size) for bucket in layout.buckets] == [
        ((4,), "float32", 1 << 18), ((3, 1), "float32", 6 + (1 << 22)), ((2,), "float64", 1), ((0,), "float32", 0)]
    assert {index: view.shape for index, view in layout.views.items()} == {
        4: (1 << 18,), 3: (3, 2), 2: (), 1: (1 << 21, 2), 0: (0, 4)}
    layout.views[3][:] = 7
    assert layout.buckets[1].flat[:7].tolist() == [7] * 6 + [0]
