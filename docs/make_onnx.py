"""Writes onnx.md: which operators can be exported to ONNX, from which opset on, and why the others cannot be exported.

    python docs/make_onnx.py

The tables of operators come from `minigluon.onnx.exporter.table`. The tables of measurements come from the results of
onnx_export.py and onnx_mxnet.py in tests/scripts, and of gluoncv_onnx.py and gluoncv_onnx_times.py in tests/libraries.
The rest of onnx.md is written by hand and preserved. A test generates the page again and compares the two, so that it
cannot become outdated.
"""

import json
import re
import textwrap
from collections import defaultdict
from pathlib import Path

from minigluon.onnx.exporter import table

from minigluon.ops import REGISTRY

HERE = Path(__file__).parent
DATA = HERE.parent / "tests" / "records" / "data"
MARK = "## Operators\n"
BEGIN, END = "<!-- measurements: written by docs/make_onnx.py -->\n", "<!-- end of the measurements -->\n"
NETS_BEGIN = "<!-- networks of GluonCV: written by docs/make_onnx.py -->\n"
NETS_END = "<!-- end of the networks of GluonCV -->\n"
TOLERANCE = 1e-5


def main():
    path = HERE / "onnx.md"
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


def page(text):
    """Returns the page with new tables after the handwritten part."""
    table.load()
    text = _between(text.partition(MARK)[0], BEGIN, END, [*exported(), "", *beside_mxnet()])
    text = _between(text, NETS_BEGIN, NETS_END, [*gluoncv_networks(), "", *gluoncv_times()])
    return text + MARK + "\n" + "\n".join([*translated(), "", *listed()]) + "\n"


def _between(text, begin, end, lines):
    """Returns the text with other lines between two marks."""
    before, _, rest = text.partition(begin)
    return before + begin + "\n".join(["", *lines, ""]) + end + rest.partition(end)[2]


