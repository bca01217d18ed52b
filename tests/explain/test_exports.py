"""What explain writes for Graphviz, Netron and Perfetto; its progress; the browser that --open starts."""

import json
import shutil
import subprocess
import sys

import pytest
from helpers.explain_nets import Classifier
from minigluon.explain import exports, graphs
from test_explain import NETS, explained, needs_layout

import minigluon as mx
from minigluon import nd
from minigluon.tools import cli

pytestmark = [pytest.mark.once, needs_layout]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """(folder, what the progress said) of a training step with all exports."""
    folder, said = tmp_path_factory.mktemp("exports"), []
    net = Classifier(prefix="net_")
    net.initialize()
    mx.explain(net, nd.ones((8, 5)), nd.zeros((8,)), path=folder / "net.html", train=True,
               export=("dot", "json", "trace"), progress=said.append)
    return folder, said


def test_files_and_progress(written):
    folder, said = written
    assert {path.name for path in folder.iterdir()} == {"net.html", "net.dot", "net-symbol.json", "net-trace.json"}
    assert said == ["tracing and running the passes", "timing the steps", "comparing imperative and hybridized",
                    "drawing the page"]


def test_dot(written):
    text = (written[0] / "net.dot").read_text(encoding="utf-8")
    assert text.startswith('digraph "Classifier" {\n')
    assert 'label="Dense hidden";' in text
    assert "gradient of dense0_weight" in text
    assert exports._COLORS.keys() == graphs.FAMILIES.keys()
    if shutil.which("dot"):
        plain = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, check=True).stdout
        assert plain.count("\nnode ") == text.count("[label=")


def test_symbol(written):
    symbol = mx.sym.load(str(written[0] / "net-symbol.json"))
    assert symbol.list_outputs() == ["net_softmaxcrossentropyloss0_mean0_output"]
    assert "net_dense0_weight" in symbol.list_arguments()


def test_trace(written):
    events = json.loads((written[0] / "net-trace.json").read_text())["traceEvents"]
    steps = [e for e in events if e["ph"] == "X" and e["cat"] != "block"]
    blocks = [e for e in events if e["ph"] == "X" and e["cat"] == "block"]
    assert steps[0]["name"] == "FullyConnected"
    assert steps[0]["args"]["lines"][0].startswith("tests/helpers/explain_nets.py:")
    assert steps[0]["args"]["lines"][1].startswith("minigluon/gluon/nn/basic_layers.py:")
    for before, after in zip(steps, steps[1:]):
        assert before["ts"] + before["dur"] <= after["ts"] + 0.01
    assert {e["name"] for e in blocks} >= {"forward", "backward", "Dense", "SoftmaxCrossEntropyLoss"}
    (whole,) = [e for e in blocks if e["name"] == "backward"]
    end = whole["ts"] + whole["dur"] + 0.01
    inside = [e for e in blocks + steps if whole["ts"] <= e["ts"] and e["ts"] + e["dur"] <= end]
    assert len(inside) > 8
    memory = [e["args"]["bytes"] for e in events if e["ph"] == "C"]
    assert 0 < max(memory) < 20_000


def test_an_unknown_format():
    net = Classifier(prefix="net_")
    assert explained(net, nd.ones((8, 5)), nd.zeros((8,)), export=("dott",)) == (
        "explain: export is 'dott', expected some of 'dot', 'json', 'trace'. Did you mean 'dot'?")


def test_the_command(tmp_path, monkeypatch, capsys):
    (tmp_path / "mynets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    args = ["explain", "mynets.py:Net", "--shape", "4,6", "--shape", "4,2", "--dtype", "int32", "--dtype", "float32",
            "--export", "dot", "--export", "trace", "--open", "-o", "page.html"]
    assert cli.main(args) == 0
    said = capsys.readouterr()
    assert said.out == "page.html\npage.dot\npage-trace.json\n"
    assert said.err == ("explain: tracing and running the passes ...\nexplain: timing the steps ...\n"
                        "explain: comparing imperative and hybridized ...\nexplain: drawing the page ...\n")
    assert opened == [(tmp_path / "page.html").resolve().as_uri()]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "mynets.py, line 11" in page             # one's own file by its name
    assert "_explained_" not in page
