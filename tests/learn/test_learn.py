"""`minigluon learn`, as a learner uses it."""

import json
import os
import re
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import ROOT
from helpers.errors import message

from minigluon.tools.cli import main
from minigluon.tools.learn import c_file
from minigluon.tools.learn.checking import same
from minigluon.tools.learn.course import Course, find, run_child, start
from minigluon.tools.learn.cutting import solution, stub
from minigluon.tools.learn.errors import LearnError, WrongAnswer
from minigluon.tools.learn.step import NAMES, load, steps

pytestmark = pytest.mark.once
TIMES = (r"A batch takes [\d.]+ ms with the tape and [\d.]+ ms with the plan: your plan is \d+\.\d times as fast as "
         r"your tape\.\n")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Of the processes in which files are checked."""
    for name, value in {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", "MINIGLUON_LANG": "en", "COLUMNS": "200",
                        "OPENBLAS_NUM_THREADS": "1"}.items():
        monkeypatch.setenv(name, value)


def test_a_learner_begins(tmp_path, monkeypatch, capsys):
    def run(*args, cwd):
        monkeypatch.chdir(cwd)
        return main(["learn", *args]), *capsys.readouterr()

    assert run(cwd=tmp_path)[1].startswith("usage: minigluon learn [-h] ACTION ...")
    assert run("start", "mine", cwd=tmp_path)[:2] == (0, (
        f"Step 1 of {len(NAMES)}: An operator, and the registry\n"
        "  read   mine/01_operator/page.md\n"
        "  write  mine/01_operator/work.py\n"
        "  then   minigluon learn check, in the folder mine\n"))
    folder = tmp_path / "mine"
    assert sorted(p.name for p in (folder / "01_operator").iterdir()) == ["one-operator.svg", "page.md", "work.py"]
    assert "](../" not in (folder / "01_operator" / "page.md").read_text(encoding="utf-8")

    status, out, err = run("check", cwd=folder)
    assert (status, err) == (1, "")
    assert re.fullmatch(rf"""Step 1 of {len(NAMES)}: An operator, and the registry
  --   an operator is in the table under its name, and has the names of its inputs
       register is not written yet
       your line: 01_operator/work.py:\d+    raise NotImplementedError\("register"\)

`minigluon learn hint` helps.
""", out)
    assert run("next", cwd=folder) == (1, "", (
        "minigluon learn: error: step 1 is not done yet: `minigluon learn check` says what is missing. To skip it for "
        "now: `minigluon learn next --skip`.\n"))
    hints = load(NAMES[0]).hints["register"]
    assert run("hint", cwd=folder)[1].startswith("Hint 1 of 6, register: " + hints[0])
    assert run("hint", cwd=folder)[1].startswith("Hint 2 of 6, register: " + hints[1])

    work = folder / "01_operator" / "work.py"
    work.write_text(solution(load(NAMES[0])), encoding="utf-8")
    status, out, err = run("check", "1", cwd=folder / "01_operator")
    assert (status, err) == (0, "")
    assert out.count("  ok   ") == 11
    assert re.search(r"LeNet was trained with your code, which was called [\d,]+ times: its loss fell from 2\.30 to "
                     r"0\.\d\d, the same as with the engine's own code\.\n" + TIMES +
                     r"Step 1 is done\. `minigluon learn next` opens the next one\.\n$", out)
    assert run("next", cwd=folder)[:2] == (0, (
        f"Step 2 of {len(NAMES)}: Gradients of elementwise operators, and of broadcasting\n"
        "  read   02_gradients/page.md\n"
        "  write  02_gradients/work.py\n"
        "  then   minigluon learn check\n"))
    work.write_text(work.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    lines = run("status", cwd=folder)[1]
    assert "changed since it was done" in lines
    assert "open" in lines
    assert "Gradients of elementwise operators" in lines


def test_an_endless_loop_is_named(tmp_path):
    path = tmp_path / "work.py"
    path.write_text(solution(load(NAMES[0])).replace("        return cls\n    return enter",
                                                     "        while True:\n            pass\n    return enter"))
    failure = run_child([(load(NAMES[0]), path)], 3)["failure"]
    assert failure["text"] == "this did not finish within 3 seconds. Is there an endless loop?"
    assert failure["check"] == "an operator is in the table under its name, and has the names of its inputs"
    assert failure["source"] in ("while True:", "pass")


@pytest.fixture
def course(tmp_path):
    return start(tmp_path / "course")


def test_holes_may_be_filled_in_any_order(tmp_path):
    """The engine's own serves the checks of what is written, in the place of what is not."""
    step, path = load("s02_gradients"), tmp_path / "work.py"
    empty, hole = stub(step, len(NAMES)), 'raise NotImplementedError("div_derivative")'
    path.write_text(empty.replace(hole, "return g / y, g * out / y"))
    result = run_child([(step, path)])
    assert result["passed"] == []
    assert (result["failure"]["part"], result["failure"]["kind"]) == ("div_derivative", "wrong")
    path.write_text(empty.replace(hole, "return g / y, -g * out / y"))
    result = run_child([(step, path)])
    assert result["passed"] == ["the gradients of a quotient"]
    failure = result["failure"]
    assert (failure["text"], failure["source"]) == (
        "sqrt_derivative is not written yet", 'raise NotImplementedError("sqrt_derivative")')


