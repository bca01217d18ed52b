"""Layers and losses as both libraries can make them: `record_gluon.py` asks MXNet what the tests then expect."""

import inspect

import numpy as np

# name -> (expression on `nn`, shape of the input). The expression is evaluated with either library's gluon.nn.
LAYERS = {
    "dense": ("nn.Dense(3)", (2, 4)),
    "dense_relu": ("nn.Dense(3, activation='relu', in_units=4)", (2, 4)),
    "dense_no_bias": ("nn.Dense(3, use_bias=False)", (2, 4)),
    "dense_not_flat": ("nn.Dense(3, flatten=False)", (2, 3, 4)),
    "dense_flat": ("nn.Dense(3, activation='tanh')", (2, 3, 4)),
    "dropout": ("nn.Dropout(0.5)", (2, 3)),
    "dropout_axes": ("nn.Dropout(0.25, axes=(1,))", (2, 3)),
    "dropout_none": ("nn.Dropout(0)", (2, 3)),
    "embedding": ("nn.Embedding(5, 3)", (2, 4)),
    "flatten": ("nn.Flatten()", (2, 3, 4)),
    "batchnorm": ("nn.BatchNorm()", (4, 3, 2, 2)),
    "batchnorm_axis": ("nn.BatchNorm(axis=-1, in_channels=3, epsilon=1e-3)", (4, 2, 2, 3)),
    "batchnorm_fixed": ("nn.BatchNorm(scale=False, center=False)", (4, 3, 2, 2)),
    "batchnorm_global": ("nn.BatchNorm(use_global_stats=True, momentum=0.5)", (4, 3)),
    "batchnormrelu": ("nn.BatchNormReLU()", (4, 3, 2, 2)),
    "instancenorm": ("nn.InstanceNorm()", (2, 3, 4, 5)),
    "instancenorm_scale": ("nn.InstanceNorm(scale=True, in_channels=3, epsilon=1e-3)", (2, 3, 5)),
    "instancenorm_axis": ("nn.InstanceNorm(axis=2)", (2, 4, 3)),
    "layernorm": ("nn.LayerNorm()", (2, 3, 5)),
    "layernorm_axis": ("nn.LayerNorm(axis=1, in_channels=3)", (2, 3, 5)),
    "groupnorm": ("nn.GroupNorm(num_groups=2)", (2, 4, 3)),
    "activation_relu": ("nn.Activation('relu')", (2, 3)),
    "activation_sigmoid": ("nn.Activation('sigmoid')", (2, 3)),
    "activation_softsign": ("nn.Activation('softsign')", (2, 3)),
    "activation_softrelu": ("nn.Activation('softrelu')", (2, 3)),
    "leakyrelu": ("nn.LeakyReLU(0.1)", (2, 3)),
    "prelu": ("nn.PReLU()", (2, 3)),
    "prelu_channels": ("nn.PReLU(in_channels=3)", (2, 3, 2)),
    "elu": ("nn.ELU(0.5)", (2, 3)),
    "selu": ("nn.SELU()", (2, 3)),
    "gelu": ("nn.GELU()", (2, 3)),
    "swish": ("nn.Swish(1.5)", (2, 3)),
    "conv1d": ("nn.Conv1D(4, 3)", (2, 3, 7)),
    "conv1d_all": ("nn.Conv1D(4, 3, strides=2, padding=1, dilation=2, groups=2, activation='relu')", (2, 4, 9)),
    "conv2d": ("nn.Conv2D(4, 3)", (2, 3, 7, 6)),
    "conv2d_all": ("nn.Conv2D(4, (3, 2), (2, 1), (1, 2), (1, 2), groups=2, use_bias=False)", (2, 4, 7, 6)),
    "conv2d_known": ("nn.Conv2D(4, 3, in_channels=3, activation='sigmoid')", (2, 3, 7, 6)),
    "conv3d": ("nn.Conv3D(2, 2)", (1, 3, 4, 3, 4)),
    "conv1d_transpose": ("nn.Conv1DTranspose(4, 3, strides=2, padding=1, output_padding=1)", (2, 3, 5)),
    "conv2d_transpose": ("nn.Conv2DTranspose(4, 3, strides=(2, 1), padding=1, groups=1)", (2, 3, 4, 3)),
    "conv2d_transpose_groups": ("nn.Conv2DTranspose(4, 2, groups=2, activation='relu', in_channels=4)", (2, 4, 3, 3)),
    "conv3d_transpose": ("nn.Conv3DTranspose(2, 2, in_channels=3)", (1, 3, 2, 3, 2)),
    "maxpool1d": ("nn.MaxPool1D()", (2, 3, 6)),
    "maxpool2d": ("nn.MaxPool2D(3, 2, 1)", (2, 3, 7, 6)),
    "maxpool2d_ceil": ("nn.MaxPool2D((3, 2), strides=2, ceil_mode=True)", (2, 3, 8, 7)),
    "maxpool3d": ("nn.MaxPool3D()", (1, 2, 4, 4, 5)),
    "avgpool1d": ("nn.AvgPool1D(3, 2, 1)", (2, 3, 7)),
    "avgpool2d": ("nn.AvgPool2D(2, padding=1, count_include_pad=False)", (2, 3, 6, 5)),
    "avgpool2d_include": ("nn.AvgPool2D(2, padding=1)", (2, 3, 6, 5)),
    "avgpool3d": ("nn.AvgPool3D()", (1, 2, 4, 4, 4)),
    "globalmaxpool1d": ("nn.GlobalMaxPool1D()", (2, 3, 5)),
    "globalmaxpool2d": ("nn.GlobalMaxPool2D()", (2, 3, 5, 4)),
    "globalmaxpool3d": ("nn.GlobalMaxPool3D()", (2, 3, 3, 2, 2)),
    "globalavgpool1d": ("nn.GlobalAvgPool1D()", (2, 3, 5)),
    "globalavgpool2d": ("nn.GlobalAvgPool2D()", (2, 3, 5, 4)),
    "globalavgpool3d": ("nn.GlobalAvgPool3D()", (2, 3, 3, 2, 2)),
    "reflectionpad2d": ("nn.ReflectionPad2D(2)", (1, 2, 4, 5)),
    "hybridlambda": ("nn.HybridLambda('tanh')", (2, 3)),
    "lambda": ("nn.Lambda('relu')", (2, 3)),
}

