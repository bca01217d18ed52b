"""Graphs that minigluon and MXNet 1.9.1 both make: `build(mx, name)` with either as mx, for each of `names`."""

from op_cases import CASES

__all__ = ["OLD", "build", "names"]

X = {"x": (2, 6, 8, 8)}
XY = {"x": (2, 3), "y": (2, 3)}


def dense(sym):
    x = sym.var("x")
    hidden = sym.Activation(sym.FullyConnected(x, num_hidden=4, name="fc1"), act_type="relu")
    return sym.SoftmaxOutput(sym.FullyConnected(hidden, num_hidden=2, no_bias=True), name="softmax")


def convolutions(sym):
    x = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=4, pad=(1, 1), stride=(1, 1))
    x = sym.Pooling(sym.BatchNorm(x, eps=1e-5, fix_gamma=True), kernel=(2, 2), pool_type="max", stride=(2, 2))
    x = sym.Deconvolution(x, kernel=(2, 2), num_filter=3, stride=(2, 2), no_bias=False)
    return sym.Flatten(sym.Pooling(x, global_pool=True, pool_type="avg", kernel=(1, 1)))


def shared_statistics(sym):
    x, mean, var = sym.var("x"), sym.var("mean"), sym.var("variance")
    once = sym.BatchNorm(x, moving_mean=mean, moving_var=var, name="first")
    twice = sym.BatchNorm(once, moving_mean=mean, moving_var=var, momentum=0.5, name="second")
    return sym.Group([twice, once])


def statistics_read_afterwards(sym):
    mean = sym.var("mean")
    out = sym.BatchNorm(sym.var("x"), moving_mean=mean, output_mean_var=True)
    return sym.Group([out[0], out[1], mean + 1, mean])


def normalizations(sym):
    x = sym.LayerNorm(sym.InstanceNorm(sym.var("x"), eps=0.001), axis=-1)
    x = sym.GroupNorm(x, num_groups=3)
    return sym.LRN(sym.L2Normalization(x, mode="channel"), nsize=3, alpha=1e-4)


def pieces(sym):
    parts = sym.split(sym.var("x"), num_outputs=3, axis=1)
    return sym.Group([parts[2], parts[0] * 2, sym.SliceChannel(parts[1], num_outputs=2, squeeze_axis=False)])


def many_inputs(sym):
    return sym.concat(*[sym.var(f"v{i}") for i in range(11)], dim=1)


def joined(sym):
    x, y = sym.var("x"), sym.var("y")
    return sym.Group([sym.add_n(x, y, x), sym.stack(x, y, axis=1), sym.ElementWiseSum(x, y), sym.Concat(x, y, dim=0)])


def symbols_and_symbols(sym):
    x, y = sym.var("x"), sym.var("y")
    return sym.Group([x + y, x - y, x * y, x / y, x % y, x ** y, x == y, x != y, x > y, x >= y, x < y, x <= y,
                      sym.maximum(x, y), sym.minimum(x, y), sym.hypot(x, y), x + x])


def symbols_and_numbers(sym):
    x = sym.var("x")
    return sym.Group([x + 1, 1 + x, x - 1.5, 1 - x, x * 2, 2.5 * x, x / 3, 3 / x, x % 3, 3 % x, x ** 2, 2 ** x, -x,
                      x == 0, x != 0, x > 0.25, x >= 1e-7, x < 3, x <= 10 ** 9, 2 > x,        # noqa: SIM300
                      sym.maximum(x, 1), sym.minimum(2, x), sym.hypot(x, 3)])


def variables(sym):
    return sym.Group([sym.var("a", shape=(2, 0), dtype="float16", lr_mult=2, wd_mult=0.5, init="zeros"),
                      sym.var("b", __mark__="yes", attr={"__other__": "1"}), sym.Variable("c", dtype="int64"),
                      sym.var("d", stype="default", shape=(3,))])


