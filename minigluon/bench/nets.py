"""What is measured."""

__all__ = ["PROGRAMS", "QUICK", "QUICK_NETS", "SIZES", "kind_of", "runs_in"]

# net -> its programs
PROGRAMS = {
    "mlp": ["mlp forward"],
    "lenet": ["lenet forward", "lenet train step"],
    "lenet256": ["lenet256 forward", "lenet256 train step"],
    "alexnet": ["alexnet forward", "alexnet train step"],
    "resnet": ["resnet forward", "resnet train step"],
    "deep": ["deep mlp forward", "deep mlp train step"],
    "lstm": ["lstm forward", "lstm train step"],
    "gru": ["gru forward", "gru train step"],
    "lstm layers": ["lstm layers train step"],
    "gru layers": ["gru layers train step"],
    "chain": ["chain forward", "chain forward and backward"],
}

SIZES = {"lenet_batch": 64, "lenet256_batch": 256, "alexnet_batch": 32, "alexnet_units": 4096, "resnet_batch": 8,
         "resnet_image": 224, "deep_batch": 64, "deep_width": 71, "deep_layers": 100, "text_words": 10_000,
         "text_units": 650, "text_batch": 20, "text_steps": 35, "chain_elements": 1_000_000}

# For trying the command out: numbers that mean little.
QUICK = {**SIZES, "lenet_batch": 4, "lenet256_batch": 8, "alexnet_batch": 1, "alexnet_units": 64, "resnet_batch": 2,
         "resnet_image": 32, "deep_batch": 4, "text_words": 30, "text_units": 8, "text_batch": 2, "text_steps": 3,
         "chain_elements": 10_000}

# The others take most of a minute on NumPy, or are one of these with other sizes or cells.
QUICK_NETS = ["mlp", "lenet", "deep", "lstm", "gru", "chain"]

# mode -> ends of the names of the programs that it is for. Other modes are for all.
ONLY_FOR = {
    "recompute": ("lenet train step", "deep mlp train step"),       # without a backward pass it changes nothing
    "one call": ("train step",),
    "inference": ("forward",), "frozen": ("forward",),              # these cannot be differentiated
}


def kind_of(program):
    """'forward' or 'training': programs of a kind are compared with each other."""
    return "forward" if program.endswith("forward") else "training"


def runs_in(mode, program):
    """Is the mode one for this program?"""
    return program.endswith(ONLY_FOR.get(mode, ""))
