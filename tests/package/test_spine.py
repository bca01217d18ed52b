"""The spine: what five walks through the engine enter is what docs/spine.md lists, in reading order, and no longer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "spine.md"
MOST_LINES = 5_996         # may only be lowered
MOST_FILES = 48

PROGRAM = """
import sys
sys.path.insert(0, "docs")
import make_spine
sys.stdout.write(make_spine.page())
"""


@pytest.fixture(scope="module")
def page():
    """What the script would write now, in a process of its own on NumPy: what has run before counts as known."""
    return subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True,
                          env={**os.environ, "MINIGLUON_BACKEND": "numpy"}, encoding="utf-8").stdout


def test_the_page_lists_what_the_walks_enter(page):
    assert page == PAGE.read_text(encoding="utf-8"), "run python docs/make_spine.py"


def test_the_spine_does_not_grow(page):
    """What only speed, scale or rare programs need stands beside the spine, reached by a hook."""
    total = next(line for line in page.splitlines() if line.endswith(" lines.") and " files, " in line)
    files, lines = (int(word.replace(",", "")) for word in total.split() if word[0].isdigit())
    assert lines <= MOST_LINES
    assert files <= MOST_FILES
