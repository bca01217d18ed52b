"""What must come of a call that may not fit: an error of ours before any kernel runs, or NumPy's result.

A kernel runs twice: between fences, and in memory that ends where its arrays end, which AddressSanitizer looks at. One
that writes beside its output, or whose result depends on what lies beside its inputs or was in its output before, is
found.
"""

import math

import numpy as np

from helpers.misfit_layouts import fenced, laid_out, unharmed
from helpers.misfits import LARGE
from minigluon.backend import Spec
from minigluon.base import MXNetError
from minigluon.dispatch import infer

__all__ = ["check", "close"]

# What NumPy says of values, which no rule about shapes can refuse.
BY_VALUES = ("out of bounds", "infinity to integer", "NaN to integer", "to indexing result",
             "must have no negative elements", "Invalid integer data type 'b'")
# Operators with inputs that follow from each other: what comes of other values is not told.
CONSISTENT = {"_pick_largest", "_max_pooling_grad"}


def check(op, arrays, train, backend, layouts=None):
    """Run a call by NumPy's `forward` and by the backend's kernel. Raises AssertionError; returns what came of it."""
    inputs = [Spec(a.shape, a.dtype) for a in arrays]
    what = f"{op!r} on {inputs}" + (f", {layouts}" if layouts else "")
    try:
        outputs = infer(op, inputs)
    except MXNetError:
        return "refused"
    if op.dynamic:
        return "of unknown shape"       # there is no kernel: `misfit_calls` runs it
    if sum(math.prod(spec.shape) for spec in (*inputs, *outputs)) > LARGE:
        return "too large"
    how = op, inputs, outputs, train
    try:
        declined = isinstance(backend.prepare(*how, generator(op)), str)
    except MXNetError:
        return "refused"
    prepare = backend.fallback if declined else backend.prepare
    wanted = by_numpy(op, arrays, train, what)
    if isinstance(wanted, list):
        found = [Spec(a.shape, a.dtype) for a in wanted[:len(outputs)]]
        assert found == outputs, f"{what}: NumPy gives {found}, inferred were {outputs}"
    if prepare(*how, generator(op)).write is None:
        return "by NumPy alone"
    runs = [run(op, prepare(*how, generator(op)), arrays, outputs, what) for run, arrays in (
        (between_fences, arrays), (exactly, placed(op, arrays, layouts or {})))]
    return judged(op, runs, wanted, arrays, bool(layouts), what) + (" of NumPy's" if declined else "")


def placed(op, arrays, layouts):
    """The arrays as they lie for `exactly`. Those of which the shape alone matters have one element in memory."""
    names = op.argument_names(len(arrays))
    return [laid_out(a, layouts[place]) if place in layouts else
            np.broadcast_to(np.zeros((), a.dtype), a.shape) if name in op.shape_only else laid_out(a)
            for place, (name, a) in enumerate(zip(names, arrays, strict=True))]


def generator(op):
    """Random numbers, always the same, for an operator that draws some."""
    return np.random.Generator(np.random.Philox(key=7)) if op.random else None


def judged(op, runs, wanted, arrays, moved, what):
    """What came of two runs of a kernel, each as it comes from `between_fences`. Raises AssertionError.

    moved: the arrays of the second lie otherwise in memory, and the last bits of NumPy's results depend on that.
    """
    if wanted is None:
        assert runs == [None, None], f"{what}: NumPy refuses its values, the kernel does not"
        return "refused for its values"
    if wanted == "anything":
        return "inside its memory"
    assert None not in runs, f"{what}: the kernel refuses its values, NumPy does not"
    names, right = op.argument_names(len(arrays)), complete(op, wanted, arrays)
    for place, (one, other, expected) in enumerate(zip(*runs, right, strict=True)):
        if place >= op.num_outputs and names[place - op.num_outputs] in op.shape_only:
            continue                    # one of the two has no such elements
        if op.name not in CONSISTENT:
            close(one, expected, arrays, f"{what}: result {place}")
        if moved:
            close(other, one, arrays, f"{what}: result {place} of arrays that lie otherwise")
        else:
            np.testing.assert_array_equal(one, other, f"{what}: result {place} depends on what was in memory")
    return "equal"


