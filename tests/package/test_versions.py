"""Both distributions have the version of minigluon/common/version.py; the plugin requires a minigluon that matches."""

import re
import subprocess
import sys

import pytest
from helpers import ROOT

import minigluon

sys.path.insert(0, str(ROOT / ".ci"))
from write_version import fitting, numbers, status  # type: ignore[import-not-found]

sys.path.remove(str(ROOT / ".ci"))
pytestmark = pytest.mark.once


def test_the_copies_of_the_version_are_up_to_date():
    done = subprocess.run([sys.executable, ".ci/write_version.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_copy_that_is_out_of_date_is_named(tmp_path):
    names = ["minigluon/common/version.py", "setup.cfg", "minigluon_accel/pyproject.toml",
             "minigluon_accel/minigluon_accel/version.py",
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
    assert "\n    Development Status :: 5 - Production/Stable\n" in (tmp_path / names[1]).read_text()
    assert '"minigluon==3.4.*"' in (tmp_path / names[2]).read_text()
    assert "\n  version: 3.4.5\n" in (tmp_path / names[5]).read_text()
    assert "\n    - minigluon 3.4.*\n" in (tmp_path / names[5]).read_text()


def test_the_plugin_has_the_version_of_minigluon():
    text = (ROOT / "minigluon_accel" / "minigluon_accel" / "version.py").read_text()
    assert re.search(r'__version__ = "(.+)"', text)[1] == minigluon.__version__


def test_the_plugin_requires_a_minigluon_that_fits():
    text = (ROOT / "minigluon_accel" / "pyproject.toml").read_text()
    assert re.findall(r'"minigluon==([^"]+)"', text) == [fitting(minigluon.__version__)]


@pytest.mark.parametrize(("version", "fits", "classifier"), [
    ("0.1.4", "0.1.*", "3 - Alpha"), ("1.0.0rc1", "1.0.0rc1", "4 - Beta"), ("1.2.0", "1.2.*", "5 - Production/Stable")])
def test_what_follows_from_a_version(version, fits, classifier):
    assert (fitting(version), status(version)) == (fits, classifier)


def test_the_order_of_versions():
    ordered = ["0.9.10", "1.0.0rc1", "1.0.0rc2", "1.0.0rc10", "1.0.0", "1.0.1rc1", "1.0.1", "1.10.0"]
    assert sorted(set(ordered), key=numbers) == ordered
