"""Exercises of the book's chapters: `minigluon learn exercise 3.2` writes a file with the task, and then checks it.

A chapter is a page of Markdown whose Python blocks run in one namespace. An exercise in it is a task, a function
`check_2` and a folded solution. A check runs everything that the page has before it, then the learner's file.
"""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import LearnError
from .text import _

__all__ = ["Exercise", "check", "find_exercise", "template"]

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TASK = re.compile(r"^\*\*(\d+)\. (.*?)\*\* ", re.MULTILINE)


@dataclass
class Exercise:
    """An exercise. chapter, number: 3 and 2 of '3.2'. task: Markdown. page: the chapter's file. before: the position in
    the page's text up to which its Python runs: the end of the check."""

    chapter: int
    number: int
    title: str
    task: str
    page: Path
    before: int

    @property
    def name(self):
        """The check's name in the chapter."""
        return f"check_{self.number}"

    @property
    def file(self):
        """The name of the learner's file."""
        return f"exercise_{self.chapter}_{self.number}.py"


def find_exercise(which: str, chapters: str | None = None) -> Exercise:
    """Return the exercise with a number such as '3.2'.

    chapters: the folder of the chapters; by default `docs` in the checkout that minigluon is imported from.
    Raises LearnError if there is no such folder or exercise.
    """
    folder = Path(__file__).parents[3] / "docs" if chapters is None else Path(chapters)
    pages = {int(found[1]): path for path in folder.glob("*.md") if (found := re.match(r"(\d+)-", path.name))}
    if not pages:
        raise LearnError(_("{folder} has no chapters. They are in the folder docs of the repository: name it with "
                           "--chapters.").format(folder=folder))
    found = re.fullmatch(r"(\d+)\.(\d+)", which)
    page = pages.get(int(found[1])) if found else None
    exercises = _exercises(page) if page else {}
    if not found or int(found[2]) not in exercises:
        names = [f"{number}.{i}" for number, path in sorted(pages.items()) for i in _exercises(path)]
        raise LearnError(_("there is no exercise {which}. Exercises: {names}").format(which=which,
                                                                                      names=", ".join(names)))
    return exercises[int(found[2])]


def _exercises(page):
    """Return {number: Exercise} of a chapter."""
    text = page.read_text(encoding="utf-8")
    start = text.find("\n## Exercises\n")
    heads = list(TASK.finditer(text, start)) if start >= 0 else []
    found = {}
    for head in heads:
        check = BLOCK.search(text, head.end())
        found[int(head[1])] = Exercise(int(page.name.partition("-")[0]), int(head[1]), head[2],
                                       text[head.end():check.start()].strip(), page, check.end())
    return found


def template(exercise: Exercise) -> str:
    """Return the file in which a learner answers: the task as a comment, and the call of the check."""
    heading = _("Exercise {chapter}.{number}: {title}").format(
        chapter=exercise.chapter, number=exercise.number, title=exercise.title)
    about = _("Every name that the chapter has defined by then is available here. Replace the dots with your answer.")
    lines = [heading, "", *textwrap.wrap(" ".join(exercise.task.split()), 110), "", *textwrap.wrap(about, 110)]
    comment = "\n".join(f"# {line}".rstrip() for line in lines)
    return f"{comment}\n\n{exercise.name}(...)\n"


def check(exercise: Exercise, path: Path) -> dict[str, Any] | None:
    """Run the chapter up to the check, then the learner's file. Returns None if the check has passed, otherwise
    {'text', 'line', 'source'}: what is wrong, and where in the file.

    Raises LearnError if the file never calls the check, and whatever the chapter itself raises.
    """
    namespace = _chapter(exercise)
    own, passed = namespace[exercise.name], []

    def met(*args: Any, **kwargs: Any) -> Any:
        if Ellipsis in args:
            raise LearnError(_("{file} is not written yet").format(file=path.name))
        own(*args, **kwargs)
        passed.append(True)

    namespace[exercise.name] = met
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), namespace)
    except LearnError:
        raise
    except Exception as error:          # the learner's code may raise anything
        return _failure(error, str(path))
    if not passed:
        raise LearnError(_("{file} does not call {name}: the last line hands your answer to it").format(
            file=path.name, name=exercise.name))
    return None


def _chapter(exercise):
    """Return the names of a chapter, after its blocks up to the check have run; what they print is left out."""
    text = exercise.page.read_text(encoding="utf-8")[:exercise.before]
    namespace = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in BLOCK.finditer(text):
            lines = text.count("\n", 0, block.start(1))
            try:
                code = compile("\n" * lines + block[1], str(exercise.page), "exec", dont_inherit=True)
                exec(code, namespace)
            except SystemExit as stop:      # a page ends early where it needs what is not installed
                raise LearnError(_("chapter {chapter} cannot run here: {problem}").format(
                    chapter=exercise.chapter, problem=stop)) from None
    return namespace


def _failure(error, path):
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    text = str(error) if isinstance(error, AssertionError) and str(error) else None
    if text is None and isinstance(error, AssertionError):
        text = _("the check expects {condition}").format(condition=_condition(error))
    line, source = (frames[-1].lineno, frames[-1].line) if frames else (getattr(error, "lineno", None), "")
    return {"text": text or "".join(traceback.format_exception_only(error)).strip(), "line": line, "source": source}


def _condition(error):
    """Return the source of the assert that failed, without the word."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    try:
        line = Path(frame.filename).read_text(encoding="utf-8").splitlines()[frame.lineno - 1]
    except (OSError, IndexError):
        return frame.name
    return line.strip().removeprefix("assert ")
