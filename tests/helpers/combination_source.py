"""A drawn program as the text of a Python program, with one function for each way to run it.

Each function is a generator of (name, array): what a way computed, until an error ends it. `source` writes no more
than the case needs, since the same text is what a finding prints.
"""

import json

import numpy as np

from helpers.combination_cases import names_in, results_of_calls

__all__ = ["WAYS", "arrays_of", "source"]

HEAD = """\
import numpy as np
import minigluon as mx
from minigluon import autograd, gluon, nd, sym
"""


def values_of(spec, seed=0):
    """The array that a case tells by shape, dtype, fill and seed."""
    rng = np.random.default_rng([spec["seed"], seed])
    fill, shape = spec["fill"], spec["shape"]
    array = rng.uniform(-2, 2, shape).round(2)
    if fill == "positive":
        array = np.abs(array) + 0.5
    elif fill == "zeros":
        array = np.zeros(shape)
    elif fill == "ties":
        array = rng.integers(-1, 4, shape).astype(float)
    elif fill == "large":
        array = array * 100
    elif fill != "plain" and array.size:
        array.flat[rng.integers(0, array.size, 1 + array.size // 6)] = {"some zeros": 0, "nan": np.nan, "inf": np.inf}[
            fill]
    return array.astype(spec["dtype"])


def arrays_of(case):
    """(DATA, WEIGHTS): the arrays of a program, which its text rounds to two digits."""
    def rounded(spec, seed=0):
        return values_of(spec, seed).astype("f8").round(2).astype(spec["dtype"])
    return ([{n: rounded(x, c) for n, x in case["data"].items()} for c in range(case["contexts"])],
            {n: rounded(w) for n, w in case["weights"].items()})


def _literal(array):
    numbers = array.astype("f8").round(2)
    text = json.dumps(numbers.reshape(-1).tolist() if 0 in array.shape else numbers.tolist())
    text = text.replace("NaN", "np.nan").replace("-Infinity", "-np.inf").replace("Infinity", "np.inf")
    return f"np.array({text}, '{array.dtype}')" + (f".reshape({array.shape})" if 0 in array.shape else "")


def _indented(text, by=4):
    return "\n".join(" " * by + line for line in text.splitlines())


def _block(case, number):
    block, weights = case["blocks"][number], weights_of(case, number)
    lines = [f"class B{number}(gluon.HybridBlock):", "    def __init__(self, weights):",
             f'        super().__init__(prefix="b{number}_", params=weights)']
    lines += [f'        self.{w} = self.params.get("{w}_weight")' for w in weights]
    lines += [f"    def hybrid_forward(self, F, {', '.join([*block['inputs'], *weights])}):"]
    lines += [_indented(line["text"], 8) for line in block["lines"]]
    return "\n".join([*lines, f"        return {', '.join(block['results'])}", ""])


def weights_of(case, number):
    """Names of the weights that a block reads, in order."""
    read = {name for line in case["blocks"][number]["lines"] for name in names_in(line["text"])}
    return [w for w in case["weights"] if w in read]


def _parent(case):
    blocks = ", ".join(f"b{k}" for k in range(len(case["blocks"])))
    shown = list(dict.fromkeys([*[name for name, _ in case["heads"]], *results_of_calls(case)]))
    return "\n".join([f"def parent(F, blocks, {', '.join(case['data'])}):", f"    {blocks}, = blocks",
                      *[_indented(line["text"]) for line in case["lines"]],
                      f"    return dict({', '.join(f'{name}={name}' for name in shown)})", ""])


def _constants(case, shared):
    lines = ["DATA = ["] if not shared else []
    for c in range(case["contexts"] if not shared else 0):
        lines += ["    {" + ", ".join(f'"{n}": {_literal(values_of(x, c))}' for n, x in case["data"].items()) + "},"]
    if not shared:
        lines += ["]", "WEIGHTS = {", *[f'    "{n}": {_literal(values_of(w))},' for n, w in case["weights"].items()],
                  "}"]
    if any(seed is not None for _, seed in case["heads"]):
        lines += ["def head(y, seed):", "    values = np.random.default_rng(seed).uniform(-1, 1, y.shape).round(2)",
                  "    return nd.array(values, dtype=y.dtype, ctx=y.context)"]
    return "\n".join(lines) + "\n"


def _head(head, value):
    return "None" if head[1] is None else f"head({value}, {head[1]})"


def _setup(case):
    contexts = ", ".join(f"mx.cpu({c})" for c in range(case["contexts"]))
    reqs = {n: w["grad_req"] for n, w in case["weights"].items()}
    data = {n: x["grad_req"] for n, x in case["data"].items() if x["grad_req"] != "null"}
    lines = ["def made():", f"    mx.random.seed(1); contexts, reqs = [{contexts}], {reqs}",
             '    weights = gluon.ParameterDict("")', "    for name, value in WEIGHTS.items():",
             '        p = weights.get(name + "_weight", shape=value.shape, dtype=str(value.dtype),',
             "                        grad_req=reqs[name])",
             "        p.initialize(mx.init.Zero(), ctx=contexts)", "        p.set_data(nd.array(value, dtype=p.dtype))",
             "    data = [{n: nd.array(x, dtype=x.dtype, ctx=c) for n, x in given.items()} "
             "for given, c in zip(DATA, contexts)]"]
    if data:
        lines += ["    for given in data:", *[f'        given["{n}"].attach_grad("{req}")' for n, req in data.items()]]
    blocks = "".join(f"B{k}(weights), " for k in range(len(case["blocks"])))
    return "\n".join([*lines, f"    return weights, data, [{blocks}]", ""])


def _optimizer(case):
    name, options = case["optimizer"]
    return f'"{name}", {({"learning_rate": 0.1, "wd": 0.05, **options})}'


def _gluon(case, way, zero_heads=(), fresh=()):
    """The program as people write it. zero_heads, fresh: what gets a gradient of zeros, as a graph gives it; None for
    the lists ZERO_HEADS and FRESH of the module, with which one function serves all.
    """
    if way == "children" and fresh is None:
        return "def children():\n    return imperative(True)\n"
    flags = ", ".join(f"{k}={v}" for k, v in case["flags"].items())
    shared = way == "imperative" and fresh is None
    lines = [f"def {way}({'hybridized=False' if shared else ''}):", "    weights, data, blocks = made()"]
    if way == "children" or shared:
        lines += [f"    for block in blocks{' if hybridized else ()' if shared else ''}:",
                  f"        block.hybridize({flags})"]
    if way == "whole":
        lines += ["    net = Parent(blocks)", f"    net.hybridize({flags})"]
    lines += [f"    trainer = gluon.Trainer(weights, {_optimizer(case)})"]
    body = [f"with autograd.record(train_mode={case['train']}):", "    heads, grads = [], []", "    for given in data:"]
    if way == "whole":
        names = ", ".join(name for name, _ in case["heads"])
        body += [f"        {names}, = [*net(*given.values())]" if len(case["heads"]) > 1 else
                 f"        {names} = net(*given.values())"]
    else:
        body += ["        y = parent(nd, blocks, **given)"]
    for head in case["heads"]:
        value = head[0] if way == "whole" else f'y["{head[0]}"]'
        body += [f"        heads.append({value}); grads.append({_head(head, value)})"]
    body += _zeros(zero_heads, fresh) if way == "imperative" else []
    body += [f"for k, y in enumerate(heads[:{len(case['heads'])}]):", '    yield f"head {k}", y']
    body += ["autograd.backward(heads, grads, retain_graph=True)"] * (case["passes"] - 1)
    body += ["autograd.backward(heads, grads)"]
    body += ['for name, p in weights.items():', '    if p.grad_req != "null":',
             '        for g in p.list_grad():', '            yield f"gradient of {name}", g'] if way != "plain" else []
    xs = [n for n, x in case["data"].items() if x["grad_req"] != "null"]
    if xs:
        body += ["for given in data:", *[f'    yield "gradient of {n}", given["{n}"].grad' for n in xs]]
    body += ["try:", "    trainer.step(1)", "except mx.MXNetError as error:",
             "    yield type(error).__name__, str(error)", "    trainer.step(1, ignore_stale_grad=True)",
             "for name, p in weights.items():", '    yield f"value of {name}", p.data(contexts_of(p)[-1])'.replace(
                 "contexts_of(p)", "p.list_ctx()")]
    body += _between(case, "[x for given in data for x in given.values()]", "[x for p in weights.values() "
                     "for x in p.list_data()]")
    return _stepped(case, lines, body)


def _zeros(zero_heads, fresh):
    """The lines that give gradients of zeros to results and to what is fresh."""
    if fresh is None:
        return [_indented(line, 8) for line in (
            "for name in ZERO_HEADS:", "    heads.append(y[name]); grads.append(nd.zeros_like(y[name]))",
            "for name in FRESH:", "    w = given[name] if name in given else weights[name + '_weight'].data("
            "next(iter(given.values())).context)", "    heads.append(nd.identity(w)); grads.append(nd.zeros_like(w))")]
    body = [f'        heads.append(y["{n}"]); grads.append(nd.zeros_like(y["{n}"]))' for n in zero_heads]
    ws, xs = [[n for n in fresh if n[0] == letter] for letter in "wx"]
    body += [f'        for name in {ws}:', '            w = weights[name + "_weight"].data('
             'next(iter(given.values())).context)',
             "            heads.append(nd.identity(w)); grads.append(nd.zeros_like(w))"] if ws else []
    body += [f"        for name in {xs}:", "            heads.append(nd.identity(given[name])); "
             "grads.append(nd.zeros_like(given[name]))"] if xs else []
    return body


def _between(case, data, weights):
    if case["steps"] == 1:
        return []
    return [f"for x in {data}:\n    x[:] = x * 0.5"] * ("data" in case["between"]) + [
        f"for x in {weights}:\n    x[:] = x * 0.9"] * ("weights" in case["between"])


def _stepped(case, lines, body):
    body = "\n".join(body)
    if case["steps"] > 1:
        return "\n".join([*lines, f"    for _ in range({case['steps']}):", _indented(body, 8), ""])
    return "\n".join([*lines, _indented(body), ""])


def _symbol(case):
    weights = "[" + "".join(f"B{k}(weights), " for k in range(len(case["blocks"]))) + "]"
    heads = ", ".join(f'y["{name}"]' for name, _ in case["heads"])
    return "\n".join(["def graph():", '    weights = gluon.ParameterDict("")', "    for name, x in WEIGHTS.items():",
                      '        weights.get(name + "_weight", shape=x.shape, dtype=str(x.dtype))',
                      f"    y = parent(sym, {weights}, **{{n: sym.var(n, dtype=str(x.dtype)) "
                      "for n, x in DATA[0].items()})", f"    return sym.Group([{heads}])", ""])


def _bound(case):
    reqs = {**{n: x["grad_req"] for n, x in case["data"].items()},
            **{n + "_weight": w["grad_req"] for n, w in case["weights"].items()}}
    lines = ["def bound():", "    mx.random.seed(1); symbol = graph()",
             '    given = {**DATA[0], **{n + "_weight": x for n, x in WEIGHTS.items()}}',
             "    given = {n: nd.array(x, dtype=x.dtype) for n, x in given.items()}",
             "    names, states = symbol.list_arguments(), symbol.list_auxiliary_states()", f"    reqs = {reqs}",
             "    executor = symbol.bind(mx.cpu(), {n: given[n] for n in names}, aux_states={n: given[n] for n in "
             "states},\n        grad_req={n: reqs[n] for n in names},\n        args_grad={n: nd.zeros_like(given[n]) "
             'for n in names if reqs[n] != "null"})',
             f"    updater = mx.optimizer.get_updater(mx.optimizer.create({_created(case)}))"]
    heads = ", ".join(f"nd.ones_like(outputs[{k}])" if h[1] is None else _head(h, f"outputs[{k}]")
                      for k, h in enumerate(case["heads"]))
    body = [f"outputs = executor.forward(is_train={case['train']})", "for k, y in enumerate(outputs):",
            '    yield f"head {k}", y']
    body += [f"executor.backward([{heads}])"] * case["passes"]
    body += ["for n in given:", '    if executor.grad_dict.get(n) is not None:',
             '        yield f"gradient of {n}", executor.grad_dict[n]', "for n, x in given.items():",
             '    if n in executor.grad_dict and n.endswith("_weight") and reqs[n] != "null":',
             "        updater(n, executor.grad_dict[n], x)",
             '    if n.endswith("_weight"):', '        yield f"value of {n}", x']
    body += _between(case, "[given[n] for n in DATA[0]]", '[x for n, x in given.items() if n.endswith("_weight")]')
    return _stepped(case, lines, body)


def _created(case):
    name, options = case["optimizer"]
    return f'"{name}", ' + ", ".join(f"{k}={v}" for k, v in {"learning_rate": 0.1, "wd": 0.05, "rescale_grad": 1.0,
                                                           **options}.items())


def _module(case):
    name, options = case["optimizer"]
    frozen = [n + "_weight" for n, w in case["weights"].items() if w["grad_req"] == "null"]
    heads = ", ".join(f"nd.ones_like(outputs[{k}])" if h[1] is None else _head(h, f"outputs[{k}]")
                      for k, h in enumerate(case["heads"]))
    lines = ["def module():", "    mx.random.seed(1); symbol = graph()",
             "    given = {n: nd.array(x, dtype=x.dtype) for n, x in DATA[0].items() if n in symbol.list_inputs()}",
             '    values = {n + "_weight": nd.array(x, dtype=x.dtype) for n, x in WEIGHTS.items()}',
             "    if not given:", "        return",
             "    arguments, states = symbol.list_arguments(), symbol.list_auxiliary_states()",
             "    module = mx.mod.Module(symbol, data_names=list(given), label_names=None,",
             f"                           fixed_param_names=[n for n in {frozen} if n in arguments])",
             "    module.bind([mx.io.DataDesc(n, x.shape, x.dtype) for n, x in given.items()])",
             "    module.init_params(arg_params={n: x for n, x in values.items() if n in arguments},",
             "                       aux_params={n: x for n, x in values.items() if n in states})",
             f'    module.init_optimizer(optimizer="{name}", optimizer_params='
             f'{({"learning_rate": 0.1, "wd": 0.05, "rescale_grad": 1.0, **options})})']
    body = [f"module.forward(mx.io.DataBatch([*given.values()]), is_train={case['train']})",
            "outputs = module.get_outputs()", "for k, y in enumerate(outputs):", '    yield f"head {k}", y',
            f"module.backward([{heads}])", "module.update()", "for part in module.get_params():",
            "    for n, x in part.items():", '        yield f"value of {n}", x']
    return _stepped(case, lines, body)


def _step(case):
    flags = ", ".join(f"{k}={v}" for k, v in case["flags"].items())
    lines = ["class Loss(gluon.HybridBlock):", "    def hybrid_forward(self, F, y, label):",
             "        return F.identity(y)", "def step():", "    weights, data, blocks = made()",
             "    net, loss = Parent(blocks), Loss()", f"    net.hybridize({flags}); loss.hybridize({flags})",
             f"    step = gluon.TrainStep(net, loss, gluon.Trainer(weights, {_optimizer(case)}))"]
    body = ['yield "head 0", step([*data[0].values()], nd.zeros((1,)), batch_size=1)',
            "for name, p in weights.items():", '    yield f"value of {name}", p.data()']
    body += _between(case, "data[0].values()", "[p.data() for p in weights.values()]")
    return _stepped(case, lines, body)


def _whole_net(case):
    arguments = ", ".join(case["data"])
    return "\n".join(["class Parent(gluon.HybridBlock):", "    def __init__(self, blocks):",
                      '        super().__init__(prefix="parent_")', "        self.blocks = blocks",
                      "        for block in blocks:", "            self.register_child(block)",
                      f"    def hybrid_forward(self, F, {arguments}):",
                      f"        y = parent(F, self.blocks, {arguments})",
                      "        return " + ", ".join(f'y["{name}"]' for name, _ in case["heads"]), ""])


WAYS = {"imperative": _gluon, "children": _gluon, "whole": _gluon, "bound": _bound, "module": _module, "step": _step}


def source(case, ways, zero_heads=(), fresh=()):
    """The program. ways: names of WAYS; what `imperative` gives gradients of zeros is told by the other two.

    fresh=None: a shorter text, for a module that has DATA and WEIGHTS of `arrays_of`, ZERO_HEADS and FRESH.
    """
    blocks = [_block(case, number) for number in range(len(case["blocks"]))]
    parts = [HEAD, _constants(case, fresh is None), *blocks, _parent(case)]
    if {"imperative", "children", "whole", "step"} & set(ways):
        parts.append(_setup(case))
    if {"whole", "step"} & set(ways):
        parts.append(_whole_net(case))
    if {"bound", "module"} & set(ways):
        parts.append(_symbol(case))
    for way in ways:
        parts.append(_gluon(case, way, zero_heads, fresh) if WAYS[way] is _gluon else WAYS[way](case))
    return "\n".join(parts)
