"""Shapes that do not fit."""

from .table import mistake

mistake(
    "Arrays that do not broadcast",
    wrong="""
        x, bias = nd.ones((2, 3)), nd.ones((2,))
        x + bias
        """,
    error="ShapeError",
    says="broadcast_add: shapes (2, 3) of lhs and (2,) of rhs cannot be broadcast together: axes are paired from "
         "the right, and axis -1 has length 3 in lhs and 2 in rhs; they must be equal, or one of them 1\n"
         "  inputs: lhs (2, 3) float32, rhs (2,) float32\n"
         "  remedy: rhs.reshape((2, 1)) goes with lhs",
    cause="axis -1 has length 3 in lhs and 2 in rhs",
    place="broadcast_add",
    remedy="rhs.reshape((2, 1)) goes with lhs",
    right="""
        x + bias.reshape((2, 1))
        """)

mistake(
    "A product whose inner axes differ",
    wrong="""
        x, weight = nd.ones((2, 3)), nd.ones((4, 3))
        nd.dot(x, weight)
        """,
    error="ShapeError",
    says="dot: the last axis of lhs has length 3, but the first axis of rhs has 4; the product runs over both, so "
         "they must be equal\n"
         "  inputs: lhs (2, 3) float32, rhs (4, 3) float32\n"
         "  attributes: transpose_a=False, transpose_b=False, forward_stype=None\n"
         "  remedy: transpose_b=True runs over axes of equal length",
    cause="the last axis of lhs has length 3, but the first axis of rhs has 4",
    place="dot",
    remedy="transpose_b=True runs over axes of equal length",
    right="""
        nd.dot(x, weight, transpose_b=True)
        """)

mistake(
    "A batched product whose inner axes differ",
    wrong="""
        query, key = nd.ones((8, 5, 16)), nd.ones((8, 7, 16))
        nd.batch_dot(query, key)
        """,
    error="ShapeError",
    says="batch_dot: axis -1 of lhs (8, 5, 16) has length 16, but axis -2 of rhs (8, 7, 16) has 7; the product "
         "runs over both, so they must be equal\n"
         "  inputs: lhs (8, 5, 16) float32, rhs (8, 7, 16) float32\n"
         "  attributes: transpose_a=False, transpose_b=False, forward_stype=None\n"
         "  remedy: transpose_b=True runs over axes of equal length",
    cause="axis -1 of lhs (8, 5, 16) has length 16, but axis -2 of rhs (8, 7, 16) has 7",
    place="batch_dot",
    remedy="transpose_b=True runs over axes of equal length",
    right="""
        nd.batch_dot(query, key, transpose_b=True)
        """)

mistake(
    "An input whose width has changed",
    wrong="""
        layer = nn.Dense(4, prefix='fc_')
        layer.initialize()
        layer(nd.ones((8, 3)))
        layer(nd.ones((8, 5)))
        """,
    error="ShapeError",
    says="FullyConnected: weight has shape (4, 3), expected (4, 5)\n"
         "  inputs: data (8, 5) float32, weight (4, 3) float32, bias (4,) float32\n"
         "  attributes: num_hidden=4, no_bias=False, flatten=True\n"
         "  parameter: 'fc_weight' of Dense 'fc' has shape (4, 3), fixed when the block was created or in its first "
         "forward pass\n"
         "  remedy: feed inputs of the same size as then, or create a new block; initialize(force_reinit=True) keeps "
         "the shape",
    cause="weight has shape (4, 3), expected (4, 5)",
    place="'fc_weight' of Dense 'fc'",
    remedy="feed inputs of the same size as then, or create a new block",
    right="""
        layer(nd.ones((8, 3)))
        """)

mistake(
    "An image without a batch axis",
    wrong="""
        layer = nn.Conv2D(8, 3, prefix='conv_')
        layer.initialize()
        image = nd.ones((3, 32, 32))
        layer(image)
        """,
    error="ShapeError",
    says="Convolution: data has shape (3, 32, 32), expected 4 dimensions: batch, channels, height, width\n"
         "  node: 'conv_fwd'\n"
         "  inputs: data = 'data' (3, 32, 32), weight = 'conv_weight' (8, None, 3, 3), bias = 'conv_bias' (8,)\n"
         "  remedy: data.expand_dims(0), which has shape (1, 3, 32, 32), adds an axis of length 1",
    cause="data has shape (3, 32, 32), expected 4 dimensions: batch, channels, height, width",
    place="node: 'conv_fwd'",
    remedy="data.expand_dims(0), which has shape (1, 3, 32, 32)",
    right="""
        layer(image.expand_dims(0))
        """)

