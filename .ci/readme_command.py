"""Print the command of the README that runs the main job ('demo') or the tests ('test')."""

import pathlib
import re
import sys

MARKS = {"demo": "minigluon train", "test": "pytest -n auto"}


def main(which):
    text = (pathlib.Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    commands = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
                if line.startswith("pip install") and line.endswith(MARKS[which])]
    if len(commands) != 1:
        sys.exit(f"README.md has {len(commands)} commands that end in {MARKS[which]!r}, expected one")
    print(commands[0])


if __name__ == "__main__":
    main(sys.argv[1])
