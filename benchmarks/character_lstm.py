"""The program docs/programs/character_lstm.py here and in the real MXNet 1.9.1, from the same initial weights.

    python benchmarks/character_lstm.py --mxnet PYTHON [--small]

PYTHON: an interpreter that has mxnet. Both read the same batches; the perplexities of each epoch must agree within 5 %.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "docs" / "programs" / "character_lstm.py"
EPOCH = re.compile(r"perplexity ([\d.]+), held out ([\d.]+) \(([\d.]+) s\)")


def run(python, program, weights, small):
    """Return [(perplexity, held out, seconds)] for each epoch. Raises RuntimeError with the program's output."""
    environment = {**os.environ, "CHAPTERS": str(ROOT / "docs"), "PYTHONIOENCODING": "utf-8"}
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)         # its packages are for this Python's version of NumPy
    done = subprocess.run([python, "-W", "ignore", program, "--weights", weights, *["--small"] * small],
                          capture_output=True, text=True, encoding="utf-8", env=environment)
    epochs = [tuple(map(float, found)) for found in EPOCH.findall(done.stdout)]
    if done.returncode or not epochs:
        raise RuntimeError(f"{program} with {python} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return epochs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet", required=True, metavar="PYTHON", help="an interpreter that has mxnet")
    parser.add_argument("--small", action="store_true", help="less text, a smaller network, fewer epochs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        theirs = Path(folder) / "character_lstm.py"
        theirs.write_text(PROGRAM.read_text(encoding="utf-8").replace("minigluon", "mxnet"), encoding="utf-8")
        weights = str(Path(folder) / "start.params")
        ours = run(sys.executable, PROGRAM, weights, arguments.small)       # writes the weights
        other = run(arguments.mxnet, theirs, weights, arguments.small)
    print("epoch   perplexity: minigluon  MXNet      held out: minigluon  MXNet      seconds: minigluon  MXNet")
    for number, (a, b) in enumerate(zip(ours, other, strict=True), start=1):
        print(f"{number:5}{a[0]:23.3f}{b[0]:7.3f}{a[1]:26.3f}{b[1]:7.3f}{a[2]:25.1f}{b[2]:7.1f}")
    worst = max(abs(x / y - 1) for a, b in zip(ours, other, strict=True) for x, y in zip(a[:2], b[:2], strict=True))
    print(f"largest difference of a perplexity: {worst:.2%}")
    if worst > 0.05:
        sys.exit("the perplexities differ by more than 5 %")


if __name__ == "__main__":
    main()