mistake(
    "Images with channels last",
    wrong="""
        layer = nn.Conv2D(8, 3, in_channels=3, prefix='conv_')
        layer.initialize()
        images = nd.ones((4, 32, 32, 3))
        layer(images)
        """,
    error="ShapeError",
    says="Convolution: weight has shape (8, 3, 3, 3), expected (8, 32, 3, 3)\n"
         "  inputs: data (4, 32, 32, 3) float32, weight (8, 3, 3, 3) float32, bias (8,) float32\n"
         "  attributes: kernel=(3, 3), stride=(1, 1), dilate=(1, 1), pad=(0, 0), num_filter=8, num_group=1, "
         "workspace=1024, no_bias=False, cudnn_tune=None, cudnn_off=False, layout='NCHW'\n"
         "  parameter: 'conv_weight' of Conv2D 'conv' has shape (8, 3, 3, 3), fixed when the block was created or in "
         "its first forward pass\n"
         "  remedy: data has its channels in another axis; data.transpose((0, 3, 1, 2)) has shape (4, 3, 32, 32)",
    cause="weight has shape (8, 3, 3, 3), expected (8, 32, 3, 3)",
    place="'conv_weight' of Conv2D 'conv'",
    remedy="data.transpose((0, 3, 1, 2)) has shape (4, 3, 32, 32)",
    right="""
        layer(images.transpose((0, 3, 1, 2)))
        """)

mistake(
    "Arrays joined along the wrong axis",
    wrong="""
        a, b = nd.ones((2, 3)), nd.ones((2, 4))
        nd.concat(a, b, dim=0)
        """,
    error="ShapeError",
    says="Concat: data1 has shape (2, 4) and data0 has (2, 3); all axes but the joined one, 0, must be equal\n"
         "  inputs: data0 (2, 3) float32, data1 (2, 4) float32\n"
         "  attributes: num_args=2, dim=0\n"
         "  remedy: dim=1 joins them, as all other axes are equal",
    cause="data1 has shape (2, 4) and data0 has (2, 3); all axes but the joined one, 0, must be equal",
    place="Concat",
    remedy="dim=1 joins them",
    right="""
        nd.concat(a, b, dim=1)
        """)

mistake(
    "A new shape with a different number of elements",
    wrong="""
        x = nd.ones((2, 3))
        x.reshape((4, 2))
        """,
    error="ShapeError",
    says="Reshape: data (2, 3) has 6 elements, but shape=(4, 2) asks for (4, 2), which has 8\n"
         "  inputs: data (2, 3) float32\n"
         "  attributes: shape=(4, 2), reverse=False, target_shape=(), keep_highest=False\n"
         "  remedy: shape=(-1, 2) has 6 elements; -1 stands for the length that follows",
    cause="data (2, 3) has 6 elements, but shape=(4, 2) asks for (4, 2), which has 8",
    place="Reshape",
    remedy="shape=(-1, 2) has 6 elements",
    right="""
        x.reshape((-1, 2))
        """)

mistake(
    "An axis that the array does not have",
    wrong="""
        x = nd.ones((2, 3))
        x.sum(axis=2)
        """,
    error="ShapeError",
    says="sum: axis 2 is out of range for 2 dimensions; the axes are -2 to 1\n"
         "  inputs: data (2, 3) float32\n"
         "  attributes: axis=(2,), keepdims=False, exclude=False",
    cause="axis 2 is out of range for 2 dimensions",
    place="data (2, 3)",
    remedy="the axes are -2 to 1",
    right="""
        x.sum(axis=1)
        """)

mistake(
    "One-hot labels where class numbers are expected",
    wrong="""
        pred, label = nd.ones((8, 10)), nd.one_hot(nd.zeros((8,)), 10)
        gluon.loss.SoftmaxCrossEntropyLoss()(pred, label)
        """,
    error="ShapeError",
    says="SoftmaxCrossEntropyLoss: label has shape (8, 10) and pred has shape (8, 10), expected (8,). For labels "
         "that are distributions over the classes (one-hot vectors, for example), pass sparse_label=False.",
    cause="label has shape (8, 10) and pred has shape (8, 10), expected (8,)",
    place="SoftmaxCrossEntropyLoss",
    remedy="pass sparse_label=False",
    right="""
        gluon.loss.SoftmaxCrossEntropyLoss(sparse_label=False)(pred, label)
        """)
