"""Networks as PyTorch itself writes them, by both of its exporters and for several opsets, read and computed here.

    python tests/scripts/onnx_torch.py write FOLDER           with an interpreter that has torch, onnx and onnxscript
    python tests/scripts/onnx_torch.py compare FOLDER [--write]

`write` leaves for each network ONNX files, inputs of two sizes, and what PyTorch computes. `compare` reads the files,
computes them imperatively and hybridized, and asks for the gradients of all parameters; where onnxruntime and OpenVINO
are installed, they compute the same files. It needs no torch. --write enters its table into docs/onnx-import.md.
"""

import argparse
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
PAGE = ROOT / "docs" / "onnx-import.md"
BEGIN, END = "<!-- table of networks: written by tests/scripts/onnx_torch.py -->", "<!-- end of the networks -->"
TOLERANCE = 1e-5
# (exporter, opset, is the batch open?)
FILES = [("older", 11, False), ("older", 13, True), ("older", 17, True), ("older", 20, True),
         ("dynamo", 18, False), ("dynamo", 18, True), ("dynamo", 20, True), ("dynamo", 23, True)]


# -- with torch -------------------------------------------------------------------------------------------------------

def write(folder):
    """The files of all networks."""
    import torch
    from helpers.torch_networks import NETWORKS
    torch.manual_seed(0)
    told = {}
    for name, (make, inputs) in NETWORKS.items():
        stem, net = name.replace(" ", "-").replace(",", ""), make().eval()
        for layer in net.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                layer.running_mean.normal_(0, 0.1)
                layer.running_var.uniform_(0.5, 1.5)
        xs = [inputs(2), inputs(3)]
        with torch.no_grad():
            ys = [net(x) for x in xs]
        np.savez(folder / f"{stem}.npz", x=xs[0].numpy(), y=ys[0].numpy(), x2=xs[1].numpy(), y2=ys[1].numpy())
        for exporter, opset, is_open in FILES:
            path = folder / f"{stem}-{exporter}-{opset}{'-open' if is_open else ''}.onnx"
            told[path.name] = {"name": name, "data": f"{stem}.npz", "exporter": exporter, "opset": opset,
                               "open": is_open, "error": exported(net, xs[0], path, exporter, opset, is_open)}
            print(path.name, told[path.name]["error"] or "written", flush=True)
    (folder / "told.json").write_text(json.dumps({"torch": torch.__version__, "files": told}, indent=1))


def exported(net, x, path, exporter, opset, is_open):
    """What PyTorch says where it has no such file, or None."""
    import torch
    how = {"dynamo": False, "dynamic_axes": {"x": {0: "batch"}} if is_open else None}
    if exporter == "dynamo":
        how = {"dynamo": True, "external_data": False, "verbose": False,
               "dynamic_shapes": ({0: torch.export.Dim("batch")},) if is_open else None}
    try:
        torch.onnx.export(net, (x,), str(path), input_names=["x"], output_names=["y"], opset_version=opset, **how)
    except Exception as error:          # of many classes
        return f"{type(error).__name__}: {error}".splitlines()[0][:120]
    return None


# -- with minigluon ---------------------------------------------------------------------------------------------------

def compare(folder, into_page):
    """Read all files; print and perhaps write the table."""
    import onnxruntime
    onnxruntime.set_default_logger_severity(4)
    from helpers.onnx_record import RUNTIMES
    told = json.loads((folder / "told.json").read_text())
    lines = [f"PyTorch {told['torch'].partition('+')[0]}:", "",
             "| network | exporter | opsets | files | agree | largest difference | parameters with gradients | "
             + " | ".join(RUNTIMES) + " |", "|---|---|---|---|---|---|---|" + "---|" * len(RUNTIMES)]
    groups, wrong = {}, []
    for file, case in told["files"].items():
        groups.setdefault((case["name"], case["exporter"]), []).append((file, case))
    for (name, exporter), files in groups.items():
        made = [(file, case) for file, case in files if not case["error"]]
        rows = []
        for file, case in made:
            try:
                rows.append(judged(folder / file, np.load(folder / case["data"]), case["open"], RUNTIMES))
            except Exception as error:
                wrong.append(f"{file}: {type(error).__name__} {error}")
        wrong += [f"{file}: not written: {case['error']}" for file, case in files if case["error"]]
        if not rows:
            continue
        agree = sum(row["difference"] <= TOLERANCE for row in rows)
        opsets = sorted({case["opset"] for _, case in made})
        cells = [name, exporter, ", ".join(map(str, opsets)), len(made), agree,
                 f"{max((row['difference'] for row in rows), default=np.inf):.1e}",
                 ", ".join(sorted({row["gradients"] for row in rows}))]
        cells += [f"{max((row[runtime] for row in rows), default=np.inf):.1e}" for runtime in RUNTIMES]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], flush=True)
    print("\n".join(wrong))
    if into_page:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{rest.partition(END)[2]}",
                        encoding="utf-8")
    return bool(wrong)


def judged(path, arrays, is_open, runtimes):
    """Largest differences from PyTorch, here and in other runtimes; how many parameters get gradients."""
    import minigluon as mx
    from minigluon import autograd, nd
    net = mx.onnx.import_to_gluon(str(path))
    pairs = [(arrays["x"], arrays["y"]), (arrays["x2"], arrays["y2"])][:1 + is_open]
    found = {runtime: max(relative(run(str(path), [x])[0], y) for x, y in pairs) for runtime, run in runtimes.items()}
    differences = []
    for hybridized in (False, True):
        if hybridized:
            net.hybridize()
        differences += [relative(net(nd.array(x, dtype=x.dtype)).asnumpy(), y) for x, y in pairs]
    with autograd.record():
        loss = nd.square(net(nd.array(arrays["x"], dtype=arrays["x"].dtype))).sum()
    loss.backward()
    trained = [param for param in net.collect_params().values() if param.grad_req != "null"]
    count = sum(bool(nd.abs(param.grad()).sum().asscalar() > 0) for param in trained)
    return {"difference": max(differences), "gradients": f"{count} of {len(trained)}", **found}


def relative(found, wanted):
    return np.abs(found - wanted).max() / np.abs(wanted).max() if found.shape == wanted.shape else np.inf


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["write", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    os.makedirs(asked.folder, exist_ok=True)
    return write(asked.folder) if asked.what == "write" else compare(asked.folder, asked.write)


if __name__ == "__main__":
    sys.exit(main())