def strange_names(sym):
    return sym.Group([sym.relu(sym.var('quote " backslash \\ tab \t line \n größe'), name="é"), sym.var("{}[], ")])


def methods(sym):
    x = sym.var("x")
    return sym.Group([x.reshape((0, -1)), x.reshape(shape=(-1, 2)), x.astype("float16"), x.transpose(axes=(1, 0)),
                      x.sum(axis=(0, 1)), x.mean(axis=1, keepdims=True), x.slice_axis(axis=0, begin=1, end=None),
                      x.expand_dims(axis=0), x.clip(0, 1), x.flatten(), x.abs(), x.max(), x.softmax(axis=-1),
                      x.one_hot(depth=4), x.tile(reps=(2, 1)), x.swapaxes(dim1=0, dim2=1), x.topk(k=2)])


def spelled(sym):
    x = sym.var("x")
    return sym.Group([sym.stop_gradient(x), sym.BlockGrad(x), sym.cast(x, dtype="int32"), sym.Cast(x, dtype="int8"),
                      sym.identity(x), sym.MakeLoss(x, grad_scale=2.0), sym.make_loss(x), sym.Reshape(x, shape=(-1,)),
                      sym.SwapAxis(x, dim1=0, dim2=1), sym.sum_axis(x, axis=1), sym.broadcast_plus(x, x),
                      sym.linalg.gemm2(x, x, transpose_b=True), sym.contrib.arange_like(x, axis=0)])


def sources(sym):
    return sym.Group([sym.zeros((2, 3)), sym.ones(4, dtype="int32"), sym.full((2,), 7.5), sym.arange(5),
                      sym.arange(1, 7, 2, repeat=2), sym.linspace(0, 1, 5), sym.eye(3, 4),
                      sym.random.normal(shape=(2,)), sym.random.uniform(-1, 1, shape=(3, 2)),
                      sym.zeros((2,), dtype="float64", name="mine")])


def dropout(sym):
    return sym.Dropout(sym.Dropout(sym.var("x"), p=0.3, axes=(1,)), p=0.5, mode="always")


def left_out_inputs(sym):
    x = sym.var("x")
    return sym.Group([sym.LeakyReLU(x, act_type="prelu"), sym.LayerNorm(x), sym.BatchNorm(x),
                      sym.Embedding(sym.var("y"), input_dim=5, output_dim=2), sym.GroupNorm(x, num_groups=2)])


def losses(sym):
    x, y = sym.var("x"), sym.var("y")
    return sym.Group([sym.LinearRegressionOutput(x, y), sym.LogisticRegressionOutput(x, y, grad_scale=0.1),
                      sym.MAERegressionOutput(x), sym.SVMOutput(x), sym.smooth_l1(x, scalar=2.0)])


GRAPHS = {
    dense: {"x": (5, 3)}, convolutions: X, shared_statistics: X, statistics_read_afterwards: X, normalizations: X,
    pieces: X, many_inputs: {f"v{i}": (2, i + 1) for i in range(11)}, joined: XY, symbols_and_symbols: XY,
    symbols_and_numbers: {"x": (2, 3)}, variables: {"a": (2, 3), "b": (1,), "c": (4,)}, strange_names: None,
    methods: {"x": (4, 2)}, spelled: {"x": (3, 4)}, sources: {}, dropout: {"x": (4, 5)},
    left_out_inputs: {**X, "y": (3,)}, losses: {"x": (4, 5), "y": (4, 5)},
}


def scoped(mx):
    with mx.AttrScope(ctx_group="dev1", __mark__="a"):
        x = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=3, attr={"__lr_mult__": "2"})
        with mx.AttrScope(__mark__="b"), mx.name.Prefix("in_"):
            return mx.sym.relu(x) + mx.sym.exp(x, name="mine")


# -- gluon ----------------------------------------------------------------------------------------------------------

