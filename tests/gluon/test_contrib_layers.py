"""gluon.contrib: layers and datasets. Values and texts are those of MXNet 1.9.1 on the same calls."""

import hashlib
import zipfile

import numpy as np
import pytest

import minigluon as mx
from minigluon import gluon, nd
from minigluon.gluon.contrib import cnn, nn
from minigluon.gluon.contrib.data import IntervalSampler, text

pytestmark = pytest.mark.once


@pytest.mark.parametrize("kind", [nn.Concurrent, nn.HybridConcurrent])
def test_blocks_side_by_side(kind):
    net = kind(axis=1, prefix="both_")
    with net.name_scope():
        net.add(gluon.nn.Dense(2), nn.Identity(), gluon.nn.Dense(3))
    net.initialize()
    x = nd.random.normal(shape=(2, 4))
    expected = np.concatenate([block(x).asnumpy() for block in net], 1)
    np.testing.assert_array_equal(net(x).asnumpy(), expected)
    if kind is nn.HybridConcurrent:
        net.hybridize(static_alloc=True)
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-6)
    assert repr(net) == (f"{kind.__name__}(\n  (0): Dense(4 -> 2, linear)\n  (1): Identity(\n  \n  )\n"
                         "  (2): Dense(4 -> 3, linear)\n)")


