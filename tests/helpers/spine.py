"""Which files of the package five walks enter: what a reader must know to follow them.

The walks: a call with the tape, backward, `Trainer.step`, and a hybridized call, twice; on NumPy. Before them the
parameters get their values, and each function of `nd` and `sym` is looked up once, which makes it. `entered_before`
traces what that enters.
Run as a program it prints each file with its lines and the lines of the functions that were entered.
"""

import os
import sys
from pathlib import Path

__all__ = ["entered", "entered_before", "is_beside"]


def entered():
    """{path below the package: the code objects entered} of the walks, with the plain form of each fast function."""
    mx = _package()
    for name in mx.ops.REGISTRY:
        getattr(mx.nd, name)
        getattr(mx.sym, name)
    return _traced(mx, _walks(mx))


def entered_before():
    """The same of what precedes the walks: deferred initialization, and the first look-up of a function."""
    mx = _package()

    def look_up():
        for module in (mx.nd, mx.sym):
            vars(module).pop("relu", None)
            _ = module.relu
    return _traced(mx, [look_up, *_deferred(mx)])


def _package():
    import minigluon as mx
    from minigluon import gluon  # noqa: F401  (its fast functions must be there, to be replaced by the plain ones)
    return mx


def _traced(mx, walks):
    from minigluon.common.fast_paths import plain_paths
    root = os.path.dirname(mx.__file__) + os.sep
    found = {}

    def note(frame, event, arg):
        code = frame.f_code
        if code.co_filename.startswith(root) and code.co_name != "<module>":
            found.setdefault(code.co_filename[len(root):].replace(os.sep, "/"), set()).add(code)

    before = sys.gettrace()
    with plain_paths():
        for walk in walks:
            sys.settrace(note)
            try:
                walk()
            finally:
                sys.settrace(before)
    return found


def _net(mx, **sizes):
    net, loss = mx.gluon.nn.HybridSequential(), mx.gluon.loss.SoftmaxCrossEntropyLoss()
    net.add(mx.gluon.nn.Dense(8, activation="relu", **sizes), mx.gluon.nn.Dense(4, **dict.fromkeys(sizes, 8)))
    net.initialize()
    return net, loss


def _step(mx, net, loss, trainer):
    """A function that makes a training step."""
    x, label = mx.nd.array([[0.1] * 6] * 5), mx.nd.array([0, 1, 2, 3, 0])

    def step():
        with mx.autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(5)
    return step


def _walks(mx):
    """Functions to be called one after the other; what lies between them is no part of a walk."""
    net, loss = _net(mx, in_units=6)
    step = _step(mx, net, loss, mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}))
    x = mx.nd.array([[0.1] * 6] * 5)

    yield step
    yield step
    net.hybridize()
    loss.hybridize()
    yield step
    yield step
    yield lambda: net(x)
    yield lambda: net(x)


def _deferred(mx):
    """The first steps of a net whose sizes the first call tells."""
    for is_hybrid in (False, True):
        net, loss = _net(mx)
        if is_hybrid:
            net.hybridize()
        yield _step(mx, net, loss, mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}))


def is_beside(path):
    """Is a file one of many alike, of which a reader opens those that he wants: an operator, a layer, a loss?"""
    folders = path.split("/")[:-1]
    return (folders[:1] == ["ops"] and len(folders) > 1) or (folders[:2] == ["backend", "numpy"] and len(folders) > 2) \
        or folders[:2] == ["gluon", "nn"] or path.startswith("gluon/loss")


def lines_of(code):
    """How many lines the source of a function has, without what is nested in it and was not entered."""
    numbers = [line for _, _, line in code.co_lines() if line]
    return max(numbers) - min(numbers) + 1


def main():
    """Print the files, their lines, and the lines of the functions entered."""
    import minigluon
    root, total, run, count = Path(minigluon.__file__).parent, 0, 0, 0
    for path, codes in sorted(entered().items()):
        if not is_beside(path):
            lines, functions = len((root / path).read_text(encoding="utf-8").splitlines()), sum(map(lines_of, codes))
            print(f"{lines:6d} {functions:6d}  {path}")
            total, run, count = total + lines, run + functions, count + 1
    print(f"{total:6d} {run:6d}  in {count} files")


if __name__ == "__main__":
    main()
