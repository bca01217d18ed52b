"""What is measured."""

__all__ = ["PROGRAMS", "QUICK", "SIZES"]

# net -> its programs
PROGRAMS = {
    "mlp": ["mlp forward"],
    "lenet": ["lenet forward", "lenet train step"],
    "alexnet": ["alexnet forward", "alexnet train step"],
    "deep": ["deep mlp forward", "deep mlp train step"],
    "chain": ["chain forward", "chain forward and backward"],
}

SIZES = {"lenet_batch": 64, "alexnet_batch": 32, "alexnet_units": 4096, "deep_batch": 64, "deep_width": 71,
         "deep_layers": 100, "chain_elements": 1_000_000}

# For trying the command out: numbers that mean little.
QUICK = {**SIZES, "lenet_batch": 4, "alexnet_batch": 1, "alexnet_units": 64, "deep_batch": 4, "chain_elements": 10_000}
