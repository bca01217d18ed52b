"""Compile all kernels for many architectures, and write what each takes: registers, spills, memory, occupancy.

    python tests/scripts/gpu_compile_table.py                        all kernels, with each NVRTC that is found
    python tests/scripts/gpu_compile_table.py --check                the table stays; it is an error if one takes more
    python tests/scripts/gpu_compile_table.py --only gemm.cu --arch sm_80

It needs no card: NVRTC compiles without one, and the emulator says what is launched. The table is
benchmarks/gpu-kernels.json, of which benchmarks/gpu-kernels.md is made; with --only or --arch the rest of it stays.
What takes more than the table said before is told. tests/gpu/test_gpu_compile_table.py compares some kernels with it,
`--check` all. Several versions of NVRTC at a time:

    pip install nvidia-cuda-nvrtc nvidia-cuda-nvrtc-cu12==12.4.127
    pip install --target OTHER nvidia-cuda-nvrtc==13.0.88, then PYTHONPATH=OTHER

What was compiled once is kept in the cache folder. It takes about a quarter of a second of a processor for each image,
architecture and version.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
os.environ.setdefault("MINIGLUON_GPU", "emulate")

from helpers import gpu_images, gpu_page
from helpers.gpu_report import ARCHITECTURES, TABLE, Use, as_lines, read_table, uses, widths, worse
from minigluon_accel.gpu import nvrtc, paths

from minigluon.base import MXNetError


def main():
    args = arguments()
    libraries = {paths.version_text(one.version): one for one in sorted(nvrtc.libraries(), key=lambda one: one.version)
                 if not args.nvrtc or paths.version_text(one.version) in args.nvrtc}
    if not libraries:
        sys.exit("there is no NVRTC: pip install nvidia-cuda-nvrtc")
    every = gpu_images.held() if args.held else gpu_images.all_images(*args.types)
    images = [image for image in every if args.only is None or args.only in image.name]
    tasks = [(image, arch, version, library.path) for version, library in libraries.items() for arch in args.arch
             for image in images if library.knows(arch) and int(arch[3:]) >= image.oldest]
    print(f"{len(images)} images, {len(tasks)} to compile, {args.jobs} at a time", flush=True)
    started, failed, grown = time.monotonic(), [], []
    table = read_table()
    if not args.held:       # what is compiled no more
        there = {image.name for image in every}
        table["kernels"] = {name: of for name, of in table["kernels"].items() if name in there}
    for version, library in libraries.items():
        table["compilers"][version] = [arch for arch in ARCHITECTURES if library.knows(arch)]
    with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
        for number, (task, found) in enumerate(pool.imap(compiled, tasks, 4), 1):
            if isinstance(found, str):
                failed.append(found)
                print(f"{task[0].name} for {task[1]} by NVRTC {task[2]}: {found}", flush=True)
            else:
                grown += enter(table["kernels"], task, found)
            if number % 500 == 0:
                print(f"{number} in {time.monotonic() - started:.0f} s", flush=True)
    if not args.check:
        TABLE.write_text(as_lines(table), encoding="utf-8")
        TABLE.with_suffix(".md").write_text(gpu_page.text(read_table()), encoding="utf-8")
    print("\n".join([f"{len(grown)} take more than the table said, or were not in it", *grown[:20]]))
    print(f"{len(failed)} of {len(tasks)} were refused; {time.monotonic() - started:.0f} s")
    return int(bool(failed or args.check and grown))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="TEXT", help="images that have it in their names")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where one takes more")
    parser.add_argument("--held", action="store_true", help="those alone which the test compiles")
    parser.add_argument("--arch", nargs="+", default=list(ARCHITECTURES), choices=list(ARCHITECTURES))
    parser.add_argument("--nvrtc", nargs="+", metavar="X.Y", help="versions, of those that are found")
    parser.add_argument("--types", nargs="+", default=["float32"], help="of the rows of the operators")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def compiled(task):
    """(the task without what cannot be sent, {function: (Use, Widths)} or what the compiler says)"""
    image, arch, version, path = task
    text = image.text()
    digest = hashlib.sha256("\0".join([text, arch, version, *image.options]).encode()).hexdigest()[:32]
    kept = paths.cache_folder() / "gpu-table" / f"{digest}.json"
    if not kept.exists():
        try:
            log, ptx = opened(path).report(text, arch, image.options, image.name)
        except MXNetError as error:
            return task, str(error)
        kept.parent.mkdir(parents=True, exist_ok=True)
        memory = widths(ptx)
        aside = kept.with_suffix(f".{os.getpid()}")
        aside.write_text(json.dumps({name: [use, memory[name]] for name, use in uses(log).items()}))
        aside.replace(kept)
    return task, json.loads(kept.read_text())


def opened(path, _opened={}):  # noqa: B006
    """The library, once in each process."""
    if path not in _opened:
        _opened[path] = nvrtc.Library(path)
    return _opened[path]


def enter(kernels, task, found):
    """Put into the table what one compilation told. What instructions read and write is the newest compiler's.

    A line for each function that takes more than the table said, or that it did not have.
    """
    image, arch, version, _ = task
    grown = []
    functions = kernels.setdefault(image.name, {})
    for name, (use, memory) in found.items():
        threads, dynamic = image.launched.get(name, (256, 0))
        entry = functions.setdefault(name, {})
        entry.update(threads=threads, dynamic=dynamic)
        entry["widths"] = memory
        before = entry.setdefault(version, {}).get(arch)
        changes = ["not in the table"] if before is None else worse(before, use)
        grown += [f"    {name} of {image.name} for {arch} by NVRTC {version}: {change}" for change in changes]
        entry[version][arch] = Use(*use)
    return grown


if __name__ == "__main__":
    sys.exit(main())
