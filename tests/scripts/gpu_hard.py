"""The tests of the GPU backend in the emulator's hard mode, file by file: in kernels that are right it finds nothing.

    python tests/scripts/gpu_hard.py                      all files: a line for each, then what the emulator has said
    python tests/scripts/gpu_hard.py reduce matrix        some
    python tests/scripts/gpu_hard.py --minutes 30         no further file after so long
    python tests/scripts/gpu_hard.py --seed 5             another order of blocks and threads

Files about the emulator itself, about installing and about real compilers are left out: hard mode changes nothing in
them, or they set the mode themselves. Tests that keep a mistake for the emulator to find say which report they want.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

__all__ = ["main"]

ROOT = pathlib.Path(__file__).parents[2]
LEFT_OUT = ("cli", "compilers", "emulator", "emulator_compiler", "emulator_driver", "emulator_mistakes", "hard",
            "install", "nvrtc", "nvrtc_choice", "races", "registers")
SAID = re.compile(r"minigluon emulator: .*(?:race in|outside of|past the end|before the start|freed).*")
SECONDS = 3000          # for one file


def main():
    asked = _arguments()
    paths = sorted((ROOT / "tests" / "gpu").rglob("test_gpu_*.py"))
    found = {path.stem.removeprefix("test_gpu_"): path for path in paths}
    names = asked.files or [name for name in found if name not in LEFT_OUT]
    end = time.monotonic() + asked.minutes * 60
    failed = []
    for name in names:
        if time.monotonic() > end:
            print(f"no time for {', '.join(names[names.index(name):])}")
            break
        start = time.monotonic()
        done = _run(found[name], asked.seed)
        last = done.stdout.strip().splitlines()[-1:] or ["nothing"]
        print(f"{name:15s} {time.monotonic() - start:6.0f} s   {last[0]}", flush=True)
        for line in dict.fromkeys(SAID.findall(done.stdout + done.stderr)):
            print(f"    {line}")
        if done.returncode:
            failed.append(name)
            print("\n".join(f"    {line}" for line in done.stdout.splitlines() if line.startswith("FAILED")))
    print(f"{len(failed)} of {len(names)} files failed{': ' if failed else ''}{', '.join(failed)}")
    return 1 if failed else 0


def _run(path, seed):
    environment = {**os.environ, "CI": "1", "MINIGLUON_GPU": "emulate", "MINIGLUON_GPU_REQUIRED": "1",
                   "MINIGLUON_GPU_CHECK": "hard", "MINIGLUON_GPU_SEED": str(seed)}
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short",
                           str(path)], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS)


def _arguments():
    parser = argparse.ArgumentParser(description="The tests of the GPU backend in the emulator's hard mode.")
    parser.add_argument("files", nargs="*", metavar="NAME")
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
