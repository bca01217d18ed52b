"""What follows from a drawn program without running it: the names it reads, what a graph reaches, smaller programs."""

import json
import re

__all__ = ["as_one_graph", "names_in", "pruned", "reached", "results_of_calls", "smaller", "with_gradients"]

WITHOUT_GRADIENT = re.compile(r"= F\.one_hot|= F\.broadcast_greater|= \w+ (>|==) [\d.]+$")
NAME = re.compile(r"\b[vwxtni]\d+\b")


def _copied(case):
    return json.loads(json.dumps(case))             # several times faster than copy.deepcopy


def names_in(text):
    """The names of values in a line."""
    return NAME.findall(text)


def results_of_calls(case):
    """Names that the parent has from blocks."""
    return [name for line in case["lines"] if "call" in line for name in line["out"]]


def reached(case, inlined):
    """(results that are no heads, weights and data) to which a backward pass gives a gradient, zeros at least.

    inlined: numbers of the blocks that do not count as one graph; "all" where the program is one.
    """
    needed, zero_heads = {name for name, _ in case["heads"]}, []
    tracked = _tracked(case, _wanted(case))
    for line in reversed(case["lines"]):
        if not needed & set(line["out"]):
            continue
        if "call" not in line:
            needed.update(set(names_in(line["text"])) - set(line["out"]))
            continue
        block = case["blocks"][line["call"]]
        one_graph = inlined != "all" and line["call"] not in inlined
        if one_graph and needed & tracked & set(line["out"]):
            zero_heads += [name for name in line["out"] if name not in needed]
        wanted = {inner for name, inner in zip(line["out"], block["results"], strict=True)
                  if one_graph or name in needed}
        wanted = _inside(block["lines"], wanted)
        given = names_in(line["text"])[len(line["out"]):]
        needed.update(name for name, inner in zip(given, block["inputs"], strict=True) if inner in wanted)
        needed.update(name for name in wanted if name in case["weights"])
    return [n for n in zero_heads if n in tracked], [n for n in _wanted(case) if n in needed]


def as_one_graph(case):
    """The program without results of blocks that lead to no loss; None if calls of a block use different ones.

    A graph of the whole program does not compute them, so neither does a normalization among them overwrite its
    statistics. In which order two calls of one do that, no graph tells.
    """
    changed = True
    while changed:
        changed = False
        for number, block in enumerate(case["blocks"]):
            for k in range(len(block["results"])):
                found = _without_result(case, number, k) if len(block["results"]) > 1 else case
                if found is not case:
                    case, changed = pruned(found), True
                    break
            if changed:
                break
    calls = [line["call"] for line in case["lines"] if "call" in line]
    read = _read_in(case)
    normalizes = ["F.BatchNorm" in str(block["lines"]) for block in case["blocks"]]
    if not set(results_of_calls(case)) <= read or any(calls.count(k) > 1 and one for k, one in enumerate(normalizes)):
        return None
    return case


def _read_in(case):
    """The names of the parent that something reads; a block need not read what it is called with."""
    read = {name for name, _ in case["heads"]}
    for line in case["lines"]:
        given = names_in(line["text"])[len(line["out"]):]
        if "call" in line:
            block = case["blocks"][line["call"]]
            inside = _inside_names(block)
            given = [name for name, inner in zip(given, block["inputs"], strict=True) if inner in inside]
        read.update(given)
    return read


def _wanted(case):
    leaves = {**case["data"], **case["weights"]}
    return [name for name, spec in leaves.items() if spec["grad_req"] != "null"]


def _tracked(case, known):
    """The names of the parent that depend on some of these."""
    known = set(known)
    for line in case["lines"]:
        read = names_in(line["text"])[len(line["out"]):] if "call" in line else names_in(line["text"])
        if "call" in line:
            block = case["blocks"][line["call"]]
            inside = known | {inner for name, inner in zip(read, block["inputs"], strict=True) if name in known}
            for inner in block["lines"]:
                if inside & set(names_in(inner["text"])) and not WITHOUT_GRADIENT.search(inner["text"]):
                    inside |= set(inner["out"])
            known |= {name for name, inner in zip(line["out"], block["results"], strict=True) if inner in inside}
        elif known & set(read):
            known |= set(line["out"])
    return known


def _dependent(case):
    """The heads that depend on something that wants a gradient."""
    return [name for name, _ in case["heads"] if name in _tracked(case, _wanted(case))]


def with_gradients(case):
    """The program, where each loss depends on something that wants a gradient."""
    leaves = {**case["data"], **case["weights"]}
    for name, _ in case["heads"]:
        if name not in _tracked(case, _wanted(case)):
            fits = [leaf for leaf in leaves if name in _tracked(case, [leaf])
                    and leaves[leaf]["fill"] != "positive"]             # which are running statistics
            if fits:
                leaves[fits[-1]]["grad_req"] = "write"
    return case


def _inside(lines, wanted):
    for line in reversed(lines):
        if wanted & set(line["out"]):
            wanted = wanted | set(names_in(line["text"]))
    return wanted


# -- smaller programs -----------------------------------------------------------------------------------------------

def pruned(case):
    """Without lines, weights and data that nothing reads."""
    case = _copied(case)
    for block in case["blocks"]:
        block["lines"] = _live(block["lines"], set(block["results"]))
        _drop_unread_inputs(case, block)
    case["lines"] = _live(case["lines"], {name for name, _ in case["heads"]})
    calls = sorted({line["call"] for line in case["lines"] if "call" in line})
    case["blocks"] = [case["blocks"][k] for k in calls]
    for line in case["lines"]:
        if "call" in line:
            new = calls.index(line["call"])
            line["text"] = re.sub(rf"\bb{line['call']}\(", f"b{new}(", line["text"])
            line["call"] = new
    read = {name for lines in (case["lines"], *[b["lines"] for b in case["blocks"]]) for line in lines
            for name in names_in(line["text"])} | {name for name, _ in case["heads"]}
    for kind in "data", "weights":
        case[kind] = {name: spec for name, spec in case[kind].items() if name in read}
    return case


