"""Record the public names of the real MXNet 1.9.1 in tests/data/mxnet_names.json: {namespace: [names]}.

Run it like `record_mxnet.py`; `test_mxnet_names.py` compares. What a module merely imports from elsewhere (`os`,
`ctypes`, `OrderedDict`) is no name of MXNet's.
"""

import inspect
import json
import pathlib

import mxnet as mx

NAMESPACES = """
    mx nd nd.NDArray nd.random nd.linalg gluon gluon.Block gluon.HybridBlock gluon.Constant gluon.Parameter
    gluon.ParameterDict gluon.Trainer gluon.block gluon.parameter gluon.trainer gluon.nn gluon.nn.Sequential
    gluon.nn.HybridSequential gluon.loss gluon.utils gluon.data gluon.data.dataset gluon.data.sampler
    gluon.data.dataloader gluon.data.vision gluon.data.vision.datasets gluon.data.vision.transforms
    autograd autograd.Function init init.InitDesc init.Initializer optimizer optimizer.Optimizer optimizer.Updater
    lr_scheduler lr_scheduler.LRScheduler metric metric.EvalMetric metric.CompositeEvalMetric random context Context
    base name attribute sym sym.Symbol sym.random executor.Executor gluon.SymbolBlock model
    """


def public(owner):
    for name in dir(owner):
        value = getattr(owner, name)
        if inspect.ismodule(value):
            ours = value.__name__.startswith("mxnet")
        elif inspect.isclass(value) or inspect.isroutine(value):
            ours = inspect.isclass(owner) or (value.__module__ or "").startswith(("mxnet", "ndarray"))
        else:
            ours = True
        if ours and not name.startswith("_"):
            yield name


def main():
    recorded = {}
    for namespace in NAMESPACES.split():
        owner = mx
        for part in namespace.split(".") if namespace != "mx" else []:
            owner = getattr(owner, part)
        recorded[namespace] = list(public(owner))
    lines = [f"{json.dumps(namespace)}: {json.dumps(names)}" for namespace, names in recorded.items()]
    file = pathlib.Path(__file__).parent / "data" / "mxnet_names.json"
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(sum(map(len, recorded.values())), "names in", len(recorded), "namespaces")


if __name__ == "__main__":
    main()
