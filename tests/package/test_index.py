"""`.ci/make_index.py`: pip installs from the folder that it writes, without a network; the checksums are right."""

import hashlib
import io
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest
from helpers import ROOT

pytestmark = pytest.mark.once

NUMBER = "1.0.0rc1"


def metadata(name, *more):
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {NUMBER}", "Requires-Python: >=3.10", *more]
    return "\n".join(lines) + "\n\n"


def write_wheel(folder, name, *more):
    """A wheel with one module, which pip can install."""
    module = name.replace("-", "_")
    info = f"{module}-{NUMBER}.dist-info"
    files = {f"{module}.py": f"version = {NUMBER!r}\n", f"{info}/METADATA": metadata(name, *more),
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{module}-{NUMBER}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


def write_sdist(folder, name):
    top = f"{name.replace('-', '_')}-{NUMBER}"
    content = metadata(name).encode()
    with tarfile.open(folder / f"{top}.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(f"{top}/PKG-INFO")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


def make_index(folder):
    return subprocess.run([sys.executable, ROOT / ".ci" / "make_index.py", folder], capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path):
    """A folder with stand-ins of both packages, of which one requires the other's candidate."""
    folder = tmp_path / "dist"
    folder.mkdir()
    write_wheel(folder, "little-base")
    write_wheel(folder, "little-base-accel", f"Requires-Dist: little-base=={NUMBER}")
    write_sdist(folder, "little-base-accel")
    (folder / "notes.md").write_text("notes\n")
    return folder


def test_pages(folder):
    done = make_index(folder)
    assert done.stdout == f"{folder}/simple: 3 distributions of 2 projects\n", done.stderr
    assert re.findall('href="([^"]+)"', (folder / "simple" / "index.html").read_text()) == [
        "little-base/", "little-base-accel/"]
    page = (folder / "simple" / "little-base-accel" / "index.html").read_text()
    links = re.findall(r'<a href="../../([^"#]+)#sha256=(\w+)" data-requires-python="&gt;=3.10">', page)
    assert dict(links) == {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                           for path in folder.glob("little_base_accel*")}


def test_checksums(folder):
    make_index(folder)
    make_index(folder)                                  # again: nothing is left of the first time, nothing twice
    lines = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sorted(lines) == sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")
                                   if path.is_file() and path.name != "SHA256SUMS")
    assert all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest in lines.items())


def pip_install(folder, target, name):
    """pip with the folder's index and nothing else: neither settings nor a network."""
    command = [sys.executable, "-m", "pip", "--isolated", "install", "--quiet", "--disable-pip-version-check",
               "--no-cache-dir", "--index-url", (folder / "simple").as_uri(), "--target", target, name]
    return subprocess.run(command, capture_output=True, text=True)


def test_pip_installs_a_candidate_and_what_it_requires(folder, tmp_path):
    """Without --pre: the requirement names the candidate, and there is nothing else."""
    make_index(folder)
    target = tmp_path / "site"
    done = pip_install(folder, target, "little-base-accel")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in target.glob("*.py")) == ["little_base.py", "little_base_accel.py"]


def test_pip_refuses_a_file_that_has_changed(folder, tmp_path):
    make_index(folder)
    write_wheel(folder, "little-base", "Summary: another")
    done = pip_install(folder, tmp_path / "site", "little-base")
    assert done.returncode != 0
    assert "DO NOT MATCH THE HASHES" in done.stderr


def test_a_folder_with_nothing(tmp_path):
    assert make_index(tmp_path).stderr == f"{tmp_path} has no wheels and no sdists\n"
