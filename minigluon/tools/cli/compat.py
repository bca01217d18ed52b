"""`minigluon run`, `install-as-mxnet` and `check`: commands for programs written for MXNet."""

from __future__ import annotations

import argparse
from typing import Any

__all__ = ["add_parsers"]


def add_parsers(commands: Any) -> None:
    """Add the three commands."""
    run = commands.add_parser(
        "run", help="run a program written for MXNet",
        description="Run a program, or with -m a module. In it, `import mxnet` means minigluon.",
        epilog="example: minigluon run train_mnist.py --num-epochs 2")
    run.add_argument("-m", action="store_true", dest="is_module", help="PROGRAM is the name of a module")
    run.add_argument("program", metavar="PROGRAM", help="a Python file, or a folder with a __main__.py")
    run.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="the program's own arguments")
    run.set_defaults(run=_run)

    install = commands.add_parser(
        "install-as-mxnet", help="make `import mxnet` mean minigluon in this environment",
        description="Install a distribution mxnet 1.9.1 that imports minigluon, so that libraries that require mxnet\n"
                    "can be installed and imported. An existing mxnet is left alone.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    install.add_argument("--remove", action="store_true", help="remove it again")
    install.set_defaults(run=_install)

    check = commands.add_parser(
        "check", help="list the MXNet APIs a program uses that are not implemented",
        description="List, without running them, the MXNet names that programs use and that are missing, different\n"
                    "or slow in minigluon. The exit status is 1 if any are missing.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    check.add_argument("paths", nargs="+", metavar="PATH", help="a Python file, or a folder of them")
    check.set_defaults(run=_check)


def _run(args):
    from ...interop.mxnet.run import run
    return run([args.program, *args.arguments], args.is_module)


def _install(args):
    from ...interop.mxnet.install import install, remove
    path = remove() if args.remove else install()
    print(f"{'removed' if args.remove else 'written'}: {path}")


def _check(args):
    from ...interop.mxnet.check import check
    findings = [finding for path in args.paths for finding in check(path)]
    print(*findings, sep="\n", end="\n" if findings else "")
    missing = sum(finding.kind == "missing" for finding in findings)
    print(f"{missing} missing, {len(findings) - missing} different or slow; see docs/differences.md")
    return int(missing > 0)
