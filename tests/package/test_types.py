"""The files that pyproject.toml lists under [tool.pyright] have annotations that pyright's strict mode accepts."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from scripts import type_counts

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
PYRIGHT = shutil.which("pyright")

LEAST_KNOWN = 0.73      # the share of public names whose types a checker knows in full; raise it when more are known


@pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed: pip install 'pyright[nodejs]'")
def test_strict_types_and_known_names():
    """The two run side by side, so that they take as long as one. A name whose type is Any is known."""
    counting = type_counts.count_public_names()
    done = subprocess.run([PYRIGHT], cwd=ROOT, capture_output=True, text=True, check=False)
    known, count = type_counts.counted(counting)
    assert done.returncode == 0, done.stdout + done.stderr
    assert known / count >= LEAST_KNOWN, "annotate what you have added: tests/scripts/type_counts.py counts"


def test_the_files_exist():
    """pyright passes over names that lead nowhere."""
    section = (ROOT / "pyproject.toml").read_text().partition("[tool.pyright]")[2].partition("\n[")[0]
    listed = re.findall(r'^    "(.*?)",', section, re.MULTILINE)
    assert listed
    assert [name for name in listed if not (ROOT / name).is_file()] == []


@pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed: pip install 'pyright[nodejs]'")
def test_programs_have_no_errors(tmp_path):
    """Ten programs as people write them. tests/scripts/type_counts.py counts strict mode and mypy as well."""
    type_counts.write_programs(type_counts.TEN, tmp_path)
    type_counts.install(tmp_path)
    assert type_counts.pyright(tmp_path, "basic") == {}
