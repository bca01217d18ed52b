"""`minigluon declined`: a program runs, and what a backend had no kernels for is listed with the reasons."""

import sys

import pytest

from minigluon import dispatch
from minigluon.tools import cli
from minigluon.tools.cli.declined import listed

pytestmark = pytest.mark.once

PROGRAM = """
import sys
from minigluon import nd
from minigluon.backend import ReferenceBackend, registry, use_backend

class Picky(ReferenceBackend):
    name = "picky"

    def prepare(self, op, inputs, outputs, train, rng):
        if op.name == "tanh":
            return super().prepare(op, inputs, outputs, train, rng)
        return f"no kernel for {op.name} of {inputs[0].dtype}"

registry.install(Picky())
with use_backend("picky"):
    for size in (2, 3, 3):
        nd.exp(nd.tanh(nd.ones(size)))
    nd.relu(nd.ones(2, dtype="int32"))
registry.uninstall("picky")
print(sys.argv[1:])
sys.exit(3)
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    path = tmp_path / "picky.py"
    path.write_text(PROGRAM)
    for name in ("argv", "path"):
        monkeypatch.setattr(sys, name, list(getattr(sys, name)))
    monkeypatch.setitem(sys.modules, "__main__", type(sys)("__main__"))
    monkeypatch.setattr(dispatch, "declined", dispatch.Counter())
    return str(path)


def test_a_program_and_what_was_declined(program, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["declined", program, "--rate", "2"])
    assert end.value.code == 3
    shown = [line for line in capsys.readouterr().out.splitlines() if "_ones" not in line]
    assert shown == [
        "['--rate', '2']",
        "",
        "operator  backend  times  reason",
        "exp       picky        2  no kernel for exp of float32",
        "relu      picky        1  no kernel for relu of int32",
        "",
        "The NumPy reference ran instead. Each combination of shapes, dtypes and attributes counts once."]


def test_nothing_was_declined():
    assert listed({}) == ["no backend declined an operator"]


def test_a_program_that_is_not_there(capsys):
    assert cli.main(["declined", "nowhere.py"]) == 1
    assert capsys.readouterr().err == "minigluon declined: error: there is no program 'nowhere.py'\n"
