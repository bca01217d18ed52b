"""Which kernels the tests compile: each source with its defines, as JSON. For gpu_suite.py --sources."""

import hashlib
import json
import pathlib
import sys

RECORDED = "minigluon_accel.gpu.compile"


def as_text(source, defines):
    """A source as JSON: its path, or its own text, with what else it says of itself."""
    more = {name: value for name, value in vars(source).items() if name not in ("path", "text")}
    return json.dumps({"path": getattr(source, "path", None), "text": getattr(source, "text", None), "more": more,
                       "defines": dict(sorted(defines.items()))}, sort_keys=True)


def record(folder):
    """From now on, write a file into the folder for each source that this process compiles or finds in the cache."""
    gpu_compile, folder = sys.modules[RECORDED], pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    real = gpu_compile.image_of

    def image_of(source, defines, architecture):
        text = as_text(source, defines)
        (folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json").write_text(text, encoding="utf-8")
        return real(source, defines, architecture)
    gpu_compile.image_of = image_of
