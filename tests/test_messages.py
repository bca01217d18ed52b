"""Every message that Gluon gives to a user's mistake, word for word: what, where, expected, found, remedy."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import loss, nn


def message(kind, function, *args, **kwargs):
    """The text of the error that a call raises."""
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    return str(caught.value.args[0] if isinstance(caught.value, KeyError) else caught.value)


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
    assert message(mx.MXNetError, gluon.Parameter("w", shape=(2, 0)).initialize) == (
        "Parameter 'w' cannot be initialized: its shape (2, 0) is not fully known. Give the full shape, or pass "
        "allow_deferred_init=True.")


def test_wrong_input_shape():
    layer = dense()
    layer(nd.ones((1, 2)))
    assert message(mx.MXNetError, layer, nd.ones((1, 5))) == (
        "FullyConnected: weight has shape (3, 2), expected (3, 5)\n"
        "  inputs: data (1, 5) float32, weight (3, 2) float32, bias (3,) float32\n"
        "  attributes: num_hidden=3, no_bias=False, flatten=True\n"
        "  parameter: 'fc_weight' of Dense 'fc' has shape (3, 2), fixed when the block was made or at its first "
        "forward pass\n"
        "  remedy: feed inputs of the same size as then, or make a new block; initialize(force_reinit=True) keeps the "
        "shape")


def test_wrong_input_rank_at_the_first_forward():
    layer = nn.Conv2D(4, 3, prefix="conv_")
    layer.initialize()
    assert message(mx.MXNetError, layer, nd.ones((2, 3))) == (
        "Convolution: data has shape (2, 3), expected 4 dimensions\n"
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
    assert message(mx.MXNetError, dense(), [1.0]) == \
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
        "cannot differentiate an array of shape (1, 3): it is not part of a recorded graph. Compute it inside `with "
        "autograd.record():` from arrays that have attach_grad() called, without going through asnumpy().")
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
    assert message(mx.MXNetError, nn.Embedding, 3, 2, sparse_grad=True, prefix="e_") == (
        "Parameter 'e_weight': grad_stype='row_sparse' is sparse storage, which minigluon does not have. Leave "
        "grad_stype at 'default': gradients and values are then dense.")


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
        "  Pass allow_missing=True to leave them as they are.")
    three.load_parameters(file, allow_missing=True)
    three.save_parameters(file)
    assert message(mx.MXNetError, two.load_parameters, file) == (
        f"file {file!r} has arrays that are no parameters of this block:\n"
        "  '2.weight'. Did you mean '1.weight'?\n"
        "  '2.bias'. Did you mean '1.bias'?\n"
        "  Pass ignore_extra=True to skip them.")
    two.load_parameters(file, ignore_extra=True)


def test_load_of_other_shapes_and_types(tmp_path):
    file = str(tmp_path / "a.params")
    dense(in_units=2).save_parameters(file)
    assert message(mx.MXNetError, dense(in_units=4).load_parameters, file) == \
        "Parameter 'fc_weight' of Dense 'fc' has shape (3, 4), but the loaded array has shape (3, 2)."
    assert message(mx.MXNetError, dense(in_units=2, dtype="float16").load_parameters, file) == (
        "Parameter 'fc_weight' of Dense 'fc' has dtype float16, but the loaded array has dtype float32. Pass "
        "cast_dtype=True to convert it.")
    nd.save(file, [nd.ones((2,))])
    assert message(mx.MXNetError, dense().load_parameters, file) == (
        f"file {file!r} holds 1 arrays without names, so they cannot be matched with parameters. Read it with nd.load.")


def test_names_in_a_parameter_dict():
    params = dense(in_units=2).params
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
    (lambda: loss.L1Loss(weight="2"), "L1Loss: weight is '2', expected a number or None. Weights for the items are "
                                      "given in the call, as sample_weight."),
    (lambda: loss.CTCLoss(layout="NCT"), "CTCLoss: layout is 'NCT', expected 'NTC' or 'TNC'"),
    (lambda: loss.LogisticLoss(label_format="x"), "LogisticLoss: label_format is 'x', expected 'signed' or 'binary'"),
])
def test_arguments_of_layers(make, text):
    assert message(ValueError, make) == text


def test_labels_that_do_not_fit():
    pred = nd.ones((4, 3))
    sparse, dense_ = loss.SoftmaxCELoss(), loss.SoftmaxCELoss(sparse_label=False)
    assert message(mx.MXNetError, sparse, pred, nd.ones((4, 3))) == (
        "SoftmaxCrossEntropyLoss: label has shape (4, 3) and pred has shape (4, 3), expected (4,). For labels that are "
        "distributions over the classes (one-hot vectors, for example), pass sparse_label=False.")
    assert message(mx.MXNetError, sparse, pred, nd.ones((5,))) == (
        "SoftmaxCrossEntropyLoss: label has shape (5,) and pred has shape (4, 3), expected (4,). With "
        "sparse_label=True, labels are class numbers: one for each prediction.")
    assert message(mx.MXNetError, dense_, pred, nd.ones((4,))) == (
        "SoftmaxCrossEntropyLoss: label has shape (4,) and pred has shape (4, 3), expected (4, 3), pred's own, with "
        "sparse_label=False. For labels that are class numbers, pass sparse_label=True.")
    assert message(mx.MXNetError, loss.L2Loss(), pred, nd.ones((4,))) == (
        "L2Loss: label has shape (4,) and pred has shape (4, 3), but both must have the same number of elements.")
    assert message(mx.MXNetError, loss.KLDivLoss(), pred, nd.ones((4, 1))) == \
        "KLDivLoss: label has shape (4, 1) and pred has shape (4, 3), but both must have the same shape."
    assert message(mx.MXNetError, loss.SDMLLoss(), pred, nd.ones((3, 3))) == \
        "SDMLLoss: x2 has shape (3, 3) and x1 has shape (4, 3), but both must have the same shape."