def _drop_unread_inputs(case, block):
    """A block takes no value that it does not read, unless it reads none."""
    read = _inside_names(block)
    keep = [k for k, inner in enumerate(block["inputs"]) if inner in read] or [0]
    if len(keep) == len(block["inputs"]):
        return
    block["inputs"] = {inner: spec for k, (inner, spec) in enumerate(block["inputs"].items()) if k in keep}
    for line in case["lines"]:
        if "call" in line and case["blocks"][line["call"]] is block:
            given = [name for k, name in enumerate(names_in(line["text"])[len(line["out"]):]) if k in keep]
            line["text"] = f"{', '.join(line['out'])} = b{line['call']}({', '.join(given)})"


def _inside_names(block):
    return {name for line in block["lines"] for name in names_in(line["text"])} | set(block["results"])


def _live(lines, read):
    kept = []
    for line in reversed(lines):
        if read & set(line["out"]):
            kept.append(line)
            read = read | set(names_in(line["text"]))
    return kept[::-1]


def smaller(case):
    """Smaller programs, the smallest first."""
    for candidate in _candidates(case):
        candidate = pruned(candidate)
        if len(_dependent(candidate)) < len(candidate["heads"]):
            continue
        if candidate != case and candidate["data"] and candidate["blocks"]:
            yield candidate


def _candidates(case):
    for way in case["ways"]:
        if len(case["ways"]) > 1:
            yield {**case, "ways": [way]}
    for key, value in {"steps": 1, "passes": 1, "contexts": 1, "flags": {}, "between": [], "train": True,
                       "optimizer": ["sgd", {}]}.items():
        yield {**case, key: value}
    for k in range(len(case["heads"])):
        if len(case["heads"]) > 1:
            yield {**case, "heads": case["heads"][:k] + case["heads"][k + 1:]}
        yield {**case, "heads": [[n, None if j == k else seed] for j, (n, seed) in enumerate(case["heads"])]}
    yield from _other_heads(case)
    for where in [None, *range(len(case["blocks"]))]:
        lines = case["lines"] if where is None else case["blocks"][where]["lines"]
        for k in reversed(range(len(lines))):
            yield from _without(case, where, k)
    for number, block in enumerate(case["blocks"]):
        for k in range(len(block["results"])):
            if len(block["results"]) > 1:
                yield _without_result(case, number, k)
    for kind in "data", "weights":
        for name, spec in case[kind].items():
            for key, value in {"grad_req": "write" if kind == "weights" else "null", "fill": "plain"}.items():
                if spec[key] != value and spec["fill"] != "positive":
                    yield {**case, kind: {**case[kind], name: {**spec, key: value}}}


def _other_heads(case):
    """An earlier value as the loss."""
    for k, (name, _) in enumerate(case["heads"]):
        for line in case["lines"]:
            for other in line["out"]:
                if other != name and name not in line["out"]:
                    yield {**case, "heads": [*case["heads"][:k], [other, None], *case["heads"][k + 1:]]}
                if name in line["out"]:
                    return


def _without(case, where, k):
    """A line replaced by what it reads of the same shape, or by ones."""
    case = _copied(case)
    block = case if where is None else case["blocks"][where]
    lines, line = block["lines"], block["lines"][k]
    known = dict(case["data"].items() if where is None else block["inputs"].items())
    known = {n: [s["shape"], s["dtype"]] if isinstance(s, dict) else list(s) for n, s in known.items()}
    for other in lines[:k]:
        known.update({n: list(spec) for n, spec in other["out"].items()})
    renamed, ones = {}, []
    for name, spec in line["out"].items():
        fits = [n for n in reversed(list(known)) if known[n] == list(spec)]
        if fits:
            renamed[name] = fits[0]
        else:
            ones.append({"text": f"{name} = F.ones({tuple(spec[0])}, dtype='{spec[1]}')", "out": {name: spec}})
    if ones and line["text"] == ones[0]["text"] or "call" in line and ones:
        return
    lines[k:k + 1] = ones

    def replaced(text):
        return NAME.sub(lambda m: renamed.get(m.group(), m.group()), text)
    for other in lines[k:]:
        other["text"] = replaced(other["text"])
    if where is None:
        case["heads"] = [[renamed.get(n, n), seed] for n, seed in case["heads"]]
        if len({n for n, _ in case["heads"]}) < len(case["heads"]):
            return
    else:
        block["results"] = [renamed.get(n, n) for n in block["results"]]
        if len(set(block["results"])) < len(block["results"]):
            return
    yield case


def _without_result(case, number, k):
    """A block returns one value less, unless something reads it."""
    read = _read_in(case)
    calls = [line for line in case["lines"] if line.get("call") == number]
    if any(list(line["out"])[k] in read for line in calls):
        return case
    case = _copied(case)
    block = case["blocks"][number]
    del block["results"][k], block["specs"][k]
    for line in case["lines"]:
        if line.get("call") == number:
            line["out"] = {n: s for j, (n, s) in enumerate(line["out"].items()) if j != k}
            line["text"] = ", ".join(line["out"]) + " = " + line["text"].partition(" = ")[2]
    return case