_LABELS = {"real": lambda rng, shape: rng.normal(size=shape), "sign": lambda rng, shape: rng.choice([-1, 1], shape),
           "bit": lambda rng, shape: rng.integers(0, 2, shape), "class": lambda rng, shape: rng.integers(0, 3, shape),
           "count": lambda rng, shape: rng.integers(0, 5, shape),
           "probability": lambda rng, shape: _simplex(rng, shape),
           "unit": lambda rng, shape: rng.uniform(0.05, 0.95, shape),
           "weight": lambda rng, shape: rng.uniform(0, 2, shape),
           "log_probability": lambda rng, shape: np.log(_simplex(rng, shape))}

# name -> (expression on `loss`, [(kind, shape) of each input])
LOSSES = {
    "l2": ("loss.L2Loss()", [("real", (4, 3)), ("real", (4, 3))]),
    "l2_column": ("loss.L2Loss(weight=0.5)", [("real", (4, 1)), ("real", (4,))]),
    "l2_sample_weight": ("loss.L2Loss()", [("real", (4, 3)), ("real", (4, 3)), ("weight", (4, 1))]),
    "l1": ("loss.L1Loss()", [("real", (4, 3)), ("real", (4, 3))]),
    "l1_batch_axis": ("loss.L1Loss(batch_axis=1, weight=2)", [("real", (4, 3)), ("real", (4, 3))]),
    "sigmoid_bce": ("loss.SigmoidBCELoss()", [("real", (4, 3)), ("bit", (4, 3))]),
    "sigmoid_bce_pos": ("loss.SigmoidBinaryCrossEntropyLoss()",
                        [("real", (4, 3)), ("bit", (4, 3)), ("weight", (4, 1)), ("weight", (1, 3))]),
    "sigmoid_bce_from": ("loss.SigmoidBCELoss(from_sigmoid=True)", [("unit", (4, 3)), ("bit", (4, 3))]),
    "sigmoid_bce_from_pos": ("loss.SigmoidBCELoss(from_sigmoid=True)",
                             [("unit", (4, 3)), ("bit", (4, 3)), ("weight", (4, 1)), ("weight", (1, 3))]),
    "softmax_ce": ("loss.SoftmaxCELoss()", [("real", (4, 3)), ("class", (4,))]),
    "softmax_ce_column": ("loss.SoftmaxCELoss(weight=3)", [("real", (4, 3)), ("class", (4, 1))]),
    "softmax_ce_axis": ("loss.SoftmaxCrossEntropyLoss(axis=1)", [("real", (4, 3, 2)), ("class", (4, 2))]),
    "softmax_ce_weight": ("loss.SoftmaxCELoss()", [("real", (4, 3)), ("class", (4,)), ("weight", (4, 1))]),
    "softmax_ce_dense": ("loss.SoftmaxCELoss(sparse_label=False)", [("real", (4, 3)), ("probability", (4, 3))]),
    "softmax_ce_logits": ("loss.SoftmaxCELoss(from_logits=True)", [("log_probability", (4, 3)), ("class", (4,))]),
    "kldiv": ("loss.KLDivLoss()", [("log_probability", (4, 3)), ("probability", (4, 3))]),
    "kldiv_softmax": ("loss.KLDivLoss(from_logits=False)", [("real", (4, 3)), ("probability", (4, 3))]),
    "ctc": ("loss.CTCLoss()", [("real", (2, 6, 5)), ("class", (2, 2))]),
    "ctc_tnc": ("loss.CTCLoss('TNC', 'TN', weight=2)", [("real", (6, 2, 5)), ("class", (2, 2))]),
    "huber": ("loss.HuberLoss()", [("real", (4, 3)), ("real", (4, 3))]),
    "huber_rho": ("loss.HuberLoss(rho=0.5)", [("real", (4, 3)), ("real", (4, 3)), ("weight", (4, 1))]),
    "hinge": ("loss.HingeLoss()", [("real", (4, 3)), ("sign", (4, 3))]),
    "squared_hinge": ("loss.SquaredHingeLoss(margin=2)", [("real", (4, 3)), ("sign", (4, 3))]),
    "logistic": ("loss.LogisticLoss()", [("real", (4, 3)), ("sign", (4, 3))]),
    "logistic_binary": ("loss.LogisticLoss(label_format='binary')", [("real", (4, 3)), ("bit", (4, 3))]),
    "triplet": ("loss.TripletLoss()", [("real", (4, 3)), ("real", (4, 3)), ("real", (4, 3))]),
    "poisson": ("loss.PoissonNLLLoss()", [("real", (4, 3)), ("count", (4, 3))]),
    "poisson_mean": ("loss.PoissonNLLLoss(from_logits=False)", [("unit", (4, 3)), ("count", (4, 3))]),
    "poisson_full": ("loss.PoissonNLLLoss(compute_full=True)", [("real", (4, 3)), ("weight", (4, 3))]),
    "cosine": ("loss.CosineEmbeddingLoss()", [("real", (4, 3)), ("real", (4, 3)), ("sign", (4,))]),
    "cosine_margin": ("loss.CosineEmbeddingLoss(margin=-0.2, weight=2)",
                      [("real", (4, 3)), ("real", (4, 3)), ("sign", (4,))]),
    "sdml": ("loss.SDMLLoss()", [("real", (4, 3)), ("real", (4, 3))]),
}


