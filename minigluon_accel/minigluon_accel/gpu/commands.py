"""Commands that `install` runs and shows, and its one kind of error. Python's own modules only."""

import re
import subprocess

__all__ = ["InstallError", "run", "say", "shown"]


class InstallError(Exception):
    """Something is missing that this program does not install; the text says what does."""


def run(command, remedy="", env=None):
    """Run a command and return what it prints. Raises InstallError with its last lines when it fails."""
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    if done.returncode:
        last = "\n".join("    " + line for line in done.stdout.splitlines()[-40:])
        raise InstallError(f"{shown(command)} failed:\n{last}\n  {remedy}".rstrip())
    return done.stdout.strip()


def shown(command):
    """A command as it could be typed."""
    return " ".join(f"'{word}'" if re.search(r"[^\w./=:+@-]", word) else word for word in map(str, command))


def say(what, text):
    """Print a line that begins with what it is about."""
    print(f"{what:10} {text}", flush=True)
