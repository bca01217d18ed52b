"""Typical mistakes: the message of each, word for word, with cause, place and remedy, and that its cure is one."""

import warnings

import pytest
from helpers import ROOT
from mistake_cases import MISTAKES, run


@pytest.mark.parametrize("title", MISTAKES)
def test_message_and_cure(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = MISTAKES[title]
    error, names = run(row)
    assert (type(error).__name__, str(error)) == (row.error, row.says)
    for part in row.cause, row.place, row.remedy:
        assert part in row.says
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(row.right, "cure.py", "exec"), names)


@pytest.mark.once
def test_nearly_all_messages_are_of_the_best_kind():
    assert len(MISTAKES) == 61
    assert sum(row.grade == 3 for row in MISTAKES.values()) >= 60


@pytest.mark.once
def test_the_page_is_fresh(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import make_mistakes
    kept = (ROOT / "docs" / "mistakes.md").read_text(encoding="utf-8")
    assert make_mistakes.page() == kept, "docs/mistakes.md is old: run python docs/make_mistakes.py"
