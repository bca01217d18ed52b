"""Files of torchvision, timm and transformers, converted by `minigluon weights`: the same outputs.

    python tests/libraries/torch_weights.py --python /tmp/weights/bin/python                    # -k vgg: only these
    python tests/libraries/torch_weights.py --python /tmp/weights/bin/python --record FILE      # torch_names.json.gz

The networks are those libraries' own classes, with random parameters, saved by torch.save, and those for text also as
safetensors; nothing is downloaded. Each file is converted by the command, and its result loaded by the lines that the
command prints. One image of 224 x 224 (Inception 299) or 64 words are read. --record writes the names and shapes that
tests/cli/test_weights.py compares, and a few small files.
"""

import base64
import contextlib
import gzip
import io
import json
import os
import re
import sys
import tempfile
import types

import numpy as np
from runner import main

LARGEST = 1e-4          # difference, relative to the largest score if that is above 1
SMALL = {"bert": {"hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 3},
         "gpt2": {"n_embd": 768, "n_head": 12, "n_layer": 3},
         "llama": {"hidden_size": 2048, "intermediate_size": 5632, "num_attention_heads": 32, "num_key_value_heads": 4,
                   "num_hidden_layers": 3, "vocab_size": 32000, "rms_norm_eps": 1e-5}}
VISION = {"alexnet": "alexnet", "inceptionv3": "inception_v3", "mobilenetv2_1.0": "mobilenet_v2",
          **{f"densenet{n}": f"densenet{n}" for n in (121, 161, 169, 201)},
          **{f"resnet{n}_v1": f"resnet{n}" for n in (18, 34)},
          **{f"resnet{n}_v1b": f"resnet{n}" for n in (50, 101, 152)},
          **{f"squeezenet{v}": f"squeezenet{v.replace('.', '_')}" for v in ("1.0", "1.1")},
          **{f"vgg{n}{bn}": f"vgg{n}{bn}" for bn in ("", "_bn") for n in (11, 13, 16, 19)}}
TIMM = {name: "mobilenetv2_100" if name.startswith("mobile") else theirs for name, theirs in VISION.items()
        if not name.startswith(("alexnet", "squeezenet"))}
RECORDED = ["squeezenet1.1 of torchvision", "resnet18_v1 of torchvision", "resnet50_v1b of timm", "vgg11_bn of timm",
            "alexnet of torchvision", "densenet121 of torchvision", "inceptionv3 of torchvision",
            "mobilenetv2_1.0 of torchvision", "mobilenetv2_1.0 of timm", "bert_12_768_12 of transformers",
            "gpt2_117m of transformers"]


def drawn(module):
    """The module with random normalizations and biases, which are 1 and 0 at their start."""
    import torch
    torch.manual_seed(0)
    with torch.no_grad():
        for name, values in module.state_dict().items():
            if name.endswith("running_var"):
                values.uniform_(0.8, 1.2)
            elif values.ndim == 1:
                values.add_(0.1 * torch.randn(values.shape))
            if re.search(r"layer.*bn[23]\.weight$", name):
                values.mul_(0.3)            # otherwise each residual block doubles its input
    return module.eval()


def without_compiled_operators():
    """Let torchvision be imported if it was compiled for another PyTorch: these networks do not use its operators."""
    sys.modules.setdefault("torchvision._meta_registrations", types.ModuleType("torchvision._meta_registrations"))


def torchvision_module(name, **options):
    without_compiled_operators()
    import torchvision
    if name.startswith("inception"):
        options = {"init_weights": False, **options}
    return getattr(torchvision.models, name)(**options)


def timm_module(name, **options):
    without_compiled_operators()
    import timm
    module = timm.create_model(name, **options)
    if name.startswith("inception"):        # its convolutions start with larger weights than torchvision's
        for key, values in module.named_parameters():
            if key.endswith("bn.weight"):
                values.data.mul_(0.45)
    return module


def text_module(name):
    without_compiled_operators()
    import transformers
    if name.startswith("gpt2"):
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(**SMALL["gpt2"]))
    if name.startswith("llama"):
        return transformers.LlamaForCausalLM(transformers.LlamaConfig(**SMALL["llama"]))
    return transformers.BertForPreTraining(transformers.BertConfig(vocab_size=21128, **SMALL["bert"]))


def converted(name, file):
    """The network that the command's lines create from its file."""
    from minigluon import gluon
    from minigluon.tools import cli
    out = os.path.join(os.path.dirname(file), "out.params")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = cli.main(["weights", name, file, "-o", out])
    assert status == 0, "the command failed, see above"
    names = {"gluon": gluon}
    exec(printed.getvalue().partition("\n\n")[2], names)
    return names["net"]


