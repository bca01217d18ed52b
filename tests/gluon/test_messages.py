"""Every message that Gluon gives to a user's mistake, word for word: what, where, expected, found, remedy."""

import sys

import numpy as np
import pytest
from helpers.errors import message

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import MXNetError
from minigluon.gluon import loss, nn


def dense(**kwargs):
    layer = nn.Dense(3, prefix="fc_", **kwargs)
    layer.initialize()
    return layer


def net(count=2):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for _ in range(count):
            net.add(nn.Dense(3))
    return net


def test_uninitialized():
    layer = nn.Dense(3, prefix="fc_")
    text = ("Parameter 'fc_weight' of Dense 'fc' has not been initialized. Call initialize() on the outermost block, "
            "net.initialize(), and make the Trainer from net.collect_params(), which includes all nested blocks.")
    assert message(mx.MXNetError, layer, nd.ones((1, 2))) == text
    assert message(RuntimeError, layer.weight.data) == text
    assert message(mx.MXNetError, gluon.Trainer, [layer.weight], "sgd") == text


def test_deferred():
    layer = dense()
    assert message(gluon.DeferredInitializationError, layer.weight.data) == (
        "Parameter 'fc_weight' of Dense 'fc' has no value yet: its shape (3, 0) waits for the first forward pass. "
        "Dense 'fc' was never called. Pass one batch through the network first, or give the sizes when the layer is "
        "made (in_units, in_channels, ...).")


def test_deferred_until_the_first_step():
    block = net()
    block.initialize()
    trainer = gluon.Trainer(block.collect_params(), "sgd")
    block[0](nd.ones((1, 2)))
    assert message(gluon.DeferredInitializationError, trainer.step, 1) == (
        "parameters have no value yet, because the forward pass that tells their shapes did not reach them:\n"
        "  Parameter 'net_dense1_weight' of Dense 'net_dense1' (never called), shape (3, 0)\n"
        "  Pass one batch through the whole network before the first step, give the sizes when the layers are made "
        "(in_units, in_channels, ...), or leave unused layers out of the Trainer.")


def test_a_shape_that_cannot_be_deferred():
    assert message(ValueError, gluon.Parameter("w", shape=(2, 0)).initialize) == (
        "Parameter 'w' cannot be initialized: its shape (2, 0) is not fully known. Give the full shape, or pass "
        "allow_deferred_init=True.")


def test_wrong_input_shape():
    layer = dense()
    layer(nd.ones((1, 2)))
    assert message(mx.MXNetError, layer, nd.ones((1, 5))) == (
        "FullyConnected: weight has shape (3, 2), expected (3, 5)\n"
        "  inputs: data (1, 5) float32, weight (3, 2) float32, bias (3,) float32\n"
        "  attributes: num_hidden=3, no_bias=False, flatten=True\n"
        "  parameter: 'fc_weight' of Dense 'fc' has shape (3, 2), fixed when the block was created or in its first "
        "forward pass\n"
        "  remedy: feed inputs of the same size as then, or create a new block; initialize(force_reinit=True) keeps "
        "the shape")


def test_wrong_input_rank_at_the_first_forward():
    layer = nn.Conv2D(4, 3, prefix="conv_")
    layer.initialize()
    assert message(mx.MXNetError, layer, nd.ones((2, 3))) == (
        "Convolution: data has shape (2, 3), expected 4 dimensions: batch, channels, height, width\n"
        "  node: 'conv_fwd'\n"
        "  inputs: data = 'data' (2, 3), weight = 'conv_weight' (4, None, 3, 3), bias = 'conv_bias' (4,)")


