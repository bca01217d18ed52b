"""docs/make_slides.py: slides of a chapter, without and with the answers of its exercises."""

import re
import subprocess
import sys

import pytest
from helpers import ROOT

pytest.importorskip("markdown_it", reason="the extra `docs` is not installed")
pytestmark = pytest.mark.once


def slides(*arguments):
    """The sections that the command prints."""
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "make_slides.py"), *arguments], capture_output=True,
                          text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return re.findall(r"<section>.*?</section>", done.stdout, re.DOTALL)


@pytest.mark.parametrize("number", range(17))
def test_each_chapter_has_slides(number):
    found = slides(str(number))
    assert len(found) > 10
    whole = "".join(found)
    assert "](" not in re.sub(r"<pre.*?</pre>", "", whole, flags=re.DOTALL)      # links are only their words
    assert "<details" not in whole
    assert "<!--" not in whole


def test_a_slide_begins_with_the_chapter_and_has_its_picture():
    found = slides("3-the-tape")
    assert found[0].startswith("<section><h2>3. The tape</h2><ul><li>Inside <code>autograd.record()</code>, every "
                               "operator leaves a note;")
    text = (ROOT / "docs" / "3-the-tape.md").read_text(encoding="utf-8")
    assert sum("data:image/svg+xml;base64," in slide for slide in found) == text.count("](images/") > 0


def test_answers_are_kept_apart():
    without, answers = "".join(slides("3")), "".join(slides("3", "--answers"))
    assert "def check_2(exp, minus)" in without
    assert "def minus(a, b)" not in without.partition("Exercises")[2]
    assert "A batch in parts" in answers
    assert "def minus(a, b)" in answers
    assert "a solution" in answers
    assert "Variables and entries" not in answers


def test_an_unknown_chapter():
    done = subprocess.run([sys.executable, str(ROOT / "docs" / "make_slides.py"), "99"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith("has no chapter 99\n")
