"""The documentation: its Python runs and prints what the page says, its links and names lead somewhere."""

import importlib.util
import os
import re
import shlex
from pathlib import Path

import pytest
from helpers import ROOT, WIDE
from helpers.pages import CHAPTERS, PAGES, heading_anchors, prose
from helpers.processes import PLUGIN, run_python
from scripts.run_doc import blocks_of

pytestmark = pytest.mark.once

# Parts of MXNet that the pages speak of because they are not there.
ABSENT = {"mx.io.ImageRecordIter", "mx.io", "mx.recordio", "mx.image", "mx.callback", "mx.model",
          "mx.kv", "mx.operator", "mx.profiler", "mx.test_utils", "mx.gluon.contrib"}


def each_of(files):
    return pytest.mark.parametrize("page", files, ids=lambda page: str(page.relative_to(ROOT)))


pages, chapters = each_of(PAGES), each_of(CHAPTERS)


def depends_on_backend(page):
    """Has it code that runs with NumPy and with the plugin, and so perhaps not alike?"""
    text = page.read_text(encoding="utf-8")
    needs_accel = "this chapter needs minigluon-accel" in text
    return not needs_accel and re.search(r"^(from|import) minigluon", text, re.MULTILINE) is not None


@each_of([page for page in PAGES if any(block.language == "python" for block in blocks_of(page))])
def test_python_runs(page, tmp_path):
    run_page(page, tmp_path, backend=None)


@each_of([page for page in CHAPTERS if depends_on_backend(page)])
@pytest.mark.skipif(not PLUGIN, reason="the test above has run the chapters with NumPy alone")
@pytest.mark.skipif(not WIDE, reason="the test above does it where the plugin is not installed, as in a part of CI")
def test_chapter_runs_with_numpy_alone(page, tmp_path):
    run_page(page, tmp_path, backend="numpy")


