"""The site, built once for all of its tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT
from helpers.processes import environment
from helpers.shared_work import shared
from helpers.site_checks import pages_of


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site.

    MINIGLUON_SITE names one that is built already. This one's pages of source files have no colors.
    """
    if "MINIGLUON_SITE" in os.environ:
        return Path(os.environ["MINIGLUON_SITE"])
    pytest.importorskip("sphinx", reason="the extra `docs` is not installed")

    def build(folder):
        done = subprocess.run([sys.executable, ROOT / "docs" / "build_site.py", folder / "pages", "--plain-sources"],
                              capture_output=True, text=True, env=environment())
        assert done.returncode == 0, done.stdout + done.stderr
    return shared(tmp_path_factory, "the-site", build) / "pages"


@pytest.fixture(scope="session")
def pages(site):
    return pages_of(site)
