"""`sym.contrib.foreach`, `while_loop`, `cond`: a loop or branch as one node that contains graphs.

The functions in `nd.contrib` with the same names compute the same results on arrays. MXNet's files name the node after
the operator ('_foreach0'); `name=` marks the nodes inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import ArgumentError
from ..common.nest import regroup
from ..frontend.control_flow import flat_leaves, loop_variables, most_iterations, nested, pair, same_count
from ..ops import REGISTRY
from .subgraph import Tracing
from .symbol import Symbol, compose
from .text import attribute_text

__all__ = ["cond", "foreach", "while_loop"]


def foreach(body: Callable[..., Any], data: Symbol, init_states: Sequence[Symbol] | Symbol,
            name: str = "foreach") -> Any:
    """Runs `out, states = body(data[i], states)` for each i along axis 0. Returns (outs stacked on axis 0, states).

    data, init_states: a Symbol or nested lists of Symbols; [] for no states. `body` receives and returns the same
    nesting. Everything else that the body uses, including layers' parameters, becomes an input of the node.
    name: the name that marks the body's nodes.

    >>> step = lambda x, states: (x + states[0], [states[0] * 2])
    >>> outs, states = sym.contrib.foreach(step, sym.var("data"), [sym.var("state")])
    >>> outs.eval(data=nd.array([[1], [2], [3]]), state=nd.ones((1,)))[0].asnumpy().ravel().tolist()
    [2.0, 4.0, 7.0]
    """
    data, data_structure = flat_leaves(data, Symbol, "foreach: data")
    states, state_structure = flat_leaves(init_states, Symbol, "foreach: init_states")
    if not data:
        raise ArgumentError("foreach: data is empty; there must be one array, or more")
    with Tracing(name) as tracing:
        slices, before = tracing.variables(data), tracing.variables(states)
        results, after = pair(body(regroup(slices, data_structure), regroup(before, state_structure)), "foreach: body")
        results, result_structure = flat_leaves(results, Symbol, "foreach: the output of body")
        after, after_structure = flat_leaves(after, Symbol, "foreach: the states that body returns")
        if after_structure != state_structure:
            raise ArgumentError(f"foreach: body got {nested(state_structure)} as states and returned "
                                f"{nested(after_structure)}")
        if not results + after:
            raise ArgumentError("foreach: body returned neither outputs nor states, so there is nothing to compute")
        heads = tracing.heads([*results, *after], apart=len(after))
    graph, captured = tracing.cut(heads)
    indices = {node: index for index, node in enumerate(graph.inputs)}
    positions = [indices[node] for node in tracing.given]
    remaining = [index for index, outside in enumerate(captured) if outside is not None]
    closure = [Symbol([captured[index]]) for index in remaining]
    outputs = _compose("_foreach", [*data, *states, *closure], {"body": graph},
                       in_data_locs=positions[:len(data)], in_state_locs=positions[len(data):], remain_locs=remaining,
                       num_out_data=len(results), num_outputs=len(heads))
    outputs = _alike(outputs, [*results, *after])
    return regroup(outputs[:len(results)], result_structure), regroup(outputs[len(results):], state_structure)


def while_loop(cond: Any, func: Any, loop_vars: Any, max_iterations: Any = None,
               name: str = "while_loop") -> tuple[Any, Any]:
    """Runs `outs, loop_vars = func(*loop_vars)` while `cond(*loop_vars)` is not 0, at most max_iterations times.

    Returns (outs stacked on axis 0 and padded with zeros to length max_iterations, loop variables). `cond` returns
    a Symbol with one element; func may return None or [] for outs. name: the name that marks the nodes inside.

    >>> outs, (i, total) = sym.contrib.while_loop(lambda i, t: i <= 5, lambda i, t: (t, [i + 1, t + i]),
    ...                                           [sym.var("i"), sym.var("t")], max_iterations=10)
    >>> total.eval(i=nd.array([1]), t=nd.array([0]))[0].item()      # 1 + 2 + 3 + 4 + 5
    15.0
    """
    iterations = most_iterations(max_iterations)
    listed, single = loop_variables(loop_vars, Symbol)
    variables, structure = flat_leaves(listed, Symbol, "while_loop: loop_vars")
    with Tracing(f"{name}_cond") as condition:
        test = cond(*regroup(condition.variables(variables), structure))
        if not isinstance(test, Symbol) or len(test) != 1:
            raise ArgumentError(f"while_loop: cond must return a Symbol of one output, found {type(test).__name__} "
                                f"{test!r}")
        heads = condition.heads([test])
    cond_graph, cond_captured = condition.cut(heads, keep=False)
    with Tracing(f"{name}_func") as body:
        result = pair(func(*regroup(body.variables(variables), structure)), "while_loop: func")
        results, after = [[] if part is None else part for part in result]
        results, result_structure = flat_leaves(results, Symbol, "while_loop: the output of func")
        after, _ = flat_leaves(after, Symbol, "while_loop: loop_vars that func returns")
        same_count("while_loop: loop_vars of func", len(after), len(variables))
        heads = body.heads([*results, *after])
    graph, captured = body.cut(heads)
    inputs = _Inputs()
    cond_indices = inputs.indices(cond_graph, cond_captured, _numbered(condition.given, variables))
    func_indices = inputs.indices(graph, captured, _numbered(body.given, variables))
    outputs = _compose("_while_loop", inputs.symbols, {"cond": cond_graph, "func": graph},
                       cond_input_locs=cond_indices, func_input_locs=func_indices,
                       func_var_locs=[graph.inputs.index(node) for node in body.given], max_iterations=iterations,
                       num_out_data=len(results), num_outputs=len(heads))
    outputs = _alike(outputs, [*results, *after])
    after = regroup(outputs[len(results):], structure)
    return regroup(outputs[:len(results)], result_structure), after[0] if single else after


def cond(pred: Symbol, then_func: Callable[..., Any], else_func: Callable[..., Any], name: str = "cond") -> Any:
    """Returns the outputs of `then_func()` if `pred`, a Symbol with one element, is not 0, otherwise of `else_func()`.

    Both return a Symbol or nested lists of Symbols, equal in number and shape. Only one branch is computed.
    name: the name that marks the nodes inside.

    >>> a, b = sym.var("a"), sym.var("b")
    >>> out = sym.contrib.cond(a * b < 5, lambda: (a + 5) * (b + 5), lambda: (a - 5) * (b - 5))
    >>> out.eval(a=nd.array([1]), b=nd.array([2]))[0].item()        # (1 + 5) (2 + 5)
    42.0
    """
    if not isinstance(pred, Symbol) or len(pred) != 1:
        raise ArgumentError(f"cond: pred must be a Symbol of one output, found {type(pred).__name__} {pred!r}")
    parts = [_branch(f"{name}_{part}", function, what) for part, function, what in (
        ("pred", lambda: pred, "cond: pred"), ("then", then_func, "cond: the output of then_func"),
        ("else", else_func, "cond: the output of else_func"))]
    (condition, *_), (then, _, structure, results), (otherwise, *_) = parts
    if then.num_outputs != otherwise.num_outputs:
        raise ArgumentError(f"cond: then_func returned {then.num_outputs} outputs and else_func "
                            f"{otherwise.num_outputs}, but both must return as many, of equal shapes")
    inputs = _Inputs(share=True)
    indices = [inputs.indices(graph, captured, {}) for graph, captured, *_ in parts]
    outputs = _compose("_cond", inputs.symbols, {"pred": condition, "then_branch": then, "else_branch": otherwise},
                       cond_input_locs=indices[0], then_input_locs=indices[1], else_input_locs=indices[2],
                       num_outputs=then.num_outputs)
    return regroup(_alike(outputs, results), structure)


def _alike(outputs, symbols):
    """Returns the outputs, converted to the classes of the symbols that the program's functions returned."""
    return [type(symbol)(output.heads) for output, symbol in zip(outputs, symbols, strict=True)]


