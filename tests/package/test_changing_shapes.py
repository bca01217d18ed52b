"""benchmarks/changing_shapes.py counts shapes, leaves programs imperative where it should, and can fail."""

import sys

import pytest
from helpers import ROOT

from minigluon import gluon, nd
from minigluon.gluon import nn


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    for owner, name in ((gluon.HybridBlock, "_run_graph"), (gluon.HybridBlock, "hybridize"),
                        (gluon.HybridBlock, "activate"), (gluon.TrainStep, "__call__")):
        monkeypatch.setattr(owner, name, getattr(owner, name))       # what the script replaces, put back afterwards
    import changing_shapes
    return changing_shapes


def program():
    """A net that sees lengths 3, 2, 3; TrainStep's 4 is one more."""
    net = nn.HybridSequential()
    net.add(nn.Dense(1, in_units=2))
    net.initialize()
    net.hybridize()
    for length in (3, 2, 3):
        net(nd.ones((length, 2)))
    step = gluon.TrainStep(net, gluon.loss.L2Loss(), gluon.Trainer(net.collect_params(), "sgd"))
    step(nd.ones((4, 2)), nd.ones((4, 1)))
    return net


def test_shapes_of_hybridized_blocks_are_counted(script):
    seen = script.counted_shapes()
    net = program()
    assert seen[net] == {((3, 2),), ((2, 2),), ((4, 2),)}


def test_imperative_programs_have_no_graphs(script):
    script.without_hybridize()
    assert not program().block_graphs


@pytest.mark.parametrize(("hybridized", "options", "code"), [
    ((0.9, 0.9), [], 0), ((1.04, 1.04), [], 0), ((1.1, 0.9), [], 1), ((0.9, 1.1), [], 1),
    ((1.1, 0.9), ["--processor"], 0), ((0.9, 1.1), ["--processor"], 1)])
def test_slower_programs_end_it_with_1(script, monkeypatch, capsys, hybridized, options, code):
    answers = {"count": [9.0, 9.0, 2, ["math"]], "imperative": [1.0, 1.0, 0, []], "hybridized": [*hybridized, 0, []]}
    monkeypatch.setattr(script, "run", lambda mode, name, *_: answers[mode] if name == "vae" else [1.0, 1.0, 1, []])
    monkeypatch.setattr(sys, "argv", ["changing_shapes.py", "vae", "dcgan", *options])
    assert script.main() == code
    printed = capsys.readouterr().out
    assert f"| vae | 2 | 1.00 | {hybridized[0]:.2f} | {hybridized[0]:.2f} | 1.00 |" in printed
    assert f"hybridized block: dcgan. Slower hybridized: {'vae' if code else 'none'}." in printed
