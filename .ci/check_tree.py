"""Check that the top level holds the eight names of the project, and hidden and licence files, and nothing else."""

import subprocess
import sys

ALLOWED = {"setup.cfg", "pyproject.toml", "README.md", "minigluon", "minigluon_accel", "tests", "benchmarks", "docs"}


def main():
    files = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    top = {path.split("/")[0] for path in files}
    foreign = {name for name in top - ALLOWED if not name.startswith((".", "LICENSE"))}
    if foreign or not top >= ALLOWED:
        sys.exit(f"top level: {sorted(foreign)} do not belong there, {sorted(ALLOWED - top)} are missing")
    print(f"top level: {', '.join(sorted(ALLOWED))}")


if __name__ == "__main__":
    main()
