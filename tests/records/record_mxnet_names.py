"""Record the public names of the real MXNet 1.9.1 in tests/records/data/mxnet_names.json: {namespace: [names]}.

Run it like `record_mxnet.py`; `test_mxnet_names.py` compares. What a module merely imports from elsewhere (`os`,
`ctypes`, `OrderedDict`) is no name of MXNet's.
"""

import inspect
import json

import mxnet as mx

from records import DATA

NAMESPACES = """
    mx nd nd.NDArray nd.random nd.linalg gluon gluon.Block gluon.HybridBlock gluon.Constant gluon.Parameter
    gluon.ParameterDict gluon.Trainer gluon.block gluon.parameter gluon.trainer gluon.nn gluon.nn.Sequential
    gluon.nn.HybridSequential gluon.loss gluon.utils gluon.data gluon.data.dataset gluon.data.sampler
    gluon.data.dataloader gluon.data.vision gluon.data.vision.datasets gluon.data.vision.transforms
    autograd autograd.Function init init.InitDesc init.Initializer optimizer optimizer.Optimizer optimizer.Updater
    lr_scheduler lr_scheduler.LRScheduler metric metric.EvalMetric metric.CompositeEvalMetric random context Context
    base name attribute sym sym.Symbol sym.random executor.Executor gluon.SymbolBlock model
    """

# Of these, what is defined elsewhere is no name of theirs, even if it is MXNet's.
OWN_NAMES_ONLY = """
    nd.contrib nd.image sym.contrib sym.image sym.linalg
    io io.DataIter io.DataBatch io.DataDesc io.NDArrayIter io.ResizeIter io.PrefetchingIter io.MXDataIter
    module module.BaseModule module.Module module.BucketingModule module.SequentialModule module.PythonModule
    module.PythonLossModule callback monitor monitor.Monitor kvstore kvstore.KVStore kvstore.KVStoreBase
    model.FeedForward image image.ImageIter image.ImageDetIter recordio recordio.MXRecordIO recordio.MXIndexedRecordIO
    gluon.rnn gluon.rnn.RNNCell gluon.rnn.LSTMCell gluon.rnn.HybridSequentialRNNCell gluon.rnn.BidirectionalCell
    gluon.rnn.LSTM gluon.model_zoo.vision gluon.model_zoo.model_store gluon.contrib.nn gluon.contrib.rnn
    gluon.contrib.cnn gluon.contrib.data gluon.contrib.data.text gluon.contrib.estimator
    gluon.contrib.estimator.Estimator contrib.text.vocab contrib.text.vocab.Vocabulary contrib.text.embedding
    contrib.text.embedding.CustomEmbedding contrib.text.utils contrib.autograd contrib.io contrib.tensorboard
    rnn rnn.LSTMCell rnn.FusedRNNCell operator operator.CustomOp operator.CustomOpProp profiler engine runtime
    runtime.Features test_utils util log visualization
    """


def public(owner, own_only):
    for name in dir(owner):
        value = getattr(owner, name)
        if own_only and not inspect.isclass(owner):
            ours = is_own(owner, name, value)
        elif inspect.ismodule(value):
            ours = value.__name__.startswith("mxnet")
        elif inspect.isclass(value) or inspect.isroutine(value):
            ours = inspect.isclass(owner) or (value.__module__ or "").startswith(("mxnet", "ndarray"))
        else:
            ours = True
        if ours and not name.startswith("_"):
            yield name


def is_own(module, name, value):
    """Is it defined in the module, or in a part of it? Made operators have no module; constants may be anyone's."""
    if inspect.isclass(value) or inspect.isroutine(value):
        home = value.__module__ or module.__name__
        return home.startswith((module.__name__, "ndarray", "symbol"))
    return not inspect.ismodule(value) and not hasattr(mx.base, name)


def main():
    recorded = {}
    for namespace in (NAMESPACES + OWN_NAMES_ONLY).split():
        owner = mx
        for part in namespace.split(".") if namespace != "mx" else []:
            owner = getattr(owner, part)
        recorded[namespace] = list(public(owner, namespace in OWN_NAMES_ONLY.split()))
    lines = [f"{json.dumps(namespace)}: {json.dumps(names)}" for namespace, names in recorded.items()]
    file = DATA / "mxnet_names.json"
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(sum(map(len, recorded.values())), "names in", len(recorded), "namespaces")


if __name__ == "__main__":
    main()