def test_context_mismatch():
    layer = dense(in_units=2)
    assert message(mx.MXNetError, layer, nd.ones((1, 2), ctx=mx.cpu(1))) == (
        "Dense 'fc': the input of shape (1, 2) is on cpu(1), but parameter 'fc_weight' of shape (3, 2) is on cpu(0). "
        "Move the input with .as_in_context(cpu(0)), or the parameters with net.collect_params().reset_ctx(cpu(1)).")
    assert message(mx.MXNetError, layer.weight.data, mx.cpu(1)) == (
        "Parameter 'fc_weight' of Dense 'fc' is not on cpu(1); it is on cpu(0). Move the input with "
        ".as_in_context(cpu(0)), or the parameters with net.collect_params().reset_ctx(cpu(1)).")
    assert message(mx.MXNetError, lambda: nd.ones((1, 2)) + nd.ones((1, 2), ctx=mx.cpu(1))) == (
        "broadcast_add: inputs are on different devices: lhs (1, 2) on cpu(0), rhs (1, 2) on cpu(1). "
        "Move one with .as_in_context(cpu(0)).")


def test_what_is_no_array():
    assert message(ValueError, dense(), [1.0]) == \
        "Dense 'fc' takes NDArrays or Symbols, found list. Convert it with nd.array(...)."


def test_unknown_attribute_of_an_operator():
    assert message(mx.MXNetError, nd.FullyConnected, nd.ones((1, 2)), nd.ones((1, 2)), no_bias=True, num_hiden=1) == (
        "FullyConnected: unknown attribute 'num_hiden'; it has num_hidden, no_bias, flatten. Did you mean "
        "'num_hidden'?")


def test_unknown_dtype():
    known = "expected one of float32, float64, float16, uint8, int32, int8, int64, bool."
    assert message(mx.MXNetError, nn.Dense, 3, dtype="flaot32") == \
        f"unknown dtype 'flaot32'; {known} Did you mean 'float32'?"
    assert message(TypeError, nd.ones, (1,), dtype=np.complex64) == f"unknown dtype {np.complex64!r}; {known}"


def test_gradients():
    layer = dense(in_units=2)
    layer.bias.grad_req = "null"
    assert message(mx.MXNetError, layer.bias.grad) == (
        "Parameter 'fc_bias' of Dense 'fc' has no gradient, because its grad_req is 'null'. Set grad_req to 'write' or "
        "'add'.")
    assert message(mx.MXNetError, setattr, layer.weight, "grad_req", "wrong") == (
        "Parameter 'fc_weight' of Dense 'fc': grad_req is 'wrong', expected one of 'write', 'add', 'null'.")
    assert message(mx.MXNetError, layer(nd.ones((1, 2))).backward) == (
        "cannot differentiate an array of shape (1, 3): it is not part of a recorded graph. Compute it inside "
        "`with autograd.record():` from arrays that have attach_grad() called, without going through asnumpy().")
    with autograd.record():
        y = layer(nd.ones((1, 2)))
    y.backward()
    assert message(mx.MXNetError, y.backward) == (
        "the graph behind this array was freed by an earlier backward (at operator FullyConnected). To differentiate "
        "it twice, pass retain_graph=True to the first backward.")


def test_shapes_of_parameters():
    p = gluon.Parameter("w", shape=(2, 3))
    p.initialize()
    text = "Parameter 'w' has shape (2, 3), which cannot become (3, 2): only unknown dimensions (0) may be filled in."
    assert message(mx.MXNetError, p.set_data, nd.ones((3, 2))) == text
    assert message(mx.MXNetError, setattr, p, "shape", (3, 2)) == text


def test_sparse_storage():
    assert message(mx.MXNetError, gluon.Parameter, "w", grad_stype="rows") == (
        "Parameter 'w': grad_stype='rows' is no storage type, expected 'default', 'row_sparse' or 'csr'")
    assert message(mx.MXNetError, gluon.Parameter("w").row_sparse_data, nd.ones(1)) == (
        "Parameter 'w' has storage 'default': use data() instead.")