LAYERS = {
    "dense": lambda nn: nn.Dense(3, activation="tanh"),
    "dense_no_bias": lambda nn: nn.Dense(3, use_bias=False, flatten=False, in_units=8),
    "conv2d": lambda nn: nn.Conv2D(4, 3, padding=1, activation="relu"),
    "conv2d_groups": lambda nn: nn.Conv2D(6, (3, 2), strides=2, dilation=2, groups=3, use_bias=False),
    "conv2d_transpose": lambda nn: nn.Conv2DTranspose(4, 3, strides=2, output_padding=1),
    "max_pool": lambda nn: nn.MaxPool2D(2, padding=1),
    "avg_pool": lambda nn: nn.AvgPool2D((2, 3), strides=1, ceil_mode=True, count_include_pad=False),
    "global_max_pool": lambda nn: nn.GlobalMaxPool2D(),
    "global_avg_pool": lambda nn: nn.GlobalAvgPool2D(),
    "reflection_pad": lambda nn: nn.ReflectionPad2D(1),
    "batch_norm": lambda nn: nn.BatchNorm(),
    "batch_norm_bare": lambda nn: nn.BatchNorm(axis=-1, scale=False, center=False, use_global_stats=True),
    "layer_norm": lambda nn: nn.LayerNorm(),
    "instance_norm": lambda nn: nn.InstanceNorm(),
    "group_norm": lambda nn: nn.GroupNorm(num_groups=3),
    "dropout": lambda nn: nn.Dropout(0.3, axes=(1,)),
    "no_dropout": lambda nn: nn.Dropout(0),
    "flatten": lambda nn: nn.Flatten(),
    "activation": lambda nn: nn.Activation("softrelu"),
    "leaky": lambda nn: nn.LeakyReLU(0.1),
    "prelu": lambda nn: nn.PReLU(),
    "elu": lambda nn: nn.ELU(0.5),
    "selu": lambda nn: nn.SELU(),
    "gelu": lambda nn: nn.GELU(),
    "swish": lambda nn: nn.Swish(1.5),
    "embedding": lambda nn: nn.Embedding(10, 4),
    "lambda": lambda nn: nn.HybridLambda("tanh"),
    "lambda_function": lambda nn: nn.HybridLambda(lambda F, x: F.relu(x) * 2 + 1),
}


def net(mx, layer):
    block = layer(mx.gluon.nn)
    with mx.name.NameManager():
        return block(mx.sym.var("data"))