def run_page(page, folder, backend):
    """As a reader runs it, block by block, with what is installed; or with one backend alone."""
    wrong_answers = ROOT / "tests" / "docs" / "wrong_answers.py"
    result = run_python(ROOT / "tests" / "scripts" / "run_doc.py", page, wrong_answers, cwd=folder,
                        MINIGLUON_BACKEND=backend, TMPDIR=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    # The README's program exports a net for the reader to keep; pages tidy up, also below the temporary folder, where
    # onnxruntime keeps a file of its own.
    assert page.name == "README.md" or not set(os.listdir(folder)) - {".ses"}
    if "the rest is skipped" in result.stdout:
        pytest.skip(result.stdout)


@pages
def test_commands_in_console_blocks_run(page, tmp_path):
    commands = [line for block in blocks_of(page) if block.language == "console" for line in block.text.splitlines()]
    for command in commands:
        prompt, program, *arguments = shlex.split(command)
        assert (prompt, program) == ("$", "python"), command
        once = ["-n", "1", "-r", "1"] if arguments[:2] == ["-m", "timeit"] else []
        result = run_python(*arguments[:2], *once, *arguments[2:], cwd=tmp_path)
        assert result.returncode == 0, command + result.stdout + result.stderr


@pages
def test_quotations_stand_in_the_source(page):
    """A ```py block quotes the package, a ```c, ```cython or ```cuda block minigluon_accel, apart from white space."""
    accel = ROOT / "minigluon_accel" / "minigluon_accel"
    files = {"py": (ROOT / "minigluon").rglob("*.py"), "c": (accel / "csrc").rglob("*.[ch]"),
             "cython": accel.glob("*.p[xy][xi]"), "cuda": (accel / "gpu").rglob("*.cu*")}
    quoted = [block for block in blocks_of(page) if block.language in files]
    sources = {language: " ".join(" ".join(path.read_text(encoding="utf-8").split()) for path in files[language])
               for language in {block.language for block in quoted}}
    for block in quoted:
        source = sources[block.language]
        for line in block.text.splitlines():
            assert " ".join(line.split()) in source, f"{page.name}, line {block.line}: the source has no {line!r}"


@chapters
def test_chapter_ends_in_asserts(page):
    before, _, exercises = page.read_text(encoding="utf-8").partition("\n## Exercises\n")
    first = before.count("\n") + 1 if exercises else float("inf")
    last = [block for block in blocks_of(page) if block.language == "python" and block.line < first][-1]
    assert re.search(r"^assert ", last.text, re.MULTILINE), f"{page.name}: the last block has no assert"


def test_there_are_chapters():
    numbers = sorted(int(page.name.split("-")[0]) for page in CHAPTERS)
    assert numbers == list(range(len(numbers)))


@pages
def test_links_to_chapters_have_their_numbers(page):
    for number, target in re.findall(r"\[chapter\s(\d+)\]\((\d+)-", prose(page), flags=re.IGNORECASE):
        assert number == target, f"{page.name} has a link 'chapter {number}' that leads to chapter {target}"


@chapters
def test_chapter_has_an_image(page):
    assert re.search(r"!\[[^\]]+\]\(images/[\w-]+\.svg\)", prose(page)), f"{page.name} has no image"


@pages
def test_links_lead_to_files_and_headings(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name} links to {target}, which does not exist"
        if anchor:
            assert anchor in heading_anchors(linked), f"{page.name} links to {target}, which has no such heading"


@pages
def test_linked_names_are_defined_where_the_link_leads(page):
    for name, path in re.findall(r"\[`([\w.]+)`\]\(([^)#\s]+\.py)\)", prose(page)):
        source = (page.parent / path).read_text(encoding="utf-8")
        for part in name.split("."):
            defined = re.search(rf"^\s*(def|class) {part}\b|^\s*(self\.)?{part}(: [^=\n]+)? =|^\s+{part}: ", source,
                                re.MULTILINE)
            defined = defined or part == Path(path).stem or f'"{part}"' in source
            assert defined, f"{page.name}: {part} of {name} is not defined in {path}"


@pages
def test_names_and_files_in_backticks_exist(page):
    text = prose(page)
    for path in re.findall(r"`((?:minigluon|tests|docs|benchmarks)/[\w/.-]+)`", text):
        assert (ROOT / path).exists(), f"{page.name} speaks of {path}, which does not exist"
    for dotted in re.findall(r"`((?:minigluon|mx)(?:\.\w+)+)(?:\(\))?`", text):
        exists = dotted in ABSENT or resolves(dotted.replace("mx.", "minigluon.", 1))
        assert exists, f"{page.name} speaks of {dotted}, which does not exist"


def test_street_plan_is_that_of_the_folders():
    accel = "minigluon_accel/minigluon_accel"
    folders = ["minigluon/ops", "minigluon/backend/numpy", f"{accel}/kernels", f"{accel}/csrc", f"{accel}/gpu/kernels",
               "tests/op_cases", "tests/ops", "tests/accel", "tests/gpu"]
    streets = [path.parent.name for path in (ROOT / "minigluon" / "ops").glob("*/__init__.py")]
    there = {street: [f"{folder}/{street}" for folder in folders if any((ROOT / folder / street).glob("*.*"))]
             for street in streets}
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {street: re.findall(r"\]\(\.\./([^)]+)\)", cells) for street, cells in rows} == there


def resolves(dotted):
    """Does 'minigluon.tape.Entry.free' lead to a module or an attribute?"""
    if dotted == "minigluon.as_mxnet":          # whose import changes what other tests see
        return importlib.util.find_spec(dotted) is not None
    parts = dotted.split(".")
    found = importlib.import_module(parts[0])
    for i, part in enumerate(parts[1:], 2):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[:i]))
            except ImportError:
                return False
        found = getattr(found, part)
    return True


def test_images_are_fresh(tmp_path):
    result = run_python(ROOT / "docs" / "make_images.py", tmp_path, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")}
    kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "images").glob("*.svg")}
    assert drawn.keys() == kept.keys()
    for name, image in drawn.items():
        same = same_but_for_layout if name.startswith("pass-") else str.__eq__
        assert same(image, kept[name]), f"docs/images/{name} is old: run python docs/make_images.py"


def test_table_of_accelerated_operators_is_fresh(monkeypatch):
    accel = pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
    if accel.engine.isa() != "avx512":
        pytest.skip("the page names the kernels for AVX-512")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import make_tables
    kept = (ROOT / "docs" / "operators-accelerated.md").read_text(encoding="utf-8")
    assert make_tables.page() == kept, "docs/operators-accelerated.md is old: run python docs/make_tables.py"
    assert make_tables.counted() == make_tables.README.read_text(encoding="utf-8"), (
        "minigluon_accel/README.md is old: run python docs/make_tables.py")


def test_page_of_names_is_fresh(monkeypatch):
    pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import make_names
    kept = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
    assert make_names.page() == kept, "docs/names.md is old: run python docs/make_names.py"


@pytest.mark.once
def test_table_of_the_course_is_fresh(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import make_course
    assert make_course.page() == make_course.PAGE.read_text(encoding="utf-8"), (
        "docs/course.md is old: run python docs/make_course.py")


def same_but_for_layout(one, other):
    """Versions of Graphviz may place a node some pixels elsewhere; what is drawn is the same."""
    number = re.compile(r"(?<=[\" ,])-?\d+\.?\d*(?=[\" ,])")
    near = all(abs(float(a) - float(b)) <= 4 for a, b in zip(number.findall(one), number.findall(other)))
    return near and number.sub("", one) == number.sub("", other)