def test_load_of_missing_and_unexpected_parameters(tmp_path):
    file = str(tmp_path / "net.params")
    two, three = net(2), net(3)
    for block in (two, three):
        block.initialize()
        block(nd.ones((1, 3)))
    two.save_parameters(file)
    assert message(mx.MXNetError, three.load_parameters, file) == (
        f"file {file!r} lacks parameters of this block:\n"
        "  '2.weight'. Did you mean '1.weight'?\n"
        "  '2.bias'. Did you mean '1.bias'?\n"
        "  Pass allow_missing=True to leave them unchanged.")
    three.load_parameters(file, allow_missing=True)
    three.save_parameters(file)
    assert message(mx.MXNetError, two.load_parameters, file) == (
        f"file {file!r} has arrays that are not parameters of this block:\n"
        "  '2.weight'. Did you mean '1.weight'?\n"
        "  '2.bias'. Did you mean '1.bias'?\n"
        "  Pass ignore_extra=True to skip them.")
    two.load_parameters(file, ignore_extra=True)


def test_load_of_other_shapes_and_types(tmp_path):
    file = str(tmp_path / "a.params")
    dense(in_units=2).save_parameters(file)
    other = nn.Dense(4, in_units=4, prefix="fc_")
    assert message(mx.MXNetError, other.load_parameters, file) == (
        f"file {file!r} has shapes that differ from parameters of this block:\n"
        "  Parameter 'fc_weight' of Dense 'fc' has shape (4, 4), the file (3, 2)\n"
        "  Parameter 'fc_bias' of Dense 'fc' has shape (4,), the file (3,)\n"
        "  Create the block with the sizes of the saved one.")
    assert other.weight._data is None           # nothing was loaded of a file that does not fit
    assert message(mx.MXNetError, other.weight._load_init, nd.ones((3, 2)), None) == \
        "Parameter 'fc_weight' of Dense 'fc' has shape (4, 4), but the loaded array has shape (3, 2)."
    assert message(mx.MXNetError, dense(in_units=2, dtype="float16").load_parameters, file) == (
        "Parameter 'fc_weight' of Dense 'fc' has dtype float16, but the loaded array has dtype float32. Pass "
        "cast_dtype=True to convert it.")
    nd.save(file, [nd.ones((2,))])
    assert message(mx.MXNetError, dense().load_parameters, file) == (
        f"file {file!r} holds 1 arrays without names, so they cannot be matched with parameters. Read it with nd.load.")


def test_names_in_a_parameter_dict():
    block = dense(in_units=2)           # alive: a parameter does not keep its block
    params = block.params
    assert message(KeyError, params.__getitem__, "fc_wieght") == \
        "no parameter 'fc_wieght' in the dict with prefix 'fc_'. Did you mean 'fc_weight'?"
    assert message(mx.MXNetError, params.get, "weight", shape=(7, 7)) == (
        "Parameter 'fc_weight' of Dense 'fc' exists with shape=(3, 2), but shape=(7, 7) is asked for. Shared "
        "parameters must agree.")
    assert message(KeyError, params.get_constant, "one") == "no constant 'fc_one'. Give its value to make a new one."


def test_blocks_that_lack_something():
    class Nothing(gluon.Block):
        pass

    class NothingHybrid(gluon.HybridBlock):
        pass

    assert message(NotImplementedError, Nothing(), 1) == (
        "Nothing has no forward method. Write `def forward(self, x):`, or in a HybridBlock "
        "`def hybrid_forward(self, F, x):`.")
    assert message(NotImplementedError, NothingHybrid(), nd.ones((1,))) == \
        "NothingHybrid has no hybrid_forward method. Write `def hybrid_forward(self, F, x):`."
    assert message(mx.MXNetError, net().add, Nothing()) == (
        "HybridSequential 'net' is a HybridBlock, so its children must be hybrid, but the new child is a Nothing, "
        "which is a plain Block. Derive it from HybridBlock, or use Sequential instead of HybridSequential.")


def test_a_block_in_itself():
    outer, inner = nn.Sequential(prefix="outer_"), nn.Sequential(prefix="inner_")
    outer.add(inner)
    text = ("{0} {1!r} would be a part of itself: the new child is it, or has it inside. To store an outer block "
            "without making it a child, put it into a list, self.outer = [block].")
    assert message(mx.MXNetError, outer.add, outer) == text.format("Sequential", "outer")
    assert message(mx.MXNetError, setattr, inner, "parent", outer) == text.format("Sequential", "inner")
    inner.parent = [outer]
    assert list(outer.collect_params()) == []
    twice = nn.Dense(3)
    outer.add(twice, twice)


