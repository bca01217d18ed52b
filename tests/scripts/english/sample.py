"""Draw sentences to be judged, and count what the judges marked.

    python tests/scripts/english/sample.py draw 7 > sample.md
    python tests/scripts/english/sample.py count sample.md marks1.txt marks2.txt marks3.txt > report-7.md

Each judge gets only the sample, with one question: would a native technical writer write this? A judge's file has the
numbers of the sentences that a native writer would not have written, one per line, each with an optional reason.
"""

import argparse
import random
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from helpers.sentences import sentences, texts

HOW_MANY = {"docstring": 70, "comment": 40, "page": 70, "native": 20}


def draw(seed):
    """[(path, line, kind, sentence)], 200 of them: the same for the same seed and the same files."""
    generator, by_kind = random.Random(seed), {kind: [] for kind in HOW_MANY}
    for text in texts():
        by_kind[text.kind] += [(text.path, text.line, text.kind, sentence) for sentence in sentences(text)]
    return [sample for kind, count in HOW_MANY.items() for sample in generator.sample(by_kind[kind], count)]


def as_markdown(samples):
    """The sample as a list with numbers and places."""
    return "\n".join(f"{number}. {sentence}  \n   ({kind}, {path}:{line})"
                     for number, (path, line, kind, sentence) in enumerate(samples, 1))


def read_sample(path):
    """{number: (sentence, kind)} of a sample as `as_markdown` writes it."""
    text = Path(path).read_text(encoding="utf-8")
    rows = re.findall(r"^(\d+)\. (.*?)  \n   \((\w+), [^\n]*\)$", text, re.M | re.S)
    return {int(number): (sentence, kind) for number, sentence, kind in rows}


def read_marks(path):
    """{number of a sentence: reason} of a judge's file."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    return {int(match[1]): match[2].strip() for line in lines if (match := re.match(r"\s*(\d+)[.:)]?\s*(.*)", line))}


def report(path, judges):
    """The share of a sample's sentences that most judges marked, these sentences with the reasons, and the sample."""
    samples, votes = read_sample(path), [read_marks(judge) for judge in judges]
    counts = Counter(number for vote in votes for number in vote)
    most = [number for number, count in sorted(counts.items()) if count * 2 > len(votes)]
    by_kind = Counter(samples[number][1] for number in most)
    rows = "\n".join(f"| {kind} | {count} | {by_kind[kind]} |" for kind, count in HOW_MANY.items())
    each = ", ".join(str(len(vote)) for vote in votes)
    reasons = "\n".join(f"- {number}: {samples[number][0]}\n" + "".join(
        f"    - {vote[number]}\n" for vote in votes if vote.get(number)) for number in most)
    share = 100 * len(most) / len(samples)
    return (f"# Sentences that judges marked\n\n{len(most)} of {len(samples)} sentences ({share:.1f} %) are marked "
            f"by most of {len(votes)} judges, who marked {each}.\n\n"
            f"| kind | drawn | marked |\n|---|---:|---:|\n{rows}\n\n## Marked\n\n{reasons}\n## The sample\n\n"
            + Path(path).read_text(encoding="utf-8"))


def main():
    """Draw, or count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True, dest="action")
    actions.add_parser("draw", help="print a sample").add_argument("seed", type=int)
    count = actions.add_parser("count", help="print a report")
    count.add_argument("sample", help="what `draw` printed")
    count.add_argument("judges", nargs="+", help="files of marks, one for each judge")
    options = parser.parse_args()
    print(as_markdown(draw(options.seed)) if options.action == "draw" else report(options.sample, options.judges))


if __name__ == "__main__":
    main()
