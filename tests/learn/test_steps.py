"""The steps of the course: the reference passes, mistakes do not, nothing is given away, and none needs a later one.

All checks run in processes that are forked from one, so that a step costs milliseconds and not an import: see
`scripts.learn_mutants.run_jobs`.
"""

import ast
import json
import os
import re
import subprocess
import sys

import pytest
from helpers import ROOT
from helpers.errors import message
from helpers.shared_work import shared
from learn_cases import WRONG

from minigluon.tools.learn.cutting import cut_statements, solution, stub
from minigluon.tools.learn.errors import LearnError
from minigluon.tools.learn.step import NAMES, load, steps

pytestmark = pytest.mark.once

GRADE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from scripts.learn_mutants import load, run_jobs
from minigluon.tools.learn.lenet import train
reference = train()
jobs = json.load(sys.stdin)
def steps(name):
    return list(map(load, name)) if isinstance(name, list) else load(name)
results = run_jobs([(steps(name), text, reference if lenet else None, [load(other) for other in without])
                    for name, text, lenet, without in jobs], 60)
json.dump(results, sys.stdout)
"""


def graded(jobs):
    """Results of (step, text of the file, does LeNet train?, names of steps that are taken away) in one process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", GRADE, str(ROOT / "tests")], input=json.dumps(jobs), text=True,
                          capture_output=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def can_run(step):
    """Is there what the step needs, such as a C compiler?"""
    try:
        if step.needs is not None:
            step.needs()
    except LearnError:
        return False
    return True


def require(name):
    """Skip where something is missing, and say what."""
    step = load(name)
    if not can_run(step):
        pytest.skip(message(LearnError, step.needs))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """{(step, what): result} of everything that is to be graded, in one go."""
    jobs, keys = [], []

    def add(name, what, text, lenet=False, without=()):
        keys.append((name, what))
        jobs.append((name, text, lenet, list(without)))

    for step in filter(can_run, steps()):
        text = solution(step)
        add(step.name, "reference", text, lenet=True)
        add(step.name, "without later steps", text, without=NAMES[step.number:])
        add(step.name, "stub", stub(step, len(NAMES)))
        for old, new, _ in WRONG[step.name]:
            add(step.name, old, text.replace(old, new))
    keys.append(("all", "reference"))
    possible = list(filter(can_run, steps()))
    jobs.append(([step.name for step in possible], [solution(step) for step in possible], True, []))
    folder = shared(tmp_path_factory, "the-steps", lambda folder: (folder / "graded.json").write_text(
        json.dumps(graded(jobs)), encoding="utf-8"))
    return dict(zip(keys, json.loads((folder / "graded.json").read_text(encoding="utf-8")), strict=True))


def test_all_steps_together_are_an_engine(results):
    result = results["all", "reference"]
    assert result["failure"] is None
    assert result["lenet"]["losses"][-1] < 1


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_passes(results, name):
    require(name)
    result = results[name, "reference"]
    assert result["failure"] is None
    losses = result["lenet"]["losses"]
    assert losses[-1] < losses[0] / 2


@pytest.mark.parametrize("name", NAMES)
def test_no_step_needs_a_later_one(results, name):
    require(name)
    assert results[name, "without later steps"]["failure"] is None


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_says_what_is_not_written(results, name):
    require(name)
    failure = results[name, "stub"]["failure"]
    assert failure["kind"] == "empty"
    assert failure["text"] in [f"{part.name} is not written yet" for part in load(name).holes]
    assert failure["source"].startswith(("raise NotImplementedError(", "NOT_WRITTEN("))


