"""The model zoo: names, shapes, printed forms, graphs and scores are MXNet's; published files are found or asked for.

`record_mxnet_zoo.py` made what is compared with. MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> runs the real
library for some networks of full size; `compare_zoo.py` does it for all of them, and prints a table. With
MINIGLUON_TORCH_PYTHON the networks of the benchmarks in PyTorch are looked at, too.
"""

import hashlib
import json
import os
import subprocess

import numpy as np
import pytest
from helpers import ROOT
from records import DATA, compare_zoo
from records import zoo_cases as cases

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, FileFormatError
from minigluon.gluon.model_zoo import model_store, text, vision

RECORDED = json.loads((DATA / "mxnet_zoo.json").read_text())
MXNET, TORCH = (os.environ.get(f"MINIGLUON_{library}_PYTHON") for library in ("MXNET", "TORCH"))


# -- the same networks as MXNet's -------------------------------------------------------------------------------------

def test_get_model_knows_mxnets_networks():
    others = {"nasnet_a_mobile", "resnet50_v1b", "resnet101_v1b", "resnet152_v1b"}
    assert sorted(RECORDED) == sorted(vision._MODELS.keys() - others)
    assert sorted(RECORDED) == cases.NAMES


@pytest.mark.parametrize("name", cases.NAMES)
def test_names_shapes_and_graph_are_mxnets(name):
    assert cases.summary(mx, name) == RECORDED[name]


@pytest.mark.parametrize("name", cases.SMALL)
def test_scores_are_mxnets(name):
    net, x = cases.build_filled(mx, name, cases.SMALL[name], classes=10)
    with np.load(DATA / "mxnet_zoo.npz") as recorded:
        expected = recorded[name]
    net.hybridize()
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
@pytest.mark.parametrize("name", ["resnet18_v2", "squeezenet1.0", "densenet121"])
def test_the_real_library_computes_the_same(name):
    apart = compare_zoo.compare(name, MXNET)
    assert compare_zoo.within(apart), apart


@pytest.mark.skipif(not TORCH, reason="MINIGLUON_TORCH_PYTHON does not name a Python with PyTorch")
def test_the_networks_written_in_pytorch_have_the_same_parameters():
    script = ROOT / "benchmarks" / "zoo_torch.py"
    found = json.loads(subprocess.run([TORCH, script], capture_output=True, text=True, check=True).stdout)
    assert sorted(found) == cases.NAMES
    for name, (shapes, scores) in found.items():
        net = cases.build(mx, name)
        known = cases.shapes_of(net(mx.sym.var("data")), name)
        trained = [list(known[p.name]) for p in net.collect_params().values() if p.grad_req != "null"]
        assert (shapes, scores) == (sorted(trained), [2, 1000]), name


# -- training ---------------------------------------------------------------------------------------------------------

def test_steps_of_a_hybridized_network_lower_the_loss():
    net, _ = cases.build_filled(mx, "mobilenetv2_0.25", 32, classes=10)
    x, label = nd.array(cases.image(4, 32)), nd.array([1, 2, 3, 4])
    net.hybridize()
    step = gluon.TrainStep(net, gluon.loss.SoftmaxCrossEntropyLoss(),
                           gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.02}))
    losses = [step(x, label).mean().asscalar() for _ in range(6)]
    # Four images leave four numbers to the last BatchNorms, so the path is rough, and rounding decides it.
    assert min(losses) < losses[0] * 0.7, losses


def test_features_are_kept_for_other_classes():
    """Fine-tuning, as textbooks write it."""
    trained, x = cases.build_filled(mx, "mobilenet0.25", 32)
    net = vision.mobilenet0_25(classes=3)
    net.features = trained.features
    net.output.initialize(mx.init.Xavier())
    assert net(x).shape == (1, 3)
    assert np.array_equal(net.features(x).asnumpy(), trained.features(x).asnumpy())


