"""`minigluon im2rec`: create lists of images, and record files for mx.image, mx.io and gluon.data."""

from __future__ import annotations

import argparse
import glob
import os
from argparse import Namespace
from typing import Any

from ...base import MXNetError

__all__ = ["add_parser"]


def add_parser(commands: Any) -> None:
    """Add the command. Its options are the same as those of MXNet's tools/im2rec.py."""
    parser = commands.add_parser(
        "im2rec", help="make image lists and record files",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Make lists of the images in a folder (PREFIX.lst), or, from such lists, record files "
                    "(PREFIX.rec)\nwith their indexes (PREFIX.idx).",
        epilog="examples:\n"
               "  minigluon im2rec --list --recursive data/train photos     folders are classes\n"
               "  minigluon im2rec --resize 256 data/train photos           data/train*.lst -> .rec and .idx\n"
               "  minigluon im2rec --index data/train.rec                   write a missing index\n")
    add = parser.add_argument
    add("prefix", help="prefix of the lists and record files; with --index, the record file")
    add("root", nargs="?", help="the folder with the images")
    add("--index", action="store_true", help="write the index of a record file, with keys 0, 1, ...")
    lists = parser.add_argument_group("lists")
    lists.add_argument("--list", action="store_true", help="make lists")
    lists.add_argument("--exts", nargs="+", default=[".jpeg", ".jpg", ".png"], metavar="EXT",
                       help="extensions of image files (default: .jpeg .jpg .png)")
    lists.add_argument("--chunks", type=int, default=1, metavar="N", help="number of lists (default: 1)")
    lists.add_argument("--train-ratio", type=float, default=1.0, metavar="SHARE",
                       help="share of the images for training (default: 1)")
    lists.add_argument("--test-ratio", type=float, default=0.0, metavar="SHARE",
                       help="share of the images for testing (default: 0)")
    lists.add_argument("--recursive", action="store_true", help="each folder is a class; otherwise all labels are 0")
    lists.add_argument("--no-shuffle", dest="shuffle", action="store_false", help="keep the images sorted by name")
    records = parser.add_argument_group("record files")
    records.add_argument("--pass-through", action="store_true", help="store image files unchanged")
    records.add_argument("--resize", type=int, default=0, metavar="N", help="make the shorter side N pixels long")
    records.add_argument("--center-crop", action="store_true", help="crop images to their central square")
    records.add_argument("--quality", type=int, default=95, metavar="N", help="JPEG 1-100, PNG 1-9 (default: 95)")
    records.add_argument("--num-thread", type=int, default=1, metavar="N", help="threads that decode and encode")
    records.add_argument("--color", type=int, choices=[-1, 0, 1], default=1,
                         help="1 color, 0 grey, -1 as in the file (default: 1)")
    records.add_argument("--encoding", choices=[".jpg", ".png"], default=".jpg", help="(default: .jpg)")
    records.add_argument("--pack-label", action="store_true", help="keep all labels of a line, not only the first")
    records.add_argument("--outside", action="store_true", help="allow lists to name files that are not below ROOT")
    parser.set_defaults(run=run)


def run(args: Namespace) -> None:
    if args.index:
        _index(args.prefix)
        return
    if args.root is None:
        raise MXNetError("the folder with the images is missing: minigluon im2rec PREFIX ROOT")
    (_make_lists if args.list else _make_records)(args)


def _index(path):
    from ... import recordio
    print(f"{recordio.write_index(path)} records in {path}")


def _make_lists(args):
    from ...image.im2rec import make_lists
    files, labels = make_lists(args.prefix, args.root, args.recursive, tuple(args.exts), args.shuffle, args.chunks,
                               args.train_ratio, args.test_ratio)
    for folder, label in labels.items():
        print(folder, label)
    print("written:", *files)


def _make_records(args):
    """Create record files from all lists that begin with the prefix, as MXNet's tool does."""
    from ...image.im2rec import make_records
    lists = sorted(glob.glob(glob.escape(args.prefix) + "*.lst"))
    if not lists:
        raise MXNetError(f"there is no list {args.prefix}*.lst. Make one with: minigluon im2rec --list {args.prefix} "
                         f"{args.root}")
    for path in lists:
        count, skipped = make_records(path, args.root, args.pass_through, args.resize, args.center_crop,
                                      args.quality, args.num_thread, args.color, args.encoding, args.pack_label,
                                      args.outside)
        print(f"{os.path.splitext(path)[0]}.rec: {count} images"
              + (f", {skipped} skipped" if skipped else ""))
