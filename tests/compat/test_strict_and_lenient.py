"""What is refused: strict, in words; lenient, with a warning and MXNet's result. The cases are in `strict_cases`."""

import re
import warnings

import pytest
from helpers import ROOT
from strict_cases import CASES, ERROR
from strict_cases.gradients import gradient

from minigluon.base import MXNetError
from minigluon.diagnostics import strictness

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ended(run):
    with pytest.raises(MXNetError) as error:
        run()
    # How long an encoded picture is, and what a decoder says, are Pillow's.
    return re.sub(r"of \d+ bytes is damaged or cut off \(.*\)", "of N bytes is damaged or cut off (WHY)",
                  f"{type(error.value).__name__}: {error.value}")


@pytest.mark.parametrize("name", CASES)
def test_strict(name):
    assert ended(CASES[name].run) == CASES[name].refusal


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.result is not ERROR])
def test_lenient(name, lenient):
    case = CASES[name]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = case.run()
    assert result == case.result
    first = next(w for w in found if w.category is strictness.LenientWarning)
    assert case.in_thread or "strict_cases" in first.filename
    kind, _, problem = case.refusal.partition(": ")
    said, _, text = str(first.message).partition(": ")
    assert said == f"a strict run would end here with {kind}"
    assert "cut off" in text or text in problem         # what was found, without the operator's inputs


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.result is ERROR])
@pytest.mark.filterwarnings("ignore::minigluon.diagnostics.strictness.LenientWarning")
def test_refused_in_both(name, lenient):
    ended(CASES[name].run)


def test_every_row_of_the_page_has_a_case():
    page = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
    table = page.partition("## What is refused, and lenient runs")[2].partition("\n## ")[0]
    rows = [line[2:] for line in table.splitlines() if line.startswith("| ") and not line.startswith("| |")]
    found = [[row for row in rows if row.startswith(case.row)] for case in CASES.values()]
    assert [len(rows) for rows in found] == [1] * len(CASES)
    assert {row for [row] in found} == set(rows)


def test_axes_of_length_1_do_not_count():
    assert gradient(lambda x: x * x * 3, [1, 1], [[2, 3]]) == [12, 18]
    assert gradient(lambda x: x.sum(), [[1, 2]], [[5]]) == [[5, 5]]