def test_attributes_that_change_their_kind():
    block = gluon.Block(prefix="b_")
    block.child = dense()
    assert message(TypeError, setattr, block, "child", 3) == \
        "Block 'b': attribute child is a Dense and cannot become a int"
    assert message(mx.MXNetError, setattr, block.child, "weight", gluon.Parameter("q")) == (
        "Dense 'fc': attribute weight already holds Parameter 'fc_weight' of Dense 'fc'; a registered parameter cannot "
        "be replaced.")


@pytest.mark.parametrize(("make", "text"), [
    (lambda: nn.Conv2D(3, (1, 2, 3)), "Conv2D: kernel_size is (1, 2, 3), expected an integer or 2 of them"),
    (lambda: nn.Conv3D(3, 1, strides="a"), "Conv3D: strides is 'a', expected an integer or 3 of them"),
    (lambda: nn.Conv2D(3, 3, layout="NCWH"), "Conv2D: layout is 'NCWH', expected 'NCHW' or 'NHWC'"),
    (lambda: nn.MaxPool2D((2,)), "MaxPool2D: pool_size is (2,), expected an integer or 2 of them"),
    (lambda: nn.AvgPool1D(2, padding=(1, 1)), "AvgPool1D: padding is (1, 1), expected an integer or 1 of them"),
    (lambda: nn.ReflectionPad2D((1, 1)), "ReflectionPad2D: padding is (1, 1), expected an integer or 8 of them"),
    (lambda: nn.LeakyReLU(-1), "LeakyReLU: alpha is -1, expected a slope of at least 0"),
    (lambda: nn.HybridLambda(3), "HybridLambda takes a function or the name of one, found int 3"),
    (lambda: nn.Lambda("softmaxx"), "minigluon.ndarray has no function 'softmaxx'. Did you mean 'softmax', 'Softmax', "
                                    "'log_softmax'?"),
    (lambda: loss.L1Loss(weight="2"), "L1Loss: weight is '2', expected a number or None. Pass weights for the items "
                                      "in the call, as sample_weight."),
    (lambda: loss.HingeLoss("2"), "HingeLoss: margin is '2', expected a number"),
    (lambda: loss.SquaredHingeLoss(None), "SquaredHingeLoss: margin is None, expected a number"),
    (lambda: loss.TripletLoss({}), "TripletLoss: margin is {}, expected a number"),
    (lambda: loss.CosineEmbeddingLoss(margin=(1, 2)), "CosineEmbeddingLoss: margin is (1, 2), expected a number"),
    (lambda: loss.SDMLLoss("x"), "SDMLLoss: smoothing_parameter is 'x', expected a number"),
    (lambda: loss.HuberLoss(None), "HuberLoss: rho is None, expected a number"),
    (lambda: loss.HuberLoss(rho=0), "HuberLoss: rho is 0, expected a number above 0; L1Loss is its limit"),
    (lambda: loss.SoftmaxCELoss("1"), "SoftmaxCrossEntropyLoss: axis is '1', expected an integer"),
    (lambda: loss.KLDivLoss(axis=0.5), "KLDivLoss: axis is 0.5, expected an integer"),
    (lambda: loss.CTCLoss(layout="NCT"), "CTCLoss: layout is 'NCT', expected 'NTC' or 'TNC'"),
    (lambda: loss.LogisticLoss(label_format="x"), "LogisticLoss: label_format is 'x', expected 'signed' or 'binary'"),
])
def test_arguments_of_layers(make, text):
    assert message(ValueError, make) == text