def test_a_number_is_no_array_without_axes():
    assert message(WrongAnswer, same, "the sum", np.float32(3), np.array(3, "float32"), "no axis is left") == (
        "the sum is the number 3.0; expected an array without axes, as np.asarray or keepdims=True returns: no axis is "
        "left")


def test_where_a_course_may_begin(tmp_path, course):
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "something").write_text("")
    for folder, says in [
        ("course", "already contains a course. Go there and run `minigluon learn status`."),
        ("file", "is a file. Name a new or empty folder."),
        ("full", "is not empty. Name a new or empty folder."),
        ("file/below", "cannot be created: Not a directory"),
    ]:
        assert message(LearnError, start, tmp_path / folder) == f"{tmp_path / folder} {says}"


def test_where_there_is_no_course(tmp_path, course):
    assert message(LearnError, find, tmp_path) == (
        f"there is no course in {tmp_path}. Start one with `minigluon learn start FOLDER`, and go into its folder.")
    assert message(LearnError, find, tmp_path / "none") == f"there is no folder {tmp_path / 'none'}"
    assert find(course.folder / "01_operator").folder == course.folder
    (course.folder / "course.json").write_text('{"opened": 4')
    assert message(LearnError, find, course.folder) == (
        f"{course.folder / 'course.json'} is damaged: Expecting ',' delimiter: line 1 column 13 (char 12). What you "
        "wrote is in the folders next to it; start a new course in another folder and copy it there.")


def test_which_step(course):
    assert course.select("1") is course.select("01") is course.select("operator") is course.select(None)
    assert message(LearnError, course.select, "9") == "step 9 is not open yet. Open steps: 01_operator"
    course.work(course.step).unlink()
    assert message(LearnError, course.check, course.step) == (
        f"there is no file {course.work(course.step)}. If it is lost, `minigluon learn start` in another folder writes "
        "it again.")


def test_steps_open_one_after_another(course):
    for number in range(2, len(NAMES) + 1):
        assert course.open_next(skip=True).number == number
    assert message(LearnError, course.open_next, skip=True) == f"step {len(NAMES)} was the last one"
    folders = sorted(path.name for path in course.folder.iterdir() if path.is_dir())
    assert folders == [course.place(step).name for step in course.opened]


def test_what_is_done_works_together(course, capsys):
    def check():
        return main(["learn", "check", "--all", "--folder", str(course.folder)]), *capsys.readouterr()

    assert check() == (1, "", "minigluon learn: error: fewer than two steps are done: there is nothing to combine "
                              "yet\n")
    course.open_next(skip=True)
    for step in course.opened:
        course.work(step).write_text(solution(step), encoding="utf-8")
        course.state["passed"][step.name] = course._digest(step)
    course._save()
    status, out, err = check()
    assert (status, err) == (0, "")
    assert re.fullmatch(r"Steps 1, 2, together\nLeNet was trained with your code, which was called [\d,]+ times: "
                        r"its loss fell from 2\.30 to 0\.\d\d, the same as with the engine's own code\.\n" + TIMES,
                        out)


def test_what_a_learner_wrote_is_never_overwritten(course):
    place = course.folder / "02_gradients"
    place.mkdir()
    (place / "work.py").write_text("mine")
    assert message(LearnError, course.open_next, skip=True) == (
        f"{place / 'work.py'} already exists and is not overwritten. Move it away first.")
    assert (place / "work.py").read_text() == "mine"
    assert json.loads((course.folder / "course.json").read_text())["opened"] == [NAMES[0]]


