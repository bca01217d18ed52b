"""Both distributions have the version of minigluon/common/version.py; the plugin requires a minigluon that matches."""

import re
import subprocess
import sys

import pytest
from helpers import ROOT

import minigluon

pytestmark = pytest.mark.once


def test_the_copies_of_the_version_are_up_to_date():
    done = subprocess.run([sys.executable, ".ci/write_version.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_copy_that_is_out_of_date_is_named(tmp_path):
    names = ["minigluon/common/version.py", "minigluon_accel/minigluon_accel/version.py",
             "minigluon_accel/pyproject.toml",
             ".conda/minigluon/recipe.yaml", ".conda/minigluon-accel/recipe.yaml", ".ci/write_version.py"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    (tmp_path / names[0]).write_text('__version__ = "3.4.5"\n')

    def run(*options):
        return subprocess.run([sys.executable, tmp_path / names[-1], *options], capture_output=True, text=True)
    assert run("--check").stderr == f"out of date: {', '.join(names[1:-1])}. Run: python .ci/write_version.py\n"
    assert run().stdout == "".join(f"wrote {name}\n" for name in names[1:-1])
    assert run("--check").returncode == 0
    assert '"minigluon==3.4.*"' in (tmp_path / names[2]).read_text()
    assert "\n  version: 3.4.5\n" in (tmp_path / names[4]).read_text()
    assert "\n    - minigluon 3.4.*\n" in (tmp_path / names[4]).read_text()


def test_the_plugin_has_the_version_of_minigluon():
    text = (ROOT / "minigluon_accel" / "minigluon_accel" / "version.py").read_text()
    assert re.search(r'__version__ = "(.+)"', text)[1] == minigluon.__version__


def test_the_plugin_requires_a_minigluon_of_its_minor_version():
    text = (ROOT / "minigluon_accel" / "pyproject.toml").read_text()
    (required,) = re.findall(r'"minigluon==([\d.]+)\.\*"', text)
    assert minigluon.__version__.startswith(required + ".")
