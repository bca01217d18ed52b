"""Make a folder of distributions one that pip installs from, with no network: an index as in PEP 503, and checksums.

    python .ci/make_index.py FOLDER
    pip install --index-url file://FOLDER/simple minigluon minigluon-accel

Writes FOLDER/simple/index.html, FOLDER/simple/PROJECT/index.html for each project with wheels or sdists in FOLDER,
and FOLDER/SHA256SUMS, for `sha256sum --check`, of everything in FOLDER.
"""

import hashlib
import os
import re
import shutil
import sys
import tarfile
import zipfile
from email.parser import Parser
from html import escape
from pathlib import Path
from urllib.parse import quote

SUMS = "SHA256SUMS"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="pypi:repository-version" content="1.0"><title>{title}</title></head>
<body>
{links}
</body>
</html>
"""


def is_distribution(path):
    return path.name.endswith((".whl", ".tar.gz"))


def project_of(path):
    """The normalized name of a distribution's project: minigluon-accel for minigluon_accel-1.0.0-cp312-....whl."""
    name = path.name.split("-")[0] if path.suffix == ".whl" else path.name.rpartition("-")[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def metadata(path):
    """The core metadata of a wheel or an sdist."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
            text = archive.read(name)
    else:
        with tarfile.open(path) as archive:
            member = next(name for name in archive.getnames() if re.fullmatch(r"[^/]+/PKG-INFO", name))
            text = archive.extractfile(member).read()
    return Parser().parsestr(text.decode("utf-8"))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def link(path):
    """A distribution's link on its project's page, with its checksum, which pip compares, and the Pythons it is for."""
    requires = metadata(path)["Requires-Python"]
    attribute = f' data-requires-python="{escape(requires)}"' if requires else ""
    return f'<a href="../../{quote(path.name)}#sha256={sha256(path)}"{attribute}>{escape(path.name)}</a><br>'


def write_page(path, title, links):
    path.parent.mkdir(parents=True)
    path.write_text(PAGE.format(title=title, links="\n".join(links)), encoding="utf-8")


def make_index(folder):
    """Write the index of a folder; returns {project: its distributions}."""
    projects = {}
    for path in sorted(folder.iterdir()):
        if is_distribution(path):
            projects.setdefault(project_of(path), []).append(path)
    if not projects:
        sys.exit(f"{folder} has no wheels and no sdists")
    simple = folder / "simple"
    if simple.exists():
        shutil.rmtree(simple)
    write_page(simple / "index.html", "Projects", [f'<a href="{name}/">{name}</a><br>' for name in sorted(projects)])
    for name, paths in projects.items():
        write_page(simple / name / "index.html", f"Links for {name}", map(link, paths))
    return projects


def write_sums(folder):
    """Write the checksums of a folder's files, of the index's pages too, sorted by name."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
    lines = [f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in files]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def main(arguments):
    if len(arguments) != 1 or not os.path.isdir(arguments[0]):
        sys.exit("usage: python .ci/make_index.py FOLDER")
    folder = Path(arguments[0])
    projects = make_index(folder)
    write_sums(folder)
    print(f"{folder}/simple: {sum(map(len, projects.values()))} distributions of {len(projects)} projects")


if __name__ == "__main__":
    main(sys.argv[1:])
