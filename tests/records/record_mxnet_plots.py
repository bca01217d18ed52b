"""Record what MXNet 1.9.1's mx.viz shows of graphs of `symbol_cases`.

`python -m records.record_mxnet_plots`, in MXNet's own environment with the package graphviz, writes
tests/records/data/mxnet_plots.json: {name: {option: text, or null where MXNet fails}}.
"""

import contextlib
import io
import json
import warnings

from records import DATA
from records.symbol_cases import build

NAMES = ["dense", "convolutions", "lenet", "residual", "normalizations", "pieces", "joined", "shared_statistics",
         "left_out_inputs", "losses", "scoped", "strange_names",
         "layer conv2d_groups", "layer conv2d_transpose", "layer leaky", "layer embedding", "layer max_pool"]


def summary(mx, symbol, **options):
    """What print_summary prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        mx.viz.print_summary(symbol, **options)
    return out.getvalue()


def plot(mx, symbol, **options):
    """The lines of the plot's source, without the margins that versions of graphviz set differently."""
    return "\n".join(line.strip() for line in mx.viz.plot_network(symbol, **options).source.strip().splitlines())


def options_of(symbol, shapes):
    """{name: function of (mx, symbol)}."""
    shapes = {name: shape for name, shape in (shapes or {}).items() if name in symbol.list_inputs()}
    dtypes = dict.fromkeys(symbol.list_arguments()[:1], "float32")
    return {
        "summary": lambda mx, s: summary(mx, s, shape=shapes),
        "narrow": lambda mx, s: summary(mx, s, shape=shapes, line_length=60, positions=[20, 35, 45, 60]),
        "plot": lambda mx, s: plot(mx, s),
        "weights": lambda mx, s: plot(mx, s, title="all", hide_weights=False, shape=shapes),
        "types": lambda mx, s: plot(mx, s, dtype=dtypes, node_attrs={"shape": "oval", "fixedsize": "false"}),
    }


def record():
    import mxnet as mx
    found = {}
    for name in NAMES:
        symbol, shapes = build(mx, name)
        found[name] = {}
        for option, show in options_of(symbol, shapes).items():
            try:
                found[name][option] = show(mx, symbol)
            except Exception as error:      # whatever breaks inside
                print(f"{name}, {option}: MXNet fails: {type(error).__name__}: {str(error).splitlines()[0]}")
                found[name][option] = None
    (DATA / "mxnet_plots.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    record()
