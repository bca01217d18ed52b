"""The pages for people who come from another library: each row gives what its last column says, in both libraries.

MINIGLUON_TORCH_PYTHON and MINIGLUON_MXNET_PYTHON name a Python with that library; without it, its column is not run.
"""

import os
import re
import subprocess

import pytest
from helpers import ROOT
from scripts.run_doc import blocks_of

pytestmark = pytest.mark.once

ROW = re.compile(r"^\| `(.+?)` \| (`.+?`|an error) \| (`.+?`|an error) \|$", re.MULTILINE)
PAGES = {"from-pytorch": "MINIGLUON_TORCH_PYTHON", "from-mxnet": "MINIGLUON_MXNET_PYTHON"}

# Also run in the other library's Python, which may be old: `names` are those of the page, rows are (code, its result).
CHECK = """
import numpy as np


def plain(value):
    value = value.detach().numpy() if type(value).__name__ == "Tensor" else value
    value = value.asnumpy() if hasattr(value, "asnumpy") else value
    return value if isinstance(value, str) or type(value) is list and isinstance(value[0], str) else np.asarray(value)


def check(rows, names):
    for code, expected in rows:
        try:
            found = plain(eval(code, names))
        except Exception as error:
            assert expected == "an error", (code, error)
            continue
        assert expected != "an error", (code, found)
        wanted = plain(eval(expected))
        if isinstance(wanted, np.ndarray):
            same = found.shape == wanted.shape or found.size == 1
            assert same and np.allclose(found.astype(float), wanted.astype(float)), (code, found)
        else:
            assert found == wanted, (code, found)
"""


def rows_of(page):
    """[(code of the other library, what it gives)], [(code of minigluon, what it gives)]"""
    rows = ROW.findall((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
    if page == "from-mxnet":        # the same program in both
        rows = [(code, code, there, here) for code, there, here in rows]
    else:
        rows = [(there, here, both, both) for there, here, both in rows]
    there, here, gives_there, gives_here = zip(*[[cell.strip("`") for cell in row] for row in rows])
    return [*zip(there, gives_there)], [*zip(here, gives_here)]


def block_texts(page, language):
    return [block.text for block in blocks_of(ROOT / "docs" / f"{page}.md") if block.language == language]


@pytest.mark.parametrize("page", PAGES)
def test_rows_in_minigluon(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, checks = {"__name__": "__main__"}, {}
    exec(CHECK, checks)
    for text in block_texts(page, "python"):
        exec(text, names)
    rows = rows_of(page)[1]
    assert len(rows) >= 20
    checks["check"](rows, names)


@pytest.mark.parametrize("page", PAGES)
def test_rows_in_the_other_library(page, tmp_path):
    python = os.environ.get(PAGES[page])
    if not python:
        pytest.skip(f"{PAGES[page]} does not name a Python with that library")
    blocks = block_texts(page, "python3")
    if page == "from-mxnet":
        blocks = [block_texts(page, "python")[0].replace("minigluon", "mxnet")]
    program = tmp_path / "rows.py"
    program.write_text("\n".join([*blocks, CHECK, f"check({rows_of(page)[0]!r}, globals())"]), encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, program], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
