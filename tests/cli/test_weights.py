"""`minigluon weights`: files that PyTorch wrote, hostile ones, and the names and shapes of other libraries' networks.

tests/libraries/torch_weights.py recorded them, and compares outputs with those libraries.
"""

import base64
import gzip
import io
import itertools
import json
import tracemalloc
import zipfile

import numpy as np
import pytest
from helpers.torch_files import FLOATS, Call, Name, pickled, tensor
from records import DATA

from minigluon import gluon, nd
from minigluon.base import FileFormatError, MXNetError
from minigluon.gluon import from_torch
from minigluon.gluon.model_zoo import foreign_weights, text, vision
from minigluon.gluon.model_zoo.module_order import in_module_order
from minigluon.gluon.model_zoo.twins import TWINS, WITHOUT
from minigluon.serialization import torch_files
from minigluon.tools import cli

pytestmark = pytest.mark.once

RECORDED = json.loads(gzip.decompress((DATA / "torch_names.json.gz").read_bytes()))
FILES = {name: base64.b64decode(content) for name, content in RECORDED.pop("files").items()}


@pytest.fixture
def read(tmp_path):
    """A function that reads bytes as a file."""
    def read(content):
        (tmp_path / "a.pth").write_bytes(content)
        return torch_files.read(str(tmp_path / "a.pth"))
    return read


@pytest.fixture
def problem(read, tmp_path):
    """A function that returns what reading these bytes complains about."""
    def problem(content):
        with pytest.raises(FileFormatError) as caught:
            read(content)
        told = f"{tmp_path / 'a.pth'} is not a state dict written by torch.save, or it is damaged: "
        assert str(caught.value).startswith(told)
        return str(caught.value).removeprefix(told)
    return problem


# -- files that PyTorch wrote -----------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["zip", "old", "checkpoint"])
def test_a_state_dict(read, name):
    arrays = read(FILES[name])
    assert {key: array.tolist() for key, array in arrays.items()} == {"weight": [[0, 1, 2], [3, 4, 5]],
                                                                      "bias": [0.5, -0.5]}
    assert all(array.dtype == np.float32 for array in arrays.values())


@pytest.mark.parametrize("name", ["kinds", "old kinds"])
def test_views_and_dtypes(read, name):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected = {"transposed": x.T, "part": x[1:, 2:], "bfloat16": x[0], "half": x[1].astype(np.float16),
                "integers": np.arange(3), "none": x[:0], "scalar": np.array(7), "bool": x[0] > 1, "parameter": x[0]}
    arrays = read(FILES[name])
    assert list(arrays) == list(expected)
    for key, array in expected.items():
        assert (arrays[key].dtype, arrays[key].shape) == (array.dtype, array.shape)
        assert np.array_equal(arrays[key], array)


def test_load_torch_reads_a_file(tmp_path):
    (tmp_path / "a.pth").write_bytes(FILES["old"])
    net = gluon.nn.Dense(2, in_units=3)
    gluon.utils.load_torch(net, tmp_path / "a.pth")
    assert net.bias.data().asnumpy().tolist() == [0.5, -0.5]
    with pytest.raises(MXNetError, match="No such file"):
        gluon.utils.load_torch(net, tmp_path / "b.pth")
    with pytest.raises(MXNetError, match="b.safetensors' does not keep the order of its arrays"):
        gluon.utils.load_torch(net, tmp_path / "b.safetensors")


@pytest.mark.parametrize(("name", "told"), [
    ("module", "it names torch.nn.modules.linear.Linear, which is not part of a state dict. Save module.state_dict() "
               "instead of the module"),
    ("list", "it holds a list, expected a dict of tensors by name"),
    ("expanded", "'x' of shape (3, 4) does not fit into its storage of 12 elements")])
def test_what_is_not_a_state_dict(problem, name, told):
    if name == "expanded":      # a row of 4 elements of a storage of 12; with one more row it is too large
        content = repacked("zip", pickled({"x": tensor(shape=(3, 5), strides=(0, 1))}))
        assert problem(content) == "'x' of shape (3, 5) does not fit into its storage of 6 elements"
        return
    assert problem(FILES[name]) == told


# -- hostile files ----------------------------------------------------------------------------------------------------