def test_options_of_losses_that_are_computed_with():
    pred, label = nd.array([[1, -2]]), nd.array([[1, 1]])
    assert loss.HingeLoss(margin=nd.array([2]))(pred, label).asnumpy().tolist() == [2.5]
    assert loss.HingeLoss(margin=np.float32(2))(pred, label).asnumpy().tolist() == [2.5]
    assert loss.SoftmaxCELoss(axis=np.int64(-1))(pred, nd.array([0])).shape == (1,)
    assert loss.L2Loss(weight=None)(pred, label).asnumpy().tolist() == loss.L2Loss()(pred, label).asnumpy().tolist()


def test_labels_that_do_not_fit():
    pred = nd.ones((4, 3))
    sparse, dense_ = loss.SoftmaxCELoss(), loss.SoftmaxCELoss(sparse_label=False)
    assert message(mx.MXNetError, sparse, pred, nd.ones((4, 3))) == (
        "SoftmaxCrossEntropyLoss: label has shape (4, 3) and pred has shape (4, 3), expected (4,). For labels that are "
        "distributions over the classes (one-hot vectors, for example), pass sparse_label=False.")
    assert message(mx.MXNetError, sparse, pred, nd.ones((5,))) == (
        "SoftmaxCrossEntropyLoss: label has shape (5,) and pred has shape (4, 3), expected (4,). With "
        "sparse_label=True, labels are class indices, one per prediction.")
    assert message(mx.MXNetError, dense_, pred, nd.ones((4,))) == (
        "SoftmaxCrossEntropyLoss: label has shape (4,) and pred has shape (4, 3), expected (4, 3), pred's own, with "
        "sparse_label=False. For labels that are class indices, pass sparse_label=True.")
    assert message(mx.MXNetError, loss.L2Loss(), pred, nd.ones((4,))) == (
        "L2Loss: label has shape (4,) and pred has shape (4, 3), but both must have the same number of elements. The "
        "units of the last layer are the number of predictions per item.")
    assert message(mx.MXNetError, loss.KLDivLoss(), pred, nd.ones((4, 1))) == \
        "KLDivLoss: label has shape (4, 1) and pred has shape (4, 3), but both must have the same shape."
    assert message(mx.MXNetError, loss.SDMLLoss(), pred, nd.ones((3, 3))) == \
        "SDMLLoss: x2 has shape (3, 3) and x1 has shape (4, 3), but both must have the same shape."


def test_unknown_keywords_of_layers_losses_and_optimizers():
    assert message(TypeError, nn.Dense, 3, actvation="relu") == (
        "Dense: unknown argument 'actvation'; it has units, activation, use_bias, flatten, dtype, weight_initializer, "
        "bias_initializer, in_units, prefix, params. Did you mean 'activation'?")
    assert message(mx.MXNetError, loss.L2Loss, weigth=2) == (
        "L2Loss: unknown argument 'weigth'; it has weight, batch_axis, prefix, params. Did you mean 'weight'?")
    assert message(mx.base.CallError, gluon.Trainer, dense().collect_params(), "sgd", {"learning_rat": 1}) == (
        "SGD: unknown argument 'learning_rat'; it has momentum, lazy_update, rescale_grad, param_idx2name, wd, "
        "clip_gradient, learning_rate, lr_scheduler, sym, begin_num_update, multi_precision, param_dict. "
        "Did you mean 'learning_rate'?")


@pytest.mark.parametrize(("layer", "text"), [
    (lambda: nn.Dense(-3), "Dense: units is -3, expected an integer, at least 1"),
    (lambda: nn.Dense("10"), "Dense: units is '10', expected an integer, at least 1"),
    (lambda: nn.Conv2D(0, 3), "Conv2D: channels is 0, expected an integer, at least 1"),
    (lambda: nn.Conv2D(4, 3, groups=0), "Conv2D: groups is 0, expected an integer, at least 1"),
    (lambda: nn.Conv1DTranspose(2.5, 3), "Conv1DTranspose: channels is 2.5, expected an integer, at least 1"),
    (lambda: nn.Embedding(-1, 3), "Embedding: input_dim is -1, expected an integer, at least 1"),
    (lambda: nn.Embedding(3, None), "Embedding: output_dim is None, expected an integer, at least 1"),
    (lambda: nn.Dropout("0.5"), "Dropout: rate is '0.5', expected a number from 0 to 1, the share of elements "
     "that are dropped"),
    (lambda: nn.Dense(3, activation=nn.Activation("relu")), "Dense: activation is Activation(relu), expected a name "
                                                            "such as 'relu'. Put an activation layer after this one."),
])
def test_sizes_that_a_layer_cannot_have(layer, text):
    assert message(ValueError, layer) == text