def test_thumbnails_keep_their_size():
    net = vision.resnet18_v2(classes=4, thumbnail=True)
    net.initialize()
    x = nd.zeros((1, 3, 16, 16))
    assert net(x).shape == (1, 4)
    assert net.features[:2](x).shape == (1, 64, 16, 16)


# -- NASNet-A ---------------------------------------------------------------------------------------------------------

def test_nasnet_has_the_papers_parameters():
    """Table 2 of the paper: NASNet-A (4 @ 1056) has 5.3 million."""
    net = vision.nasnet_a_mobile()
    graph = net(mx.sym.var("data"))
    shapes, _, _ = graph.infer_shape(data=(1, 3, 224, 224))
    count = sum(int(np.prod(shape)) for shape in shapes) - 3 * 224 * 224
    assert count == 5_289_978
    assert graph.infer_shape(data=(1, 3, 224, 224))[1] == [(1, 1000)]
    assert net.features[0](mx.sym.var("data")).infer_shape(data=(1, 3, 224, 224))[1] == [(1, 1056, 7, 7)]


def test_nasnet_is_the_same_hybridized_and_trains():
    net = vision.NASNetA(cells=1, penultimate=96, stem_channels=8, dropout=0, classes=3)
    net.initialize(mx.init.Xavier())
    x, label = nd.array(cases.image(4, 64)), nd.array([0, 1, 2, 0])
    imperative = net(x).asnumpy()
    net.hybridize()
    np.testing.assert_allclose(net(x).asnumpy(), imperative, rtol=1e-4, atol=1e-5)
    trainer, loss = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01}), gluon.loss.SoftmaxCELoss()
    losses = []
    for _ in range(8):
        with autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(4)
        losses.append(error.mean().asscalar())
    assert losses[-1] < losses[0] * 0.5, losses


@pytest.mark.parametrize("size", [63, 64, 65])
def test_every_second_pixel_of_each_half(size):
    """The second half comes from pixels one down and one to the right; there are zeros behind the last one."""
    from minigluon.gluon.model_zoo.vision.nasnet import Halving
    block = Halving(2)
    block.initialize(mx.init.One())
    x = np.random.RandomState(size).uniform(0.1, 1, (1, 1, size, size)).astype("float32")
    found = block(nd.array(x)).asnumpy()
    shifted = np.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)))[:, :, 1:, 1:]
    expected = np.concatenate([x[:, :, ::2, ::2], shifted[:, :, ::2, ::2]], axis=1) / np.sqrt(1.001)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


# -- files of parameters ----------------------------------------------------------------------------------------------

def test_published_files_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    expected = tmp_path / "models" / "squeezenet1.1-33ba0f93.params"
    with pytest.raises(mx.MXNetError) as caught:
        vision.squeezenet1_1(pretrained=True)
    assert str(caught.value) == (
        f"{expected} does not exist. Run `minigluon weights squeezenet1.1 FILE` on a file of torchvision "
        "(squeezenet1_1) and load its result with net.load_parameters, or put MXNet's own file there (it was published "
        f"in {model_store.apache_repo_url}gluon/models/squeezenet1.1-33ba0f93.zip) or into a folder that "
        "you pass as root=.")
    with pytest.raises(mx.MXNetError, match=r"18_v2-a81db45f.params does not exist. Put MXNet's own file there \("):
        vision.resnet18_v2(pretrained=True)
    with pytest.raises(mx.MXNetError, match=r"Run `minigluon weights gpt2_117m FILE` on a file of transformers \(gpt2"):
        text.get_model("gpt2_117m", pretrained=True, num_layers=1, units=24, vocab_size=50)
    with pytest.raises(ArgumentError, match=r"en_uncased, .*Run `minigluon weights resnet50_v1b FILE` on a file of"):
        vision.resnet50_v1b(pretrained=True)


