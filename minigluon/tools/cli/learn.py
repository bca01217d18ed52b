"""`minigluon learn`: the course in which you build the engine yourself."""

from __future__ import annotations

import argparse
import importlib.util
import os
from typing import Any

from ..learn.text import _, columns

__all__ = ["add_parser"]


def add_parser(commands: Any) -> None:
    """Add the command."""
    learn = commands.add_parser(
        "learn", help="build the engine yourself, step by step",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=_("A course: each step has a page, a file from the engine with a few holes, and checks that say\n"
                      "what is wrong. Once your code passes, it replaces that part of the engine, and LeNet trains\n"
                      "through it."),
        epilog=_("examples:\n"
                 "  minigluon learn start mygluon         make the folder, with step 1 in it\n"
                 "  cd mygluon\n"
                 "  minigluon learn check                 test the file of this step\n"
                 "  minigluon learn check --all           train LeNet through all finished steps at once\n"
                 "  minigluon learn hint                  a hint; repeat it for the next one\n"
                 "  minigluon learn next                  open the next step\n"
                 "  minigluon learn status                which steps are done\n"
                 "  minigluon learn exercise 3.2          an exercise of the book: its file, then its check\n"
                 "  minigluon learn start --gpu mycuda    CUDA C++ puzzles instead, on an emulated GPU\n"))
    actions = learn.add_subparsers(title=_("actions"), dest="action", metavar="ACTION")
    learn.set_defaults(run=lambda args: learn.print_help())

    def action(name, run, text):
        parser = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + _("."))
        parser.set_defaults(run=run)
        return parser

    start = action("start", _start, _("make a folder with the first step in it"))
    start.add_argument("folder", metavar="FOLDER", help=_("a new or empty folder"))
    start.add_argument("--gpu", action="store_true",
                       help=_("puzzles in CUDA C++ instead: these need minigluon-accel and g++, but no GPU"))
    following = action("next", _next, _("open the next step"))
    following.add_argument("--skip", action="store_true", help=_("even if this step is not done"))
    check = action("check", _check, _("test the file of a step, and train LeNet through it"))
    check.add_argument("--all", action="store_true", help=_("train LeNet through all finished steps at once"))
    hint = action("hint", _hint, _("show the next hint"))
    for parser in (check, hint):
        parser.add_argument("step", nargs="?", metavar="STEP",
                            help=_("its number or name (default: the last one opened)"))
    exercise = action("exercise", _exercise, _("write the file of an exercise of the book, or check it"))
    exercise.add_argument("exercise", metavar="N.M", help=_("its number: 3.2 is the second exercise of chapter 3"))
    exercise.add_argument("file", nargs="?", metavar="FILE", help=_("your answer (default: exercise_N_M.py here)"))
    exercise.add_argument("--chapters", metavar="FOLDER",
                          help=_("the folder of the chapters (default: docs of the checkout)"))
    status = action("status", _status, _("show which steps are done"))
    for parser in (following, check, hint, status):
        parser.add_argument("--folder", metavar="FOLDER", help=_("the folder of the course (default: this one)"))


def _start(args):
    from ..learn.course import start
    course = start(args.folder, args.gpu)
    _announce(course, course.step)


def _next(args):
    from ..learn.course import find
    course = find(args.folder)
    _announce(course, course.open_next(args.skip))


def _announce(course, step):
    print(_heading(course, step))
    page = course.place(step) / "page.md"
    if page.exists():
        print(_("  read   {page}").format(page=os.path.relpath(page)))
    print(_("  write  {file}").format(file=os.path.relpath(course.work(step))))
    folder = os.path.relpath(course.folder)
    print(_("  then   minigluon learn check") if folder == os.curdir else
          _("  then   minigluon learn check, in the folder {folder}").format(folder=folder))


def _heading(course, step):
    return _("Step {number} of {total}: {title}").format(number=step.number, total=len(course.names()),
                                                         title=_(step.title))