@pytest.mark.parametrize("name", NAMES)
def test_wrong_answers_are_named(results, name):
    require(name)
    assert len(WRONG[name]) >= 3
    for old, new, says in WRONG[name]:
        assert solution(load(name)).count(old) == 1, f"{name}: {old!r} is not there once"
        result = results[name, old]
        assert result["failure"], f"{name}: {new!r} in place of {old!r} passes"
        assert says in result["failure"]["text"]


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_has_no_solution_in_it(name):
    """No statement of a hole stands in the stub, the page or the hints, and each hole is a task of some lines."""
    step = load(name)
    text = stub(step, len(NAMES))
    if step.c_file is not None:
        kept = text.splitlines()
    else:
        compile(text, "stub", "exec")
        kept = [ast.unparse(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    prose = " ".join([*[page.read_text(encoding="utf-8") for page in step.folder.glob("page*.md")],
                      *[hint for hints in step.hints.values() for hint in hints],
                      *[hole.task for part in step.parts for hole in getattr(part, "holes", ())]])
    squeezed = re.sub(r"\s+", "", prose)
    for part, statements in cut_statements(step).items():
        assert 1 <= sum(len(s.splitlines()) for s in statements) <= 25, f"{part} is no task for one sitting"
        for statement in statements:
            for line in statement.splitlines():
                assert len(statement) < 25 or statement not in kept, f"{part}: {statement!r} stands in the stub"
                if len(line.strip()) > 30:
                    assert re.sub(r"\s+", "", line) not in squeezed, f"{part}: {line!r} stands in the page or a hint"


@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_complete(name):
    """Each hole has hints, each part a check, and the page a picture that is there."""
    from minigluon.tools.learn.grading import checks_of
    step = load(name)
    assert {part.name for part in step.holes} == set(step.hints)
    assert {part.name for part in step.holes} <= {check.part for check in checks_of(step)}
    pictures = re.findall(r"!\[[^\]]+\]\(([\w-]+\.svg)\)", (step.folder / "page.md").read_text(encoding="utf-8"))
    assert pictures
    for picture in pictures:
        original = ROOT / "docs" / "images" / picture
        if original.exists():
            assert (step.folder / picture).read_bytes() == original.read_bytes(), f"copy {original} again"


def test_pictures_are_fresh(tmp_path):
    subprocess.run([sys.executable, ROOT / "docs" / "course_images.py", tmp_path], check=True,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})
    for picture in tmp_path.rglob("*.svg"):
        kept = ROOT / "minigluon" / "tools" / "learn" / "steps" / picture.relative_to(tmp_path)
        assert picture.read_bytes() == kept.read_bytes(), "run python docs/course_images.py"


def test_a_sample_of_mutants_is_killed():
    done = subprocess.run([sys.executable, ROOT / "tests" / "scripts" / "learn_mutants.py", "--sample", "1"], text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


FIRST = "s02_gradients"


@pytest.fixture(scope="module")
def tricks():
    """Files that are no answers: they fall back on the engine's own part."""
    text = solution(load(FIRST))
    head, body = text.split("class Broadcast(Binary):")
    engine = "from minigluon.ops.math.broadcast import Broadcast as Engine\n"
    captured = "import minigluon.ops.math.broadcast as engine\nown = engine.Broadcast.gradient\n"
    gradient = body.index("        grads = self.derivative")
    files = {
        "raises": text.replace("grads = self.derivative", "raise ValueError('mine')\n        grads = self.derivative"),
        "imports": head + engine + "class Broadcast(Binary):" + body,
        "captures": head + captured + "class Broadcast(Binary):" + body[:gradient]
                    + "        return own(self, F, out_grads, inputs, outputs)\n",
        "borrows": head + captured + "class Broadcast(Binary):\n    gradient = own\n",
        "calls": head + captured + "class Broadcast(Binary):" + body[:gradient]
                 + "        return engine.Broadcast.gradient(self, F, out_grads, inputs, outputs)\n",
        "lacks": head,
        "no_python": text.replace("grads = self.derivative", "grads == = self.derivative"),
        "exits": text + "\nimport os\nos._exit(0)\n",
    }
    return dict(zip(files, graded([(FIRST, file, False, ()) for file in files.values()]), strict=True))


@pytest.mark.parametrize(("trick", "says"), [
    ("raises", "ValueError: mine"),
    ("imports", "line N imports Broadcast from minigluon.ops.math.broadcast: that is the engine's own code, and yours "
                "to write"),
    ("captures", "the engine's own Broadcast.gradient was called, but it is yours to write in step 2"),
    ("borrows", "Broadcast.gradient is not written in your file, but imported from elsewhere"),
    ("calls", "a function calls itself endlessly. The engine's own code is replaced by yours, so calling it means "
              "calling yourself."),
    ("lacks", "your file no longer has Broadcast.gradient; `minigluon learn start` in another folder shows the "
              "original"),
])
def test_only_the_learners_own_code_counts(tricks, trick, says):
    assert re.sub(r"line \d+", "line N", tricks[trick]["failure"]["text"]) == says


def test_a_file_that_is_not_python_is_shown(tricks):
    text = tricks["no_python"]["failure"]["text"]
    assert re.search(r"work\d+_0\.py, line \d+: this is not Python: .*\n    grads == = self\.derivative", text)


def test_a_file_that_ends_its_process_gives_no_result(tricks):
    assert tricks["exits"] is None
