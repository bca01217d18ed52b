"""Write the version in minigluon/common/version.py into the files that repeat it: metadata of both, and conda recipes.

The plugin is built without minigluon at hand, from an sdist of its own, so it cannot read the version where it stands.
--check changes nothing, and exits with the names of files that are out of date.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
SOURCE = "minigluon/common/version.py"


def version_in(text):
    """The version that a version.py states."""
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]


def numbers(version):
    """A version as numbers that can be compared: (1, 0, 0, 2) for 1.0.0rc2, which precedes (1, 0, 0, inf) for 1.0.0."""
    release, _, candidate = version.partition("rc")
    return *map(int, release.split(".")), int(candidate) if candidate else float("inf")


def fitting(version):
    """The versions of minigluon that a plugin of this version works with: "0.1.*" for 0.1.4.

    A release candidate works with itself only. Since that requirement names a candidate, pip takes one without --pre.
    """
    return version if "rc" in version else ".".join(version.split(".")[:2]) + ".*"


def status(version):
    """The classifier of a version: a candidate is a beta."""
    return "4 - Beta" if "rc" in version else "3 - Alpha" if version.startswith("0.") else "5 - Production/Stable"


def rules(version):
    """(file, pattern of the line, its text) for each copy. A pattern must occur once in its file."""
    return [
        ("setup.cfg", r"^    Development Status :: .*$", f"    Development Status :: {status(version)}"),
        ("minigluon_accel/pyproject.toml", r'"Development Status :: [^"]*"',
         f'"Development Status :: {status(version)}"'),
        ("minigluon_accel/minigluon_accel/version.py", r'^__version__ = ".*"$', f'__version__ = "{version}"'),
        ("minigluon_accel/pyproject.toml", r'"minigluon==[^"]*"', f'"minigluon=={fitting(version)}"'),
        (".conda/minigluon/recipe.yaml", r"^  version: [0-9].*$", f"  version: {version}"),
        (".conda/minigluon-accel/recipe.yaml", r"^  version: [0-9].*$", f"  version: {version}"),
        (".conda/minigluon-accel/recipe.yaml", r"^    - minigluon [0-9].*$", f"    - minigluon {fitting(version)}"),
    ]


def updated(root, version):
    """{file: its text with this version} for all files with copies."""
    texts = {}
    for name, pattern, line in rules(version):
        text = texts.get(name) or (root / name).read_text(encoding="utf-8")
        texts[name], count = re.subn(pattern, line, text, flags=re.MULTILINE)
        if count != 1:
            sys.exit(f"{name} has {count} lines like {pattern!r}, expected one")
    return texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is out of date")
    check = parser.parse_args().check
    texts = updated(ROOT, version_in((ROOT / SOURCE).read_text(encoding="utf-8")))
    stale = [name for name, text in texts.items() if text != (ROOT / name).read_text(encoding="utf-8")]
    if check and stale:
        sys.exit(f"out of date: {', '.join(stale)}. Run: python .ci/write_version.py")
    for name in stale:
        (ROOT / name).write_text(texts[name], encoding="utf-8")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
