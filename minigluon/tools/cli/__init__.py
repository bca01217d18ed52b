"""The command `minigluon`: train a network on real digits, benchmark or explain a net, show what an operator computes,
run programs written for MXNet or in several processes, list what is installed, or diagnose the installation."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from ...base import MXNetError, nearest
from ...common.version import __version__
from ...diagnostics.tracebacks import show_program_error
from ...kvstore.job import end_the_job
from ..bench.nets import OTHERS, PROGRAMS, QUICK_NETS, SIZES
from . import compat, completion, convert, declined, doctor, im2rec, launch, learn, ops, train_options, weights
from .shapes import named_shape
from .train_options import positive

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> Any:
    """Run the command line. Returns the exit status: 0, 1 after an error or if `check` found something missing, 130
    after Ctrl-C, 141 if the output's pipe was closed; argparse exits with 2."""
    parser = _parser()
    args = parser.parse_args(argv)
    if not hasattr(args, "run"):
        parser.print_help()
        return 0
    try:
        status = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:             # `minigluon info | head -1`: the reader has stopped reading
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())      # for Python's own flush at the end
        return 141
    except (MXNetError, OSError) as error:
        if not (args.command == "explain" and show_program_error(error)):
            print(f"minigluon {args.command}: error: {error}", file=sys.stderr)
        end_the_job()
        return 1
    except KeyboardInterrupt as interrupt:
        print(f"\nminigluon {args.command}: " + ", ".join(["interrupted", *interrupt.args]), file=sys.stderr)
        return 130
    return status or 0


class _Parser(argparse.ArgumentParser):
    """The parser of all commands. For an unknown command, it suggests similar names."""

    def _check_value(self, action, value):
        """Exit with an error if a command does not exist or a value is not among the choices.

        argparse calls this method.
        """
        if isinstance(action.choices, dict) and value not in action.choices:
            raise argparse.ArgumentError(None, f"there is no command {value!r}." + nearest(value, action.choices)
                                         + f" Choose one of {', '.join(action.choices)}.")
        super()._check_value(action, value)


class _Command(_Parser):
    """The parser of one command. For an unknown option, it shows the usage of that command."""

    def parse_known_args(self, args=None, namespace=None):
        """Parse the arguments; exit with an error if any are unknown."""
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return namespace, unknown


def _parser():
    parser = _Parser(prog="minigluon", description="MXNet's Gluon on NumPy, written to be read.")
    parser.add_argument("--version", action="version", version=f"minigluon {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", parser_class=_Command)
    train_options.add_parser(commands).set_defaults(run=_train)
    _add_bench(commands)
    _add_explain(commands)
    convert.add_parser(commands)
    weights.add_parser(commands)
    im2rec.add_parser(commands)
    launch.add_parser(commands)
    compat.add_parsers(commands)
    learn.add_parser(commands)
    ops.add_parser(commands)
    declined.add_parser(commands)
    info = commands.add_parser("info", help="versions, processor, backends and what each of them needs",
                               description="Print versions, the processor, the backends and what each of them needs.")
    info.set_defaults(run=_info)
    doctor.add_parser(commands)
    completion.add_parser(commands, parser)
    return parser


