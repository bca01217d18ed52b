"""Pages of measurements say what the reports beside them hold."""

import json
import sys

import pytest
from helpers import ROOT

BENCHMARKS = ROOT / "benchmarks"


@pytest.mark.once
def test_the_page_on_engines_is_fresh(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import engines_page
    text = engines_page.PAGE.read_text(encoding="utf-8")
    reports = {name: json.loads((BENCHMARKS / name).read_text(encoding="utf-8"))
               for name in ("bench.json", "bench-one-thread.json") if (BENCHMARKS / name).exists()}
    assert text == engines_page.page(text, reports), "write it again: python benchmarks/engines_page.py FILE..."
