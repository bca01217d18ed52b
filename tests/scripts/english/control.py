"""Compare the judges' rate for this repository with their rate for other libraries, in one sample without names.

    python tests/scripts/english/control.py draw 7 key.txt numpy scipy sklearn > sample.md
    python tests/scripts/english/control.py count key.txt marks1.txt marks2.txt marks3.txt

Half of the sentences come from this repository, half from the installed packages; the judges are not told which. A rate
means little by itself, because judges also mark sentences that native speakers have written. Other projects'
sentences are not stored here, only the counts.
"""

import argparse
import importlib.util
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2]))
from helpers.sentences import PACKAGES, sentences, texts, texts_in
from sample import HOW_MANY, read_marks

KINDS = "docstring", "comment"


def pool_of(found):
    """{kind: sentences} of some texts, without lists and headings in Sphinx's notation."""
    pool = {kind: [] for kind in KINDS}
    for text in found:
        if text.kind in pool:
            pool[text.kind] += [sentence for sentence in sentences(text) if len(sentence) < 400
                                and not any(mark in sentence for mark in ("----", "====", ".. "))]
    return pool


def installed(package):
    """The texts of an installed package, without its tests."""
    folder = Path(importlib.util.find_spec(package).origin).parent
    for path in sorted(folder.rglob("*.py")):
        if "test" not in str(path.relative_to(folder.parent)):
            yield from texts_in(str(path), path.read_text(encoding="utf-8", errors="replace"))


def draw(seed, key, packages):
    """Print a shuffled sample, and write where each sentence comes from into the file `key`."""
    generator = random.Random(seed)
    pools = {"here": pool_of(texts(PACKAGES)),
             "other": pool_of(text for package in packages for text in installed(package))}
    rows = [(place, sentence) for place, pool in pools.items() for kind in KINDS
            for sentence in generator.sample(pool[kind], HOW_MANY[kind])]
    generator.shuffle(rows)
    Path(key).write_text("\n".join(place for place, _ in rows), encoding="utf-8")
    print("\n".join(f"{number}. {sentence}" for number, (_, sentence) in enumerate(rows, 1)))


def count(key, judges):
    """Print how many sentences of each place most judges have marked."""
    places = Path(key).read_text(encoding="utf-8").split("\n")
    votes = Counter(number for judge in judges for number in read_marks(judge))
    marked = Counter(places[number - 1] for number, count in votes.items() if count * 2 > len(judges))
    for place, total in sorted(Counter(places).items()):
        print(f"{place}: {marked[place]} of {total} sentences ({100 * marked[place] / total:.1f} %)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    drawing, counting = parts.add_parser("draw"), parts.add_parser("count")
    drawing.add_argument("seed", type=int)
    drawing.add_argument("key")
    drawing.add_argument("packages", nargs="+")
    counting.add_argument("key")
    counting.add_argument("judges", nargs="+")
    options = parser.parse_args()
    if options.part == "draw":
        draw(options.seed, options.key, options.packages)
    else:
        count(options.key, options.judges)


if __name__ == "__main__":
    main()
