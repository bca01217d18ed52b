"""What several tests share. tests/README.md says what is where."""

import os
from pathlib import Path

__all__ = ["ROOT", "TESTS", "WIDE"]

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
WIDE = os.environ.get("MINIGLUON_TESTS") == "wide"       # more draws, new ones each time: see tests/README.md
