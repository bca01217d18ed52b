"""Tables of networks that torchvision, timm or transformers also have, and of the differences of the others."""

from __future__ import annotations

__all__ = ["TWINS", "WITHOUT", "own_file"]

_BOTH = "torchvision or timm"
_DENSE, _VGG = (121, 161, 169, 201), (11, 13, 16, 19)

# The name for `get_model` -> the networks whose files `minigluon weights` converts.
TWINS = {
    "alexnet": "torchvision (alexnet)",
    **{f"densenet{n}": f"{_BOTH} (densenet{n})" for n in _DENSE},
    "inceptionv3": f"{_BOTH} (inception_v3)",
    "mobilenetv2_1.0": "torchvision (mobilenet_v2) or timm (mobilenetv2_100)",
    **{f"resnet{n}_v1": f"{_BOTH} (resnet{n})" for n in (18, 34)},
    **{f"resnet{n}_v1b": f"{_BOTH} (resnet{n})" for n in (50, 101, 152)},
    **{f"squeezenet{v}": f"torchvision (squeezenet{v.replace('.', '_')})" for v in ("1.0", "1.1")},
    **{f"vgg{n}{bn}": f"{_BOTH} (vgg{n}{bn})" for bn in ("", "_bn") for n in _VGG},
    "bert_12_768_12": "transformers (bert-base)",
    "bert_24_1024_16": "transformers (bert-large)",
    "gpt2_117m": "transformers (gpt2)",
    "gpt2_345m": "transformers (gpt2-medium)",
    "llama_1b": "transformers (TinyLlama-1.1B)",
}

# The others, and the difference.
WITHOUT = {
    **{f"resnet{n}_v1": "its blocks have biases and the stride in the first convolution, which only MXNet's have. Use "
                        f"resnet{n}_v1b, the network of torchvision and timm" for n in (50, 101, 152)},
    **{f"resnet{n}_v2": "it normalizes the image and, after the first convolution, its result, which no network of "
                        "torchvision or timm does" for n in (18, 34, 50, 101, 152)},
    **{f"mobilenet{m}": "it has relu where timm's MobileNet V1 has relu6" for m in ("1.0", "0.75", "0.5", "0.25")},
    **{f"mobilenetv2_{m}": "torchvision and timm round the numbers of its channels to multiples of eight"
       for m in ("0.75", "0.5", "0.25")},
    "llama_tiny": "it is a small network for trying things out",
    "nasnet_a_mobile": "neither torchvision nor timm has it",
}


def own_file(name: str) -> str | None:
    """Return how to get a file of parameters for a network: the beginning of a sentence. None if there is no twin.

    name: for `get_model`, or for a file, which may also name the data that it was trained on.
    """
    names = [twin for twin in TWINS if name == twin or name.startswith(f"{twin}_")]
    if not names:
        return None
    net = max(names, key=len)
    return f"Run `minigluon weights {net} FILE` on a file of {TWINS[net]} and load its result with net.load_parameters"