def test_init_forgets_super():
    class Net(gluon.HybridBlock):
        def __init__(self):
            self.fc = nn.Dense(3)

    class Late(gluon.Block):
        def __init__(self):
            self.size = 3

    for name, use in (("Net", Net), ("Late", lambda: Late()(nd.ones((1,)))), ("Late", lambda: Late().collect_params())):
        assert message(AttributeError, use) == (
            f"{name}.__init__ has to call super().__init__(**kwargs) before it sets layers and parameters, or asks the "
            "block for anything.")
    assert message(AttributeError, lambda: dense().wieght) == \
        "'Dense' object has no attribute 'wieght'. Did you mean 'weight'?"


def test_children_that_are_no_blocks():
    net = nn.HybridSequential(prefix="net_")
    what = "HybridSequential 'net': a child must be a Block, found "
    assert message(mx.base.CallError, net.add, nn.Dense) == what + "the class Dense. Make an instance: Dense(...)."
    assert message(TypeError, net.add, [nn.Dense(3)]) == what + "list. Unpack it: add(*layers)."
    assert message(TypeError, net.add, nd.relu) == what + "function. nn.Lambda creates one from a function."
    assert message(TypeError, net.add, 3) == what + "int."
    assert message(TypeError, nn.Sequential, nn.Dense(3), nn.Dense(4)) == (
        "Sequential: prefix is of type Dense, expected a string; layers go into it by net.add(...)")
    assert message(TypeError, nn.Dense, 3, prefix=4) == "Dense: prefix is of type int, expected a string"


