"""The table of behaviours: each row names a test that exists or a row of the page of differences, none twice."""

import re

import pytest
from helpers import ROOT

pytestmark = pytest.mark.once

PAGE = ROOT / "docs" / "behaviours.md"
ROWS = re.findall(r"^\| (\d+) \|(.*)\|(.*)\|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_each_number_is_there_once():
    assert sorted(int(number) for number, _, _ in ROWS) == list(range(1, 67))


def test_every_test_exists():
    def exists(file, test):
        path = ROOT / file
        return path.is_file() and re.search(rf"^\s*def {test}\(", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    missing = []
    for number, _, where in ROWS:
        tests = re.findall(r"`(tests/\S+?\.py)::(\w+)`", where)
        missing += [(number, *test) for test in tests if not exists(*test)]
        if not tests and "differences.md" not in where:
            missing.append((number, where))
    assert missing == []
