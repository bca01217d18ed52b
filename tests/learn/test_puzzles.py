"""The CUDA puzzles: solutions pass, wrong answers are refused in words, nothing is given away, and the commands.

`tests/scripts/learn_gpu.py` does all puzzles; here a few of them.
"""

import json
import re
import subprocess
import sys

import pytest
from helpers import ROOT, processes
from helpers.errors import message
from learn_cases.gpu import WRONG

from minigluon.base import MXNetError
from minigluon.tools.cli import main
from minigluon.tools.learn import c_file
from minigluon.tools.learn.course import start
from minigluon.tools.learn.errors import LearnError

pytest.importorskip("minigluon_accel", reason="the puzzles are the plugin's")

from minigluon_accel.gpu import puzzles
from minigluon_accel.gpu.emulator import build

SOME = ["p05_shared_memory", "p11_transpose"]
TOOL = ROOT / "tests" / "scripts" / "learn_gpu.py"


@pytest.fixture
def emulated():
    """Skip where the emulator does not run."""
    try:
        puzzles.require()
    except MXNetError as error:
        pytest.skip(str(error))


def test_some_puzzles_know_right_from_wrong(emulated):
    done = subprocess.run([sys.executable, TOOL, "--json", *SOME], capture_output=True, text=True, timeout=300,
                          env=processes.environment(PYTHONWARNINGS="error"))
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])
    assert len(rows) == sum(2 + len(WRONG[name]) for name in SOME)
    for name, what, found, wanted, _seconds in rows:
        found = found and re.sub(r"\bline \d+", "line #", found)
        assert found == wanted, (name, what)


def test_each_puzzle_has_wrong_answers_hints_and_a_short_hole():
    assert list(WRONG) == puzzles.NAMES
    for puzzle in map(puzzles.load, puzzles.NAMES):
        assert len(WRONG[puzzle.name]) >= 3
        assert list(puzzle.hints) == [puzzle.kernel]
        assert len(puzzle.hints[puzzle.kernel]) >= 2
        (lines,) = c_file.cut_lines(puzzle).values()
        assert len(lines) <= 40
        sizes = [value % case.block[0] for case in puzzle.cases() for value in case.inputs.values()
                 if isinstance(value, int)]
        assert any(sizes) or puzzle.kernel == "map"         # some are no multiple of the block


@pytest.mark.parametrize("name", puzzles.NAMES)
def test_the_learners_file_gives_nothing_away(name):
    puzzle = puzzles.load(name)
    stub = puzzle.stub()
    (lines,) = c_file.cut_lines(puzzle).values()
    for line in map(str.strip, lines):
        assert len(line) < 12 or line.startswith("for") or line not in stub
    assert f'NOT_WRITTEN("{puzzle.kernel}");' in stub
    assert "HOLE" not in stub + puzzle.solution()
    assert max(map(len, stub.splitlines())) <= 120


def test_a_learner_begins(emulated, tmp_path, monkeypatch, capfd):
    def run(*args):
        return main(["learn", *args]), capfd.readouterr().out

    monkeypatch.setenv("PYTHONPATH", processes.environment()["PYTHONPATH"])
    monkeypatch.setenv("MINIGLUON_LANG", "en")
    monkeypatch.chdir(tmp_path)
    puzzles.prepare()
    capfd.readouterr()
    assert run("start", "--gpu", "mine") == (0, (
        "Step 1 of 14: Map: one thread for one element\n"
        "  write  mine/01_map.cu\n"
        "  then   minigluon learn check, in the folder mine\n"))
    monkeypatch.chdir(tmp_path / "mine")
    work = tmp_path / "mine" / "01_map.cu"
    assert run("check") == (1, (
        "Step 1 of 14: Map: one thread for one element\n"
        "  --   reading your file\n"
        "       map is not written yet\n"
        '       your line: 01_map.cu:23    NOT_WRITTEN("map");\n'
        "\n`minigluon learn hint` helps.\n"))
    work.write_text(puzzles.load("p01_map").solution(), encoding="utf-8")
    assert run("check") == (0, (
        "Step 1 of 14: Map: one thread for one element\n"
        "  ok   4 numbers, one block of 4 threads\n"
        "  ok   32 numbers, one block of 32 threads\n"
        "  ok   7 numbers, one block of 7 threads\n"
        "\nStep 1 is done. `minigluon learn next` opens the next one.\n"))
    assert run("next")[1] == ("Step 2 of 14: Guard: more threads than elements\n"
                              "  write  02_guard.cu\n"
                              "  then   minigluon learn check\n")
    assert run("hint")[1].startswith("Hint 1 of 2, guard: The elements have the indices 0 to n - 1.")
    assert "01_map.cu" in run("status")[1]
    assert main(["learn", "check", "--all"]) == 1
    assert capfd.readouterr().err == (
        "minigluon learn: error: each puzzle is independent: use `minigluon learn check` without --all\n")


def test_without_gpp_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(build, "gpp", build.gpp.__wrapped__)
    monkeypatch.setattr(build, "compiler_version", build.compiler_version.__wrapped__)
    monkeypatch.setattr(puzzles.device, "compiler_version", build.compiler_version)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert message(MXNetError, start, tmp_path / "mine", gpu=True) == (
        "The GPU emulator compiles kernels with g++, and there is no such program. Install it (Debian: apt-get install "
        "g++; Fedora: dnf install gcc-c++), or set CXX to another.")
    assert not (tmp_path / "mine").exists()


def test_without_the_plugin_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "minigluon_accel.gpu.puzzles", None)
    assert re.fullmatch(
        r"the puzzles run on the emulated GPU of minigluon-accel, which cannot be imported here \(.*\)\. Install it "
        r"from a checkout: pip install \./minigluon_accel", message(LearnError, start, tmp_path / "mine", gpu=True))
