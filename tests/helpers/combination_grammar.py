"""A grammar of small training programs: blocks, loops, branches, views, casts, frozen and shared weights.

`program(draw)` gives a dict that JSON can hold, `combination_source.py` writes it as Python. A value is a name with a
shape and a dtype; a line is {"text": its Python, "out": {name: [shape, dtype]}}; names are unique in the program.
"""

import math

from helpers.combination_operators import OPERATORS, PLAIN

__all__ = ["program"]

SHAPES = [[2, 3], [2, 3], [3, 2], [4, 3], [6], [1, 3], [2, 1, 3], [2, 2, 3], [1, 2, 4, 4], [2, 1, 4, 4]]
EMPTY = [[0, 3], [2, 0], [0]]
FILLS = ["plain"] * 8 + ["zeros", "some zeros", "some zeros", "nan", "inf", "ties", "large"]


class Scope:
    """The values that a line may read; lines are added to it. `names` gives names that the program has not used."""

    def __init__(self, draw, names, weights, F="F"):
        self.draw, self.names, self.weights, self.F = draw, names, weights, F
        self.values, self.lines = {}, []        # {name: [shape, dtype]}
        self.inputs = []                        # names of what a block takes
        self.used = set()                       # of the weights

    def new(self, letter="v"):
        return self.names(letter)

    def pick(self, fits=lambda shape, dtype: True):
        """A name of a value that fits, mostly of the last ones, or None."""
        found = [name for name, (shape, dtype) in self.values.items() if fits(shape, dtype)]
        if not found:
            return None
        return self.draw.choice(found[-3:]) if self.draw.random() < 0.7 else self.draw.choice(found)

    def shape(self, name):
        return self.values[name][0]

    def dtype(self, name):
        return self.values[name][1]

    def weight(self, shape, dtype, frozen=False):
        """A weight of this shape that the program has, or a new one."""
        found = [name for name, w in self.weights.items()
                 if w["shape"] == shape and w["dtype"] == dtype and w["fill"] != "positive"]
        if found and self.draw.random() < 0.6 and not frozen:
            name = self.draw.choice(found)
        else:
            name = self.new("w")
            req = "null" if frozen else self.draw.choice(["write"] * 7 + ["null", "add"])
            self.weights[name] = {"shape": shape, "dtype": dtype, "grad_req": req, "seed": self.draw.randrange(1000),
                                  "fill": "positive" if frozen else self.draw.choice(["plain"] * 12 + ["zeros"])}
        self.used.add(name)
        return name

    def add(self, text, *outs):
        """A line with results `outs`, each (name, shape, dtype)."""
        out = {name: [list(shape), dtype] for name, shape, dtype in outs}
        self.lines.append({"text": text, "out": out})
        self.values.update(out)

    def let(self, expression, shape, dtype):
        """A line with one result; its name."""
        name = self.new()
        self.add(f"{name} = {expression}", (name, shape, dtype))
        return name


def _names():
    counts = {}

    def new(letter):
        counts[letter] = counts.get(letter, -1) + 1
        return f"{letter}{counts[letter]}"
    return new


def program(draw):
    """A program, as a dict."""
    names, weights = _names(), {}
    dtype = draw.choice(["float32", "float32", "float32", "float64"])
    data = {}
    for _ in range(draw.randint(1, 2)):
        shape = list(draw.choice(EMPTY if draw.random() < 0.05 else SHAPES))
        data[names("x")] = {"shape": shape, "dtype": dtype, "fill": draw.choice(FILLS), "seed": draw.randrange(1000),
                            "grad_req": draw.choice(["null", "null", "write", "add"])}
    parent = Scope(draw, names, weights)
    parent.values = {name: [x["shape"], x["dtype"]] for name, x in data.items()}
    blocks = []
    for _ in range(draw.randint(1, 3)):
        for _ in range(draw.choice([0, 0, 1, 2])):
            _plain(parent)
        _call(parent, blocks)
    heads = _heads(parent)
    case = {"data": data, "weights": weights, "blocks": blocks, "lines": parent.lines, "heads": heads,
            "steps": draw.choice([1, 2, 2]), "passes": draw.choice([1, 1, 1, 2]), "contexts": draw.choice([1, 1, 1, 2]),
            "flags": draw.choice([{}, {}, {}, {"static_alloc": True}, {"static_alloc": True, "static_shape": True},
                                  {"recompute": True}]),
            "optimizer": draw.choice([["sgd", {}], ["sgd", {"momentum": 0.9}], ["adam", {"epsilon": 0.1}]]),
            "between": draw.choice([[], [], ["data"], ["weights"]]), "train": draw.random() < 0.9}
    return case


def _plain(scope):
    """A line of the parent that both nd and sym understand."""
    draw, name = scope.draw, scope.pick()
    draw.choice(PLAIN)(scope, name)


def _call(parent, blocks):
    """A block, or one that is there again, is called with values of the parent."""
    draw = parent.draw
    for number in draw.sample(range(len(blocks)), len(blocks)) if draw.random() < 0.25 else ():
        block = blocks[number]
        arguments = [parent.pick(lambda *spec, wanted=wanted: list(spec) == list(wanted))
                     for wanted in block["inputs"].values()]
        if None not in arguments:
            return _called(parent, number, block, arguments)
    block, arguments = _block(parent)
    blocks.append(block)
    _called(parent, len(blocks) - 1, block, arguments)


def _called(parent, number, block, arguments):
    outs = [(parent.new(), *spec) for spec in block["specs"]]
    text = f"{', '.join(name for name, *_ in outs)} = b{number}({', '.join(arguments)})"
    parent.add(text, *outs)
    parent.lines[-1]["call"] = number


def _block(parent):
    """(a block, its arguments)"""
    draw = parent.draw
    arguments = list(dict.fromkeys(parent.pick() for _ in range(draw.choice([1, 1, 2]))))
    scope = Scope(draw, parent.names, parent.weights)
    inputs = {scope.new(): parent.values[name] for name in arguments}
    scope.values, scope.inputs = dict(inputs), list(inputs)
    for _ in range(draw.randint(1, 6)):
        operator = draw.choice(OPERATORS)
        operator(scope, scope.pick())
    computed = [name for line in scope.lines for name in line["out"]]
    if not computed:
        computed = [scope.let(f"F.relu({next(iter(inputs))})", *next(iter(inputs.values())))]
    last, others = computed[-1], computed[:-1]
    results = [last, *draw.sample(others, min(len(others), draw.choice([0, 0, 1, 1, 2])))]
    draw.shuffle(results)
    return {"inputs": inputs, "lines": scope.lines, "results": results,
            "specs": [scope.values[name] for name in results]}, arguments


def _heads(parent):
    """The losses, of which one depends on the last call."""
    last = [name for line in parent.lines if "call" in line for name in line["out"]]
    chosen = list(dict.fromkeys([parent.draw.choice(last[-2:]), *(
        [parent.draw.choice(last)] if parent.draw.random() < 0.2 else [])]))
    heads = []
    for name in chosen:
        shape, dtype = parent.values[name]
        how = parent.draw.choice(["{}", "F.sum({})", "F.mean(F.square({}))", "F.sum({} * {})"])
        if how == "{}":
            heads.append(name)
        elif math.prod(shape):
            heads.append(parent.let(how.format(name, name), [1], dtype))
        else:
            heads.append(parent.let(f"{name} * 2", shape, dtype))
    return [[name, parent.draw.choice([None, None, parent.draw.randrange(100)])] for name in dict.fromkeys(heads)]
