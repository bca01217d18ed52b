"""Files of states from strangers: refused in time and memory that follow from their size, and nothing is changed."""

import pickle
import struct
import tracemalloc

import numpy as np
import pytest
from helpers import WIDE
from helpers.errors import error_of

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, FileFormatError
from minigluon.optimizer import states_file
from minigluon.serialization import params

pytestmark = pytest.mark.once


def updater(optimizer=None):
    return mx.optimizer.get_updater(optimizer or mx.optimizer.SGD(momentum=0.9))


def refusal(content, owner=None):
    """What set_states says to these bytes, in little memory, after it is certain that it has changed nothing."""
    owner = owner or updater()
    states, optimizer = owner.states, owner.optimizer
    tracemalloc.start()
    said = error_of(lambda: owner.set_states(content), FileFormatError)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(content) + 64 * 2 ** 20
    assert owner.states is states
    assert owner.optimizer is optimizer
    start = f"the {len(content)} bytes are not states of an Updater, "
    assert said.startswith(start)
    return said[len(start):].removeprefix("or are damaged: ")


def shared_lists(depth):
    """A list of two times the same list of two times the same list, and so on, in 8 bytes for each."""
    return b"\x80\x04]" + b"".join(b"q%c0](h%ch%ce" % (i, i, i) for i in range(depth)) + b"."


def scheduled(scheduler, **fields):
    """States with a scheduler that has these fields."""
    owner = updater(mx.optimizer.SGD(lr_scheduler=scheduler))
    owner(0, nd.ones(2), nd.ones(2))
    vars(owner.optimizer.lr_scheduler).update(fields)
    return owner.get_states(dump_optimizer=True)


def optimizer_with(optimizer, **fields):
    """States of an optimizer that has these attributes."""
    vars(optimizer).update(fields)
    return states_file.dump(({}, optimizer))


# -- what made a few bytes cost much --------------------------------------------------------------------------------


def test_a_number_in_the_memo_is_no_size():
    assert refusal(b"\x80\x04]r\xff\xff\xff\x0f.") == "but a list and a SGD"


def test_a_bytearray_of_two_billion_zeros_is_not_made():
    assert refusal(b"cbuiltins\nbytearray\nJ\x00\x94\x35\x77\x85R.") == (
        "a bytearray is created from 2000000000, expected bytes")


def test_shared_lists_are_not_walked_again_and_again():
    assert refusal(shared_lists(25)) == "it has more than 800040 values, counting shared ones at each occurrence"
    assert refusal(shared_lists(40)) == "values are nested more than 32 deep"
    assert refusal(b"\x80\x04]q\x00h\x00a.") == "values are nested more than 32 deep"


def test_a_schedule_of_steps_of_no_length():
    factor = mx.lr_scheduler.FactorScheduler
    assert refusal(scheduled(factor(5), step=0)) == "FactorScheduler has step 0, expected a number from 1"
    schedule = factor(5)
    schedule.step = 0
    assert error_of(lambda: schedule(1), ArgumentError) == "FactorScheduler: step is 0, expected at least 1"


def test_one_record_makes_one_array():
    """Many arrays of one memoized record would be more memory than the file has bytes."""
    name = b"cmxnet.ndarray.ndarray\nNDArray\n"
    record = params.record_of(nd.ones(1000))
    first = name + b"N\x85R}X\x06\0\0\0handlecbuiltins\nbytearray\nB" + struct.pack("<I", len(record)) + record
    again = name + b"N\x85R}X\x06\0\0\0handlecbuiltins\nbytearray\nh\x00"
    end = b"\x85Rsb"
    content = b"\x80\x04}(K\x00" + first + b"q\x00" + end + b"K\x01" + again + end + b"u."
    assert refusal(content) == "two arrays have the same record"
    owner = updater()
    owner.set_states(b"\x80\x04}K\x00" + first + end + b"s.")
    assert np.array_equal(owner.states[0].asnumpy(), np.ones(1000))


