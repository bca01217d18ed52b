"""Commands that `install` runs and prints, and their error class. Uses only Python's standard library."""

import re
import subprocess

__all__ = ["InstallError", "run", "say", "command_text"]


class InstallError(Exception):
    """Raised if a component is missing that this program does not install; the message says how to install it."""


def run(command, remedy="", env=None):
    """Runs a command and returns its output. Raises InstallError with the last lines of the output if it fails."""
    child = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace")
    if child.returncode:
        last = "\n".join("    " + line for line in child.stdout.splitlines()[-40:])
        raise InstallError(f"{command_text(command)} failed:\n{last}\n  {remedy}".rstrip())
    return child.stdout.strip()


def command_text(command):
    """Returns a command as it would be typed."""
    return " ".join(f"'{word}'" if re.search(r"[^\w./=:+@-]", word) else word for word in map(str, command))


def say(what, text):
    """Prints a line that begins with its subject."""
    print(f"{what:10} {text}", flush=True)
