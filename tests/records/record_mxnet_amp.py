"""Record what MXNet 1.9.1's contrib.amp answers: `python -m records.record_mxnet_amp`, in MXNet's own environment.

Writes tests/records/data/mxnet_amp.json: graphs with their conversions, the categories of operators, and the scales of
a loss; and mxnet_bfloat16.params.
"""

import json

import mxnet as mx
import numpy as np
from mxnet.contrib import amp
from mxnet.contrib.amp.loss_scaler import LossScaler

from records import DATA
from records.amp_cases import STEPS, WINDOW, graphs, outline

LISTS = {"list_lp16_ops": "target", "list_fp32_ops": "float32", "list_widest_type_cast": "widest",
         "list_lp16_fp32_ops": "other"}


class Parameter:
    def __init__(self, value):
        self._grad = [mx.nd.array([value])]


def scales():
    scaler, found = LossScaler(), []
    scaler._scale_seq_len = WINDOW
    for overflows in STEPS:
        found.append([scaler.has_overflow([Parameter(np.inf if overflows else 1)]), scaler.loss_scale])
    return found


def categories(dtype):
    """{name: in which lists}"""
    found = {}
    for function, category in LISTS.items():
        for name in getattr(amp, function)(dtype):
            found.setdefault(name, []).append(category)
    return found


if __name__ == "__main__":
    converted = {name: outline(json.loads(amp.convert_symbol(graph, **how).tojson(remove_amp_cast=False))["nodes"])
                 for name, (graph, how) in graphs(mx.sym).items()}
    found = {"graphs": converted, "scales": scales(), "conditional": amp.list_conditional_fp32_ops("float16"),
             "categories": {"float16": categories("float16"), "bfloat16": categories(amp.amp.bfloat16)}}
    (DATA / "mxnet_amp.json").write_text(json.dumps(found, sort_keys=True, separators=(",", ":")) + "\n")
    narrow = mx.nd.amp_cast(mx.nd.array([[1, 2.5], [-3.140625, 256]]), dtype=amp.amp.bfloat16)
    mx.nd.save(str(DATA / "mxnet_bfloat16.params"), {"x": narrow})
