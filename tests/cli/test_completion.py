"""`minigluon completion`: the script for bash, run by bash, and what is said without shtab."""

import shutil
import subprocess
import sys

import pytest

from minigluon.tools import cli

pytestmark = pytest.mark.once

BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def bash():
    """Completions of a line's last word, by bash."""
    pytest.importorskip("shtab", reason="the extra `completion` is not installed")
    if BASH is None:
        pytest.skip("bash is not installed")
    from minigluon.tools.cli import _parser
    from minigluon.tools.cli.completion import script
    text = script(_parser(), "bash")

    def complete(*words, cwd=None):
        asked = (f"{text}\nCOMP_WORDS=({' '.join(repr(word) for word in ('minigluon', *words))}); "
                 "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _shtab_minigluon; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run([BASH, "--norc", "-c", asked], capture_output=True, text=True, cwd=cwd, timeout=60)
        return sorted(done.stdout.split())
    return complete


def test_commands_and_options(bash):
    assert bash("tr") == ["train"]
    assert bash("do") == ["doctor"]
    assert bash("train", "--h") == ["--help", "--hybridize"]
    assert bash("learn", "n") == ["next"]


def test_choices(bash):
    assert bash("train", "--net", "") == ["lenet", "mlp"]
    assert bash("completion", "") == ["bash", "fish", "tcsh", "zsh"]


def test_files_and_folders(bash, tmp_path):
    (tmp_path / "images").mkdir()
    (tmp_path / "images.txt").touch()
    assert bash("check", "ima", cwd=tmp_path) == ["images", "images.txt"]
    assert bash("train", "--out", "ima", cwd=tmp_path) == ["images"]


@pytest.fixture(scope="module")
def fish():
    """Completions of a line, by fish."""
    program = shutil.which("fish")
    if program is None:
        pytest.skip("fish is not installed")
    from minigluon.tools.cli import _parser
    from minigluon.tools.cli.completion import script
    text = script(_parser(), "fish")

    def complete(line, cwd=None):
        done = subprocess.run([program, "--no-config", "-c", f"{text}\ncomplete -C '{line}'"], capture_output=True,
                              text=True, cwd=cwd, timeout=60)
        assert not done.stderr
        return sorted(row.partition("\t")[0] for row in done.stdout.splitlines())
    return complete


def test_fish(fish, tmp_path):
    assert fish("minigluon tr") == ["train"]
    assert fish("minigluon train --h") == ["--help", "--hybridize"]
    assert fish("minigluon train --net ") == ["lenet", "mlp"]
    assert fish("minigluon learn n") == ["next"]
    assert fish("minigluon completion ") == ["bash", "fish", "tcsh", "zsh"]
    (tmp_path / "images").mkdir()
    (tmp_path / "images.txt").touch()
    assert fish("minigluon check ima", cwd=tmp_path) == ["images.txt", "images/"]
    assert fish("minigluon train --out ima", cwd=tmp_path) == ["images/"]


def test_the_script_for_fish_needs_no_package(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "fish"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "# fish completion of minigluon"
    assert all(line.startswith("complete -c minigluon -n '") for line in lines[1:])
    assert any("-l hybridize -d 'compile the network" in line for line in lines)


@pytest.mark.parametrize(("shell", "head"), [("zsh", "#compdef minigluon"), ("tcsh", "#")])
def test_other_shells(shell, head, capsys):
    pytest.importorskip("shtab", reason="the extra `completion` is not installed")
    assert cli.main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert text.startswith(head)
    assert "hybridize" in text


def test_without_shtab(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 1
    assert capsys.readouterr().err == ("minigluon completion: error: shtab is not installed. Install what this command "
                                       'needs with: pip install "minigluon[completion]"\n')
