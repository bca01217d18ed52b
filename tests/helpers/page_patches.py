"""Changes of files that a page shows as ```diff blocks, applied to a copy of the repository."""

import re
import shutil
from dataclasses import dataclass

from helpers import ROOT

__all__ = ["Patch", "copy_of_the_repository", "patches_of"]

FOLDERS = ["minigluon", "minigluon_accel/minigluon_accel", "tests", "docs"]
NOT_COPIED = shutil.ignore_patterns("__pycache__", "build", "*.so", "images", ".hypothesis")


@dataclass(frozen=True)
class Patch:
    """One block: "+++ PATH", then lines that begin with " ", "-" or "+". There are no line numbers."""

    path: str
    lines: tuple

    @property
    def added(self):
        """How many lines it writes, blank ones and changed ones included."""
        return sum(line.startswith("+") for line in self.lines)

    def apply(self, root):
        """Change the file below `root`: each run of context and removed lines must occur in it exactly once."""
        file = root / self.path
        text = file.read_text(encoding="utf-8")
        for old, new in self._hunks():
            if not old:
                text += new
                continue
            found = text.count("\n" + old)
            assert found == 1, f"{self.path} has {found} times:\n{old}"
            text = text.replace("\n" + old, "\n" + new)
        file.write_text(text, encoding="utf-8")

    def _hunks(self):
        """(what is there, what takes its place) for each place in the file; ("", text) for its end."""
        old, new, seen_new = "", "", False
        for line in self.lines:
            kind, text = line[:1] or " ", line[1:] + "\n"
            if kind != "+" and seen_new:        # the next place
                yield old, new
                old, new, seen_new = "", "", False
            if kind != "+":
                old += text
            if kind != "-":
                new += text
            seen_new = seen_new or kind == "+"
        yield old, new


def patches_of(page):
    """The Patches that a page shows, in order."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```diff\n\+\+\+ (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Patch(path, tuple(lines.splitlines())) for path, lines in blocks]


def copy_of_the_repository(target):
    """Copy what runs: the packages, tests and pages, and the plugin's compiled modules where it is installed."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, target / folder, ignore=NOT_COPIED)
    for name in ("pyproject.toml", "setup.cfg", "README.md", "minigluon_accel/README.md"):
        shutil.copy(ROOT / name, target / name)
    try:
        import minigluon_accel
    except ImportError:
        return
    for folder in minigluon_accel.__path__:
        for module in ("engine", "gpu/launcher"):
            for path in sorted((ROOT / folder).glob(f"{module}.*.so")):
                shutil.copy(path, target / "minigluon_accel" / "minigluon_accel" / module.rpartition("/")[0])