def lenet(nn):
    block = nn.HybridSequential(prefix="lenet_")
    with block.name_scope():
        block.add(nn.Conv2D(6, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(2), nn.Flatten(), nn.Dense(5),
                  nn.Dropout(0.5), nn.PReLU(), nn.Dense(2))
    return block


def residual(mx):
    class Residual(mx.gluon.nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.body = mx.gluon.nn.Conv2D(6, 3, padding=1)
                self.scale = self.params.get("scale", shape=(1,), init="ones", wd_mult=0.0)

        def hybrid_forward(self, F, x, scale):
            return F.relu(x + F.broadcast_mul(self.body(x), scale)) + self.body(x)

    return net(mx, lambda nn: Residual(prefix="res_"))


# -- one node for each case of the operators -------------------------------------------------------------------------

def function_of(sym, name):
    """The function a program would call for an operator's name; None when there is none."""
    for prefix, part in (("_contrib_", "contrib"), ("_linalg_", "linalg"), ("_image_", "image"), ("_", "_internal")):
        if name.startswith(prefix):
            return getattr(getattr(sym, part), name[len(prefix):] if part != "_internal" else name, None)
    return getattr(sym, name, None)


def node_of(mx, case):
    function = function_of(mx.sym, case.op)
    if function is None:
        return None
    return function(*[mx.sym.var(f"x{i}") for i in range(len(case.makers))], **case.attrs)


# -- what older versions wrote, put together by hand ---------------------------------------------------------------

OLD = {
    "0.11 attr": '''{"nodes": [
        {"op": "null", "name": "x", "inputs": []},
        {"op": "null", "name": "w", "attr": {"__shape__": "(3L, 0L)", "lr_mult": "2"}, "inputs": []},
        {"op": "null", "name": "b", "attr": {"num_hidden": "3"}, "inputs": []},
        {"op": "FullyConnected", "name": "fc", "attr": {"num_hidden": "3", "ctx_group": "a"},
         "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}],
        "arg_nodes": [0, 1, 2], "node_row_ptr": [0, 1, 2, 3, 4], "heads": [[3, 0, 0]],
        "attrs": {"mxnet_version": ["int", 1100]}}''',
    "0.8 param": '''{"nodes": [
        {"op": "null", "param": {}, "name": "x", "inputs": [], "backward_source_id": -1},
        {"op": "null", "param": {}, "name": "w", "inputs": [], "backward_source_id": -1},
        {"op": "null", "param": {}, "name": "b", "inputs": [], "backward_source_id": -1, "attr": {"wd_mult": "0"}},
        {"op": "FullyConnected", "param": {"no_bias": "False", "num_hidden": "3"}, "name": "fc",
         "inputs": [[0, 0], [1, 0], [2, 0]], "backward_source_id": -1,
         "attr": {"ctx_group": "stage1", "lr_mult": "0.2", "weight_lr_mult": "1.2"}},
        {"op": "null", "param": {}, "name": "bn_gamma", "inputs": [], "backward_source_id": -1},
        {"op": "null", "param": {}, "name": "bn_beta", "inputs": [], "backward_source_id": -1},
        {"op": "BatchNorm", "param": {"eps": "0.001", "fix_gamma": "True", "momentum": "0.9"}, "name": "bn",
         "inputs": [[3, 0], [4, 0], [5, 0]], "backward_source_id": -1},
        {"op": "argmax", "param": {"axis": "-1"}, "name": "best", "inputs": [[6, 0]], "backward_source_id": -1}],
        "arg_nodes": [0, 1, 2, 4, 5], "heads": [[7, 0]]}''',
    "1.0 argmax": '''{"nodes": [{"op": "null", "name": "x", "inputs": []},
        {"op": "argmax", "name": "best", "attrs": {"axis": "-1"}, "inputs": [[0, 0, 0]]}],
        "arg_nodes": [0], "node_row_ptr": [0, 1, 2], "heads": [[1, 0, 0]],
        "attrs": {"mxnet_version": ["int", 10000]}}''',
    "1.2 without versions": '''{"nodes": [{"op": "null", "name": "x", "attrs": {}, "inputs": []},
        {"op": "_Plus", "name": "sum", "inputs": [[0, 0], [0, 0]]}],
        "arg_nodes": [0], "heads": [[1, 0]], "attrs": {"mxnet_version": ["int", 10200]}}''',
}

# -- all together ---------------------------------------------------------------------------------------------------

_BUILDERS = {f.__name__: (lambda mx, f=f: f(mx.sym), shapes) for f, shapes in GRAPHS.items()}
_BUILDERS["scoped"] = scoped, {"x": (2, 2)}
_BUILDERS["lenet"] = (lambda mx: net(mx, lenet)), {"data": (2, 6, 8, 8)}
_BUILDERS["residual"] = residual, {"data": (2, 6, 8, 8)}
for _name, _layer in LAYERS.items():
    _BUILDERS[f"layer {_name}"] = (lambda mx, layer=_layer: net(mx, layer)), {"data": (2, 6, 8, 8)}
for _case in CASES:
    if "update" in _case.op or _case.op == "reset_arrays":      # they write into arrays: MXNet's graphs take none
        continue
    _BUILDERS[f"op {_case.id}"] = (lambda mx, case=_case: node_of(mx, case)), {
        f"x{i}": a.shape for i, a in enumerate(_case.inputs())}

names = list(_BUILDERS)


def build(mx, name):
    """(symbol or None, shapes to start from or None)."""
    make, shapes = _BUILDERS[name]
    with mx.name.NameManager():
        return make(mx), shapes
