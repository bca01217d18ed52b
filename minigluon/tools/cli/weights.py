"""`minigluon weights`: convert trained parameters of torchvision, timm and transformers for the model zoo."""

from __future__ import annotations

import argparse
import os
from argparse import Namespace
from typing import Any

from ...gluon.model_zoo.twins import TWINS

__all__ = ["add_parser"]


def add_parser(commands: Any) -> None:
    """Add the command."""
    column = max(map(len, TWINS))
    parser = commands.add_parser(
        "weights", help="convert trained parameters of torchvision, timm and transformers for the model zoo",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Convert a state dict of another library into a file of parameters for a network of the zoo.\n"
                    "PyTorch is not needed. Files of torch.save are read as data: nothing in them is executed.",
        epilog="networks, and the libraries whose files fit:\n"
               + "\n".join(f"  {name:{column}}  {twin}" for name, twin in TWINS.items()))
    add = parser.add_argument
    add("name", metavar="NAME", help="the network, see below")
    add("file", metavar="FILE", help="the state dict: a file of torch.save (.pth, .pt, .bin), or .safetensors")
    add("-o", "--out", metavar="OUT", help="the file of parameters to write (default: NAME.params)")
    parser.set_defaults(run=run)


def run(args: Namespace) -> None:
    """Convert the file, and print how to load the result."""
    from ...gluon.from_torch import read_state
    from ...gluon.model_zoo.foreign_weights import convert
    net, lines = convert(args.name, read_state(args.file))
    out = args.out or f"{args.name}.params"
    net.save_parameters(out)
    params = net.collect_params().values()
    print(f"{os.path.basename(args.file)} -> {out}: {len(params)} parameters with "
          f"{sum(param.data().size for param in params):,} numbers\n", *lines,
          f"net.load_parameters({out!r})", sep="\n")
