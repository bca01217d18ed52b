"""Write `modules.md`: every module of both packages with the first line of its docstring.

`python docs/make_modules.py`. A test fails if the page is out of date.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("minigluon", "minigluon_accel/minigluon_accel")
HEAD = """# All modules

The first line of each module's docstring, by folder, written by `docs/make_modules.py`. [Reading the
source](README.md#reading-the-source) says where to begin.
"""


def meanings():
    """Return {folder: {file: the first sentence of its docstring}}, both relative to the repository, with a package's
    own file first."""
    folders = {}
    for package in PACKAGES:
        paths = (ROOT / package).rglob("*.py")
        for path in sorted(paths, key=lambda path: (path.parent, path.name != "__init__.py", path)):
            text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            folder = path.parent.relative_to(ROOT).as_posix()
            first = " ".join(text.split("\n\n")[0].split())
            first = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", first)         # without links, as their paths are relative
            folders.setdefault(folder, {})[path.name] = first
    return folders


def page():
    """Return the text of the page."""
    lines = [HEAD]
    for folder, files in meanings().items():
        lines += [f"## {folder}", "", files.get("__init__.py", ""), ""]
        lines += [f"- [{name}](../{folder}/{name}): {meaning}" for name, meaning in files.items()
                  if name != "__init__.py"]
        lines += [""] if len(files) > 1 else []
    return "\n".join(lines).rstrip() + "\n"


def main():
    """Write the page."""
    (ROOT / "docs" / "modules.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
