"""mx.profiler: what it records, in imperative programs, plans and training steps; and that it goes away again."""

import json
import threading

import numpy as np
import pytest
from minigluon.profiler import control

import minigluon as mx
from minigluon import autograd, gluon, nd


@pytest.fixture(autouse=True)
def clean():
    mx.profiler.dumps(reset=True)
    yield
    mx.profiler.set_state("stop")
    mx.profiler.dumps(reset=True)
    mx.profiler.set_config(filename="profile.json")


def counts():
    """{operator: how often}"""
    found = json.loads(mx.profiler.dumps(format="json"))["Time"].get("operator", {})
    return {name: numbers["Count"] for name, numbers in found.items()}


def test_operators():
    x = nd.ones((5, 5))
    x.attach_grad()
    mx.profiler.set_state("run")
    with autograd.record():
        y = nd.dot(x, x).exp() + x
    y.backward()
    y += 1
    mx.profiler.pause()
    nd.log(x)
    mx.profiler.resume()
    nd.sin(x)
    mx.profiler.set_state("stop")
    nd.cos(x)
    found = counts()
    assert (found["dot"], found["exp"], found["sin"]) == (1, 1, 1)
    assert "log" not in found
    assert "cos" not in found
    assert found["_dot_lhs_grad"] == found["_dot_rhs_grad"] == 1
    assert found["_plus_scalar"] == 1


def network():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(4, 3, activation="relu"), gluon.nn.MaxPool2D(), gluon.nn.Dense(3))
    net.initialize()
    return net


def test_plans_give_the_same_and_are_seen():
    """A net that was hybridized and run before; afterwards it has its own kernels back."""
    net, x = network(), nd.random.normal(shape=(2, 1, 8, 8))
    net.hybridize()
    expected = net(x).asnumpy()
    plan = next(iter(net._graphs.values())).compiled.last_plan
    mx.profiler.set_state("run")
    seen = net(x).asnumpy()
    mx.profiler.set_state("stop")
    np.testing.assert_array_equal(seen, expected)
    names = counts()
    assert any("conv" in name.lower() for name in names)
    assert sum(names.values()) >= 2     # convolution, relu and pooling may be one
    np.testing.assert_array_equal(net(x).asnumpy(), expected)
    assert counts() == names
    again = next(iter(net._graphs.values())).compiled.last_plan
    assert [type(step.kernel) for step in again.steps] == [type(step.kernel) for step in plan.steps]


def test_training_steps():
    net, loss = network(), gluon.loss.SoftmaxCrossEntropyLoss()
    net.hybridize()
    loss.hybridize()
    x, y = nd.random.normal(shape=(4, 1, 8, 8)), nd.array([0, 1, 2, 0])
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    step = gluon.TrainStep(net, loss, trainer)
    step(x, y)
    assert step.reason is None
    mx.profiler.set_state("run")
    step(x, y)
    assert step.reason is None
    mx.profiler.set_state("stop")
    seen = counts()
    assert any("sgd" in name for name in seen)
    step(x, y)
    assert counts() == seen


def test_the_trace(tmp_path):
    mx.profiler.set_config(filename=str(tmp_path / "trace.json"), profile_all=True)
    mx.profiler.set_state("run")
    domain = mx.profiler.Domain("mine")
    counter = domain.new_counter("count", 5)
    with domain.new_task("task"):
        nd.exp(nd.ones((3,)))
    counter += 3
    counter -= 1
    domain.new_marker("here").mark("thread")
    thread = threading.Thread(target=lambda: nd.sin(nd.ones((3,))))
    thread.start()
    thread.join()
    mx.profiler.dump()
    assert not control.is_running() or mx.profiler.control.record.paused is False
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert trace["displayTimeUnit"] == "ms"
    events = {event["name"]: event for event in trace["traceEvents"]}
    exp, task, sin = events["exp"], events["task"], events["sin"]
    assert (exp["cat"], exp["ph"], task["cat"]) == ("operator", "X", "mine")
    assert task["ts"] <= exp["ts"]
    assert exp["ts"] + exp["dur"] <= task["ts"] + task["dur"]
    assert sin["tid"] != exp["tid"]
    assert events["here"]["s"] == "t"
    assert [event["args"]["count"] for event in trace["traceEvents"] if event["ph"] == "C"] == [5, 8, 7]
    assert events["process_name"]["args"] == {"name": "cpu(0)"}
    nd.cos(nd.ones((3,)))
    assert "cos" not in counts()