def repacked(name, content, **changed):
    """The bytes of a recorded zip file with another pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(FILES[name])) as source, zipfile.ZipFile(file, "w", **changed) as target:
        for info in source.infolist():
            target.writestr(info.filename, content if info.filename.endswith("data.pkl") else source.read(info))
    return file.getvalue()


def test_the_pickles_of_these_tests_are_like_pytorchs(read):
    assert read(repacked("zip", pickled({"x": tensor()})))["x"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(("value", "told"), [
    ({"x": tensor(shape=(1 << 40,), strides=(0,))}, "'x' of shape (1099511627776,) does not fit into its storage of 6 "
                                                    "elements"),
    ({"x": tensor(shape=(0, 1 << 47, 1 << 47), strides=(0, 0, 0))},
     "'x' of shape (0, 140737488355328, 140737488355328) does not fit into its storage of 6 elements"),
    ({"x": tensor(offset=1)}, "'x' of shape (2, 3) does not fit into its storage of 6 elements"),
    ({"x": tensor(strides=(1 << 47, 1))}, "'x' of shape (2, 3) does not fit into its storage of 6 elements"),
    ({"x": tensor(strides=(-1, 1))}, "'x' has an impossible storage, offset, shape or strides"),
    ({"x": tensor(shape=(True, 1))}, "'x' has an impossible storage, offset, shape or strides"),
    ({"x": tensor(shape=(1,) * 40, strides=(1,) * 40)}, "'x' has an impossible storage, offset, shape or strides"),
    ({"x": tensor(key=("storage", FLOATS, "../0", "cpu", 6))}, "'x' needs the storage '../0', which is missing"),
    ({"x": tensor(key=("storage", FLOATS, [], "cpu", 6))}, "it refers to a storage without a type, a key or a size"),
    ({"x": tensor(key=17)}, "it refers to 17, expected a storage"),
    ({"x": 3}, "'x' is 3, expected a tensor"),
    ({3: tensor()}, "it holds a dict, expected a dict of tensors by name"),
    ({"x": Call(Name("os", "system"), "true")}, "it names os.system, which is not part of a state dict. Save "
                                               "module.state_dict() instead of the module"),
    ({f"x{i}": tensor() for i in range(1000)}, "its arrays have more than 8 times the bytes of the file")])
def test_hostile_tensors(problem, value, told):
    content = repacked("zip", pickled(value))
    if isinstance(value, dict) and len(value) > 1:      # the pickle of so many names is as long as their arrays
        big = repacked("zip", pickled({f"{i}": tensor(key=("storage", FLOATS, "1", "cpu", 4096), shape=(4096,),
                                                      strides=(1,)) for i in range(500)}))
        content = with_storage(big, "1", bytes(4 * 4096))
    assert problem(content) == told


def with_storage(content, key, data):
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(file, "w") as target:
        for info in source.infolist():
            if not info.filename.endswith(f"/data/{key}"):
                target.writestr(info.filename, source.read(info))
        target.writestr(f"{info.filename.partition('/')[0]}/data/{key}", data)
    return file.getvalue()


def test_archives_that_torch_does_not_write(problem):
    good = pickled({"x": tensor()})
    assert problem(repacked("zip", good, compression=zipfile.ZIP_DEFLATED)).endswith(
        "is compressed; torch.save does not compress")
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert problem(empty.getvalue()) == "it has 0 entries '*/data.pkl', expected one"
    assert problem(b"PK\3\4" + bytes(100)).startswith("as a zip archive: ")
    assert problem(b"not a file of torch.save").startswith("at byte ")
    assert problem(b"").startswith("at byte 0: 1 more bytes are needed")
    assert problem(FILES["zip"].replace(b"little", b"bigbig")).startswith("as a zip archive: Bad CRC-32")


@pytest.mark.parametrize("name", ["zip", "old", "kinds"])
def test_every_truncation_and_many_changes(read, name):
    """Each of them gives arrays or a FileFormatError, and takes little memory."""
    content, draw = FILES[name], np.random.default_rng(0)
    changed = [content[:end] for end in range(0, len(content), 97)]
    for place in draw.integers(0, len(content), 100):
        changed.append(content[:place] + bytes([draw.integers(256)]) + content[place + 1:])
    tracemalloc.start()
    for bytes_ in changed:
        try:
            assert isinstance(read(bytes_), dict)
        except FileFormatError:
            continue
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 ** 22


# -- networks ---------------------------------------------------------------------------------------------------------

def test_each_network_of_the_zoo_has_a_twin_or_a_reason():
    assert sorted([*TWINS, *WITHOUT]) == sorted([*vision._MODELS, *text._MODELS])
    assert not TWINS.keys() & WITHOUT.keys()


def paired(net, state):
    """The pairs of `load_torch`, without values."""
    arrays = {name: array for name, array in state.items() if not name.endswith("num_batches_tracked")}
    params = {}
    sources, targets = from_torch._grouped(arrays), from_torch._layers(net, "", params)
    pairs = from_torch._paired(sources, targets, arrays, params)
    net.pairs = [pair for source, target in pairs for pair in from_torch._entries(source, target, arrays, params)]


@pytest.mark.parametrize("title", [title for title in RECORDED if not title.endswith("transformers")])
def test_names_and_shapes_of_torchvision_and_timm(title, monkeypatch):
    state = {name: np.broadcast_to(np.float32(0), shape) for name, shape in RECORDED[title].items()}
    monkeypatch.setattr(foreign_weights, "load_torch", paired)
    net, lines = foreign_weights.convert(title.split()[0], state)
    params = net._collect_params_with_prefix()
    assert sorted(name for _, name in net.pairs) == sorted(params)
    used = [source for source, _ in net.pairs if not source.startswith("expansion.")]
    assert used == [name for name in state if not name.startswith("AuxLogits.")
                    and not name.endswith("num_batches_tracked")]
    last = {"mobil": "net.output.add(nn.Dense(1000))", "incep": "# the published files expect"}
    assert lines[-1].startswith(last.get(title[:5], "net = vision.get_model("))


def test_too_many_arrays_are_refused_before_they_are_matched():
    state = {f"layer{i}.weight": np.zeros((64, 64, 3, 3), np.float32) for i in range(205)}
    with pytest.raises(MXNetError) as caught:
        foreign_weights.convert("resnet18_v1", state)
    assert str(caught.value) == ("The arrays are not those of torchvision or timm (resnet18). There are 205 of them, "
                                 "and resnet18_v1 has 102 parameters.")


@pytest.mark.parametrize("title", [title for title in RECORDED if not title.endswith("transformers")])
def test_the_order_of_modules_is_found_in_sorted_names(title):
    names = [name for name in RECORDED[title] if not name.startswith("AuxLogits.")
             and not name.endswith("num_batches_tracked")]
    assert list(in_module_order(title.split()[0], dict.fromkeys(sorted(names)))) == names
    assert list(in_module_order(title.split()[0], dict.fromkeys(names[::-1]))) == names[::-1]


def test_the_expansion_that_mobilenet_lacks_changes_nothing(tmp_path):
    draw = np.random.default_rng(0)
    state = {name: draw.random(shape, np.float32) for name, shape in RECORDED["mobilenetv2_1.0 of torchvision"].items()}
    net, _ = foreign_weights.convert("mobilenetv2_1.0", state)
    x = nd.array(draw.random((1, 32, 5, 5)) * 6)
    expansion = net.features[3].out
    assert expansion[0].weight.shape == (32, 32, 1, 1)
    np.testing.assert_allclose(expansion[2](expansion[1](expansion[0](x))).asnumpy(), x.asnumpy(), rtol=1e-6)
    assert np.array_equal(net.output[0].bias.data().asnumpy(), state["classifier.1.bias"])


@pytest.mark.parametrize(("name", "line"), [
    ("bert_12_768_12", "net = text.get_model('bert_12_768_12', vocab_size=50, max_length=20, num_layers=3)"),
    ("gpt2_117m", "net = text.get_model('gpt2_117m', vocab_size=50, max_length=20, num_layers=3)")])
def test_names_and_shapes_of_transformers(name, line):
    small = {21128: 50, 50257: 50, 512: 20, 1024: 20}
    state = {key: np.full([small.get(n, n) for n in shape], number, np.float32)
             for number, (key, shape) in enumerate(RECORDED[f"{name} of transformers"].items())}
    if name.startswith("bert"):     # old files
        state = {key.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): array
                 for key, array in state.items()}
    net, lines = foreign_weights.convert(name, state)
    assert lines == ["from minigluon.gluon.model_zoo import text", line]
    assert len({param.data().asnumpy().flat[0] for param in net.collect_params().values()}) == len(net.collect_params())


def test_the_command(tmp_path, monkeypatch, capsys):
    safetensors = pytest.importorskip("safetensors.numpy")
    monkeypatch.chdir(tmp_path)
    shapes = {**RECORDED["squeezenet1.1 of torchvision"], "classifier.1.weight": [10, 512, 1, 1],
              "classifier.1.bias": [10]}
    state = {name: np.full(shape, number, np.float32)
             for number, (name, shape) in enumerate(shapes.items())}
    safetensors.save_file(state, "a.safetensors")
    assert cli.main(["weights", "squeezenet1.1", "a.safetensors"]) == 0
    told = capsys.readouterr().out
    assert told == ("a.safetensors -> squeezenet1.1.params: 52 parameters with 727,626 numbers\n\n"
                    "from minigluon.gluon.model_zoo import vision\n"
                    "net = vision.get_model('squeezenet1.1', classes=10)\n"
                    "net.load_parameters('squeezenet1.1.params')\n")
    names = {}
    exec(told.partition("\n\n")[2], names)
    assert [param.data().asnumpy().flat[0] for param in names["net"].collect_params().values()] == list(range(52))


@pytest.mark.parametrize(("name", "told"), [
    ("resnet50_v1", "No file of another library fits resnet50_v1: its blocks have biases and the stride in the first "
                    "convolution, which only MXNet's have. Use resnet50_v1b, the network of torchvision and timm.\n"),
    ("resnet18", "There is no network 'resnet18'; files can be converted for: alexnet, densenet121, "),
    ("resnet18_v1", "The arrays are not those of torchvision or timm (resnet18). load_torch: layer 0 has "
                    "features.0.weight (64, 0, 7, 7), but module 0 of the state dict has weight (2, 3), bias (2,)\n"),
    ("gpt2_117m", "The arrays are not those of transformers (gpt2): the embeddings of words and positions are "
                  "missing.\n")])
def test_refusals(name, told, tmp_path, capsys):
    (tmp_path / "a.pth").write_bytes(FILES["zip"])
    assert cli.main(["weights", name, str(tmp_path / "a.pth"), "-o", str(tmp_path / "out.params")]) == 1
    assert capsys.readouterr().err.startswith(f"minigluon weights: error: {told}")
    assert not (tmp_path / "out.params").exists()


def test_llama_of_a_file():
    layer = {"self_attn.q_proj": (128, 128), "self_attn.k_proj": (64, 128), "self_attn.v_proj": (64, 128),
             "self_attn.o_proj": (128, 128), "mlp.gate_proj": (160, 128), "mlp.up_proj": (160, 128),
             "mlp.down_proj": (128, 160), "input_layernorm": (128,), "post_attention_layernorm": (128,)}
    shapes = {"model.embed_tokens": (50, 128), "model.norm": (128,),
              **{f"model.layers.{i}.{name}": shape for i in range(3) for name, shape in layer.items()}}
    state = {f"{name}.weight": np.full(shape, number, np.float32)
             for number, (name, shape) in enumerate(shapes.items())}
    net, lines = foreign_weights.convert("llama_1b", state)
    assert lines[1] == ("net = text.get_model('llama_1b', vocab_size=50, units=128, hidden_size=160, num_layers=3, "
                        "num_heads=2, num_kv_heads=1, tie_weights=True)")
    assert {param.data().asnumpy().flat[0] for param in net.collect_params().values()} == set(range(len(shapes)))
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    assert "tie_weights" not in foreign_weights.convert("llama_1b", state).lines[1]


@pytest.mark.parametrize(("name", "state", "told"), [
    ("llama_1b", {"lm_head.weight": np.zeros((5, 64))},
     "The arrays are not those of transformers (TinyLlama-1.1B): the embedding or the first layer is missing."),
    ("alexnet", {"x": np.zeros(3, "int8")}, "The file has no arrays of real numbers, expected those of torchvision"),
    ("gpt2_117m", {"wte.weight": np.zeros((9, 8)), "wpe.weight": np.zeros((4, 8)),
                   **{f"h.{i}.ln_1.weight": np.zeros(8) for i in range(500)}},
     "The arrays are not those of transformers (gpt2): 500 layers have only 502 arrays, expected at least 12 "
     "per layer."),
    ("mobilenetv2_1.0", {"a.weight": np.zeros((8, 3, 3, 3)), "b.weight": np.broadcast_to(0.0, (60000, 1, 3, 3))},
     "The arrays are not those of torchvision (mobilenet_v2) or timm (mobilenetv2_100). load_torch: layer 0 has")])
def test_structures_of_which_a_network_would_be_too_large(name, state, told, monkeypatch):
    """They are refused before memory is allocated that the file does not have."""
    monkeypatch.setattr(np, "eye", None)
    with pytest.raises(MXNetError) as caught:
        foreign_weights.convert(name, {key: np.asarray(array) for key, array in state.items()})
    assert str(caught.value).startswith(told)


def test_the_help_lists_the_networks(capsys):
    with pytest.raises(SystemExit):
        cli.main(["weights", "--help"])
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in itertools.chain(TWINS))
