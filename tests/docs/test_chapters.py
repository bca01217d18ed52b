"""The chapters as a book: their order, what each needs, the words it defines, its exercises."""

import re
import runpy

import pytest
from helpers import ROOT
from helpers.pages import CHAPTERS, prose

pytestmark = pytest.mark.once

WRONG = runpy.run_path(str(ROOT / "tests" / "docs" / "wrong_answers.py"))["WRONG"]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = {term: re.findall(r"\[Chapter\s\d+\]\(([\w.-]+)\)", text)[-1]
         for term, text in re.findall(r"^## (.*)\n\n((?:.+\n)+)", GLOSSARY, re.MULTILINE)}

# Terms that are everyday words, too. They may stand in a chapter before the one that gives them a meaning of their own.
EVERYDAY = {"frozen", "header", "in place", "line", "part", "pass", "process", "program", "sample", "signature",
            "state", "tree"}

chapters = pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)


def number(page):
    return int(page.name.split("-")[0])


def italics(page):
    """What is set in italics outside of code, in small letters. With a colon at its end it is a heading."""
    text = re.sub(r"`[^`]*`", "", prose(page))
    found = re.findall(r"(?<![*\w])\*([^*\s](?:[^*]*[^*\s])?)\*(?!\*)", text)
    return [" ".join(words.lower().split()) for words in found if not words.endswith(":")]


def is_called(words, term):
    return words in (term.lower(), f"{term.lower()}s", f"{term.lower()}es")


def first_use(text, term):
    """Where a term stands first, None if nowhere, and whether that is inside of a link."""
    found = re.search(rf"\b{re.escape(term)}(s|es)?\b".replace(r"\ ", r"\s+"), text, re.IGNORECASE)
    links = re.finditer(r"\[[^\]]*\]\([^)]*\)", text)
    return found and found.start(), bool(found) and any(m.start() <= found.start() < m.end() for m in links)


def test_glossary_is_in_order():
    headings = re.findall(r"^## (.*)$", GLOSSARY, re.MULTILINE)
    assert list(TERMS) == headings == sorted(set(headings), key=str.lower)


@chapters
def test_italics_are_terms_of_the_glossary(page):
    unknown = [words for words in italics(page) if not any(is_called(words, term) for term in TERMS)]
    assert not unknown, "italics are for the definition of a term; write an entry in docs/glossary.md"


def test_terms_are_defined_where_the_glossary_says():
    words = {page: italics(page) for page in sorted(CHAPTERS, key=lambda page: number(page) or 100)}
    for term, file in TERMS.items():            # chapter 0 last: it has only what no other one defines
        defining = [page.name for page in words if any(is_called(word, term) for word in words[page])]
        assert defining, f"no chapter sets {term!r} in italics where it defines it"
        assert file == defining[0], f"{term!r} is defined in {defining[0]}"


@chapters
def test_no_term_is_used_before_its_definition(page):
    """Except in chapter 0, the whole thing. Elsewhere the first use is then a link."""
    chapter = prose(page).partition("\n## Exercises\n")[0]
    text = re.sub(r"^#.*$|`[^`]*`|!\[[^\]]*\]\([^)]*\)", "", chapter, flags=re.MULTILINE)
    order = {chapter.name: number(chapter) for chapter in CHAPTERS}
    early = [term for term, file in TERMS.items() if order[file] > number(page) > 0 and term not in EVERYDAY]
    for term in early:
        place, linked = first_use(text, term)
        assert place is None or linked, f"{term!r} is defined in {TERMS[term]}: link to glossary.md, or reword"


def test_table_of_chapters_says_what_each_needs():
    """In its order; and the first lines of a chapter link what it needs, which comes before it."""
    rows = re.findall(r"^\| \[\d+\. .*?\]\((\S+\.md)\) \|.*\|(.*)\|$",
                      (ROOT / "docs" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [file for file, _ in rows] == [page.name for page in CHAPTERS]
    for (file, needs), page in zip(rows, CHAPTERS):
        opening = page.read_text(encoding="utf-8").partition("\n## ")[0]
        for need, needed in re.findall(r"\[(\d+)\]\((\S+\.md)\)", needs):
            assert int(need) < number(page), f"{file} needs a later chapter"
            assert f"]({needed}" in opening, f"{file} does not say in its first lines that it needs {needed}"


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
