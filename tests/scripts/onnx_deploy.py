"""The programs of docs/deploy.md in C and JavaScript, run on the file that the page exports.

    python tests/scripts/onnx_deploy.py --include DIR --lib FILE --modules DIR

Takes the programs from the page as they stand, and prints what each gives for one image beside what minigluon gives.
A program whose tools are not named is left out, and said to be.

--include: where onnxruntime_c_api.h is (Debian's package libonnxruntime-dev has it).
--lib: onnxruntime's library; where it is left out, that of the installed Python package.
--modules: a folder where `npm install onnxruntime-web onnxruntime-node` was run.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TOLERANCE = 1e-5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=Path)
    parser.add_argument("--lib", type=Path)
    parser.add_argument("--modules", type=Path)
    parser.add_argument("--cc", default="cc")
    asked = parser.parse_args()
    blocks = re.findall(r"```(\w*)\n(.*?)```", (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8"), re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        expected = exported(blocks, folder)
        print(f"{'minigluon':24} {expected}")
        found = {}
        if asked.include:
            found["C"] = in_c(program(blocks, "onnxruntime_c_api"), folder, asked)
        if asked.modules:
            source = program(blocks, "onnxruntime-web")
            for package in ("onnxruntime-web", "onnxruntime-node"):
                found[package] = in_javascript(source.replace("onnxruntime-web", package), folder, asked.modules)
        for name, numbers in found.items():
            print(f"{name:24} {numbers}   differs by {np.abs(numbers - expected).max():.1e}")
    for name, given in (("C", asked.include), ("JavaScript", asked.modules)):
        if not given:
            print(f"{name}: not run")
    return any(np.abs(numbers - expected).max() > TOLERANCE for numbers in found.values())


def exported(blocks, folder):
    """Run the page's Python up to its export; the scores of the image that the programs have."""
    namespace = {}
    for language, source in blocks:
        if language == "python":
            exec(source, namespace)
            if "export_onnx" in source:
                break
    (folder / "halves.onnx").write_bytes(Path(namespace["path"]).read_bytes())
    namespace["folder"].cleanup()
    image = np.arange(64, dtype=np.float32).reshape(1, 1, 8, 8) / 64
    return namespace["net"](namespace["nd"].array(image)).asnumpy().ravel()


def program(blocks, word):
    return next(source for _, source in blocks if word in source)


def in_c(source, folder, asked):
    """Compile with the header, run, and read what it prints."""
    (folder / "halves.c").write_text(source)
    for name in ("libonnxruntime.so", "libonnxruntime.so.1"):       # the Python package has it without these names
        (folder / name).symlink_to((asked.lib or installed_library()).resolve())
    subprocess.run([asked.cc, "-Wall", "-Wextra", "-Werror", "halves.c", "-I", asked.include.resolve(), "-L.",
                    "-lonnxruntime", "-Wl,-rpath,$ORIGIN", "-o", "halves"], cwd=folder, check=True)
    return numbers_of(subprocess.run(["./halves"], cwd=folder, check=True, capture_output=True, text=True).stdout)


def installed_library():
    import onnxruntime
    return next((Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so.*"))


def in_javascript(source, folder, modules):
    """Run under node, with the packages of that folder."""
    (folder / "node_modules").unlink(missing_ok=True)
    (folder / "node_modules").symlink_to((modules / "node_modules").resolve())
    (folder / "halves.mjs").write_text(source)
    done = subprocess.run(["node", "halves.mjs"], cwd=folder, capture_output=True, text=True, env=os.environ)
    if done.returncode:
        raise SystemExit(f"node: {done.stderr.strip()[-500:]}")
    return numbers_of(done.stdout)


def numbers_of(text):
    return np.array([float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", text)], np.float32)


if __name__ == "__main__":
    sys.exit(main())
