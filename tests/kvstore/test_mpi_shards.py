"""Sharded optimizer states: the same weights as with one process, and states that any number of processes resumes."""

from pathlib import Path

import pytest
from helpers.mpi import run

import minigluon as mx

pytestmark = pytest.mark.once

PROGRAM = Path(__file__).with_name("mpi_shards.py")
REFUSED = ["the states of Nadam cannot be sharded: its momentum schedule is common to all weights. Use another "
           "optimizer, or do not call shard_optimizer_states.",
           "Trainer: the store's optimizer states are sharded, which is not possible with update_on_kvstore=True. Omit "
           "it."]


def test_the_same_weights_at_1_2_and_4_processes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ranks in (None, 4, 2, None):        # each also resumes from the files of the earlier ones: 1 to 4, 4 to 2 and 1
        result = run(ranks, PROGRAM)
        assert result.returncode == 0, result.stdout + result.stderr
        assert result.stdout.splitlines() == [*(f"{name}: 6 states" for name in ("sgd", "adam", "lamb")),
                                              *(REFUSED if ranks else [])]


def test_a_store_without_processes():
    with pytest.raises(mx.MXNetError) as caught:
        mx.kv.create("local").shard_optimizer_states()
    assert str(caught.value) == ("the store 'local' has no other processes to keep states; 'dist_sync' has them")