def _check(args):
    from ..learn.course import find
    course = find(args.folder)
    if args.all:
        return _check_together(course)
    step = course.select(args.step)
    print(_heading(course, step), flush=True)
    result = course.check(step)
    for says in result["passed"]:
        print("  ok   " + says)
    if result["failure"]:
        _show_failure(result["failure"])
        return 1
    print("\n" + _lenet_text(result["lenet"]) if result["lenet"] else "")
    print(_("Step {number} is done.").format(number=step.number),
          _("`minigluon learn next` opens the next one.") if step.number < len(course.names()) else
          _("It was the last one. The engine is now yours.") if all(map(course.is_passed, course.opened)) and
          result["lenet"] else
          _("It was the last one. You can write kernels now.") if all(map(course.is_passed, course.opened)) else
          _("It was the last one. `minigluon learn status` shows which steps are open."))
    return 0


def _lenet_text(lenet):
    tape, plan = (1000 * lenet["seconds"][name] for name in ("tape", "plan"))
    learned = _("LeNet was trained with your code, which was called {calls:,} times: its loss fell from {first:.2f} to "
                "{last:.2f}, the same as with the engine's own code.").format(
        calls=lenet["calls"], first=lenet["losses"][0], last=lenet["losses"][-1])
    return learned + "\n" + _("A batch takes {tape:.1f} ms with the tape and {plan:.1f} ms with the plan: your plan is "
                              "{ratio:.1f} times as fast as your tape.").format(tape=tape, plan=plan, ratio=tape / plan)


def _check_together(course):
    """Train LeNet with the code of all finished steps."""
    result, steps = course.check_together()
    print(_("Steps {numbers}, together").format(numbers=", ".join(str(step.number) for step in steps)))
    if result["failure"]:
        _show_failure(result["failure"])
        return 1
    print(_lenet_text(result["lenet"]))
    return 0


def _show_failure(failure, hint=True):
    work = os.path.relpath(failure["file"])
    print("  --   " + failure["check"])
    for line in failure["text"].splitlines():
        print("       " + line)
    if failure["line"]:
        print("       " + _("your line: {file}:{line}").format(file=work, line=failure["line"])
              + (f"    {failure['source']}" if failure["source"] else ""))
    elif failure.get("part"):
        print("       " + _("look at {part} in {file}").format(part=failure["part"], file=work))
    if hint:
        print("\n" + _("`minigluon learn hint` helps."))


def _hint(args):
    from ..learn.course import find
    course = find(args.folder)
    number, total, part, text = course.next_hint(course.select(args.step))
    print(_("Hint {number} of {total}, {part}: {text}").format(number=number, total=total, part=part, text=text))


def _exercise(args):
    from pathlib import Path

    from ..learn.exercises import check, find_exercise, template
    exercise = find_exercise(args.exercise, args.chapters)
    path = Path(args.file or exercise.file)
    print(_("Exercise {chapter}.{number}: {title}").format(chapter=exercise.chapter, number=exercise.number,
                                                           title=exercise.title), flush=True)
    if not path.exists():
        path.write_text(template(exercise), encoding="utf-8")
        print(f"\n{exercise.task}\n")
        print(_("  write  {file}").format(file=path))
        print(_("  then   minigluon learn exercise {which}").format(which=args.exercise))
        return 0
    failure = check(exercise, path)
    if failure is None:
        print("  ok   " + exercise.name)
        return 0
    _show_failure({**failure, "check": exercise.name, "file": path}, hint=False)
    return 1


def _status(args):
    from ..learn.course import find
    course = find(args.folder)
    words = {True: _("done"), None: _("changed since it was done"), False: _("open")}
    opened = course.state["opened"]
    rows = [(str(step.number), _(step.title), words[course.is_passed(step)] if step.name in opened else "",
             os.path.relpath(course.work(step)) if step.name in opened else "") for step in course.steps]
    headings = (_("step"), _("what you build"), _("state"), _("your file"))
    if importlib.util.find_spec("rich") is not None:
        from rich.console import Console
        from rich.table import Table
        table = Table(*headings)
        for row in rows:
            table.add_row(*row)
        Console().print(table)
        return
    widths = [max(columns(row[i]) for row in (headings, *rows)) for i in range(4)]
    for row in (headings, *rows):
        print("  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(row, widths, strict=True)).rstrip())
