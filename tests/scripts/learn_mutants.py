"""Do the checks of the course find mistakes? Each step's reference solution is changed in one place, and must fail.

    python tests/scripts/learn_mutants.py                     all steps: a table, and the mutants that pass
    python tests/scripts/learn_mutants.py s02_gradients       some steps
    python tests/scripts/learn_mutants.py --sample 10         ten mutants of each step

A mutant lies in what the learner writes. Those that change nothing are listed in the step (`Step.equivalent`), each
with the reason. LeNet does not train here: the checks alone must find the mistake. A mutant that does not end is
killed.
"""

import argparse
import ast
import copy
import json
import os
import random
import re
import signal
import sys
import tempfile
from pathlib import Path

os.environ["MINIGLUON_BACKEND"] = "numpy"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from minigluon.tools.learn import cutting, grading
from minigluon.tools.learn.step import NAMES, Row, load

__all__ = ["C_PIECES", "mutants", "mutants_in_c", "run_jobs"]

SECONDS = 10
BINARY = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
          ast.Mod: ast.Add, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.Pow: ast.Mult}
COMPARE = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
           ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}


def _changes(node):
    """Nodes to put in the place of one."""
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        yield ast.BinOp(node.left, BINARY[type(node.op)](), node.right)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARE:
        yield ast.Compare(node.left, [COMPARE[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Call):
        if len(node.args) > 1:
            yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
        for keyword in _choices(node):
            yield ast.Call(node.func, node.args, [k for k in node.keywords if k is not keyword])
    elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) > 1 and isinstance(node.ctx, ast.Load):
        yield type(node)([node.elts[1], node.elts[0], *node.elts[2:]], node.ctx)
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        other = copy.copy(node)
        other.test = ast.UnaryOp(ast.Not(), node.test)
        yield other
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, [ast.UnaryOp(ast.Not(), node.ifs[0]), *node.ifs[1:]], 0)
        yield ast.comprehension(node.target, node.iter, node.ifs[1:], 0)
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield ast.Continue() if isinstance(node, ast.Break) else ast.Break()
    elif isinstance(node, ast.Return) and getattr(node.value, "value", node.value) is not None:
        yield ast.Return(None)
    elif isinstance(node, (ast.For, ast.With)):
        other = copy.copy(node)
        other.body = [*node.body, ast.Return(None)]
        yield other
    if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign, ast.If, ast.For, ast.While, ast.Raise, ast.Delete)):
        yield ast.Pass()


# In C, pieces of text and what stands in their place.
C_PIECES = [(r" < ", " <= "), (r" <= ", " < "), (r" \+ ", " - "), (r" \* ", " + "), (r" \+= ", " = "),
            (r" \+= ", " -= "), (r" = 0", " = 1"), (r"< 0 \?", "> 0 ?"), (r"\? 0 : x\[i\]", "? x[i] : 0"),
            (r"\? 0", "? 1"), (r"\bdepth\b", "columns"), (r"\bcolumns\b", "depth"), (r"\brows\b", "columns"),
            (r"\blength\b", "inner"), (r"\binner\b", "length"), (r"\bouter\b", "length"), (r"\[j\]", "[i]"),
            (r"\[at\]", "[j]"), (r"\[i\]", "[0]"), (r"\bi \*", "j *"), (r"\bj \*", "i *"), (r"\+ k\b", "+ 0"),
            (r"\+ j\b", "+ 0"), (r"\w[^;{}]*;$", ";")]


def mutants_in_c(step, pieces=tuple(C_PIECES)):
    """The same for a step in C: one piece of text is another one, in one place of a hole."""
    text, found = cutting.solution(step), {}
    for name, lines in cutting.cut_statements(step).items():
        begin = text.index("\n".join(lines))
        for match, other in [(m, other) for piece, other in pieces
                             for m in re.finditer(piece, "\n".join(lines), re.MULTILINE)]:
            at = begin + match.start()
            changed = text[:at] + other + text[begin + match.end():]
            line = text.count("\n", 0, at)
            found.setdefault(changed, f"{name}: {text.splitlines()[line].strip()}  ->  "
                                      f"{changed.splitlines()[line].strip()}")
    return [(says, changed) for changed, says in found.items()]


