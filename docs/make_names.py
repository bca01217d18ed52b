"""Writes names.md: every public name in MXNet 1.9.1's modules, and whether it exists here, is accelerated, or is left
out.

    python docs/make_names.py           needs minigluon-accel

MXNet's names come from tests/records/data/mxnet_names.json, and the reasons from tests/records/left_out.py. A test
generates the page again and compares the two, so that it cannot become outdated.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

import minigluon as mx
from minigluon.ops import REGISTRY

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
sys.path.insert(0, str(TESTS))

HEAD = """# MXNet's names

Every public name of MXNet 1.9.1's modules and classes, and whether it exists here. `python docs/make_names.py`
generates this page from [MXNet's names](../tests/records/data/mxnet_names.json), the names that exist here, and the
[reasons](../tests/records/left_out.py) why the others do not.
"""

COUNTS = """## Counts

*Imported* are names that MXNet's module has only because it imports them for its own use; here they are where they
belong.

| namespace | names | here | left out | imported |
|---|---|---|---|---|"""

OPERATORS = """## Operators

The functions of `nd` and `sym` that are operators. *CPU*, *GPU*: [minigluon-accel](../minigluon_accel/README.md) has
kernels ([list](operators-accelerated.md)); without them the NumPy reference runs. *Compared*: the number of cases for
which results of the real MXNet 1.9.1 are recorded and compared by the tests; for those with a dash, see below.

| operator | names | CPU | GPU | compared |
|---|---|---|---|---|"""

NOT_COMPARED = """### Not compared with recorded results

Listed by operator, with the reason. Random operators are compared by their distributions
([tests](../tests/ops/random/test_random.py)), loops with recorded graphs
([tests](../tests/ops/graph/test_control_flow.py)).
"""

ELSEWHERE = """## Everything else

The names that exist here, by namespace. Names of `nd` and `sym` that are operators are above."""

# The names of a namespace's functions in the table of operators.
PREFIXES = {"nd": "", "sym": "", "nd.contrib": "_contrib_", "sym.contrib": "_contrib_", "nd.image": "_image_",
            "sym.image": "_image_", "nd.linalg": "_linalg_", "sym.linalg": "_linalg_"}


def main():
    (HERE / "names.md").write_text(page(), encoding="utf-8")


def page():
    """Returns the page as Markdown."""
    from records.left_out import IMPORTED, LEFT_OUT, NAMESPACES_LEFT_OUT
    recorded = json.loads((TESTS / "records" / "data" / "mxnet_names.json").read_text(encoding="utf-8"))
    imported = {namespace: set(names.split()) for namespace, names in IMPORTED.items()}
    left_out = {"names": LEFT_OUT, "namespaces": NAMESPACES_LEFT_OUT}
    parts = [HEAD, *counts(recorded, imported), "", *operators(recorded), "", *elsewhere(recorded), "",
             *reasons(recorded, imported, left_out)]
    return "\n".join(parts) + "\n"


def find(namespace):
    """Return the module or class here that corresponds to a namespace, or None."""
    found = mx
    for part in namespace.split(".") if namespace != "mx" else []:
        found = getattr(found, part, None)
    return found


def here(recorded, namespace):
    """Return MXNet's names in a namespace that exist here."""
    found = set(dir(find(namespace))) if find(namespace) is not None else set()
    return [name for name in recorded[namespace] if name in found]


def operator_of(namespace, name):
    """Return the operator that a function's name refers to, or None."""
    prefix = PREFIXES.get(namespace)
    found = REGISTRY.get(f"{prefix}{name}") if prefix is not None else None
    return found.name if found is not None else None


def counts(recorded, imported):
    """Yield the number of names in each namespace, and how many of them exist here."""
    yield COUNTS
    total = np.zeros(4, int)
    for namespace in recorded:
        elsewhere = len(imported.get(namespace, ()))
        row = np.array([len(recorded[namespace]), len(here(recorded, namespace)), 0, elsewhere])
        row[2] = row[0] - row[1] - row[3]
        total += row
        yield f"| `{namespace}` | {' | '.join(map(str, row))} |"
    yield f"| all | {' | '.join(f'**{n}**' for n in total)} |"


def operators(recorded):
    """Yield the table of the operators behind MXNet's functions."""
    from minigluon_accel.gpu.kernels import prepared_operators as on_gpus
    from minigluon_accel.kernels import prepared_operators as on_cpus
    names, compared = defaultdict(set), cases_compared()
    for namespace in PREFIXES:
        for name in here(recorded, namespace):
            if operator_of(namespace, name):
                names[operator_of(namespace, name)].add(f"{namespace}.{name}")
    cpu, gpu, missing = set(on_cpus()), set(on_gpus()), []
    yield OPERATORS
    for operator in sorted(names, key=str.lower):
        count = compared[operator] or "–"
        missing += [operator] if count == "–" else []
        yield (f"| `{operator}` | {', '.join(f'`{name}`' for name in sorted(names[operator]))} "
               f"| {'yes' if operator in cpu else ''} | {'yes' if operator in gpu else ''} | {count} |")
    yield ""
    yield NOT_COMPARED
    for operator in missing:
        yield f"- `{operator}`: {why_not_compared(operator)}"


def cases_compared():
    """Return {operator: number of cases with a recorded result}."""
    from op_cases import CASES
    with np.load(TESTS / "records" / "data" / "mxnet_ops.npz") as file:
        keys = set(file.files)
    found = defaultdict(int)
    for case in CASES:
        found[REGISTRY[case.op].name] += f"{case.id}/out0" in keys
    return found


def why_not_compared(operator):
    """Return the reason from the operator's rows, or a note that there are none."""
    from op_cases import CASES
    said = {case.oracle for case in CASES if REGISTRY[case.op].name == operator and case.oracle is not True}
    return "; ".join(sorted(map(str, said))) or "it has no row in the table of cases"


def elsewhere(recorded):
    """Yield the existing names that are not operators."""
    yield ELSEWHERE
    for namespace in recorded:
        names = [name for name in here(recorded, namespace) if not operator_of(namespace, name)]
        if names:
            yield f"\n`{namespace}`: {', '.join(f'`{name}`' for name in names)}"


def reasons(recorded, imported, left_out):
    """Yield the missing names, by reason."""
    yield "## Left out\n"
    missing = defaultdict(list)
    for namespace, names in recorded.items():
        for name in names:
            if name not in here(recorded, namespace) and name not in imported.get(namespace, ()):
                missing[name].append(namespace)
    for reason, listed in left_out["names"].items():
        names = [f"`{name}` ({', '.join(f'`{n}`' for n in missing[name])})" for name in listed.split() if missing[name]]
        yield f"- {reason}: {', '.join(names)}"
    for reason, listed in left_out["namespaces"].items():
        yield f"- {reason}: {', '.join(f'`{name}`' for name in listed.split())}"


if __name__ == "__main__":
    main()