def exported():
    """Yields the lines about the results of other runtimes."""
    rows = json.loads((DATA / "onnx_export.json").read_text(encoding="utf-8"))
    seconds = rows.pop("seconds for ResNet-50", None)
    yield ("| what | files | refused | onnxruntime: agree, largest difference, no kernel | OpenVINO "
           "| read, written again |")
    yield "|---|---|---|---|---|---|"
    for part, row in rows.items():
        cells = [f"{agree:,}, {largest:.1e}, {missing or '-'}"
                 for agree, largest, missing in (row.get(name, [0, 0, 0]) for name in ("onnxruntime", "OpenVINO"))]
        same = f"{row['both ways']:,}" if row["both ways"] else "-"
        yield f"| {part} | {row['files']:,} | {row['refused'] or '-'} | {' | '.join(cells)} | {same} |"
    if seconds:
        yield ""
        yield (f"Exporting ResNet-50 takes {seconds['the first time']} s the first time and {seconds['again']} s the "
               f"second; writing the bytes takes {seconds['its bytes']} s of that.")
    yield ""
    yield from textwrap.wrap(
        "The exceptions are listed below. OpenVINO computes float64 in float32, so it is not used for that; in ONNX, "
        "numbers in attributes, such as the epsilon of a normalization, are float32.", 120)
    yield ""
    yield "| what | where | which | what happens |"
    yield "|---|---|---|---|"
    for part, row in rows.items():
        for (runtime, reason), (names, most) in _by_reason(row.get("others", ())).items():
            told = ", ".join(dict.fromkeys(names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            yield f"| {part} | {runtime} | {told} | {reason}{f' {most:.1e}' if most is not None else ''} |"


def _by_reason(others):
    """Returns {(where, reason): (names, the largest difference or None)}."""
    found = {}
    for runtime, name, what in others:
        name = f"`{name.partition(' (opset')[0][:60]}`"
        differs = what.startswith("differs by ")
        reason = "differs by up to" if differs else re.sub(
            r"^(\w+ '\w*': |export_model: )+|the number that .* stands for", "", what).replace("|", "/")
        if "is needed" in reason:
            reason = "the number is needed that an open length stands for"
        names, most = found.setdefault((runtime, reason), ([], None))
        names.append(name)
        if differs:
            found[runtime, reason] = names, max(most or 0, float(what.removeprefix("differs by ")))
    return found


def beside_mxnet():
    """Yields the lines that compare the files with those that MXNet 1.9.1 writes."""
    rows = json.loads((DATA / "onnx_mxnet.json").read_text(encoding="utf-8"))
    both = {name: row for name, row in rows.items() if len(row) == 3}
    sound = {name: row for name, row in both.items() if row[1] <= TOLERANCE}
    yield from textwrap.wrap(
        f"[tests/scripts/onnx_mxnet.py](../tests/scripts/onnx_mxnet.py) compares MXNet 1.9.1's own exporter with ours "
        f"on the same {len(rows)} checkpoints: our files give MXNet's results in "
        f"{sum(row[0] <= TOLERANCE for row in rows.values())} of them, with a largest difference of "
        f"{max(row[0] for row in rows.values()):.1e}. MXNet's files do so in {len(sound)}, where the two "
        f"results differ by at most {max(row[2] for row in sound.values()):.1e}.", 120, break_long_words=False,
        break_on_hyphens=False)
    others = [(name, row[1] if len(row) == 2 else f"differs by {row[1]:.1e} from MXNet") for name, row in rows.items()
              if name not in sound]
    if others:
        yield ""
        yield "Where MXNet's exporter fails:"
        yield ""
        yield "| network | error with MXNet's file |"
        yield "|---|---|"
        yield from (f"| {name} | {why} |" for name, why in others)


def gluoncv_networks():
    """Yields the lines about GluonCV's networks: counts for each group, and the reasons of what is not in them."""
    found = json.loads((DATA / "gluoncv_onnx.json").read_text(encoding="utf-8"))
    yield ("| group | networks | run | exported | onnxruntime: agree to 1e-5, to 1e-3, largest difference, time "
           "| OpenVINO |")
    yield "|---|---|---|---|---|---|"
    for group, row in found["groups"].items():
        cells = [f"{close}, {agree}, {largest:.1e}, {ratio:.2f}" if agree else "-"
                 for close, agree, largest, ratio in (row[name] for name in ("onnxruntime", "OpenVINO"))]
        yield f"| {group} | {row['networks']} | {row['run']} | {row['exported']} | {' | '.join(cells)} |"
    if found["reasons"]:
        yield ""
        yield "| number | networks | reason |"
        yield "|---|---|---|"
        for reason, names in found["reasons"].items():
            told = ", ".join(f"`{name}`" for name in names[:6]) + (f" and {len(names) - 6} more" if names[6:] else "")
            yield f"| {len(names)} | {told} | {reason} |"


def gluoncv_times():
    """Yields the rows of the times of GluonCV's detectors."""
    rows = json.loads((DATA / "gluoncv_onnx_times.json").read_text(encoding="utf-8"))
    yield "| detector | image | minigluon, ms | onnxruntime, ms | ratio | OpenVINO, ms | ratio |"
    yield "|---|---|---|---|---|---|---|"
    for name, row in sorted(rows.items(), key=lambda item: item[1]["minigluon"]):
        cells = [f"{row[runtime][0]:.0f} | {row[runtime][1]:.2f}" for runtime in ("onnxruntime", "OpenVINO")]
        yield f"| `{name}` | {' x '.join(map(str, row['size']))} | {row['minigluon']:.0f} | {' | '.join(cells)} |"


def translated():
    """Yields the rows of the operators that have a translation, by category and file."""
    places = defaultdict(list)
    for name, translation in sorted(table.TRANSLATIONS.items()):
        file = translation.function.__module__.partition(".operators.")[2].replace(".", "/")
        notes = [f"since {translation.since}"] * (translation.since > table.OLDEST) + [translation.note]
        note = ", ".join(filter(None, notes))
        places[file].append(f"`{name}`" + (f" ({note})" if note else ""))
    yield (f"{len(table.TRANSLATIONS)} of {len({cls.name for cls in REGISTRY.values()})} operators have a translation, "
           f"from opset {table.OLDEST} on unless noted otherwise.")
    yield ""
    yield "| file in `minigluon/interop/onnx/exporter/operators` | operators |"
    yield "|---|---|"
    for file, names in sorted(places.items()):
        yield f"| `{file}.py` | {', '.join(names)} |"


def listed():
    """Yields the rows of the other operators, by reason."""
    reasons = defaultdict(list)
    for name, reason in sorted(table.LISTED.items()):
        reasons[reason].append(f"`{name}`")
    yield "Exporting any other operator raises an error, which lists all such operators in a network at once:"
    yield ""
    yield "| reason | operators |"
    yield "|---|---|"
    for reason, names in sorted(reasons.items()):
        yield f"| {reason} | {', '.join(names)} |"


if __name__ == "__main__":
    main()
