"""What two Gluon textbooks call is there. Counted from their code; sparse, mx.np and what is not built yet left out."""

import importlib

import pytest

import minigluon as mx

pytestmark = pytest.mark.once

ROOTS = {"nd": "nd", "F": "sym", "sym": "sym", "autograd": "autograd", "gluon": "gluon", "nn": "gluon.nn",
         "init": "init", "mx": ""}

CALLED = {
    "nd": """
        array zeros dot random_normal sum mean argmax concat ones arange exp log transpose one_hot reshape max
        sqrt waitall maximum relu nansum tanh empty flatten log_softmax random_uniform Pooling sigmoid
        Convolution softmax square tile zeros_like abs add_n clip norm ones_like pick power swapaxes
        SoftmaxActivation argsort elemwise_add expand_dims linalg_gemm2 load sample_multinomial save split topk
        Concat L2Normalization arccos batch_dot broadcast_axis broadcast_div broadcast_mul broadcast_sub
        concatenate eye floor linalg_gemm linalg_potrf linalg_sumlogdiag linalg_trsm log1p moveaxis normal
        repeat sign sin smooth_l1 stack
        """,
    "nd.random": """
        uniform normal
        """,
    "F": """
        log relu concat mean split sum Activation FullyConnected SliceChannel abs add add_n broadcast_mul dot
        exp expand_dims log_softmax pick random_normal sigmoid smooth_l1 softmax zeros_like
        """,
    "sym": """
        var
        """,
    "autograd": """
        record is_training predict_mode train_mode
        """,
    "gluon": """
        Trainer Block Parameter HybridBlock ParameterDict
        """,
    "gluon.parameter": """
        Parameter
        """,
    "gluon.data": """
        DataLoader ArrayDataset Dataset
        """,
    "gluon.data.vision": """
        MNIST FashionMNIST CIFAR10 ImageFolderDataset
        """,
    "gluon.data.vision.transforms": """
        ToTensor Compose Resize RandomFlipLeftRight RandomResizedCrop Normalize CenterCrop RandomColorJitter
        RandomBrightness RandomFlipTopBottom RandomHue RandomLighting RandomRotation Rotate
        """,
    "mx.image": """
        imread imresize fixed_crop ImageDetIter random_crop center_crop color_normalize resize_short ImageIter imdecode
        CreateAugmenter CreateDetAugmenter
        """,
    "mx.io": """
        ImageRecordIter NDArrayIter
        """,
    "mx.recordio": """
        MXRecordIO MXIndexedRecordIO IRHeader pack unpack pack_img unpack_img
        """,
    "gluon.loss": """
        SoftmaxCrossEntropyLoss L2Loss Loss SigmoidBinaryCrossEntropyLoss L1Loss KLDivLoss SoftmaxCELoss
        TripletLoss
        """,
    "gluon.utils": """
        download split_and_load clip_global_norm
        """,
    "nn": """
        Dense Sequential Conv2D Block MaxPool2D BatchNorm Activation Dropout Embedding Flatten HybridSequential
        GlobalAvgPool2D Conv2DTranspose HybridBlock LeakyReLU AvgPool2D Conv1D GlobalMaxPool1D GlobalMaxPool2D
        LayerNorm
        """,
    "init": """
        Xavier Normal Constant Initializer Uniform Zero One
        """,
    "mx": """
        cpu gpu Context
        """,
    "mx.random": """
        seed
        """,
    "mx.metric": """
        Accuracy CustomMetric create MAE
        """,
    "mx.base": """
        MXNetError
        """,
}


def resolve(path):
    found = mx
    for part in filter(None, path.split(".")):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("namespace", CALLED)
def test_names_that_textbooks_call(namespace):
    root, _, rest = namespace.partition(".")
    found = resolve(f"{ROOTS[root]}.{rest}")
    missing = [name for name in CALLED[namespace].split() if not hasattr(found, name)]
    assert not missing
    if root == "F":
        missing = [name for name in CALLED[namespace].split() if not hasattr(mx.nd, name)]
        assert not missing


@pytest.mark.parametrize(("place", "names"), [
    ("gluon.nn.basic_layers", "Activation BatchNorm Block Dense HybridBlock HybridSequential LayerNorm Sequential"),
    ("gluon.nn.conv_layers", "Conv2D GlobalAvgPool2D MaxPool1D ReflectionPad2D"),
    ("gluon.utils", "_indent"), ("gluon.contrib.rnn.rnn_cell", "dynamic_unroll")])
def test_modules_of_mxnet_that_programs_import_from(place, names):
    module = importlib.import_module(f"minigluon.{place}")
    assert [name for name in names.split() if not hasattr(module, name)] == []