def mutants(step):
    """[(what is changed, text of the file)] for each change of the reference solution in its holes."""
    if step.c_file is not None:
        return mutants_in_c(step)
    text = cutting.solution(step)
    source = cutting._Source("solution", text.splitlines(keepends=True), ast.parse(text))
    found, seen = [], {ast.unparse(source.tree)}
    for part in step.holes:
        node, _ = source.find(part.name)
        statements = node.body if isinstance(part, Row) else [
            s for hole in part.holes for s in cutting._statements(source, node, hole)]
        for statement in statements:
            for old in _code(statement):
                for new in _changes(old):
                    changed = _replaced(source.tree, old, new)
                    if changed not in seen:
                        seen.add(changed)
                        found.append((f"{part.name}: {_short(old)}  ->  {_short(new)}", changed))
    return found


def _choices(call):
    return [keyword for keyword in call.keywords if keyword.arg != "strict"]


def _code(node):
    """The node and those below it, without texts, annotations and strict= of zip, which checks the engine itself."""
    if isinstance(node, ast.JoinedStr) or getattr(node, "arg", None) == "strict":
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _code(child)


def _short(node):
    if isinstance(node, ast.comprehension):
        return " ".join(ast.unparse(node).split())
    text = ast.unparse(ast.fix_missing_locations(node)).splitlines()
    return " ".join(" ".join(line.split()) for line in text)[:100]


def _replaced(tree, old, new):
    """The text of the tree with one node changed. Lists and fields of the nodes above it are put back afterwards."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
                text = ast.unparse(ast.fix_missing_locations(tree))
                setattr(parent, name, old)
                return text
            if isinstance(value, list) and any(item is old for item in value):
                at = next(i for i, item in enumerate(value) if item is old)
                value[at] = new
                text = ast.unparse(ast.fix_missing_locations(tree))
                value[at] = old
                return text
    raise LookupError(f"{ast.unparse(old)} is not in the tree")


def run_jobs(jobs, seconds=SECONDS):
    """Results of `grading.grade`, each in a process forked from this one. A job: (step, text, reference, without).

    None for one that did not end in time, or ended its process. Lists of steps and texts are put together.
    """
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (step, text, reference, without) in enumerate(jobs):
            several = isinstance(step, list)
            paths, result = [], Path(folder) / f"result{number}.json"
            for i, (one, its_text) in enumerate(zip(step, text) if several else [(step, text)]):
                grading.checks_of(one)
                paths.append(str(Path(folder) / f"work{number}_{i}.py"))
                Path(paths[-1]).write_text(its_text, encoding="utf-8")
            child = os.fork()
            if child == 0:
                signal.alarm(seconds)           # ends this process
                _silence()
                done = grading.grade_together(step, paths, reference) if several else grading.grade(
                    step, paths[0], reference, without)
                result.write_text(json.dumps(done), encoding="utf-8")
                os._exit(0)
            os.waitpid(child, 0)
            results.append(json.loads(result.read_text(encoding="utf-8")) if result.exists() else None)
    return results


def _silence():
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants of each step (default: all)")
    args = parser.parse_args()
    print(f"{'step':24}{'mutants':>8}{'equivalent':>12}{'killed':>8}{'score':>8}", flush=True)
    too_few = False
    for name in args.steps or NAMES:
        step = load(name)
        everything = mutants(step)
        drawn = [m for m in everything if m[0] not in step.equivalent]
        if args.sample and args.sample < len(drawn):
            drawn = random.Random(0).sample(drawn, args.sample)
        results = run_jobs([(step, text, None, ()) for _, text in drawn])
        survivors = [says for (says, _), result in zip(drawn, results) if result and not result["failure"]]
        score = 1 - len(survivors) / len(drawn)
        too_few |= score < 0.95
        equivalent = sum(m[0] in step.equivalent for m in everything)
        print(f"{name:24}{len(drawn):8}{equivalent:12}{len(drawn) - len(survivors):8}{score:8.1%}", flush=True)
        for says in survivors:
            print(f"    passes: {says}")
        for says in step.equivalent.keys() - {m[0] for m in everything}:
            print(f"    no such mutant: {says}")
            too_few = True
    return int(too_few)


if __name__ == "__main__":
    sys.exit(main())
