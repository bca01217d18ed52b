"""List the messages of errors and warnings that differ between a commit and the working tree.

    python tests/scripts/english/messages.py COMMIT [--write FILE]

A message is the text of a `raise` or of `strictness.warn` in either package. Expressions inside it are written as {}.
A message that has disappeared is paired with the most similar new one; what has no pair is only counted.
"""

import argparse
import ast
import difflib
import io
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGES = "minigluon", "minigluon_accel/minigluon_accel"
SIMILAR = 0.6           # the smallest ratio of `difflib` at which two texts are versions of one message


def text_of(node):
    """The text of a string, an f-string or their sum, with {} for each expression; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = text_of(node.left), text_of(node.right)
        return None if parts == (None, None) else "".join("{}" if part is None else part for part in parts)
    return None


def messages_of(source):
    """The messages in one file: the first text among the arguments of a raised call, or of a call of `warn`."""
    for node in ast.walk(ast.parse(source)):
        call = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(call, ast.Call):
            continue
        if not isinstance(node, ast.Raise) and not ast.unparse(call.func).endswith("warn"):
            continue
        texts = [text for text in map(text_of, call.args) if text and " " in text]
        yield from texts[:1]


def in_tree():
    """How often each message occurs in the working tree."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return Counter(text for path in files for text in messages_of(path.read_text(encoding="utf-8")))


def in_commit(commit):
    """How often each message occurs in a commit."""
    done = subprocess.run(["git", "archive", commit, *PACKAGES], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        sources = [archive.extractfile(member).read() for member in archive if member.name.endswith(".py")]
    return Counter(text for source in sources for text in messages_of(source))


def pairs_of(removed, added):
    """Pair each removed text with the most similar text among those added. Returns (pairs, unpaired removed ones)."""
    remaining, pairs, unpaired = list(added), [], []
    for old in removed:
        best = difflib.get_close_matches(old, remaining, 1, SIMILAR)
        if best:
            remaining.remove(best[0])
            pairs.append((old, best[0]))
        else:
            unpaired.append(old)
    return pairs, unpaired


def report(commit):
    """The report in Markdown."""
    before, now = in_commit(commit), in_tree()
    pairs, unpaired = pairs_of(sorted(before - now), sorted(now - before))
    lines = [f"# Messages since {commit}", "",
             f"{sum((before & now).values())} messages are the same, {len(pairs)} have another text, {len(unpaired)} "
             f"are gone, and {sum((now - before).values()) - len(pairs)} are new. Expressions are written as {{}}.", ""]
    for old, new in pairs:
        lines += ["```diff", *("- " + line for line in old.splitlines()), *("+ " + line for line in new.splitlines()),
                  "```", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="List the messages that differ from those of a commit.")
    parser.add_argument("commit")
    parser.add_argument("--write", type=Path, help="the file for the report")
    options = parser.parse_args()
    text = report(options.commit)
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