def shuffled(x, factors):
    """The definition: the pixel at (q · f + r) of channel c comes from channel (c · product(f) + index of r)."""
    batch, channels, *sizes = x.shape
    out = np.empty((batch, channels // np.prod(factors), *np.multiply(sizes, factors)), x.dtype)
    for c, *place in np.ndindex(*out.shape[1:]):
        inner = np.ravel_multi_index([p % f for p, f in zip(place, factors, strict=True)], factors)
        source = [p // f for p, f in zip(place, factors, strict=True)]
        out[(slice(None), c, *place)] = x[(slice(None), c * np.prod(factors) + inner, *source)]
    return out


@pytest.mark.parametrize(("kind", "factor", "shape"), [
    (nn.PixelShuffle1D, 2, (2, 4, 3)), (nn.PixelShuffle2D, (2, 3), (2, 12, 2, 3)), (nn.PixelShuffle2D, 2, (1, 8, 1, 2)),
    (nn.PixelShuffle3D, (1, 2, 3), (1, 6, 2, 1, 2)), (nn.PixelShuffle3D, 2, (1, 8, 1, 2, 1)),
])
def test_pixel_shuffle(kind, factor, shape):
    layer, x = kind(factor), np.arange(np.prod(shape), dtype="float32").reshape(shape)
    expected = shuffled(x, (factor,) * (len(shape) - 2) if isinstance(factor, int) else factor)
    np.testing.assert_array_equal(layer(nd.array(x)).asnumpy(), expected)
    layer.hybridize()
    np.testing.assert_array_equal(layer(nd.array(x)).asnumpy(), expected)
    assert repr(layer) == f"{kind.__name__}({(factor,) * layer._rank if layer._rank > 1 and factor == 2 else factor})"


def test_mistakes_with_layers():
    with pytest.raises(ValueError, match=r"^PixelShuffle2D: factor is \(1, 2, 3\), expected a number or 2 of them$"):
        nn.PixelShuffle2D((1, 2, 3))
    with pytest.raises(mx.base.ShapeError, match="cannot split 3 into -1 x 4"):
        nn.PixelShuffle2D(2)(nd.ones((1, 3, 2, 2)))
    with pytest.raises(mx.MXNetError, match="^SyncBatchNorm: num_devices is 2, but statistics over several devices are "
                                            "not supported. Use nn.BatchNorm, which takes those of each device's part"):
        nn.SyncBatchNorm(num_devices=2)


BENT = {        # (class, arguments): (text, some outputs, their sum, some elements of the input's gradient)
    ("DeformableConvolution", ("padding", (1, 1))): (
        "DeformableConvolution(4 -> 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))",
        [-0.08783416, 0.00890338, -0.2532496, 0.12514222, -0.20526853], -5.0758853,
        [-0.13656914, 0.15487349, 0.07643314, 0.07037356, -0.29941204]),
    ("DeformableConvolution", ("groups", 2), ("strides", (2, 1)), ("dilation", (1, 2)), ("use_bias", False),
     ("num_deformable_group", 2), ("offset_use_bias", False), ("activation", "relu"), ("kernel_size", (3, 2))): (
        "DeformableConvolution(2 -> 4, kernel_size=(3, 2), stride=(2, 1), dilation=(1, 2), groups=2, bias=False, "
        "Activation(relu))",
        [0, 0.6516043, 0.21155043, 0.7984148, 0.1048807], 11.184999,
        [0, -0.00667571, -1.4059136, 1.3310074, 0.22883502]),
    ("ModulatedDeformableConvolution", ("padding", (1, 1))): (
        "ModulatedDeformableConvolution(4 -> 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))",
        [0.02471374, -0.08007328, -0.08228979, 0.27945083, -0.21340132], -4.8875065, None),   # MXNet: on GPUs alone
}


def some(shape, start):
    return nd.array(np.sin(np.arange(start, start + np.prod(shape)) * 1.7).reshape(shape))


@pytest.mark.parametrize("case", BENT, ids=str)
def test_bent_convolutions(case):
    name, options = case[0], {"kernel_size": (3, 3), **dict(case[1:])}
    text, some_outputs, total, some_gradients = BENT[case]
    layer = getattr(cnn, name)(4, prefix="d_", **options)
    layer.initialize()
    x = some((2, 4, 5, 6), 1)
    layer(x)
    for number, (_, param) in enumerate(sorted(layer.collect_params().items())):
        param.set_data(some(param.shape, 7 * number) * 0.5)
    x.attach_grad()
    with mx.autograd.record():
        y = layer(x)
    y.backward()
    assert repr(layer) == text
    np.testing.assert_allclose(y.asnumpy().ravel()[:5], some_outputs, rtol=1e-5, atol=1e-6)
    assert float(y.sum().asscalar()) == pytest.approx(total, rel=1e-5)
    if some_gradients is not None:
        np.testing.assert_allclose(x.grad.asnumpy().ravel()[:5], some_gradients, rtol=1e-5, atol=1e-6)
    layer.hybridize()
    np.testing.assert_allclose(layer(x).asnumpy(), y.asnumpy(), rtol=1e-5, atol=1e-6)


def test_the_order_of_parameters_is_mxnets():
    """By it files are written, states of optimizers numbered, and parameters initialized."""
    orders = [[p.name.split("conv0_")[1] for p in layer(4, (3, 3)).collect_params().values()]
              for layer in (cnn.DeformableConvolution, cnn.ModulatedDeformableConvolution)]
    offset, conv = ["offset_weight", "offset_bias"], ["deformable_conv_weight", "deformable_conv_bias"]
    assert orders == [offset + conv, conv + offset]


def test_sync_batch_norm_of_one_device():
    x = nd.random.normal(shape=(4, 3))
    both = [nn.SyncBatchNorm(in_channels=3, momentum=0.8), gluon.nn.BatchNorm(in_channels=3, momentum=0.8)]
    for layer in both:
        layer.initialize()
        with mx.autograd.record():
            layer(x)
    assert repr(both[0]) == (f"SyncBatchNorm(eps=1e-05, momentum=0.8, fix_gamma=False, use_global_stats=False, ndev=1, "
                             f"key='{both[0].prefix}', in_channels=3)")
    graph = nn.SyncBatchNorm()(mx.sym.var("data"))          # not initialized, as where backbones are cut
    assert '"_contrib_SyncBatchNorm"' in graph.tojson()
    for value in ("running_mean", "running_var"):
        np.testing.assert_array_equal(*[getattr(layer, value).data().asnumpy() for layer in both])


@pytest.mark.parametrize("hybridize", [False, True])
def test_sync_batch_norm_of_two_devices(hybridize):
    """As in MXNet, num_devices=None means all devices and 1 each by itself."""
    devices = [mx.cpu(0), mx.cpu(1)]
    layer, alone = nn.SyncBatchNorm(prefix="norm_"), nn.SyncBatchNorm(num_devices=1)
    for block in layer, alone:
        block.initialize(ctx=devices)
        block.hybridize(hybridize)
    x = nd.random.normal(shape=(4, 3), ctx=devices[1])
    with pytest.raises(mx.MXNetError) as caught:
        layer(x)
    assert str(caught.value) == (
        "SyncBatchNorm 'norm' is on cpu(0), cpu(1), but statistics over several devices are not supported. Use "
        "nn.BatchNorm or num_devices=1, which take those of each device's part of the batch, or give one device the "
        "whole batch.")
    with mx.autograd.record():
        np.testing.assert_allclose(alone(x).asnumpy().mean(0), 0, atol=1e-6)


def test_interval_sampler():
    assert list(IntervalSampler(13, 3)) == [0, 3, 6, 9, 12, 1, 4, 7, 10, 2, 5, 8, 11]
    assert list(IntervalSampler(13, 3, rollover=False)) == [0, 3, 6, 9, 12]


# -- WikiText ---------------------------------------------------------------------------------------------------------

TRAIN = " \n = Title = \n \n the cat sat \n on the <unk> \n the end \n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """An archive with a train and a validation file, whose digests take the place of the published ones."""
    contents = {"wiki.train.tokens": TRAIN, "wiki.valid.tokens": " the dog \n"}
    path = tmp_path / "wikitext-2-v1.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(f"wikitext-2/{name}", content)
    segments = {"train": "wiki.train.tokens", "validation": "wiki.valid.tokens", "test": "wiki.test.tokens"}
    digests = {name: hashlib.sha1(content.encode()).hexdigest() for name, content in contents.items()}
    published = {kind: (name, digests.get(name)) for kind, name in segments.items()}
    monkeypatch.setattr(text.WikiText2, "_segments", published)
    monkeypatch.setattr(text.WikiText2, "_archive", (path.name, hashlib.sha1(path.read_bytes()).hexdigest()))
    return tmp_path


def test_wikitext(files):
    train = text.WikiText2(root=str(files), seq_len=4)
    assert train.vocabulary.idx_to_token == ["<unk>", "<eos>", "the", "=", "Title", "cat", "end", "on", "sat"]
    assert train.frequencies["the"] == 3
    assert [train[i][0].asnumpy().tolist() for i in range(len(train))] == [[3, 4, 3, 1], [2, 5, 8, 1], [7, 2, 0, 1]]
    assert [train[i][1].asnumpy().tolist() for i in range(len(train))] == [[4, 3, 1, 2], [5, 8, 1, 7], [2, 0, 1, 2]]
    assert train[0][0].dtype == np.int32
    assert len(text.WikiText2(root=str(files), seq_len=30)) == 0
    valid = text.WikiText2(root=str(files), segment="validation", vocab=train.vocabulary, seq_len=1)
    assert [[int(x) for x in sample] for sample in (valid[0], valid[1])] == [[2, 0], [0, 1]]
    batch = next(iter(gluon.data.DataLoader(train, 2)))
    assert batch[0].shape == (2, 4)


def test_mistakes_with_wikitext(files):
    with pytest.raises(ValueError, match="^WikiText2: segment is 'foo', expected one of 'train', 'validation', "):
        text.WikiText2(root=str(files), segment="foo")
    with pytest.raises(mx.MXNetError, match=r"wikitext-2-v1.zip does not contain wiki.test.tokens$"):
        text.WikiText2(root=str(files), segment="test")
    (files / "wiki.train.tokens").write_text("other")
    with pytest.raises(mx.MXNetError, match="wiki.train.tokens is not the published file: its SHA-1 is"):
        text.WikiText2(root=str(files))