def compared(ours, theirs):
    difference, largest = float(np.abs(ours - theirs).max()), float(np.abs(theirs).max())
    assert difference < LARGEST * max(1, largest), f"differ by {difference:.2g}, the largest is {largest:.3g}"
    return f"differ by {difference:.1e}, the largest is {largest:.3g}"


def image_case(name, module):
    import torch

    from minigluon import nd
    from minigluon.gluon.model_zoo.module_order import in_module_order
    x = np.random.RandomState(0).randn(1, 3, *[299 if "inception" in name else 224] * 2).astype("float32")
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        file = os.path.join(folder, "net.pth")
        state = {key: values for key, values in module.state_dict().items()
                 if values.dtype == torch.float32 and not key.startswith("AuxLogits.")}
        assert list(in_module_order(name, dict(sorted(state.items())))) == list(state), "another order"
        torch.save(module.state_dict(), file)
        net = converted(name, file)
        return compared(net(nd.array(x)).asnumpy(), module(torch.tensor(x)).numpy())


def text_case(name, module):
    import torch
    from safetensors.torch import save_file

    from minigluon import nd
    words = np.random.RandomState(0).randint(0, 21128, (2, 64))
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        results = []
        for suffix in (".bin", ".safetensors"):
            file = os.path.join(folder, "net" + suffix)
            state = {key: values.clone() for key, values in module.state_dict().items()}
            (torch.save if suffix == ".bin" else save_file)(state, file)
            net = converted(name, file)
            if name.startswith(("gpt2", "llama")):
                results.append((net(nd.array(words))[0].asnumpy(), module(torch.tensor(words)).logits.numpy()))
            else:
                theirs = module(torch.tensor(words), token_type_ids=torch.zeros(2, 64, dtype=torch.int64))
                decoded = net(nd.array(words), nd.zeros((2, 64)), None, nd.array([[3, 5], [1, 0]]))[-1]
                results.append((decoded.asnumpy(), theirs.prediction_logits[np.arange(2)[:, None],
                                                                            [[3, 5], [1, 0]]].numpy()))
        return compared(*map(np.stack, zip(*results, strict=True)))


MODULES = {**{f"{name} of torchvision": (image_case, torchvision_module, theirs) for name, theirs in VISION.items()},
           **{f"{name} of timm": (image_case, timm_module, theirs) for name, theirs in TIMM.items()},
           **{f"{name} of transformers": (text_case, text_module, name)
              for name in ("bert_12_768_12", "gpt2_117m", "llama_1b")}}
CASES = {title: lambda title=title, case=case, make=make, theirs=theirs: case(title.split()[0], drawn(make(theirs)))
         for title, (case, make, theirs) in MODULES.items()}


def record(path):
    """Write {title: {name: shape}} of some networks."""
    table = {"files": small_files()}
    for title in RECORDED:
        _, make, theirs = MODULES[title]
        table[title] = {key: list(values.shape) for key, values in make(theirs).state_dict().items()}
    with open(path, "wb") as file:
        file.write(gzip.compress(json.dumps(table, separators=(",", ":")).encode(), 9, mtime=0))
    return f"{len(RECORDED)} networks, {os.path.getsize(path):,} bytes"


def small_files():
    """Files of torch.save in base64: its present format and the earlier one, tensors of several kinds and views."""
    import torch
    linear, x = torch.nn.Linear(3, 2), torch.arange(12.0).reshape(3, 4)
    with torch.no_grad():
        linear.weight.copy_(torch.arange(6.0).reshape(2, 3))
        linear.bias.copy_(torch.tensor([0.5, -0.5]))
    kinds = {"transposed": x.T, "part": x[1:, 2:], "bfloat16": x[0].bfloat16(), "half": x[1].half(),
             "integers": torch.arange(3), "none": x[:0], "scalar": torch.tensor(7), "bool": x[0] > 1,
             "parameter": torch.nn.Parameter(x[0])}
    files = {}
    for name, value, new in (("zip", linear.state_dict(), True), ("old", linear.state_dict(), False),
                             ("checkpoint", {"epoch": 3, "state_dict": linear.state_dict()}, True),
                             ("kinds", kinds, True), ("old kinds", kinds, False), ("module", linear, True),
                             ("list", [x], True), ("expanded", {"x": x[0].expand(3, 4)}, True)):
        file = io.BytesIO()
        torch.save(value, file, _use_new_zipfile_serialization=new)
        files[name] = base64.b64encode(file.getvalue()).decode()
    return files


def cases(args):
    return {"record": lambda: record(args.record)} if args.record else CASES


if __name__ == "__main__":
    sys.exit(main(__file__, cases, lambda parser: parser.add_argument("--record", metavar="FILE")))
