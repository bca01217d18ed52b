"""The Chinese pages are those of the English ones: the same code, the same links, and no section has fallen behind."""

import re

import pytest
from helpers import ROOT
from scripts import stamp_chinese as zh

pytestmark = pytest.mark.once

PAIRS = zh.pairs()
pages = pytest.mark.parametrize("page", PAIRS, ids=lambda page: str(page.relative_to(ROOT)))


def read(path):
    return path.read_text(encoding="utf-8")


@pages
def test_has_the_same_headings(page):
    ours, english = [[section.level for section in zh.sections(read(file))] for file in (page, PAIRS[page])]
    assert ours == english, f"{page.name} needs the headings of {PAIRS[page].name}, in their order"


@pages
def test_no_section_has_fallen_behind(page):
    old = [section.heading for section, english in zip(zh.sections(read(page)), zh.sections(read(PAIRS[page])))
           if section.stamp != english.hash]
    name = page.relative_to(ROOT)
    assert not old, (f"{name}: the English text of {old} has changed: translate what is new, then run "
                     f"python tests/scripts/stamp_chinese.py {name}")


@pages
def test_code_is_the_same(page):
    ours, english = zh.code_of(read(page)), zh.code_of(read(PAIRS[page]))
    assert ours == english, f"{page.name}: code blocks are copied from {PAIRS[page].name}, comments included"


@pages
def test_names_are_the_same(page):
    for ours, english in zip(zh.sections(read(page)), zh.sections(read(PAIRS[page]))):
        assert zh.names_of(ours) == zh.names_of(english), f"{page.name}, {ours.heading}: other names in backticks"


@pages
def test_links_and_images_are_the_same(page):
    """That to the other language aside."""
    english = PAIRS[page]
    wanted = [zh.chinese_target(*link) for link in zh.resolved(english, read(english)) if link[0] != page]
    found = [link for link in zh.resolved(page, read(page)) if link[0] != english]
    assert sorted(map(str, found)) == sorted(map(str, wanted)), "run python tests/scripts/stamp_chinese.py"


@pages
def test_links_to_chapters_have_their_numbers(page):
    for number, target in re.findall(r"\[第\s*(\d+)\s*章[^\]]*\]\((?:[\w/.]*/)?(\d+)-", read(page)):
        assert number == target, f"{page.name} has a link to 'chapter {number}' that leads to chapter {target}"


@pytest.mark.parametrize("page", [page for page in PAIRS if page.parent == zh.CHINESE], ids=lambda page: page.name)
def test_leads_to_the_english_page(page):
    assert PAIRS[page] in [file for file, _ in zh.resolved(page, read(page))]


@pages
def test_the_script_has_nothing_to_change(page):
    assert zh.relinked(page, zh.stamped(read(page), read(PAIRS[page]))) == read(page)


ENGLISH = """# Title

Look [there](#a-part), and at `x`.

## A part

More
words.

```python
# no heading
```

    # nor this
    indented = 1

The end.
"""


def test_a_changed_sentence_makes_a_stamp_old():
    chinese = zh.stamped(ENGLISH.replace("A part", "一节"), ENGLISH)
    same_words = ENGLISH.replace("More\nwords", "More words")
    for english, behind in [(same_words, []), (ENGLISH.replace("More", "Other"), ["一节"]),
                            (ENGLISH.replace("indented = 1", "indented = 2"), [])]:
        assert [ours.heading for ours, theirs in zip(zh.sections(chinese), zh.sections(english))
                if ours.stamp != theirs.hash] == behind
    assert zh.code_of(chinese) == ["```python\n# no heading\n```", "    # nor this\n    indented = 1"]
    assert zh.stamped(chinese, ENGLISH) == chinese


def test_anchors_are_in_the_order_of_the_headings(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(ENGLISH, encoding="utf-8")
    assert zh.anchors(page) == ["title", "a-part"]
    assert zh.resolved(page, ENGLISH) == [(page, "a-part")]
