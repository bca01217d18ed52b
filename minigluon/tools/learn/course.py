"""A learner's folder: the steps in it, which of them are done, and the commands that `minigluon learn` runs there.

    FOLDER/course.json              the finished steps and the hints shown
    FOLDER/01_operator/page.md      the idea, with a picture
    FOLDER/01_operator/work.py      the learner's file; work.c for a step in C

For the puzzles, which are the course with --gpu:

    FOLDER/01_map.cu                the idea, and the kernel that the learner completes
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...serialization.atomic_write import replacing
from .cutting import stub
from .errors import LearnError
from .puzzles import plugin
from .running import run
from .step import NAMES, load
from .text import _, translated_file

if TYPE_CHECKING:
    from .step import Step

__all__ = ["Course", "PuzzleCourse", "SECONDS", "find", "start"]

SECONDS = 60            # the time limit in seconds for all checks of a step, which take about three seconds
PUZZLE_SECONDS = 20     # the time limit in seconds for a puzzle, which takes about one second
STATE = "course.json"


def start(folder: str, gpu: bool = False) -> Course | PuzzleCourse:
    """Create a new folder with the first step or, with gpu=True, with the first puzzle."""
    kind = PuzzleCourse if gpu else Course
    kind.require()
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise LearnError(_("{folder} is a file. Name a new or empty folder.").format(
            folder=folder))
    if (folder / STATE).exists():
        raise LearnError(_("{folder} already contains a course. Go there and run `minigluon learn status`.").format(
            folder=folder))
    if folder.is_dir() and any(folder.iterdir()):
        raise LearnError(_("{folder} is not empty. Name a new or empty folder.").format(
            folder=folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LearnError(_("{folder} cannot be created: {problem}").format(
            folder=folder, problem=error.strerror)) from error
    course = kind(folder, {"opened": [], "passed": {}, "hints": {}, "gpu": gpu})
    course.open_next()
    return course


def find(folder: str | None = None) -> PuzzleCourse | Course:
    """Return the course in this folder, which is by default the current folder or one above it. Raises LearnError."""
    place = Path.cwd() if folder is None else Path(folder).absolute()
    if not place.is_dir():
        raise LearnError(_("there is no folder {folder}").format(folder=folder))
    for candidate in (place, *place.parents):
        if (candidate / STATE).is_file():
            return _read(candidate)
    raise LearnError(_("there is no course in {folder}. Start one with `minigluon learn start FOLDER`, and go into its "
                       "folder.").format(folder=place))


def _read(folder):
    """Return the course in a folder."""
    path = folder / STATE
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        fields = {"opened": list(state["opened"]), "passed": dict(state["passed"]), "hints": dict(state["hints"]),
                  "gpu": bool(state.get("gpu"))}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LearnError(_("{path} is damaged: {problem}. What you wrote is in the folders next to it; start a new "
                           "course in another folder and copy it there.").format(path=path, problem=error)) from None
    kind = PuzzleCourse if fields["gpu"] else Course
    fields["opened"] = [name for name in kind.names() if name in fields["opened"]]
    return kind(folder, fields)


class Course:
    """A learner's folder and its state."""

    folder: Path
    state: Any

    def __init__(self, folder: str, state: Any):
        self.folder, self.state = Path(folder), state

    @staticmethod
    def require() -> None:
        """Raise MXNetError if anything that all steps need is missing."""

    @staticmethod
    def names() -> list[str]:
        """Return the names of all steps, in order."""
        return NAMES

    @staticmethod
    def load(name: str) -> Any:
        """Return the step with that name."""
        return load(name)

    @property
    def steps(self):
        """All steps, in order."""
        return [self.load(name) for name in self.names()]

    @property
    def opened(self):
        """The steps that are in the folder, in order."""
        return [self.load(name) for name in self.state["opened"]]

    @property
    def step(self):
        """The learner's current step: the last one opened."""
        return self.opened[-1]

    @staticmethod
    def label(step: Step) -> str:
        """Return the name of a step in the folder, such as 02_gradients."""
        return f"{step.number:02}_{step.name.partition('_')[2]}"

    def place(self, step: Step) -> Path:
        """Return the folder of a step, such as FOLDER/02_gradients."""
        return self.folder / self.label(step)

    def work(self, step: Step) -> Path:
        """Return the learner's file for a step."""
        return self.place(step) / step.work

    def is_passed(self, step: Step) -> bool | None:
        """Return True if the current file has passed, None if it was changed after it passed, False otherwise."""
        digest = self.state["passed"].get(step.name)
        if digest is None:
            return False
        return True if digest == self._digest(step) else None

    def _digest(self, step):
        try:
            return hashlib.sha256(self.work(step).read_bytes()).hexdigest()
        except OSError:
            return ""

    def select(self, which: Any) -> Any:
        """Return the step with a number or name. Raises LearnError."""
        if which is None:
            return self.step
        for step in self.opened:
            if which in (step.name, step.name.partition("_")[2], str(step.number), f"{step.number:02}",
                         self.label(step)):
                return step
        names = ", ".join(self.label(step) for step in self.opened)
        raise LearnError(_("step {which} is not open yet. Open steps: {names}").format(which=which, names=names))

    def open_next(self, skip: bool = False) -> Any:
        """Write the next step to the folder. Raises LearnError if the current step is not done or is the last step."""
        if self.state["opened"]:
            step = self.step
            if not (skip or self.is_passed(step)):
                raise LearnError(_(
                    "step {number} is not done yet: `minigluon learn check` says what is missing. To skip it for now: "
                    "`minigluon learn next --skip`.").format(number=step.number))
            if step.number == len(self.names()):
                raise LearnError(_("step {number} was the last one").format(number=step.number))
        step = self.load(self.names()[len(self.state["opened"])])
        self._write(step)
        self.state["opened"].append(step.name)
        self._save()
        return step

    def _write(self, step):
        place = self.place(step)
        place.mkdir(parents=True, exist_ok=True)
        if self.work(step).exists():
            raise LearnError(_("{path} already exists and is not overwritten. Move it away first.").format(
                path=self.work(step)))
        self._fill(step, place)

    def _fill(self, step, place):
        page = translated_file(step.folder / "page.md").read_text(encoding="utf-8")
        (place / "page.md").write_text(_without_paths(page), encoding="utf-8")
        for picture in re.findall(r"\]\(([\w-]+\.svg)\)", page):
            shutil.copyfile(step.folder / picture, place / picture)
        self.work(step).write_text(stub(step, len(NAMES)), encoding="utf-8")

    def _save(self):
        with replacing(str(self.folder / STATE)) as file:
            file.write(json.dumps(self.state, indent=1).encode())

    def check(self, step: Step) -> Any:
        """Return the result of `grading.grade` from a separate process. If the step passes, record it as passed."""
        if step.needs is not None:
            step.needs()
        path = self.work(step)
        if not path.is_file():
            raise LearnError(_("there is no file {path}. If it is lost, `minigluon learn start` in another folder "
                               "writes it again.").format(path=path))
        result = self._grade(step, path)
        if result["failure"] is None:
            self.state["passed"][step.name] = self._digest(step)
        else:
            self.state["passed"].pop(step.name, None)
        self._save()
        return result

    def _grade(self, step, path):
        return run_child([(step, path)])

    def check_together(self) -> tuple[Any, list[Any]]:
        """Return LeNet's result with the code of all finished steps, and these steps. Raises LearnError if there are no
        finished steps.
        """
        steps = [step for step in self.opened if self.is_passed(step)]
        if len(steps) < 2:
            raise LearnError(_("fewer than two steps are done: there is nothing to combine yet"))
        return run_child([(step, self.work(step)) for step in steps]), steps

    def next_hint(self, step: Step) -> tuple[Any, int, Any, Any]:
        """Return (number, total, part, text) of the next hint, or of the last hint if all have been shown."""
        hints = [(part, text) for part, texts in step.hints.items() for text in texts]
        index = min(self.state["hints"].get(step.name, 0), len(hints) - 1)
        self.state["hints"][step.name] = index + 1
        self._save()
        part, text = hints[index]
        return index + 1, len(hints), part, _(text)


