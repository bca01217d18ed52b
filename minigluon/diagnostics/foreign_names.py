"""Names that people know from PyTorch, Keras and NumPy, and their equivalents here.

A row is a name and the text after "Write", or "nothing: " and the reason. `suggestions.py` adds this text to the
AttributeError for a name that does not exist.
"""

__all__ = ["ARGUMENTS", "ARRAYS", "BLOCKS", "MODULES", "TRAINERS"]

_CAST = "x.astype('float32'); the types are float32, float64, float16, uint8, int32, int8, int64"
_GPU = "x.as_in_context(mx.gpu(0)), or make the array there, nd.ones((2, 3), ctx=mx.gpu(0))"
_TO_NUMPY = "x.asnumpy()"
_NO_UNDERSCORE = "x[:] = value, or x += value: arrays have no methods that end in an underscore"

ARRAYS = {
    "to": "x.as_in_context(mx.gpu(0)) for a device, x.astype('float16') for a type",
    "cuda": _GPU,
    "cpu": "x.as_in_context(mx.cpu())",
    **dict.fromkeys(["float", "double", "half", "int", "long", "bool", "type"], _CAST),
    "numpy": _TO_NUMPY, "tolist": "x.asnumpy().tolist()",
    "view": "x.reshape((2, 3)); -1 stands for the length that follows",
    "unsqueeze": "x.expand_dims(axis)",
    "permute": "x.transpose((1, 0)), with the axes in one tuple", "t": "x.T",
    "dim": "x.ndim, without a call", "numel": "x.size, without a call",
    "ravel": "x.reshape((-1,))", "resize": "x.reshape(shape)",
    "clone": "x.copy()", "contiguous": "x itself: every array is contiguous",
    "expand": "x.broadcast_to(shape)", "expand_as": "x.broadcast_like(other)", "view_as": "x.reshape_like(other)",
    "matmul": "nd.dot(x, y), or x @ y", "mm": "nd.dot(x, y), or x @ y", "bmm": "nd.batch_dot(x, y)",
    "dot": "nd.dot(x, y), or x @ y",
    "add": "x + y", "sub": "x - y", "mul": "x * y", "div": "x / y", "pow": "x ** y",
    "clamp": "x.clip(low, high)", "masked_fill": "nd.where(mask, value * nd.ones_like(x), x)",
    "gather": "nd.pick(x, index), nd.take(x, index) or nd.gather_nd(x, indices)", "index_select": "nd.take(x, index)",
    "scatter": "nd.scatter_nd(data, indices, shape)", "chunk": "nd.split(x, num_outputs=2, axis=0)",
    "std": "((x - x.mean()) ** 2).mean().sqrt()", "var": "((x - x.mean()) ** 2).mean()",
    "cumsum": "nd.cumsum(x, axis=0)", "append": "nd.concat(x, y, dim=0)", "fill": "x[:] = value",
    "requires_grad": "x.grad is not None; x.attach_grad() makes x a variable",
    "requires_grad_": "x.attach_grad()",
    "retain_grad": "x.attach_grad() before x is used",
    "data": "x itself, or x.detach() for the values without their history",
    "zero_": "x[:] = 0", "fill_": "x[:] = value", "copy_": "x[:] = other",
    **dict.fromkeys(["add_", "sub_", "mul_", "div_", "normal_", "uniform_"], _NO_UNDERSCORE),
    "is_cuda": "x.context", "nonzero": "np.nonzero(x.asnumpy())",
}

_MODES = ("nothing: autograd.record() puts layers into training mode. Inside it, autograd.predict_mode() is inference")
_DEVICES = "net.collect_params().reset_ctx(mx.gpu(0)), or choose it at the start, net.initialize(ctx=mx.gpu(0))"