def _branch(name, function, what):
    """Returns (Subgraph, its captured inputs, nesting of its outputs, the outputs)."""
    with Tracing(name) as tracing:
        outputs, structure = flat_leaves(function(), Symbol, what)
        if not outputs:
            raise ArgumentError(f"{what} is empty, so there is nothing to compute")
        heads = tracing.heads(outputs)
    return *tracing.cut(heads), structure, outputs


class _Inputs:
    """A node's inputs, collected from its graphs.

    As in MXNet, a value that two graphs capture becomes two inputs of the node, except for a variable in a branch
    (share=True).
    """

    def __init__(self, share=False):
        self.symbols = []
        self.known = {}         # index of a loop variable, name of a shared variable, or node -> its index
        self.share = share

    def indices(self, graph, captured, loop_variables):
        """Returns the index of each of the graph's inputs among the node's inputs.

        loop_variables: {node in the graph: (index, symbol)}.
        """
        indices = []
        for node, outside in zip(graph.inputs, captured, strict=True):
            if outside is None:
                key, symbol = loop_variables[node]
            else:
                shared = self.share and outside[0].op is None
                key, symbol = outside[0].name if shared else node, Symbol([outside])
            if key not in self.known:
                self.known[key] = len(self.symbols)
                self.symbols.append(symbol)
            indices.append(self.known[key])
        return indices


def _numbered(nodes, symbols):
    """Returns {node inside: (index, symbol outside)} for the loop variables."""
    return {node: (number, symbol) for number, (node, symbol) in enumerate(zip(nodes, symbols, strict=True))}


def _compose(operator, inputs, graphs, **attributes):
    """Returns the node as a list of symbols with one output each."""
    attributes["num_args"] = len(inputs) + len(graphs)
    op = REGISTRY[operator](**attributes, **graphs)
    return list(compose(op, inputs, attrs={key: attribute_text(value) for key, value in attributes.items()},
                        hint=operator))