def test_a_file_that_ends_the_process_is_named(course):
    path = course.work(course.step)
    path.write_text("import os\nos._exit(3)\n")
    assert message(LearnError, course.check, course.step) == (
        "the process that checks your file ended without a result (3); does your file end it with sys.exit()?")


def test_hints_end_with_the_last(course):
    hints = sum(map(len, course.step.hints.values()))
    numbers = [course.next_hint(course.step)[0] for _ in range(hints + 2)]
    assert numbers == [*range(1, hints + 1), hints, hints]
    assert Course(course.folder, find(course.folder).state).next_hint(course.step)[0] == hints


@pytest.fixture
def in_c():
    """The step in C, and its solution."""
    if c_file.compiler() is None:
        pytest.skip("no C compiler")
    step = next(step for step in steps() if step.c_file)
    return step, solution(step)


def test_c_that_does_not_compile_is_shown(in_c, tmp_path):
    step, text = in_c
    path = tmp_path / "work.c"
    path.write_text(text.replace("float sum = 0;", "flaot sum = 0;"))
    failure = run_child([(step, path)])["failure"]
    assert failure["kind"] == "wrong"
    assert failure["text"].startswith("this does not compile: unknown type name 'flaot'")
    assert path.read_text().splitlines()[failure["line"] - 1].strip() == failure["source"] == "flaot sum = 0;"


def test_a_function_in_c_that_is_gone(in_c, tmp_path):
    step, text = in_c
    path = tmp_path / "work.c"
    path.write_text(text.replace("void relu(", "void rectify("))
    assert run_child([(step, path)])["failure"]["text"] == (
        "your file no longer has relu; `minigluon learn start` in another folder shows the original")


def test_a_function_in_c_that_leaves_its_arrays(in_c, tmp_path):
    step, text = in_c
    path = tmp_path / "work.c"
    path.write_text(text.replace("out[i] = x[i] < 0", "*(volatile float *)8 = 0, out[i] = x[i] < 0"))
    assert message(LearnError, run_child, [(step, path)]) == (
        "the process that checks your file was killed by signal 11: one of your functions reads or writes outside its "
        "arrays")


def test_without_a_c_compiler_the_step_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert message(LearnError, c_file.require_compiler) == (
        "this step needs a C compiler, but there is none: cc, gcc and clang are missing, and CC is not set. Install "
        "one (on Debian and Ubuntu the package gcc), or skip the step with `minigluon learn next --skip`.")


WITHOUT_RESULT = ("the process that checks your file ended without a result (0); does your file end it with "
                  "sys.exit()?")


def test_a_file_that_writes_its_own_result(tmp_path):
    path = tmp_path / "work.py"
    path.write_text("import json, os, sys\n"
                    "result = {'passed': ['all'], 'failure': None, 'lenet': None}\n"
                    "for found in result, {'mark': '', 'result': result}, [1]:\n"
                    "    with open(sys.argv[1], 'w') as file:\n"
                    "        json.dump(found, file)\n"
                    "os._exit(0)\n")
    assert message(LearnError, run_child, [(load(NAMES[0]), path)]) == WITHOUT_RESULT


def test_a_file_that_prints_without_an_end(tmp_path, capsys):
    path = tmp_path / "work.py"
    path.write_text("import os\nfor _ in range(50):\n    os.write(1, b'x' * (1 << 20))\nos._exit(0)\n")
    assert message(LearnError, run_child, [(load(NAMES[0]), path)]) == WITHOUT_RESULT
    printed = capsys.readouterr().out
    assert printed == "x" * 65536 + "\n... what your file prints after 65536 bytes is left out\n"


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")
def test_a_file_that_leaves_a_process(tmp_path):
    path, number = tmp_path / "work.py", tmp_path / "number"
    path.write_text("import os, pathlib, subprocess, sys\n"
                    "left = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n"
                    f"pathlib.Path({str(number)!r}).write_text(str(left.pid))\nos._exit(0)\n")
    assert message(LearnError, run_child, [(load(NAMES[0]), path)]) == WITHOUT_RESULT
    left, end = int(number.read_text()), time.monotonic() + 20
    while is_running(left) and time.monotonic() < end:
        time.sleep(0.1)
    assert not is_running(left)


def is_running(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{number}/stat")         # one that nobody has waited for is there, and does nothing
    return not stat.exists() or ") Z" not in stat.read_text()