def test_the_zoos_networks_of_torchvision():
    """ResNets with the stride in the 3 x 3 convolution: fewer parameters than MXNet's, which have biases."""
    ours, mxnets = vision.resnet50_v1b(classes=10), vision.resnet50_v1(classes=10)
    assert len(mxnets.collect_params()) - len(ours.collect_params()) == 32
    ours.initialize()
    x = nd.random.normal(shape=(1, 3, 64, 64))
    imperative = ours(x).asnumpy()
    assert [layer[0].body[3]._kwargs["stride"] for layer in ours.features[5:8]] == [(2, 2)] * 3
    ours.hybridize()
    np.testing.assert_allclose(ours(x).asnumpy(), imperative, rtol=1e-4, atol=1e-4)


def test_a_file_with_the_right_hash_is_loaded(tmp_path, monkeypatch):
    net, x = cases.build_filled(mx, "mobilenet0.25", 32)
    net.save_parameters(str(tmp_path / "own.params"))
    sha1 = hashlib.sha1((tmp_path / "own.params").read_bytes()).hexdigest()
    monkeypatch.setitem(model_store._model_sha1, "mobilenet0.25", sha1)
    (tmp_path / "own.params").rename(tmp_path / f"mobilenet0.25-{sha1[:8]}.params")
    loaded = vision.get_model("MobileNet0.25", pretrained=True, root=str(tmp_path), ctx=mx.cpu(0))
    assert np.array_equal(loaded(x).asnumpy(), net(x).asnumpy())


def test_other_files_under_a_published_name_are_refused(tmp_path):
    file = tmp_path / "alexnet-44335d1f.params"
    file.write_bytes(b"something")
    with pytest.raises(FileFormatError) as caught:
        vision.alexnet(pretrained=True, root=str(tmp_path))
    assert str(caught.value) == (
        f"the SHA-1 of {file} is not 44335d1f0046b328243b32a26a4fbd62d9057b45: it is damaged, or has other "
        f"parameters. Replace it with the published file, or read it with net.load_parameters(file).")
    assert file.read_bytes() == b"something"


def test_nets_without_published_parameters():
    with pytest.raises(ArgumentError, match="^There are no published parameters of 'nasnet_a_mobile'; they exist for"):
        vision.nasnet_a_mobile(pretrained=True)
    with pytest.raises(ValueError, match="'mobilenet0.30'.* Did you mean"):
        vision.get_mobilenet(0.3, pretrained=True)


def test_purge_removes_parameters_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    model_store.purge()
    folder = tmp_path / "models"
    folder.mkdir()
    for name in ("a.params", "b.params", "notes.txt"):
        (folder / name).write_text("")
    model_store.purge()
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    (folder / "c.params").write_text("")
    model_store.purge(root=str(folder))
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]


# -- mistakes ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("make", "message"), [
    (lambda: vision.get_model("resnet19_v1"), "get_model: the model 'resnet19_v1' is not known. Known: 'alexnet', "),
    (lambda: vision.get_resnet(1, 19), "ResNet: num_layers 19 is not known. Known: 18, 34, 50, 101, 152."),
    (lambda: vision.get_resnet(3, 18), "ResNet: version 3 is not known. Known: 1, 2."),
    (lambda: vision.get_vgg(12), "VGG: num_layers 12 is not known. Known: 11, 13, 16, 19."),
    (lambda: vision.SqueezeNet("2.0"), "SqueezeNet: version '2.0' is not known. Known: '1.0', '1.1'."),
    (lambda: vision.VGG([1, 1], [64]), "VGG: layers has 2 blocks and filters 1, expected as many."),
    (lambda: vision.ResNetV1(vision.BasicBlockV1, [2], [64]),
     "ResNetV1: layers has 1 stages and channels 1 numbers, expected one number more than stages."),
])
def test_mistakes(make, message):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert str(caught.value).startswith(message)


def test_the_nearest_name_is_offered():
    with pytest.raises(ValueError, match="Did you mean 'resnet18_v1'"):
        vision.get_model("resnet18v1")
