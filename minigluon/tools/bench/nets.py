"""The measured nets, their programs, sizes and modes."""

__all__ = ["OTHERS", "PROGRAMS", "QUICK", "QUICK_NETS", "SIZES", "kind_of", "runs_in"]

OTHERS = ["torch", "mxnet", "onnxruntime", "openvino", "jax"]        # measured if their interpreters are specified
BATCHES = 1, 8          # batch sizes of forward passes: one image, and a small batch


def _of(net, *ways):
    return [f"{net} batch {batch} forward" for batch in BATCHES] + [f"{net} {way}" for way in ways]


# net -> its programs
PROGRAMS = {
    "mlp": ["mlp forward"],
    "lenet": ["lenet forward", *_of("lenet", "train step")],
    "lenet256": ["lenet256 forward", "lenet256 train step"],
    "alexnet": ["alexnet forward", *_of("alexnet", "train step")],
    "resnet": ["resnet forward", "resnet batch 1 forward", "resnet train step"],       # forward: 8 images
    "deep": ["deep mlp forward", "deep mlp train step"],
    "lstm": ["lstm forward", "lstm train step"],
    "gru": ["gru forward", "gru train step"],
    "lstm layers": ["lstm layers train step"],
    "gru layers": ["gru layers train step"],
    "chain": ["chain forward", "chain forward and backward"],
    **{net: _of(net, "train step") for net in ("mobilenetv2", "resnet50", "unet", "vit-tiny", "bert-mini")},
    "gpt": _of("gpt"),
    **{net: _of(net, "train step") for net in ("ds-cnn", "mobilenet0.25", "resnet8", "autoencoder")},
}

SIZES = {"lenet_batch": 64, "lenet256_batch": 256, "alexnet_batch": 32, "alexnet_units": 4096, "resnet_batch": 8,
         "resnet_image": 224, "deep_batch": 64, "deep_width": 71, "deep_layers": 100, "text_words": 10_000,
         "text_units": 650, "text_batch": 20, "text_steps": 35, "chain_elements": 1_000_000,
         "photo_image": 224, "mobilenetv2_batch": 8, "resnet50_batch": 4, "vit_batch": 8, "unet_image": 256,
         "unet_batch": 2, "bert_words": 30_522, "bert_tokens": 128, "bert_batch": 8, "gpt_words": 10_000,
         "gpt_tokens": 128, "gpt_batch": 1, "tiny_batch": 32}

# Sizes for trying out the command; the measured times mean little.
QUICK = {**SIZES, "lenet_batch": 4, "lenet256_batch": 8, "alexnet_batch": 1, "alexnet_units": 64, "resnet_batch": 2,
         "resnet_image": 32, "deep_batch": 4, "text_words": 30, "text_units": 8, "text_batch": 2, "text_steps": 3,
         "chain_elements": 10_000, "photo_image": 32, "mobilenetv2_batch": 2, "resnet50_batch": 2, "vit_batch": 2,
         "unet_image": 16, "bert_words": 30, "bert_tokens": 4, "bert_batch": 2, "gpt_words": 30, "gpt_tokens": 4,
         "tiny_batch": 2}

# The other nets take most of a minute on NumPy, or differ from one of these only in sizes or cells.
QUICK_NETS = ["mlp", "lenet", "deep", "lstm", "gru", "chain"]

# mode -> suffixes of the names of the programs to which it applies. Other modes apply to all programs.
ONLY_FOR = {
    "recompute": ("lenet train step", "deep mlp train step"),       # it would have no effect without a backward pass
    "one call": ("train step",),
    "inference": ("forward",), "frozen": ("forward",),              # these modes cannot be differentiated
}


def kind_of(program: str) -> str:
    """Return 'forward' or 'training'; programs of the same kind are compared with each other."""
    return "forward" if program.endswith("forward") else "training"


def runs_in(mode: str, program: str) -> bool:
    """Return whether the mode applies to this program."""
    return program.endswith(ONLY_FOR.get(mode, ""))