def _add_bench(commands):
    bench = commands.add_parser(
        "bench", help="compare imperative and hybridized execution",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure nets, imperative and hybridized: time, peak memory and number of kernels, compared with\n"
                    "NumPy, and with PyTorch, MXNet 1.9.1, onnxruntime, OpenVINO and JAX if you name interpreters\n"
                    "that have them. Prints a table and writes bench.json, bench.md and bench.png.",
        epilog="examples:\n"
               "  minigluon bench --quick                   less than a minute, to try it out\n"
               "  minigluon bench --nets mlp chain          only two nets\n"
               "  minigluon bench --sizes alexnet_batch=8   images per batch\n"
               "  minigluon bench --torch-python ENV/bin/python --mxnet-python ENV2/bin/python\n")
    add = bench.add_argument
    add("--nets", nargs="+", choices=list(PROGRAMS), metavar="NET",
        help=f"which of {', '.join(PROGRAMS)} (default: all; quick: {', '.join(QUICK_NETS)})")
    add("--rounds", type=positive(int), metavar="N", help="rounds for each library (default: 15; quick: 3)")
    add("--quick", action="store_true", help="some of the nets, small batches and few rounds")
    add("--sizes", nargs="+", type=_size, default=[], metavar="NAME=N",
        help="sizes that replace " + ", ".join(f"{name}={n}" for name, n in SIZES.items()))
    add("--threads", type=positive(int), metavar="N",
        help="threads for each library's kernels (default: each library's own choice)")
    add("--clock", choices=["wall", "cpu"], default="wall",
        help="measure elapsed time or processor time. On a machine that others also use, --threads 1 --clock cpu "
             "gives steadier ratios (default: %(default)s)")
    add("--merge", nargs="+", metavar="FILE",
        help="measure nothing; print and write the combined results of these bench.json files")
    add("--without", nargs="+", default=[], metavar="NAME",
        help="leave out a library or one of its modes, such as reference or 'torch compile'")
    for name in OTHERS:
        add(f"--{name}-python", metavar="FILE",
            help=f"interpreter that has {name} (default: $MINIGLUON_{name.upper()}_PYTHON; without it, {name} is not "
                 "measured)")
    add("--out", default="minigluon-out", metavar="FOLDER", help="folder for the results (default: %(default)s)")
    bench.set_defaults(run=_bench)


def _add_explain(commands):
    explain = commands.add_parser(
        "explain", help="write a page that shows what hybridize() does to a net or an ONNX file",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Write one HTML page about a net: its source, the traced graph before and after each pass, the\n"
                    "memory plan, the steps with their times, and imperative compared with hybridized execution.",
        epilog="examples:\n"
               "  minigluon explain nets.py:net --shape 1,512               a block in a file\n"
               "  minigluon explain resnet.onnx --shape data:1,3,224,224    an ONNX file\n"
               "  minigluon explain nets:make_net --shape 64,1,28,28        a function in a module that returns one\n"
               "  minigluon explain old.py:net new.py:net --shape 1,512     what differs between two nets\n"
               "  minigluon explain nets:WithLoss --shape 64,512 --shape 64 --dtype float32 --dtype int32 --train\n")
    add = explain.add_argument
    add("net", metavar="MODULE:NET",
        help="a module or .py file, and in it a block or a class or function that returns one; or an ONNX file")
    add("other", nargs="?", metavar="MODULE:NET",
        help="another net, or a newer version of it: prints what differs, and the page is about this one")
    add("--shape", type=named_shape, action="append", required=True, metavar="[NAME:]N,N,...",
        help="shape of an input; repeat it for each input, in order or, for an ONNX file, by name")
    add("--dtype", action="append", metavar="DTYPE",
        help="dtype of all inputs, or once for each (default: float32). Inputs are random, or zeros for integer dtypes")
    add("--train", action="store_true", help="run a forward and a backward pass in training mode")
    add("-o", "--out", default="explain.html", metavar="FILE", help="the page (default: %(default)s)")
    add("--export", action="append", default=[], choices=["dot", "json", "trace"],
        help="also write, next to the page: dot, the graph that runs, for Graphviz; json, the traced graph as a symbol "
             "file, for Netron; trace, a run with operators, lines and memory, for ui.perfetto.dev. May be repeated")
    add("--open", action="store_true", help="open the page in the browser")
    explain.set_defaults(run=_explain)


def _size(text):
    name, _, number = text.partition("=")
    if name not in SIZES:
        raise argparse.ArgumentTypeError(f"unknown size {name!r}." + nearest(name, SIZES))
    if not number.isdecimal() or int(number) == 0:
        raise argparse.ArgumentTypeError(f"{name} must be a positive integer, such as {name}={SIZES[name]}, found "
                                         f"{text!r}")
    return name, int(number)


def _train(args):
    from .train import train
    train(args)


def _bench(args):
    from .bench import bench
    bench(args)


def _explain(args):
    from .explain import main
    main(args)


def _info(args):
    from .info import report
    print("\n".join(report()))
