"""`minigluon run`, `declined` and `explain`: an error of the program is shown with the program's file and line."""

import sys

import pytest

from minigluon import dispatch
from minigluon.base import MXNetError
from minigluon.diagnostics import tracebacks
from minigluon.interop.mxnet import run
from minigluon.tools import cli

PROGRAM = """
from minigluon import gluon, nd

def f(x):
    {line}

f(nd.ones((2, 3)))
"""
ERRORS = {
    "ShapeError": "return x + nd.ones((4,))",
    "CallError": "return gluon.nn.Dense(2, unit=1)",
    "FileNotFoundError": "return open('absent.txt')",
    "BrokenPipeError": "raise BrokenPipeError('the other end is closed')",
    "ValueError": "raise ValueError('of the program')",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
}


@pytest.fixture(autouse=True)
def own_main(monkeypatch, tmp_path):
    """Another `__main__`, argv and path for the programs, and the folder of the test as the current one."""
    for name in ("argv", "path"):
        monkeypatch.setattr(sys, name, list(getattr(sys, name)))
    monkeypatch.setitem(sys.modules, "__main__", type(sys)("__main__"))
    monkeypatch.setattr(dispatch, "declined", dispatch.Counter())
    monkeypatch.setattr(run, "use", lambda: None)       # the programs import minigluon
    monkeypatch.chdir(tmp_path)


def write(path, line):
    path.write_text(PROGRAM.format(line=line))
    return path.name


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("command", ["run", "declined"])
def test_the_traceback_of_an_error(command, kind, tmp_path, capsys):
    program = write(tmp_path / "prog.py", ERRORS[kind])
    assert cli.main([command, program]) == (130 if kind == "KeyboardInterrupt" else 1)
    shown = [line for line in capsys.readouterr().err.splitlines() if " of minigluon hidden" not in line]
    assert shown[:3] == ["Traceback (most recent call last):", '  File "prog.py", line 7, in <module>',
                         "    f(nd.ones((2, 3)))"]
    at = shown.index('  File "prog.py", line 5, in f')
    assert shown[at + 1] == "    " + ERRORS[kind]
    assert any(line.partition(":")[0].rpartition(".")[2] == kind for line in shown[at:])
    assert not any("runpy" in line or "/minigluon/" in line for line in shown)


def test_modules_and_folders(tmp_path, capsys):
    (tmp_path / "whole").mkdir()
    write(tmp_path / "whole" / "__main__.py", ERRORS["ShapeError"])
    for arguments in ["whole"], ["-m", "whole"]:
        assert cli.main(["run", *arguments]) == 1
        text = capsys.readouterr().err
        assert '__main__.py", line 5, in f' in text
        assert "minigluon.base.ShapeError: broadcast_add: " in text


def test_a_mistake_of_syntax(tmp_path, capsys):
    (tmp_path / "prog.py").write_text("x = 1\ndef f(x)\n")
    assert cli.main(["run", "prog.py"]) == 1
    assert capsys.readouterr().err.splitlines()[:2] == ['  File "prog.py", line 2', "    def f(x)"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["absent.py"], "there is no program 'absent.py'"),
    (["-m", "absent"], "'absent' cannot be run: No module named absent"),
    (["."], "'.' cannot be run: can't find '__main__' module in '.'"),
])
def test_a_program_that_does_not_exist(arguments, message, capsys):
    assert cli.main(["run", *arguments]) == 1
    assert capsys.readouterr().err == f"minigluon run: error: {message}\n"
    assert run.main(arguments) == 2
    assert capsys.readouterr().err == f"minigluon.as_mxnet: error: {message}\n"


def test_the_exit_status_of_a_program(tmp_path):
    program = write(tmp_path / "prog.py", "raise SystemExit(3)")
    with pytest.raises(SystemExit) as end:
        cli.main(["run", program])
    assert end.value.code == 3


def test_explain(tmp_path, capsys):
    (tmp_path / "nets.py").write_text("from minigluon.gluon import nn\n"
                                      "class Net(nn.HybridBlock):\n"
                                      "    def hybrid_forward(self, F, x):\n"
                                      "        return F.dot(x, F.ones((7, 7)))\n"
                                      "plain = nn.Dense(2, in_units=4)\n")
    assert cli.main(["explain", "nets.py:Net", "--shape", "2,3"]) == 1
    text = capsys.readouterr().err
    assert 'nets.py", line 4, in hybrid_forward' in text
    assert "minigluon.base.ShapeError: dot: " in text
    assert cli.main(["explain", "nets.py:plain", "--shape", "2,3"]) == 1      # no line of the program is concerned
    assert capsys.readouterr().err.startswith("minigluon explain: error: FullyConnected: ")


def test_an_error_without_a_line_of_a_program():
    assert tracebacks.show_program_error(MXNetError("raised by nobody")) is False
