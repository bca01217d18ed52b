"""The chapters as a book: their order, what each needs, the words it defines, its exercises."""

import re
import runpy

import pytest
from helpers import ROOT
from helpers.pages import CHAPTERS

pytestmark = pytest.mark.once

WRONG = runpy.run_path(str(ROOT / "tests" / "docs" / "wrong_answers.py"))["WRONG"]
OVERTURE = "0-"         # the whole in one chapter: no exercises, and its words are those of all chapters to come

chapters = pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)


def number(page):
    return int(page.name.split("-")[0])


def test_chapters_lead_to_their_neighbors(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import make_links
    for page, text in make_links.linked().items():
        assert text == page.read_text(encoding="utf-8"), f"{page.name}: run python docs/make_links.py"


@chapters
def test_exercises_have_checks_and_solutions(page):
    _, heading, exercises = page.read_text(encoding="utf-8").partition("\n## Exercises\n")
    assert heading, "a chapter ends in exercises"
    parts = re.split(r"^\*\*(\d+)\. .*?\*\*", exercises, flags=re.MULTILINE)
    numbers = parts[1::2]
    assert numbers == [str(i) for i in range(1, len(numbers) + 1)]
    assert 3 <= len(numbers) <= 6
    for name, part in zip(numbers, parts[2::2]):
        check, solution = re.findall(r"^```python\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)[:2]
        question, _, answer = part.partition("<details><summary>A solution</summary>\n\n")
        assert "\n</details>" in answer, f"exercise {name} has no folded solution"
        assert check in question
        assert solution in answer
        assert re.search(rf"^def check_{name}\(", check, re.MULTILINE)
        assert re.search(r"^ +(assert|np\.testing\.assert)", check, re.MULTILINE)
        assert re.search(rf"^check_{name}\(", solution, re.MULTILINE), f"the solution {name} is not checked"


@chapters
def test_checks_have_met_wrong_answers(page):
    """run_doc.py hands them to the checks."""
    exercises = page.read_text(encoding="utf-8").partition("\n## Exercises\n")[2]
    for name in re.findall(r"^def (check_\d+)\(", exercises, re.MULTILINE):
        assert any(f"{name}(" in answer for answer in WRONG.get(page.stem, ())), f"no wrong answer has met {name}"


def test_wrong_answers_belong_to_chapters():
    assert WRONG.keys() <= {page.stem for page in CHAPTERS}
