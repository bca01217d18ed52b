"""Record the JSON that MXNet 1.9.1 writes for the graphs of `symbol_cases`, and the shapes it infers.

`python -m records.record_mxnet_symbols`, in MXNet's own environment, writes tests/records/data/mxnet_symbols.json.gz.
With `check FILE` it reads {name: [JSON, shapes]} and prints {name: [JSON that MXNet makes of it, output shapes]}.
"""

import gzip
import json
import os
import pathlib
import sys

from records import DATA

os.environ["MXNET_MKLDNN_ENABLED"] = "0"

import mxnet as mx

from records.symbol_cases import OLD, build, names


def inferred(symbol, shapes):
    """[argument shapes, output shapes, auxiliary shapes]; None where MXNet cannot tell them."""
    known = {name: tuple(shape) for name, shape in (shapes or {}).items() if name in symbol.list_inputs()}
    try:
        found = symbol.infer_shape(**known)
        return None if found[0] is None else [[list(shape) for shape in group] for group in found]
    except mx.base.MXNetError:
        return None


def record():
    found = {}
    for name in names:
        try:
            symbol, shapes = build(mx, name)
        except (mx.base.MXNetError, TypeError, ValueError, AttributeError, NotImplementedError) as error:
            print(f"{name}: MXNet refuses: {str(error).strip().splitlines()[-1]}")
            continue
        if symbol is None:
            print(f"{name}: MXNet has no such function")
            continue
        found[name] = [symbol.tojson(), inferred(symbol, shapes)]
    for name, text in OLD.items():
        symbol = mx.sym.load_json(text)
        found[name] = [symbol.tojson(), inferred(symbol, {"x": (5, 4)})]
    data = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    (DATA / "mxnet_symbols.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{len(found)} graphs")


def check(path):
    answers = {}
    for name, (text, shapes) in json.loads(pathlib.Path(path).read_text()).items():
        symbol = mx.sym.load_json(text)
        answers[name] = [symbol.tojson(), inferred(symbol, shapes)]
    print(json.dumps(answers))


if __name__ == "__main__":
    check(sys.argv[2]) if sys.argv[1:2] == ["check"] else record()
