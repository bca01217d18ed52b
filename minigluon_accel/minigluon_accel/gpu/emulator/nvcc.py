"""The program `nvcc` as PyCUDA calls it: nvcc --cubin [options] kernel.cu, nvcc --preprocess, nvcc --version.

bin/nvcc runs it with the Python interpreter in PYTHON. Unknown options are errors.
"""

import pathlib
import sys

from minigluon.base import MXNetError

from .compiler import NO_FMAD, compile, preprocess, version

__all__ = ["main"]

TARGETS = {"--cubin": "cubin", "-cubin": "cubin", "--fatbin": "fatbin", "-fatbin": "fatbin"}
PREPROCESS = ("--preprocess", "-E")
# Options that have no effect here: first those that take the next word as their value, then those without a value.
IGNORED_WITH_VALUE = ("-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "-Xptxas", "--ptxas-options",
                      "-Xcompiler", "--compiler-options", "-maxrregcount", "-std")
IGNORED = ("-O0", "-O1", "-O2", "-O3", "-lineinfo", "--generate-line-info", "-g", "-G", "--keep", "-m64", "-w",
           "-use_fast_math", "--use_fast_math", "-dc", "-rdc=true")


def main(words=None):
    """Returns the exit status for the shell: 0, or 1 with the reason on stderr."""
    words = sys.argv[1:] if words is None else list(words)
    if "--version" in words or "-V" in words:
        print("minigluon's stand-in for nvcc, " + version())
        return 0
    try:
        return _run(*_parsed(words))
    except MXNetError as error:
        print(error, file=sys.stderr)
        return 1


def _parsed(words):
    """Returns (source, output or None, "cubin", "fatbin" or "preprocess", options for g++) for a command line."""
    source = output = None
    target, options, remaining = "cubin", [], iter(words)
    for word in remaining:
        if word in TARGETS:
            target = TARGETS[word]
        elif word in PREPROCESS:
            target = "preprocess"
        elif word in ("-o", "--output-file"):
            output = next(remaining, None)
        elif word in (NO_FMAD, NO_FMAD.removeprefix("-")):
            options.append(NO_FMAD)
        elif word in ("-D", "-U", "-I"):
            options.append(word + next(remaining, ""))
        elif word[:2] in ("-D", "-U", "-I"):
            options.append(word)
        elif word in IGNORED_WITH_VALUE:
            next(remaining, None)
        elif word.startswith("-") and word not in IGNORED and word.split("=")[0] not in IGNORED_WITH_VALUE:
            raise MXNetError(f"nvcc's stand-in does not know the option {word}. It knows -D, -U, -I, -o, --cubin, "
                             "--fatbin and --preprocess, and ignores -arch and similar.")
        elif not word.startswith("-"):
            source = pathlib.Path(word)
    if source is None:
        raise MXNetError("nvcc's stand-in: there is no source file on the command line")
    return source, output, target, options


def _run(source, output, target, options):
    text = source.read_text(encoding="utf-8")
    options = [*options, f"-I{source.resolve().parent}"]
    if target == "preprocess":
        print(preprocess(text, options, source.name))
        return 0
    image = compile(text, options=options, name=source.name)
    pathlib.Path(output or source.with_suffix("." + target).name).write_bytes(image)
    return 0


if __name__ == "__main__":
    sys.exit(main())
