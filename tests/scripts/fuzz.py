"""Fuzz the readers of files, led by the lines that they run: bytes that reach a new line are kept and changed further.

    pip install atheris                         # libFuzzer for Python; nothing else of the project uses it
    python tests/scripts/fuzz.py                  # ten minutes for each reader, on with what the last run kept
    python tests/scripts/fuzz.py params symbol --minutes 60 --folder .fuzz
    python tests/scripts/fuzz.py params --again .fuzz/params/found/crash-1f0c...

What must hold for any bytes is what the campaign's fronts `files` and `states` ask for: an MXNetError, or a load that
is what the bytes say, within their time and memory. The campaign draws changes of structure without looking at the
reader; this looks at nothing else. A reader's run ends with its first finding. Prints what ran; the exit status is 1
when something was found.
"""

import argparse
import functools
import pathlib
import random
import re
import subprocess
import sys
import warnings

HERE = pathlib.Path(__file__).resolve()
if __name__ == "__main__":
    sys.path[0] = str(HERE.parents[1])  # tests/, where the campaign and the helpers are

# What is watched: the modules that read. Others would only make it slow.
WATCHED = ["minigluon.serialization", "minigluon.recordio", "minigluon.symbol", "minigluon.ndarray.saving",
           "minigluon.io", "minigluon.image.iterator", "minigluon.contrib.text", "minigluon.optimizer",
           "minigluon.gluon.symbol_block", "minigluon.lr_scheduler", "minigluon.ops.fields",
           "minigluon.interop.onnx.importer"]
READERS = ["params", "idx", "record", "index", "images", "vectors", "csv", "libsvm", "symbol", "onnx", "states"]
OPTIMIZERS = ["sgd+factor", "adam+multi", "@adam"]      # whose states a run begins with; "@": a file of MXNet's
SECONDS = 10            # for one file; the fuzzer ends at a longer one
MAX_LENGTH = 1 << 16
BASE_FILES = 40         # valid files that a first run begins with


def begin_with(reader, folder):
    """Write valid files for a first run."""
    from campaign import files, states
    if reader == "states":
        contents = [states.saved(name) for name in OPTIMIZERS]
    else:
        contents = [files.BASES[reader](random.Random(seed))[0] for seed in range(BASE_FILES)]
    for number, content in enumerate(contents):
        (folder / f"base-{number}").write_bytes(content[:MAX_LENGTH])


def judge_of(reader):
    """The function that says what is wrong with how bytes are read, or None."""
    from campaign import files, states
    return functools.partial(*(states.judge, "adam") if reader == "states" else (files.judge, reader))


def change_of(reader):
    """libFuzzer's changes of bytes, and one of three times the campaign's changes of structure."""
    import atheris
    from helpers.file_draws import mutated, mutation

    def change(content, max_length, seed):
        draw = random.Random(seed)
        if reader != "states" and draw.random() < 1 / 3:
            return mutated(bytes(content), [], mutation(draw, reader))[:max_length]
        return atheris.Mutate(content, len(content))
    return change


def fuzz(reader, folder, seconds):
    """Run libFuzzer in this process, which ends with it."""
    import atheris
    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=WATCHED):
        import minigluon  # noqa: F401 - what is imported here is watched
        judge = judge_of(reader)

    def one(content):
        if (finding := judge(content)) is not None:
            raise AssertionError(finding)
    atheris.Setup([sys.argv[0], str(folder / "kept"), f"-artifact_prefix={folder / 'found'}/", f"-timeout={SECONDS}",
                   f"-max_total_time={seconds}", f"-max_len={MAX_LENGTH}", "-rss_limit_mb=4096", "-print_final_stats=1",
                   "-verbosity=1"], one, custom_mutator=change_of(reader))
    atheris.Fuzz()


def run(reader, folder, minutes):
    """Fuzz one reader in a process of its own; (how often it read, files kept, the finding's text or None)."""
    for name in ("kept", "found"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    if not any((folder / "kept").iterdir()):
        begin_with(reader, folder / "kept")
    done = subprocess.run([sys.executable, str(HERE), reader, "--child", "--folder", str(folder), "--minutes",
                           str(minutes)], capture_output=True, text=True, errors="replace", check=False)
    times = re.findall(r"^#(\d+)\s", done.stderr, flags=re.MULTILINE)
    kept = sum(1 for _ in (folder / "kept").iterdir())
    said = (done.stdout + done.stderr).partition("Uncaught Python exception")       # and before it what libFuzzer reads
    return int(times[-1]) if times else 0, kept, None if done.returncode == 0 else (said[2] or said[0][-3000:]).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", metavar="reader", help=f"of {', '.join(READERS)}; all if none is named")
    parser.add_argument("--minutes", type=float, default=10, help="for each reader")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(".fuzz"))
    parser.add_argument("--again", type=pathlib.Path, metavar="FILE", help="read this file and say what is wrong")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.readers) - set(READERS):
        parser.error(f"no reader is called {', '.join(sorted(unknown))}; there are {', '.join(READERS)}")
    if options.child:
        return fuzz(options.readers[0], options.folder, round(60 * options.minutes))
    if options.again is not None:
        finding = judge_of(options.readers[0])(options.again.read_bytes())
        print(finding or "holds")
        return int(finding is not None)
    status = 0
    for reader in options.readers or READERS:
        times, kept, finding = run(reader, options.folder / reader, options.minutes)
        print(f"{reader}: {times:,} files read, {kept} kept: {'a finding' if finding else 'all held'}", flush=True)
        if finding:
            print(finding)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