def test_hybrid_forward_that_does_not_fit_its_call():
    class Scale(gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.factor = self.params.get("factor", shape=(2,))

        def hybrid_forward(self, F, x):
            return x * self.factor

    class NoF(gluon.HybridBlock):
        def hybrid_forward(self, x):
            return x

    class Broken(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return None + x

    rule = ". F comes first, then the inputs, then each parameter under the name of its attribute."
    x = nd.ones((1, 2))
    scale = Scale(prefix="s_")
    scale.initialize()
    text = ("Scale 's': hybrid_forward(F, x) is called with F, inputs: 1, parameters: factor, but got an unexpected "
            "keyword argument 'factor'" + rule)
    assert message(mx.base.CallError, scale, x) == text
    assert message(mx.base.CallError, scale, mx.sym.var("x")) == text
    scale.hybridize()
    assert message(TypeError, scale, x) == text
    assert message(TypeError, NoF(prefix="n_"), x) == (
        "NoF 'n': hybrid_forward(x) is called with F, inputs: 1, parameters: none, but too many positional arguments"
        + rule)
    assert message(TypeError, nn.Flatten(prefix="f_"), x, x) == (
        "Flatten 'f': hybrid_forward(F, x) is called with F, inputs: 2, parameters: none, but too many positional "
        "arguments" + rule)
    assert message(TypeError, Broken(), x).startswith("add: expected NDArrays or numbers")      # its own error stays


def test_initializers_that_are_none():
    assert message(ValueError, net().initialize, mx.cpu()) == (
        "initialize: init is cpu(0), expected an Initializer such as mx.init.Xavier(). Give a device by name: "
        "ctx=cpu(0).")
    assert message(ValueError, net().initialize, mx.init.Xavier) == (
        "initializer is the class Xavier, expected an instance or a name. Write Xavier().")
    assert message(ValueError, gluon.Trainer, dense().collect_params(), mx.optimizer.SGD) == (
        "optimizer is the class SGD, expected an instance or a name. Write SGD().")


def test_a_step_of_no_samples():
    layer = dense(in_units=2)
    trainer = gluon.Trainer(layer.collect_params(), "sgd", update_on_kvstore=False)
    for batch_size in (0, "4", None):
        for name in ("step", "update"):
            assert message(ValueError, getattr(trainer, name), batch_size) == (
                f"Trainer.{name}: batch_size is {batch_size!r}, expected the number of samples whose gradients were "
                "added up, at least 1")


def test_states_that_are_not_there(tmp_path):
    (tmp_path / "net.states").write_bytes(b"")
    trainer = gluon.Trainer(dense(in_units=2).collect_params(), "sgd")
    assert message(mx.MXNetError, trainer.load_states, str(tmp_path / "nte.states")) == (
        f"cannot read '{tmp_path}/nte.states': No such file or directory. Did you mean 'net.states'?")


def test_setting_an_attribute_that_no_parameter_has():
    assert message(ValueError, net().collect_params().setattr, "lr_mul", 2) == (
        "setattr: a Parameter has no attribute 'lr_mul'. Did you mean 'lr_mult', 'wd_mult'?")


def test_labels_and_predictions_swapped():
    assert message(ValueError, mx.metric.Accuracy().update, nd.ones((4, 3)), nd.ones((4,))) == (
        "accuracy: predictions have shape (4,) and labels (4, 3), expected equal shapes, or scores along axis 1 of the "
        "predictions. Are the two swapped? It is update(labels, preds).")


def test_a_length_in_the_place_of_a_device():
    assert message(mx.MXNetError, nd.ones, 2, 3) == (
        "a device is 3, expected a Context such as mx.cpu() or mx.gpu(0); a shape of several lengths is one tuple, "
        "(2, 3)")


def test_a_batch_size_that_is_a_text():
    assert message(ValueError, gluon.data.DataLoader, gluon.data.SimpleDataset([1, 2]), "2") == (
        "batch_size must be at least 1, found '2'")


def test_a_shape_for_a_name_that_the_graph_does_not_have():
    graph = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    assert message(mx.MXNetError, graph.simple_bind, mx.cpu(), dta=(2, 3)) == (
        "simple_bind: the shapes of data ?, fc_weight (3, ?) do not follow from the given ones: dta (2, 3). Give them "
        "by name, as in simple_bind(data=(2, 3)). The graph has no 'dta'. Did you mean 'data'?")


def test_modules_that_are_not_here():
    why = ("kernels compiled from CUDA text at run time are not here: write an operator (docs/1-one-operator.md), or "
           "use mx.operator.CustomOp.")
    for name in ("rtc",):
        for code in (f"from minigluon import {name}", f"import minigluon.{name}"):
            assert message(ImportError, exec, code) == f"from mxnet import {name}: {why}"
        assert not hasattr(mx, name)
    assert message(AttributeError, lambda: mx.rtc) == "mx.rtc: " + why
    assert message(AttributeError, lambda: mx.gluoon) == "module 'mx' has no attribute 'gluoon'. Did you mean 'gluon'?"


@pytest.mark.parametrize("walk", [
    lambda net: net.collect_params(), lambda net: net.initialize(), lambda net: net.cast("float16"),
    lambda net: net.apply(print), lambda net: net.hybridize(), lambda net: net.save_parameters("no/x.params"), repr,
    lambda net: net(mx.nd.ones((1,)))])
def test_blocks_in_blocks_more_deeply_than_python_calls(walk):
    net = gluon.nn.HybridSequential(prefix="inner_")
    for _ in range(300):                    # `add` looks at all blocks inside
        outer = gluon.nn.HybridSequential(prefix="outer_")
        outer.add(net)
        net = outer
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(220)
    try:
        with pytest.raises(MXNetError, match="blocks are nested more deeply than Python's recursion limit, 220,"):
            walk(net)
    finally:
        sys.setrecursionlimit(limit)
