"""Optimizer steps on many weights, and sums of squares: one launch for all arrays with the same dtypes."""

import numpy as np

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..pointer_tables import PIECE, in_pieces, table_spec, write_table
from ..registry import kernel_for
from .update import FLOATS, step_types

SOURCE = SourceFile("optimizer/multi_tensor.cu", fmad=False)
LARS_SOURCE = SourceFile("optimizer/multi_tensor_lars.cu", fmad=False)
_KERNELS = {"sgd": "sgd_many", "sgd_mom": "sgd_mom_many", "adam": "adam_many"}


class _Tables:
    """The launches of a Work, with a table in scratch memory for each group of arrays."""

    def __init__(self):
        self.launches, self.scratch = [], []

    def between(self, spec):
        self.scratch.append(spec)
        return Scratch(len(self.scratch) - 1)

    def enter(self, rows, sizes, numbers):
        """Adds a table with rows of five operands or zeros, given the sizes; returns (arguments, number of pieces)."""
        firsts, pieces = in_pieces(sizes)
        words = [word for row, count, first, number in zip(rows, sizes, firsts, numbers, strict=True)
                 for word in (*row, count, first, number)]
        table = self.between(table_spec(len(words)))
        self.launches += write_table(table, words)
        return [table, len(rows), pieces, PIECE], pieces

    def launch(self, function, defines, pieces, arguments):
        self.launches.append(Launch(SOURCE, function, {"W": "float", "G": "float", "R": "double", **defines},
                                    blocks(pieces, 1), THREADS, arguments))

    def work(self):
        return Work(*self.launches, scratch=self.scratch)


def alike(kinds):
    """Returns {key: indices of the arrays with that key}."""
    indices = {}
    for number, kind in enumerate(kinds):
        indices.setdefault(kind, []).append(number)
    return indices


@kernel_for("multi_sgd_update", "multi_sgd_mom_update", "multi_mp_sgd_update", "multi_mp_sgd_mom_update",
            "preloaded_multi_sgd_update", "preloaded_multi_sgd_mom_update", "preloaded_multi_mp_sgd_update",
            "preloaded_multi_mp_sgd_mom_update")
def many(op, inputs, outputs):
    """Returns steps whose rates and decays are the last two inputs, or attributes that are copied to scratch memory."""
    tables, count = _Tables(), op.num_weights
    if op.preloaded:
        lrs, wds, rates_dtype = In(len(inputs) - 2), In(len(inputs) - 1), inputs[-1].dtype
        if inputs[-2].dtype != rates_dtype:
            return f"learning rates of dtype {inputs[-2].dtype} and decays of dtype {rates_dtype}"
        rates = [lrs, 0, wds, 0]
    else:
        numbers = [float(number) for number in (*op.lrs, *op.wds)]
        lrs, rates_dtype = tables.between(table_spec(len(numbers))), np.dtype("float64")
        tables.launches += write_table(lrs, numbers)
        rates = [lrs, 0, lrs, count]
    return steps(op, inputs, [Out(k) for k in range(count)], [spec.dtype for spec in outputs], rates_dtype,
                 [*rates, float(op.rescale_grad), np.bool_(False)], tables)


@kernel_for("_sgd_steps", "_sgd_mom_steps", "_adam_steps")
def in_place(op, inputs, outputs):
    """Returns the Work of steps whose last input contains the gradient factor, learning rates and decays."""
    count, group, rates = op.num_weights, len(op.group), In(len(inputs) - 1)
    outs = [In(k * group) for k in range(count)]
    return steps(op, inputs, outs, [inputs[k * group].dtype for k in range(count)], inputs[-1].dtype,
                 [rates, 1, rates, 1 + count, 1.0, np.bool_(True)], _Tables())


def steps(op, inputs, outs, out_dtypes, rates_dtype, rates, tables):
    """Returns one launch for all weights with the same dtypes. outs: the targets of the new weights; rates: the RATES
    of the kernels."""
    group = op.group
    places = [{name: k * len(group) + j for j, name in enumerate(group)} for k in range(op.num_weights)]
    current = "weight32" if "weight32" in group else "weight"
    state_names = [name for name in group if name not in ("weight", "grad", "weight32")]
    kinds = [(out_dtypes[k], *[inputs[at[name]].dtype for name in (current, "grad", *state_names)])
             for k, at in enumerate(places)]
    function = {(): "sgd_many", ("mom",): "sgd_mom_many", ("mean", "var"): "adam_many"}[tuple(state_names)]
    numbers = [float(getattr(op, name)) for name in ("clip_gradient", "momentum", "beta1", "beta2", "epsilon")
               if hasattr(op, name)]
    for kind, members in alike(kinds).items():
        defines = step_types(kind[0], kind[1], kind[2], kind[3:], R=rates_dtype)
        if isinstance(defines, str):
            return defines
        if current == "weight32":
            defines["MIXED"] = 1
        elif kind[0] != kind[1]:
            return f"a weight of dtype {kind[1]} and a result of dtype {kind[0]}"
        rows = [[outs[k], In(places[k][current]), In(places[k]["grad"]), *[In(places[k][n]) for n in state_names]]
                for k in members]
        rows = [row + [0] * (5 - len(row)) for row in rows]
        table, pieces = tables.enter(rows, [size(inputs[places[k][current]]) for k in members], members)
        tables.launch(function, defines, pieces, [*table, *rates, *numbers])
    return tables.work()


@kernel_for("multi_sum_sq")
def sums_of_squares(op, inputs, outputs):
    """Returns launches that sum each piece, then the pieces of each array in order: the same result on every run."""
    tables = _Tables()
    for dtype, members in alike([spec.dtype for spec in inputs]).items():
        rows, sizes = [[0, 0, In(k), 0, 0] for k in members], [size(inputs[k]) for k in members]
        table, pieces = tables.enter(rows, sizes, members)
        sums = tables.between(Spec((pieces,), np.dtype("float64")))
        tables.launch("square_pieces", types(dtype), pieces, [*table, sums])
        tables.launches.append(Launch(SOURCE, "join_squares", tables.launches[-1].defines, blocks(len(members)),
                                      THREADS, [Out(0), *table, sums]))
    return tables.work()


@kernel_for("reset_arrays")
def reset(op, inputs, outputs):
    tables = _Tables()
    for dtype, members in alike([spec.dtype for spec in inputs]).items():
        rows, sizes = [[In(k), 0, 0, 0, 0] for k in members], [size(inputs[k]) for k in members]
        table, pieces = tables.enter(rows, sizes, members)
        tables.launch("reset_pieces", types(dtype), pieces, table)
    return tables.work()


@kernel_for("multi_lars")
def lars(op, inputs, outputs):
    if any(spec.dtype != inputs[0].dtype or spec.dtype.name not in FLOATS for spec in inputs):
        return f"learning rates of dtype {inputs[0].dtype}"
    count, T = size(inputs[0]), inputs[0].dtype
    if not count:
        return Work()
    return Work(Launch(LARS_SOURCE, "multi_lars", types(T, W=T, G=T), blocks(count), THREADS,
                       [Out(0), *map(In, range(4)), count, op.eta, op.eps, op.rescale_grad]))
