"""One checkpoint as the versions of MXNet from 0.8 to 1.9 wrote it: the symbol file and the parameters, byte by byte.

Needs NumPy alone, so that MXNet itself can read what is written here.
"""

import json
import struct

import numpy as np

__all__ = ["VERSIONS", "write"]

# version: (its number in the file, the key of attributes, are auxiliary states inputs, the form of an array)
VERSIONS = {
    "0.8": (None, "param", False, "first"), "0.9": (904, "attr", True, "first"), "0.10": (1001, "attr", True, "first"),
    "0.11": (1100, "attr", True, "second"), "0.12": (1200, "attr", True, "third"),
    "1.0": (10000, "attrs", True, "third"), "1.2": (10200, "attrs", True, "third"),
    "1.5": (10500, "attrs", True, "third"), "1.9": (10901, "attrs", True, "third"),
}

LAYERS = [
    ("Convolution", "conv", {"kernel": "(3, 3)", "num_filter": "2", "pad": "(1, 1)"}, ["weight", "bias"], []),
    ("BatchNorm", "bn", {"fix_gamma": "False", "eps": "0.001", "momentum": "0.9"}, ["gamma", "beta"],
     ["moving_mean", "moving_var"]),
    ("Activation", "relu", {"act_type": "relu"}, [], []),
    ("Pooling", "pool", {"kernel": "(2, 2)", "pool_type": "max", "stride": "(2, 2)"}, [], []),
    ("Flatten", "flat", {}, [], []),
    ("FullyConnected", "fc", {"num_hidden": "3"}, ["weight", "bias"], []),
    ("SoftmaxOutput", "softmax", {"grad_scale": "1"}, ["label"], []),
]
SHAPES = {"conv_weight": (2, 1, 3, 3), "conv_bias": (2,), "bn_gamma": (2,), "bn_beta": (2,), "fc_weight": (3, 8),
          "fc_bias": (3,)}
STATES = {"bn_moving_mean": (2,), "bn_moving_var": (2,)}


def write(prefix, version):
    """prefix-symbol.json and prefix-0001.params."""
    number, key, lists_states, form = VERSIONS[version]
    with open(f"{prefix}-symbol.json", "w") as file:
        json.dump(_graph(number, key, lists_states), file)
    rng = np.random.RandomState(0)
    arrays = {f"arg:{name}": rng.uniform(-1, 1, shape) for name, shape in SHAPES.items()}
    arrays.update({f"aux:{name}": rng.uniform(0.5, 1, shape) for name, shape in STATES.items()})
    with open(f"{prefix}-0001.params", "wb") as file:
        file.write(struct.pack("<QQQ", 0x112, 0, len(arrays)))
        file.write(b"".join(_array(array.astype(np.float32), form) for array in arrays.values()))
        file.write(struct.pack("<Q", len(arrays)))
        file.write(b"".join(struct.pack("<Q", len(name)) + name.encode() for name in arrays))


def _graph(number, key, lists_states):
    nodes, last = [], 0

    def node(operator, name, attributes, inputs):
        found = {"op": operator, "name": name, "inputs": [[i, 0] if number is None else [i, 0, 0] for i in inputs]}
        if attributes or key == "param":
            found[key] = attributes
        if number is None:
            found["backward_source_id"] = -1
        nodes.append(found)
        return len(nodes) - 1
    node("null", "data", {}, [])
    for operator, name, attributes, arguments, states in LAYERS:
        inputs = [node("null", f"{name}_{part}", {}, []) for part in arguments + (states if lists_states else [])]
        last = node(operator, name, attributes, [last, *inputs])
    graph = {"nodes": nodes, "arg_nodes": [i for i, found in enumerate(nodes) if found["op"] == "null"],
             "heads": [[last, 0] if number is None else [last, 0, 0]]}
    if number is not None:
        graph["node_row_ptr"] = list(range(len(nodes) + 1))
        graph["attrs"] = {"mxnet_version": ["int", number]}
    return graph


def _array(array, form):
    """Until 0.10 the number of axes comes first; then a number for the form, and lengths of eight bytes."""
    tail = struct.pack("<iii", 1, 0, 0) + array.tobytes()
    if form == "first":
        return struct.pack(f"<I{array.ndim}I", array.ndim, *array.shape) + tail
    head = {"second": struct.pack("<I", 0xF993FAC8), "third": struct.pack("<Ii", 0xF993FAC9, 0)}[form]
    return head + struct.pack(f"<I{array.ndim}q", array.ndim, *array.shape) + tail
