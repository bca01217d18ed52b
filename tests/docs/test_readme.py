"""The numbers that the README claims are those of the page that it links to."""

import re

import pytest
from helpers import ROOT

pytestmark = pytest.mark.once


def test_times_are_those_of_the_measurements():
    claimed = re.search(r"LeNet takes (\S+) times as long as in PyTorch, and (\S+) times as long as in MXNet",
                        " ".join((ROOT / "README.md").read_text(encoding="utf-8").split()))
    measured = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for number, library in zip(claimed.groups(), ("torch eager", "mxnet hybridized"), strict=True):
        row = re.search(rf"^\| lenet train step \| {library} \|(.*)\|$", measured, re.MULTILINE)[1]
        hybridized_by_this = row.split("|")[3].strip()
        assert number == hybridized_by_this, library