BLOCKS = {
    "eval": _MODES, "train": _MODES,
    **dict.fromkeys(["parameters", "named_parameters"], "net.collect_params(), a dict of Parameters by name"),
    "zero_grad": "nothing: backward overwrites gradients. With grad_req='add', net.collect_params().zero_grad()",
    **dict.fromkeys(["to", "cuda", "cpu"], _DEVICES),
    **dict.fromkeys(["half", "double", "float", "type"], "net.cast('float16')"),
    "state_dict": "net.save_parameters(filename), or net.collect_params()",
    "load_state_dict": "net.load_parameters(filename)",
    "children": "net._children.values(), or net[i] of a Sequential", "modules": "net.apply(function)",
    "named_modules": "net.apply(function)", "named_children": "net._children.items()",
    "add_module": "net.register_child(block, name), or net.add(block) of a Sequential",
    "append": "net.add(block)", "extend": "net.add(*blocks)",
    "register_buffer": "self.params.get_constant(name, value)",
    "register_parameter": "self.params.get(name, shape=shape)",
    "requires_grad_": "net.collect_params().setattr('grad_req', 'null')",
    **dict.fromkeys(["weights", "trainable_weights", "trainable_variables"], "net.collect_params()"),
    "fit": "a loop with autograd.record(), or gluon.contrib.estimator.Estimator(net, loss).fit(data, epochs=1)",
    "compile": "net.hybridize()", "predict": "net(x)", "evaluate": "metric.update(labels, net(x)) for each batch",
}

TRAINERS = {
    "zero_grad": BLOCKS["zero_grad"],
    "lr": "trainer.learning_rate, and trainer.set_learning_rate(0.01)",
    "param_groups": "trainer.learning_rate; lr_mult and wd_mult of a Parameter are its own factors",
    "state_dict": "trainer.save_states(filename)", "load_state_dict": "trainer.load_states(filename)",
    "consolidate_state_dict": "trainer.save_states(filename) in all processes",
    "minimize": "loss.backward() and trainer.step(batch_size)",
    "apply_gradients": "trainer.step(batch_size)",
}

_NO_GRAD = "nothing: outside autograd.record() nothing is recorded. Inside it, autograd.pause() stops the recording"
_DENSE = "nn.Dense(units), which infers its input size"
_ACTIVATION = "nn.Activation('{}'), or activation='{}' in the layer before"
_CROSS_ENTROPY = "gluon.loss.SoftmaxCrossEntropyLoss()"
_TRAINER = "gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1}); the optimizers are in mx.optimizer"
_L2 = "gluon.loss.L2Loss(), which is half of the squared error"

_ARRAY_MAKERS = {
    "tensor": "nd.array([[1, 2], [3, 4]])",
    "rand": "nd.random.uniform(shape=(2, 3))", "randn": "nd.random.normal(shape=(2, 3))",
    "randint": "nd.random.randint(0, 10, shape=(2, 3))",
    "no_grad": _NO_GRAD, "manual_seed": "mx.random.seed(1)", "seed": "mx.random.seed(1)",
}

_RNNS = {name: f"gluon.rnn.{name}(hidden_size)" for name in ("LSTM", "GRU", "RNN")}

