"""Operators as ONNX: each is translated or listed, and a row of each that onnxruntime computes gives the same."""

import importlib.util

import pytest
from helpers import ROOT
from helpers.onnx_files import close, run_file
from minigluon.onnx.exporter import table
from minigluon.onnx.exporter.translation import data_inputs
from op_cases import CASES

import minigluon as mx
from minigluon import nd, sym
from minigluon.ops import REGISTRY

pytestmark = pytest.mark.once

table.load()

# Rows that have no form in ONNX, with what the error says.
REFUSED = {
    "Dropout-2": "mode='always' also draws at inference",
    "RNN-8": "ONNX has no LSTM with a projection",
    "RNN-12": "ONNX clips gates, not cells",
    "_contrib_ROIAlign-2": "ONNX has no position-sensitive RoiAlign",
}
# Rows about NaN, which ArgMax passes over.
OTHER_RESULTS = {"argmax-6-nan", "argmin-6-nan"}
# What onnxruntime 1.32 does not have in the newest opset.
MISSING = {(23, "ROIPooling"), (23, "_contrib_ROIAlign")}


def test_every_operator_is_translated_or_has_a_reason_why_not():
    names = {cls.name for cls in REGISTRY.values()}
    assert names == {*table.TRANSLATIONS, *table.LISTED}
    assert not {*table.TRANSLATIONS} & {*table.LISTED}
    assert all(table.LISTED.values())


def test_the_page_has_these_tables():
    text = (ROOT / "docs" / "onnx.md").read_text(encoding="utf-8")
    spec = importlib.util.spec_from_file_location("make_onnx", ROOT / "docs" / "make_onnx.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert text == module.page(text), "run python docs/make_onnx.py"


def rows():
    """The first row of each operator that is translated; all of them in tests/scripts/onnx_export.py."""
    first = {}
    for case in CASES:
        name = REGISTRY[case.op].name
        if name in table.TRANSLATIONS and case.id not in REFUSED:
            first.setdefault(name, case)
    return list(first.values())


def export(case, path, opset=None):
    """(inputs of the file, what minigluon computes). The parameters of RNN are known to the file."""
    arrays = case.inputs("float32")
    wanted = getattr(nd, case.op)(*[nd.array(a, dtype=a.dtype) for a in arrays], **case.attrs)
    symbol = getattr(sym, case.op)(*[sym.var(f"x{i}", dtype=a.dtype) for i, a in enumerate(arrays)], **case.attrs,
                                   name="y")
    params = {"x1": nd.array(arrays[1])} if case.op == "RNN" else {}
    names = [node.name for node in data_inputs(symbol.nodes(), params)[0]]
    given = [arrays[int(name[1:])] for name in names]
    mx.onnx.export_model(symbol, params, [a.shape for a in given], [a.dtype for a in given], path, opset_version=opset)
    wanted = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    return given, [array.asnumpy() for array in wanted]


@pytest.mark.rows
@pytest.mark.parametrize(("opset", "share"), [(13, 0), (17, 1), (23, 2)])
def test_onnxruntime_computes_the_same(opset, share, tmp_path):
    """A third of the rows for each opset."""
    path, wrong = str(tmp_path / "row.onnx"), []
    for number, case in enumerate(rows()):
        since = table.TRANSLATIONS[REGISTRY[case.op].name].since
        if number % 3 == share and opset >= since and (opset, case.op) not in MISSING:
            given, wanted = export(case, path, opset)
            if not close(run_file(path, given), wanted):
                wrong.append(case.id)
    assert wrong == []


@pytest.mark.parametrize("row", REFUSED)
def test_what_has_no_form_says_why(row, tmp_path):
    case = next(case for case in CASES if case.id == row)
    with pytest.raises(mx.onnx.exporter.TranslationError) as error:
        export(case, str(tmp_path / "row.onnx"))
    assert str(error.value) == ("export_model: 1 node has no form in an ONNX file of opset 17:\n  "
                                f"{REGISTRY[case.op].name} 'y': {REFUSED[row]}")