def _simplex(rng, shape):
    x = rng.uniform(0.1, 1, shape)
    return x / x.sum(-1, keepdims=True)


def loss_inputs(name):
    """The inputs of a loss case, as float32 arrays."""
    rng = np.random.default_rng(sum(map(ord, name)))
    return [_LABELS[kind](rng, shape).astype("float32") for kind, shape in LOSSES[name][1]]


def layer_input(name):
    """The input of a layer case, as a float32 array."""
    rng = np.random.default_rng(sum(map(ord, name)))
    shape = LAYERS[name][1]
    return (rng.integers(0, 5, shape) if name == "embedding" else rng.normal(size=shape)).astype("float32")


def parameter_values(name, shapes):
    """Values for a layer's parameters, in order; variances must be positive."""
    rng = np.random.default_rng(sum(map(ord, name)) + 1)
    return [rng.uniform(0.2, 1, shape).astype("float32") for shape in shapes]


def signature(cls):
    """[(parameter, kind, default)] of a constructor. Defaults that are objects count by their class.

    `**unknown` takes what no constructor has, for a message.
    """
    plain = (int, float, str, bool, tuple, type(None))
    found = []
    for p in list(inspect.signature(cls.__init__).parameters.values())[1:]:
        if p.name == "unknown":
            continue
        default = "" if p.default is p.empty else repr(p.default) if isinstance(p.default, plain) \
            else type(p.default).__name__
        found.append([p.name, p.kind.name, default])
    return found


def lenet(nn):
    """The LeNet whose summary and names are compared."""
    net = nn.HybridSequential(prefix="lenet_")
    with net.name_scope():
        net.add(nn.Conv2D(6, kernel_size=5, padding=2, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(2, 2),
                nn.Conv2D(16, kernel_size=5, activation="relu"), nn.MaxPool2D(2, 2), nn.Flatten(),
                nn.Dense(120, activation="relu"), nn.Dropout(0.5), nn.Dense(84, activation="relu"), nn.Dense(10))
    return net