TABLE = """
Profile Statistics:
\tNote the difference in units for different entries.
frame
=================
Name                          Total Count        Time (ms)    Min Time (ms)    Max Time (ms)    Avg Time (ms)
----                          -----------        ---------    -------------    -------------    -------------
long                                    1           4.0000           4.0000           4.0000           4.0000
twice                                   2           3.0000           1.0000           2.0000           1.5000

mine
=================
Name                          Total Count             Last              Min              Max              Avg
----                          -----------             ----              ---              ---              ---
count                                   2           2.0000           2.0000           6.0000           4.0000

"""


def test_the_table():
    control.record.add("frame", "twice", 0, 1_000_000)
    control.record.add("frame", "twice", 0, 2_000_000)
    control.record.add("frame", "long", 0, 4_000_000)
    control.record.set("mine", "count", 6)
    control.record.set("mine", "count", 2)
    assert mx.profiler.dumps() == TABLE
    assert mx.profiler.dumps(sort_by="avg", ascending=True).index("twice") < mx.profiler.dumps().index("long") + 200
    by_count = mx.profiler.dumps(sort_by="count", reset=True)
    assert by_count.index("twice") < by_count.index("long")
    assert "frame" not in mx.profiler.dumps()


def test_nothing_is_recorded_while_it_does_not_run():
    domain = mx.profiler.Domain("mine")
    counter = domain.new_counter("count", 5)
    counter.increment(2)
    counter.decrement()
    with domain.new_frame("frame"), mx.profiler.Event("event"):
        domain.new_marker("here").mark()
    assert json.loads(mx.profiler.dumps(format="json")) == {"Time": {}, "Counter": {}, "Unit": {"Time": "ms"}}
    assert [str(thing) for thing in (domain, counter, mx.profiler.Task(domain, "t"))] == ["mine", "count", "t"]


def test_more_events_than_a_trace_has_room_for(monkeypatch):
    monkeypatch.setattr(mx.profiler.record, "MAX_EVENTS", 2)
    for _ in range(5):
        control.record.add("frame", "f", 0, 1)
    assert len(control.record.events) == 2
    assert "\nThe trace has no room for 3 more events.\n" in mx.profiler.dumps()
    assert control.record.times["frame"]["f"].count == 5


def test_mistakes(tmp_path):
    def message(function, *args, **kwargs):
        with pytest.raises(ValueError) as caught:
            function(*args, **kwargs)
        return str(caught.value)

    assert message(mx.profiler.set_config, file_name="x").startswith(
        "profiler.set_config: unknown option 'file_name'. Did you mean 'filename', 'profile_memory', ")
    assert message(mx.profiler.set_state, "on") == "profiler.set_state: state is 'on', expected 'run' or 'stop'"
    assert message(mx.profiler.dumps, sort_by="name") == (
        "profiler.dumps: sort_by is 'name', expected one of 'total', 'avg', 'min', 'max', 'count'")
    assert message(mx.profiler.Event("e").stop) == "profiler: stop() of 'e' before start()"
    assert message(mx.profiler.Domain("d").new_marker("m").mark, "all") == (
        "profiler: scope is 'all', expected one of 'process', 'thread', 'global', 'task', 'marker'")
    mx.profiler.set_config(filename=str(tmp_path / "no" / "folder.json"))
    with pytest.raises(mx.MXNetError, match="folder.json': No such file or directory"):
        mx.profiler.dump()


@pytest.mark.parametrize(("old", "new"), [("profiler_set_config", "set_config"), ("profiler_set_state", "set_state")])
def test_older_names(old, new):
    with pytest.warns(DeprecationWarning, match=f"^profiler.{old} is deprecated, use profiler.{new}$"):
        getattr(mx.profiler, old)()