def by_numpy(op, arrays, train, what):
    """[outputs, then the new values of what it overwrites or None] of NumPy; None: it refuses; or "anything"."""
    how = {**({"train": train} if op.takes_train else {}), **({"rng": generator(op)} if op.random else {})}
    try:
        with np.errstate(all="ignore"):
            results = op.forward(*[a.copy() for a in arrays], **how)
    except MXNetError:
        return None             # such as an index that is out of range
    except Exception as error:
        if not any(text in str(error) for text in BY_VALUES):
            raise AssertionError(f"{what}: it passed inference, but NumPy says: {error!r}") from error
        return "anything"
    results = [None if r is None else np.asarray(r)
               for r in (results if isinstance(results, (tuple, list)) else [results])]
    seen = [r for k, r in enumerate(results) if r is not None and not op.num_visible_outputs <= k < op.num_outputs]
    assert all(r.flags.c_contiguous for r in seen), f"{what}: NumPy's result is not in one piece"
    return results


def complete(op, results, arrays):
    """The outputs and all inputs afterwards, as a kernel leaves them."""
    names = list(op.argument_names(len(arrays)))
    after = dict(zip(op.mutates, results[op.num_outputs:], strict=False))
    return results[:op.num_outputs] + [a if after.get(n) is None else after[n]
                                       for n, a in zip(names, arrays, strict=True)]


def between_fences(op, kernel, arrays, outputs, what):
    """[outputs, then inputs afterwards] of a kernel between fences, or None where it refuses the values."""
    specs = [*[Spec(a.shape, a.dtype) for a in arrays], *outputs, *kernel.scratch]
    memory, buffers = zip(*[fenced(spec, 0x5a) for spec in specs], strict=True) if specs else ((), ())
    for buffer, array in zip(buffers, arrays, strict=False):
        buffer[...] = array
    results = written(kernel, buffers[:len(arrays)], buffers[len(arrays):], outputs, what)
    for spec, block in zip(specs, memory, strict=True):
        assert unharmed(block, spec, 0x5a), f"{what}: written beside {spec}"
    return results


def exactly(op, kernel, arrays, outputs, what):
    """The same in memory that ends where the arrays end; an output may take the memory of an input where it may."""
    targets = [laid_out(np.full(spec.shape, -1).astype(spec.dtype)) for spec in (*outputs, *kernel.scratch)]
    before = [a.copy() for a in arrays]
    results = written(kernel, arrays, targets, outputs, what)
    if results is None or op.mutates or not outputs:
        return results
    for place, (name, array) in enumerate(zip(op.argument_names(len(arrays)), before, strict=True)):
        if name in op.in_place and (array.size, array.dtype) == (math.prod(outputs[0].shape), outputs[0].dtype):
            again = [laid_out(a) for a in before]
            targets[0] = again[place].reshape(outputs[0].shape)
            found = written(kernel, again, targets, outputs, what)
            assert op.random or found is not None, f"{what}: refused over the memory of {name}"
            close(found[0], results[0], before, f"{what}: over the memory of {name}")
    return results


def written(kernel, inputs, targets, outputs, what):
    """[outputs, then inputs afterwards] of a kernel, or None where it refuses the values."""
    try:
        kernel.write(list(inputs), list(targets))
    except MXNetError:
        return None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:      # which dispatch makes MXNetErrors of
        if not any(text in str(error) for text in BY_VALUES):
            raise AssertionError(f"{what}: the kernel says {error!r}") from error
        return None
    return [b.copy() for b in (*targets[:len(outputs)], *inputs)]


def close(found, wanted, arrays, what):
    """Equal but for rounding, and for what NaN, infinity and huge numbers make of it: other tests look at these."""
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), what
    floats = [a for a in (*arrays, wanted) if a.dtype.kind == "f"]
    if any(not (np.abs(a) < 1e4).all() for a in floats):
        return
    eps = max([float(np.finfo(a.dtype).eps) for a in floats], default=0)
    scale = max([float(np.max(np.abs(a), initial=1)) for a in floats], default=0)
    atol = 1000 * eps * scale if found.dtype.kind == "f" else 1 if floats else 0
    np.testing.assert_allclose(found.astype("f8"), wanted.astype("f8"), rtol=1000 * eps, atol=atol, err_msg=what)
