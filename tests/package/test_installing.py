"""The recipes and the container's files say what the packages are."""

import json
import re

import pytest
from helpers import ROOT

import minigluon

pytestmark = pytest.mark.once


@pytest.mark.parametrize("name", ["minigluon", "minigluon-accel"])
def test_recipe_has_the_version(name):
    recipe = (ROOT / ".conda" / name / "recipe.yaml").read_text()
    assert re.search(r"^  version: (\S+)$", recipe, re.MULTILINE)[1] == minigluon.__version__
    assert f"  name: {name}\n" in recipe


def test_container_installs_by_the_command_of_the_readme():
    readme = (ROOT / "README.md").read_text()
    container = (ROOT / ".devcontainer" / "Dockerfile").read_text()
    created = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())["postCreateCommand"]
    assert 'pip install -e ".[test]" && pip install ./minigluon_accel && pytest -n auto' in readme
    assert 'pip install --no-cache-dir -e ".[test]" ./minigluon_accel' in container
    assert created == "pip install -e '.[test]' ./minigluon_accel"