class PuzzleCourse(Course):
    """A folder of CUDA C++ puzzles. Each puzzle is one file, which begins with an explanation."""

    @staticmethod
    def require() -> None:
        """Raise MXNetError if the plugin or g++ is missing."""
        plugin().require()

    @staticmethod
    def names() -> Any:
        """Return the names of all puzzles, in order."""
        return plugin().NAMES

    @staticmethod
    def load(name: str) -> Any:
        """Return the puzzle with that name."""
        return plugin().load(name)

    def place(self, step: Step) -> Path:
        """Return the folder of the course, because a puzzle does not have its own folder."""
        return self.folder

    def work(self, step: Step) -> Path:
        """Return the learner's file for a puzzle."""
        return self.folder / step.work

    def _fill(self, step, place):
        self.work(step).write_text(step.stub(), encoding="utf-8")

    def _grade(self, step, path):
        plugin().prepare()
        return run_child([(step, path)], PUZZLE_SECONDS, "minigluon_accel.gpu.puzzles.child")

    def check_together(self) -> Any:
        """Raise LearnError, because puzzles cannot be combined."""
        raise LearnError(_("each puzzle is independent: use `minigluon learn check` without --all"))


def _without_paths(page):
    """Return a page with names instead of links into the repository, which would not work in the learner's folder.

    A translation's stamps are also removed, because they are meant for its maintainers.
    """
    page = re.sub(r"\n<!-- of: \w+ -->\n", "", page)
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)+([\w./#-]+)\)", r"\1 (\2)", page)


def run_child(pairs: Any, seconds: int = SECONDS, module: str = "minigluon.tools.learn.child") -> Any:
    """Grade the files of (step, path) pairs in a separate process, with the NumPy backend."""
    environment = {**os.environ, "MINIGLUON_BACKEND": "numpy"}
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", module, str(result), str(seconds)]
        command += [str(item) for step, path in pairs for item in (step.name, path)]
        status, mark = run(command, environment, seconds + 30)
        if status is None:
            status = _("it did not finish within {seconds} seconds").format(seconds=seconds + 30)
        outcome = _result_of(result, mark)
        in_c = any(step.c_file for step, path in pairs)
        if outcome is None and in_c and isinstance(status, int) and status < 0:
            raise LearnError(_("the process that checks your file was killed by signal {number}: one of your functions "
                               "reads or writes outside its arrays").format(number=-status))
        if outcome is None:
            raise LearnError(_("the process that checks your file ended without a result ({status}); does your file "
                               "end it with sys.exit()?").format(status=status))
        return outcome


def _result_of(path, mark):
    """Return the result that the checking process wrote, or None if there is none or if something else wrote the
    file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content["result"] if isinstance(content, dict) and content.get("mark") == mark else None
