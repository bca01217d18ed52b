"""Sentences keep the rules of docs/style.md that a program can see, and no two modules say the same of themselves."""

import re
import sys

import pytest
from helpers import ROOT
from helpers.sentences import Text
from helpers.wording import RULES, violations

sys.path.insert(0, str(ROOT / "docs"))
import make_modules

pytestmark = pytest.mark.once


def test_no_text_has_what_the_rules_exclude():
    lines = [f'{path}:{line}: "{words}" ({rule.name}): write {rule.instead}'
             for path, line, rule, words in violations()]
    assert not lines, "see docs/style.md\n" + "\n".join(lines)


@pytest.mark.parametrize(("name", "sentence"), [
    ("question", "A file of many?"), ("relative clause", "What a pass does."), ("too", "Handles lists, too."),
    ("silently", "It is dropped in silence."), ("of which", "A net of which the loss is used."),
    ("is no", "It is no block."), ("alone", "Works on numbers alone."), ("beside", "How fast it is beside PyTorch."),
    ("dear", "The gradient is dear."),
    ("way back", "It is kept for the way back."), ("one behind the other", "The rows lie one behind the other."),
    ("inverted condition", "The index, does it have one."), ("whoever", "The lock that whoever reads takes."),
    ("category", "A street of operators.")])
def test_a_rule_sees_its_example(name, sentence, monkeypatch):
    monkeypatch.setattr("helpers.wording.texts", lambda: [Text("a.py", 1, "docstring", sentence)])
    assert [rule.name for _, _, rule, _ in violations()] == [name]
    assert name in {rule.name for rule in RULES}


def test_what_is_right_passes(monkeypatch):
    right = ["There is no file.", "It is no longer used.", "Left alone, it stays.", 'Prints "in silence".', "This way."]
    monkeypatch.setattr("helpers.wording.texts", lambda: [Text("a.py", 1, "docstring", text) for text in right])
    assert violations() == []


def test_the_page_of_modules_is_up_to_date():
    written = (ROOT / "docs" / "modules.md").read_text(encoding="utf-8")
    assert written == make_modules.page(), "run python docs/make_modules.py"


def test_first_lines_tell_modules_apart():
    """Modules of one folder differ. Of two folders, those that share a family's name may say the same."""
    named = {}
    for folder, files in make_modules.meanings().items():
        assert all(files.values()), f"{folder}: a module without a docstring"
        for name, meaning in files.items():
            named.setdefault(re.sub(r"\W+", " ", meaning).strip().lower(), []).append((folder, name))
    same = [places for places in named.values() if len({folder for folder, _ in places}) < len(places)
            or len({folder.rsplit("/", 1)[-1] if name == "__init__.py" else name for folder, name in places}) > 1]
    assert not same, same