@pytest.mark.parametrize("values", [b"]", b"K\x00\x85", b"]\x94"])
def test_many_values_are_too_many(values):
    content = b"\x80\x04(" + values * (10 ** 6 // len(values)) + b"l."
    assert "values, more than any file of its" in error_of(lambda: updater().set_states(content))


@pytest.mark.parametrize("values", [b"}", b"]]a", *[b"}]", b"}K\x01]s", b")\x85"] * WIDE])
def test_as_many_values_as_there_may_be_take_little(values):
    """Containers of nothing are kept once: 190,000 dictionaries took 57 MB beside their 15."""
    content = b"\x80\x04(" + values * (190_000 // len(values)) + b"l."
    tracemalloc.start()
    assert "not states of an Updater, but a list" in error_of(lambda: updater().set_states(content), mx.MXNetError)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 48 * 10 ** 6


def test_keys_with_costly_hashes():
    tuples = b"\x80\x04})" + b"q\x00h\x00\x86" * 40 + b"Ns."
    assert refusal(tuples).endswith("a tuple is a key, expected a number, a text or a tuple of them")
    huge = pickle.dumps({2 ** 61 * (2 ** 61 - 1): None}, protocol=4)
    assert refusal(huge).endswith("is a key, expected a number, a text or a tuple of them")


# -- what a step could not take -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("content", "said"), [
    (optimizer_with(mx.optimizer.SGD(), momentum="0.9"), "SGD has momentum '0.9', expected a number"),
    (optimizer_with(mx.optimizer.SGD(), lr=None), "SGD has lr None, expected a number, where there is no scheduler"),
    (optimizer_with(mx.optimizer.SGD(), update=1),
     "SGD has an attribute 'update', which has another meaning"),
    (optimizer_with(mx.optimizer.Adam(), beta1=1.0), "Adam has beta1 1.0, expected a number from 0 to 1, and not 1"),
    (optimizer_with(mx.optimizer.Adam(), _all_index_update_counts={}), "Adam has _all_index_update_counts a dict, "
     "expected a dict of dicts of integers from 0, one of them for device 0"),
    (optimizer_with(mx.optimizer.FTML(), lr=0), "FTML has lr 0, expected a number that is not 0, or None"),
    (optimizer_with(mx.optimizer.LAMB(), bias_correction=3), "LAMB has bias_correction 3, expected True or False"),
    (scheduled(mx.lr_scheduler.FactorScheduler(5), step=float("nan")),
     "FactorScheduler has step nan, expected a number from 1"),
    (optimizer_with(mx.optimizer.LBSGD(), batch_scale=0),
     f"LBSGD has batch_scale 0, expected an integer from 1 to {2 ** 53}"),
    (scheduled(mx.lr_scheduler.MultiFactorScheduler([2, 4]), step=[4, 2]),
     "MultiFactorScheduler has step a list, expected a list of increasing integers from 1"),
    (scheduled(mx.lr_scheduler.PolyScheduler(8), max_steps=0),
     "PolyScheduler has max_steps 0, expected max_update - warmup_steps, 8"),
    (scheduled(mx.lr_scheduler.CosineScheduler(8), base_lr="1"), "CosineScheduler has base_lr '1', expected a number"),
    (states_file.dump({0: "momentum"}), "the state of 0 is 'momentum', expected an array, None, or a tuple of them"),
])
def test_values_that_a_step_could_not_take(content, said):
    assert said in error_of(lambda: updater().set_states(content), FileFormatError)


def test_a_missing_attribute():
    optimizer = mx.optimizer.SGD()
    del optimizer.momentum
    assert refusal(states_file.dump(({}, optimizer))) == "SGD has no momentum"


def test_a_schedule_that_lags_behind():
    schedule = mx.lr_scheduler.FactorScheduler(1)
    assert refusal(optimizer_with(mx.optimizer.SGD(lr_scheduler=schedule), num_update=10 ** 9)) == (
        "FactorScheduler has count 0, expected at most 100000 steps of 1 before update 1000000000")


# -- states of other weights ----------------------------------------------------------------------------------------


def trainer_of(units, optimizer="adam"):
    net = gluon.nn.Dense(units, in_units=3, use_bias=False)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1})
    with autograd.record():
        loss = net(nd.ones((2, 3))).sum()
    loss.backward()
    trainer.step(2)
    return trainer


def test_states_of_another_network_change_nothing(tmp_path):
    path = str(tmp_path / "trainer.states")
    trainer_of(5).save_states(path)
    trainer = trainer_of(4)
    states, optimizer = trainer._updaters[0].states, trainer.optimizer
    assert error_of(lambda: trainer.load_states(path), FileFormatError) == (
        f"cannot load {path!r}: the state of 0 is a tuple of an array (5, 3) of float32, an array (5, 3) of float32. "
        "For the weight, an array (4, 3) of float32, Adam has a tuple of an array (4, 3) of float32, an array (4, 3) "
        "of float32. The states are those of another network or optimizer, or damaged")
    assert trainer._updaters[0].states is states
    assert trainer.optimizer is optimizer


def test_states_of_another_network_where_the_weights_are_not_known():
    trainer, owner = trainer_of(5), updater(mx.optimizer.Adam())
    owner.set_states(trainer._updaters[0].get_states())
    weight = nd.ones((4, 3))
    assert "the state of 0 is a tuple of an array (5, 3) of float32" in error_of(
        lambda: owner(0, nd.ones((4, 3)), weight), FileFormatError)
    assert weight.asnumpy().tolist() == np.ones((4, 3)).tolist()


def test_a_momentum_may_begin_or_end_with_a_file():
    for saved, loaded in ((0.0, 0.9), (0.9, 0.0)):
        owner, weight = updater(mx.optimizer.SGD(momentum=saved)), nd.ones(2)
        owner(0, nd.ones(2), weight)
        other = updater(mx.optimizer.SGD(momentum=loaded))
        other.set_states(owner.get_states())
        other(0, nd.ones(2), weight)


class Counting(mx.optimizer.Optimizer):
    """A program's own, whose states are what it likes."""

    def create_state(self, index, weight):
        return {"steps": 0, "seen": {"a", "b"}}

    def update(self, index, weight, grad, state):
        state["steps"] += 1


def test_the_states_of_a_programs_own_optimizer_are_its_own():
    owner = updater(Counting())
    owner((0,), (nd.ones(2),), (nd.ones(2),))
    other = updater()
    other.set_states(owner.get_states(dump_optimizer=True))
    other(0, nd.ones(2), nd.ones(2))
    assert other.states == {0: {"steps": 2, "seen": {"a", "b"}}}
