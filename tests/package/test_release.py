"""`.ci/release`: bump, changelog, wheels, checks, notes, commit and tag; all of it or nothing."""

import datetime
import os
import shutil
import subprocess

import pytest
from helpers import ROOT

pytestmark = [pytest.mark.once, pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")]

FILES = [".ci/release", ".ci/write_version.py", ".ci/check_tree.py", "minigluon/common/version.py",
         "minigluon_accel/minigluon_accel/version.py", "minigluon_accel/pyproject.toml", ".conda/minigluon/recipe.yaml",
         ".conda/minigluon-accel/recipe.yaml", "pyproject.toml", "setup.cfg", "README.md", ".gitignore"]
CHANGELOG = "# Changelog\n\n## Unreleased\n\n- `nd.softshrink`.\n\n## 0.0.9 (2026-01-02)\n\n- The beginning.\n"
BUILD = "#!/bin/sh\nmkdir -p $1/dist && cp $1/source/minigluon/common/version.py $1/dist/minigluon.whl\n"
CHECK = "import sys\nsys.exit(0 if len(sys.argv) == 2 else 'no wheel')\n"
FINISH = "#!/bin/sh\nls $1 > $1/SHA256SUMS\n"
TODAY = datetime.date.today().isoformat()


@pytest.fixture
def repository(tmp_path):
    """A small repository with the release's files, and builders that take no time; returns (folder, git, release)."""
    root = tmp_path / "repository"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    written = {"docs/changelog.md": CHANGELOG, ".ci/build_wheels": BUILD, ".ci/check_wheel.py": CHECK,
               ".ci/finish_release": FINISH,
               "tests/a": "", "benchmarks/a": "", "minigluon/common/version.py": '__version__ = "0.1.0"\n'}
    for name, text in written.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for name in "build_wheels", "finish_release":
        (root / ".ci" / name).chmod(0o755)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment = {**clean, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def run(*command):
        return subprocess.run(command, cwd=root, capture_output=True, text=True, env=environment)

    def git(*arguments):
        done = run("git", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    for arguments in (["init", "--quiet", "--initial-branch=main"], ["config", "user.name", "A"],
                      ["config", "user.email", "a@example.org"], ["add", "."], ["commit", "--quiet", "-m", "Begin"]):
        git(*arguments)
    return root, git, lambda *arguments: run(str(root / ".ci" / "release"), *arguments)


def state(git):
    return git("log", "--oneline"), git("tag"), git("status", "--porcelain"), git("worktree", "list").count("\n")


def test_dry_run(repository):
    root, git, release = repository
    before = state(git)
    done = release("0.2.0", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Release 0.2.0\n")
    assert f"SHA256SUMS\nminigluon.whl\nnotes.md\n\n# minigluon 0.2.0 ({TODAY})\n\n- `nd.softshrink`.\n" in done.stdout
    assert done.stdout.endswith("Nothing has changed. Without --dry-run: a commit on this branch, the tag v0.2.0, and "
                                "these files in dist/0.2.0.\n")
    assert state(git) == before
    assert not (root / "dist").exists()


def test_release(repository):
    root, git, release = repository
    done = release("0.2.0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("v0.2.0 is tagged; its distributions and notes are in dist/0.2.0. Left to do: git push "
                                "--follow-tags, and the upload.\n")
    assert git("log", "--format=%s").splitlines() == ["Release 0.2.0", "Begin"]
    assert git("rev-parse", "v0.2.0^{commit}") == git("rev-parse", "main") == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""
    assert (root / "dist" / "0.2.0" / "minigluon.whl").read_text() == '__version__ = "0.2.0"\n'
    assert (root / "dist" / "0.2.0" / "notes.md").read_text() == f"# minigluon 0.2.0 ({TODAY})\n\n- `nd.softshrink`.\n"
    assert (root / "docs" / "changelog.md").read_text() == (
        f"# Changelog\n\n## Unreleased\n\nNothing yet.\n\n## 0.2.0 ({TODAY})\n\n- `nd.softshrink`.\n\n"
        "## 0.0.9 (2026-01-02)\n\n- The beginning.\n")
    assert '"minigluon==0.2.*"' in (root / "minigluon_accel" / "pyproject.toml").read_text()
    assert release("0.3.0").stderr == ".ci/release: docs/changelog.md has nothing under Unreleased\n"


@pytest.mark.parametrize(("version", "says"), [
    ("0.2", "'0.2' is not a version like 1.2.0 or 1.2.0rc1"), ("0.1.0rc3", "0.1.0rc3 does not follow 0.1.0"),
    ("0.0.9", "0.0.9 does not follow 0.1.0")])
def test_a_version_that_is_refused(repository, version, says):
    assert repository[2](version).stderr == f".ci/release: {says}\n"


def test_the_version_that_is_there_can_be_released_once(repository):
    _, git, release = repository
    assert release("0.1.0").returncode == 0
    assert git("tag") == "v0.1.0"
    assert release("0.1.0").stderr == ".ci/release: there is a tag v0.1.0 already\n"


def test_a_candidate_then_its_release(repository):
    root, git, release = repository
    (root / "docs" / "changelog.md").write_text(CHANGELOG)
    assert release("1.0.0rc1").returncode == 0
    assert '"minigluon==1.0.0rc1"' in (root / "minigluon_accel" / "pyproject.toml").read_text()
    assert "Development Status :: 4 - Beta" in (root / "setup.cfg").read_text()
    changelog = (root / "docs" / "changelog.md").read_text()
    (root / "docs" / "changelog.md").write_text(changelog.replace("Nothing yet.", "- A mistake."))
    git("commit", "--quiet", "--all", "-m", "Mend")
    assert release("1.0.0rc2").returncode == 0
    assert release("1.0.0").returncode == 0             # with nothing of its own: what its candidates had
    assert (root / "docs" / "changelog.md").read_text() == (
        f"# Changelog\n\n## Unreleased\n\nNothing yet.\n\n## 1.0.0 ({TODAY})\n\n- A mistake.\n\n- `nd.softshrink`.\n\n"
        "## 0.0.9 (2026-01-02)\n\n- The beginning.\n")
    assert '"minigluon==1.0.*"' in (root / "minigluon_accel" / "pyproject.toml").read_text()
    assert release("1.0.0rc3").stderr == ".ci/release: 1.0.0rc3 does not follow 1.0.0\n"
    assert release("1.0.0", "--notes").stdout == (
        f"# minigluon 1.0.0 ({TODAY})\n\n- A mistake.\n\n- `nd.softshrink`.\n")
    assert release("0.0.9", "--notes").stdout == "# minigluon 0.0.9 (2026-01-02)\n\n- The beginning.\n"
    assert release("0.5.0", "--notes").stderr == ".ci/release: docs/changelog.md has no section 0.5.0\n"


def test_what_is_built_elsewhere_is_part_of_it(repository, tmp_path):
    root, _, release = repository
    (tmp_path / "other.whl").write_text("of another system\n")
    assert release("0.2.0", "--more", str(tmp_path / "other.whl")).returncode == 0
    assert sorted(path.name for path in (root / "dist" / "0.2.0").iterdir()) == [
        "SHA256SUMS", "minigluon.whl", "notes.md", "other.whl"]


def test_what_is_not_committed_is_not_released(repository):
    root, _, release = repository
    (root / "README.md").write_text("other\n")
    assert release("0.2.0").stderr == (
        ".ci/release: the working tree is not clean. Commit or stash what `git status` shows.\n")


def test_what_changes_meanwhile_is_kept(repository):
    root, git, release = repository
    (root / ".ci" / "build_wheels").write_text(BUILD + f"echo mine > {root}/README.md\n")
    git("commit", "--quiet", "--all", "-m", "Change")
    assert release("0.2.0").stderr == (
        ".ci/release: the working tree or its branch has changed meanwhile. Nothing was released.\n")
    assert (root / "README.md").read_text() == "mine\n"
    assert git("tag") == ""


@pytest.mark.parametrize("file", ["build_wheels", "check_wheel.py", "finish_release"])
def test_a_step_that_fails_changes_nothing(repository, file):
    root, git, release = repository
    (root / ".ci" / file).write_text("raise SystemExit(3)\n" if file.endswith(".py") else "#!/bin/sh\nexit 3\n")
    git("commit", "--quiet", "--all", "-m", "Break")
    before = state(git)
    done = release("0.2.0")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(" failed with status 3. Nothing has changed.")
    assert state(git) == before
    assert not (root / "dist").exists()


def test_a_tag_or_branch_that_cannot_be_made_changes_nothing(repository):
    root, git, release = repository
    hook = root / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    # git calls it for each change of a reference: refuse the branch, after the tag has been made
    hook.write_text('#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/heads/main && exit 1\nexit 0\n')
    before = state(git)
    hook.chmod(0o755)
    done = release("0.2.0")
    hook.unlink()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(".ci/release: git merge failed with status ")
    assert state(git) == before
    assert not (root / "dist" / "0.2.0").exists()
