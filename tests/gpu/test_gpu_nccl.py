"""Sums over cards by NCCL, as calls of a stand-in of its library."""

from helpers import gpu_choice         # isort: skip (it chooses the GPU)

import pytest
from helpers import ROOT
from helpers.gpu_checks import backend
from helpers.mpi import run
from helpers.nccl_stand_in import NcclStandIn
from minigluon_accel.gpu import nccl

import minigluon as mx

gpu_choice.of_the_emulated_gpu("a stand-in")
PROGRAM = ROOT / "tests" / "kvstore" / "mpi_cards.py"


@pytest.fixture
def stand_in(monkeypatch):
    library = NcclStandIn()
    monkeypatch.setattr(nccl, "loaded", lambda: library.functions)
    yield library
    assert library.errors == []


def on_card(values, dtype="float32"):
    return mx.nd.array(values, ctx=mx.gpu(), dtype=dtype).buffer


def test_several_arrays_of_two_cards_in_one_group(stand_in):
    """The same card stands for both."""
    device = backend().device
    comm = nccl.Communicator([device, device], 2, 4, nccl.unique_id())
    sums = comm.all_reduce([[on_card([1, 2]), on_card([10, 20])], [on_card([[3]], "int32"), on_card([[4]], "int32")]])
    assert [[total.numpy().tolist() for total in totals] for totals in sums] == [[[11, 22]] * 2, [[[7]]] * 2]
    comm.close()
    assert stand_in.calls == [
        "start", ("init", 2, 4), ("init", 3, 4), "end", "start", ("sum", 2, 2, "float32"), ("sum", 3, 2, "float32"),
        ("sum", 2, 1, "int32"), ("sum", 3, 1, "int32"), "end", "destroy", "destroy"]


def test_an_error_names_the_function(stand_in):
    stand_in.status["ncclCommInitRank"] = 2
    with pytest.raises(mx.MXNetError) as caught:
        nccl.Communicator([backend().device], 0, 2, nccl.unique_id())
    assert str(caught.value) == (
        "NCCL: a communicator of 2 cards failed in ncclCommInitRank: status 2. NCCL_DEBUG=WARN prints more; "
        "MINIGLUON_NCCL=0 in all processes adds up through the CPU's memory.")


def test_where_it_is_not_used(monkeypatch):
    assert nccl.available() == "NCCL needs a real GPU, and this one is emulated"
    monkeypatch.setattr(nccl.driver, "emulated", lambda: False)
    monkeypatch.setattr(nccl, "loaded", lambda: "there is no NCCL: " + nccl.INSTALL)
    assert nccl.available() == ("there is no NCCL: pip install nvidia-nccl-cu12, or -cu13, brings it")
    monkeypatch.setenv("MINIGLUON_NCCL", "0")
    assert nccl.available() == "MINIGLUON_NCCL=0 switches it off"


@pytest.mark.once
def test_a_trainer_in_two_processes():
    """Each process has a card, and the stand-in adds up by MPI: weights are those of the CPU."""
    result = run(2, PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    assert sorted(result.stdout.splitlines()) == ["card 0: 3 groups, 2 arrays each", "card 1: 3 groups, 2 arrays each"]