MODULES: dict[str, dict[str, str]] = {
    "minigluon": {
        **_ARRAY_MAKERS,
        **{name: f"mx.nd.{name}" for name in (
            "array", "zeros", "ones", "arange", "full", "eye", "concat", "stack", "save", "load", "where", "dot", "exp",
            "sqrt", "sum", "mean")},
        "nn": "mx.gluon.nn", "loss": "mx.gluon.loss", "data": "mx.gluon.data", "Trainer": "mx.gluon.Trainer",
        "optim": "mx." + _TRAINER,
        "device": "mx.cpu() or mx.gpu(0)",
        "cuda": "mx.gpu(0) for a device, mx.num_gpus() for their number",
        "Tensor": "mx.nd.NDArray",
        **dict.fromkeys(["float32", "float64", "float16", "int32", "int64", "uint8"], "the type's name, 'float32'"),
    },
    "minigluon.ndarray": {
        **_ARRAY_MAKERS,
        "cat": "nd.concat(x, y, dim=0)", "matmul": "nd.dot(x, y), or nd.batch_dot(x, y) for batches of matrices",
        "mm": "nd.dot(x, y)", "bmm": "nd.batch_dot(x, y)", "einsum": "nd.dot, nd.batch_dot, transpose and sum",
        "permute": "nd.transpose(x, axes=(1, 0))", "unsqueeze": "nd.expand_dims(x, axis)",
        "vstack": "nd.concat(x, y, dim=0)", "hstack": "nd.concat(x, y, dim=1)", "absolute": "nd.abs(x)",
        "clamp": "nd.clip(x, low, high)", "asarray": "nd.array(a)", "tensordot": "nd.dot(x, y)",
        "std": ARRAYS["std"], "var": ARRAYS["var"], "gelu": "nd.LeakyReLU(x, act_type='gelu')",
        "cross_entropy": _CROSS_ENTROPY, "mse_loss": _L2, "linear": "nd.FullyConnected(x, weight, bias, num_hidden=n)",
        "conv2d": "nd.Convolution(x, weight, bias, kernel=(3, 3), num_filter=n)",
        "max_pool2d": "nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type='max')", "Tensor": "nd.NDArray",
        **dict.fromkeys(["float32", "float64", "float16", "int32", "int64", "uint8"], "the type's name, 'float32'"),
    },
    "minigluon.symbol": {
        "array": "nothing: a graph holds no numbers. Pass the array as an input, or make it a constant of the block, "
                 "self.params.get_constant(name, value)",
        "cat": "sym.concat(x, y, dim=0)", "matmul": "sym.dot(x, y), or sym.batch_dot(x, y) for batches of matrices",
        "unsqueeze": "sym.expand_dims(x, axis)", "permute": "sym.transpose(x, axes=(1, 0))",
        "clamp": "sym.clip(x, low, high)", "no_grad": _NO_GRAD,
    },
    "minigluon.autograd": {
        "no_grad": _NO_GRAD, "enable_grad": "autograd.record()", "inference_mode": "autograd.predict_mode()",
        "Variable": "x.attach_grad()", "GradientTape": "autograd.record()",
    },
    "minigluon.gluon": {
        **{name: f"gluon.nn.{name}" for name in (
            "Dense", "Sequential", "HybridSequential", "Conv2D", "Dropout", "Flatten")},
        **{name: f"gluon.data.{name}" for name in ("DataLoader", "Dataset", "ArrayDataset")},
        **{name: f"gluon.rnn.{name}" for name in ("LSTM", "GRU", "RNN")},
        "Module": "gluon.Block or gluon.HybridBlock", "Linear": "gluon." + _DENSE,
        "optim": _TRAINER, "optimizer": _TRAINER,
        "functional": "the functions of nd, or of F in hybrid_forward",
        "autograd": "mx.autograd", "nd": "mx.nd", "metric": "mx.metric", "init": "mx.init",
    },
    "minigluon.gluon.nn": {
        "Linear": _DENSE, "LazyLinear": _DENSE, "Bilinear": _DENSE,
        **{f"{kind}{d}d": f"nn.{kind}{d}D" for kind in ("Conv", "MaxPool", "AvgPool") for d in (1, 2, 3)},
        **{f"ConvTranspose{d}d": f"nn.Conv{d}DTranspose" for d in (1, 2, 3)},
        **{f"AdaptiveAvgPool{d}d": f"nn.GlobalAvgPool{d}D()" for d in (1, 2, 3)},
        **{f"BatchNorm{d}d": "nn.BatchNorm(), which infers the number of channels" for d in (1, 2, 3)},
        **{f"InstanceNorm{d}d": "nn.InstanceNorm()" for d in (1, 2, 3)},
        **{f"Dropout{d}d": "nn.Dropout(rate)" for d in (1, 2, 3)},
        **{name: _ACTIVATION.format(act, act) for name, act in (
            ("ReLU", "relu"), ("Sigmoid", "sigmoid"), ("Tanh", "tanh"), ("Softplus", "softrelu"),
            ("Softsign", "softsign"))},
        "Softmax": "nd.softmax(x) where probabilities are shown; " + _CROSS_ENTROPY + " has it inside",
        "LogSoftmax": "nd.log_softmax(x); " + _CROSS_ENTROPY + " has it inside",
        "CrossEntropyLoss": _CROSS_ENTROPY, "NLLLoss": "gluon.loss.SoftmaxCrossEntropyLoss(from_logits=True)",
        "MSELoss": _L2, "L1Loss": "gluon.loss.L1Loss()", "BCELoss": "gluon.loss.SigmoidBCELoss(from_sigmoid=True)",
        "BCEWithLogitsLoss": "gluon.loss.SigmoidBCELoss()",
        "Module": "nn.Block, or nn.HybridBlock, which hybridize() can compile",
        "ModuleList": "nn.Sequential(), or self.register_child(block) for each block of a list",
        "ModuleDict": "self.register_child(block, name) for each block",
        "Parameter": "self.params.get(name, shape=shape) inside a Block, or gluon.Parameter",
        "functional": "the functions of nd, or of F in hybrid_forward",
        "init": "mx.init, and pass one to net.initialize(mx.init.Xavier())",
        **_RNNS,
    },
    "minigluon.gluon.loss": {
        "CrossEntropyLoss": _CROSS_ENTROPY, "SoftmaxCrossEntropy": _CROSS_ENTROPY, "MSELoss": _L2,
        "NLLLoss": "gluon.loss.SoftmaxCrossEntropyLoss(from_logits=True)",
        "BCELoss": "gluon.loss.SigmoidBCELoss(from_sigmoid=True)", "BCEWithLogitsLoss": "gluon.loss.SigmoidBCELoss()",
        "SmoothL1Loss": "gluon.loss.HuberLoss()",
    },
    "minigluon.gluon.data": {
        "TensorDataset": "gluon.data.ArrayDataset(x, y)", "IterableDataset": "gluon.data.Dataset, with __getitem__ and "
        "__len__", "random_split": "dataset.shard(2, 0), dataset.take(n), or slices of the arrays",
        "WeightedRandomSampler": "a Sampler of your own, with __iter__ and __len__",
    },
    "minigluon.initializer": {
        **dict.fromkeys(["xavier_uniform_", "xavier_uniform", "xavier_normal_"], "mx.init.Xavier()"),
        **dict.fromkeys(["kaiming_normal_", "kaiming_normal", "kaiming_uniform_", "He"], "mx.init.MSRAPrelu()"),
        "normal_": "mx.init.Normal(sigma)", "uniform_": "mx.init.Uniform(scale)",
        "constant_": "mx.init.Constant(value)",
        "zeros_": "mx.init.Zero()", "ones_": "mx.init.One()",
    },
    "minigluon.ndarray.random": {
        "rand": "nd.random.uniform(shape=(2, 3))", "seed": "mx.random.seed(1)", "choice": "nd.random.multinomial(p)",
        "permutation": "nd.random.shuffle(x)",
    },
    "minigluon.optimizer": {"AdamW": "mx.optimizer.Adam(wd=0.01), whose decay is part of the gradient"},
    "minigluon.gluon.rnn": {},
    "minigluon.gluon.data.vision": {},
    "minigluon.gluon.data.vision.transforms": {"RandomHorizontalFlip": "transforms.RandomFlipLeftRight()",
                                               "RandomVerticalFlip": "transforms.RandomFlipTopBottom()"},
    "minigluon.gluon.model_zoo.vision": {},
    "minigluon.metric": {},
    "minigluon.lr_scheduler": {"StepLR": "mx.lr_scheduler.FactorScheduler(step, factor)",
                               "MultiStepLR": "mx.lr_scheduler.MultiFactorScheduler(step, factor)",
                               "CosineAnnealingLR": "mx.lr_scheduler.CosineScheduler(max_update)"},
}

# the arguments of layers and optimizers
ARGUMENTS = {
    "lr": ("learning_rate",), "weight_decay": ("wd",), "betas": ("beta1", "beta2"), "eps": ("epsilon",),
    "bias": ("use_bias",), "in_features": ("in_units",), "out_features": ("units",),
    "out_channels": ("channels",), "kernel": ("kernel_size",), "stride": ("strides",), "pad": ("padding",),
    "dilate": ("dilation",), "num_filter": ("channels",), "num_hidden": ("units",), "p": ("rate",),
    "num_embeddings": ("input_dim",), "embedding_dim": ("output_dim",), "num_features": ("in_channels",),
    "batch_first": ("layout",), "input_shape": ("in_units",), "kernel_initializer": ("weight_initializer",),
    "act": ("activation",), "act_type": ("activation",), "filters": ("channels",),
}
