"""`minigluon declined`: run a program, then list the operators for which its backends had no kernels, and why."""

import argparse

from ... import dispatch

__all__ = ["add_parser", "listed"]

NOTE = "The NumPy reference ran instead. Each combination of shapes, dtypes and attributes counts once."


def add_parser(commands):
    """Add the command."""
    declined = commands.add_parser(
        "declined", help="run a program and list the operators that have no accelerated kernel in it",
        description="Run a program, or with -m a module. Then list the operators that a backend had no kernel for, "
                    "with the reasons. For these, the NumPy reference ran.",
        epilog="example: minigluon declined train_mnist.py --epochs 1")
    declined.add_argument("-m", action="store_true", dest="is_module", help="PROGRAM is the name of a module")
    declined.add_argument("program", metavar="PROGRAM", help="a Python file, or a folder with a __main__.py")
    declined.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="the program's own arguments")
    declined.set_defaults(run=_run)


def listed(counts):
    """Return the lines of the list. counts: {(operator, backend, reason): times}."""
    if not counts:
        return ["no backend declined an operator"]
    rows = [("operator", "backend", "times", "reason")]
    for (operator, backend, reason), times in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        rows.append((operator, backend, str(times), reason))
    name, backend = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"{row[0]:{name}}  {row[1]:{backend}}  {row[2]:>5}  {row[3]}" for row in rows]
    return [*lines, "", NOTE]


def _run(args):
    from ...interop.mxnet.run import run_program
    try:
        return run_program([args.program, *args.arguments], args.is_module)
    finally:                            # a program may end with sys.exit or an error
        print("", *listed(dispatch.declined), sep="\n")
