"""`minigluon learn exercise 3.2`: the file of an exercise of the book, and its check."""

import re

import pytest
from helpers import ROOT

from minigluon.tools.cli import main
from minigluon.tools.learn.exercises import find_exercise, template

pytestmark = pytest.mark.once

PAGE = """# 7. A chapter

```python
import math

def double(x):
    return 2 * x

print("not shown")
```

## Exercises

**1. Four times.** Write `four`, four times
its argument.

```python
def check_1(four):
    assert four(0) == 0, "zero stays zero"
    assert four(3) == 12
```

<details><summary>A solution</summary>

```python
check_1(lambda x: double(double(x)))
```

</details>

**2. A root.** Write `root`.

```python
def check_2(root):
    assert root(9) == 3, f"found {root(9)}"
```
"""


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIGLUON_LANG", "en")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "7-a-chapter.md").write_text(PAGE)


def run(capsys, which, answer=None):
    """(exit status, lines that are printed) of the command."""
    if answer is not None:
        with open(f"exercise_{which.replace('.', '_')}.py", "w") as file:
            file.write(answer)
    status = main(["learn", "exercise", which, "--chapters", "book"])
    printed = capsys.readouterr()
    return status, (printed.out + printed.err).splitlines()


def test_the_file_of_an_exercise(capsys, tmp_path):
    status, lines = run(capsys, "7.1")
    assert (status, lines) == (0, [
        "Exercise 7.1: Four times.", "", "Write `four`, four times", "its argument.", "", "  write  exercise_7_1.py",
        "  then   minigluon learn exercise 7.1"])
    assert (tmp_path / "exercise_7_1.py").read_text().startswith(
        "# Exercise 7.1: Four times.\n#\n# Write `four`, four times its argument.\n")
    assert run(capsys, "7.1") == (1, ["Exercise 7.1: Four times.",
                                      "minigluon learn: error: exercise_7_1.py is not written yet"])


def test_a_right_answer_uses_the_chapter(capsys):
    right = "check_1(lambda x: double(double(x)))\n"
    assert run(capsys, "7.1", right) == (0, ["Exercise 7.1: Four times.", "  ok   check_1"])
    assert run(capsys, "7.2", "check_2(math.sqrt)\n")[0] == 0


@pytest.mark.parametrize(("which", "answer", "says"), [
    ("7.1", "check_1(lambda x: x + 4)\n", "zero stays zero"),
    ("7.1", "check_1(double)\n", "the check expects four(3) == 12"),
    ("7.2", "check_2(lambda x: x)\n", "found 9"),
    ("7.2", "check_2(root)\n", "NameError: name 'root' is not defined")])
def test_a_wrong_answer(capsys, which, answer, says):
    status, lines = run(capsys, which, answer)
    assert status == 1
    assert lines[1:] == [f"  --   check_{which[-1]}", f"       {says}",
                         f"       your line: exercise_{which.replace('.', '_')}.py:1    {answer.strip()}"]


def test_a_file_that_checks_nothing(capsys):
    assert run(capsys, "7.1", "x = 1\n")[1][1:] == [
        "minigluon learn: error: exercise_7_1.py does not call check_1: the last line hands your answer to it"]


def test_what_is_not_there(capsys):
    assert run(capsys, "7.3") == (1, ["minigluon learn: error: there is no exercise 7.3. Exercises: 7.1, 7.2"])
    assert main(["learn", "exercise", "7.1", "--chapters", "none"]) == 1
    assert capsys.readouterr().err == (
        "minigluon learn: error: none has no chapters. They are in the folder docs of the repository: name it with "
        "--chapters.\n")


def test_every_exercise_of_the_book_is_found():
    for page in (ROOT / "docs").glob("*-*.md"):
        text = page.read_text(encoding="utf-8")
        if not re.match(r"\d+-", page.name):
            continue
        for number in re.findall(r"^def check_(\d+)\(", text.partition("\n## Exercises\n")[2], re.MULTILINE):
            exercise = find_exercise(f"{page.name.partition('-')[0]}.{number}")
            assert f"def {exercise.name}(" in text[:exercise.before]
            assert exercise.task in text
            assert template(exercise).endswith(f"\n{exercise.name}(...)\n")
