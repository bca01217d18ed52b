"""The site, built once for all of its tests."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT
from helpers.processes import environment
from helpers.site_checks import pages_of


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site. Processes of xdist share it: the first builds, others wait.

    MINIGLUON_SITE names one that is built already. This one's pages of source files have no colors.
    """
    if "MINIGLUON_SITE" in os.environ:
        return Path(os.environ["MINIGLUON_SITE"])
    pytest.importorskip("sphinx", reason="the extra `docs` is not installed")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, built = shared / "the-site", shared / "the-site-is-built"
    with open(shared / "the-site.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not built.exists():
            done = subprocess.run([sys.executable, ROOT / "docs" / "build_site.py", folder, "--plain-sources"],
                                  capture_output=True, text=True, env=environment())
            assert done.returncode == 0, done.stdout + done.stderr
            built.touch()
    return Path(folder)


@pytest.fixture(scope="session")
def pages(site):
    return pages_of(site)
