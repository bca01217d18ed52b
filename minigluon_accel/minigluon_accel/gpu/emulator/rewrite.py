"""Rewriting of preprocessed CUDA C++ that g++ cannot compile, and the table of kernels that the driver reads.

Preprocessed text no longer contains macros, so kernels defined by macros are found like any others.
"""

import re

from minigluon.base import MXNetError

__all__ = ["Kernel", "module_source"]

# Before a kernel, from macros in the prelude: emulator_global, and emulator_bounds((256, 2)) for __launch_bounds__.
GLOBAL = re.compile(r"\bemulator_global\b")
BOUNDS = re.compile(r"\bemulator_bounds\s*\(\(")
# extern __shared__ T name[][4];
DYNAMIC = re.compile(r"""\bextern\b (?P<before>[^;{}=()]*?) \bstatic\s+__thread\b (?P<after>[^;{}=]*?)
                         \b(?P<name>\w+)\s* \[\s*\] (?P<inner>(?:\s*\[[^\]]*\])*) \s*;""", re.VERBOSE)
TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*>\s*$")
ALIGNED = re.compile(r"__attribute__\s*\(\(\s*aligned\s*\([^()]*\)\s*\)\)")
TWICE = re.compile(r"\bstatic\s+(static\s+__thread)\b")
# volatile T *name = ...;
VOLATILE = re.compile(r"\bvolatile\s+(?P<type>[\w:]+(?:\s*<[\w:, ]*>)?)\s*\*\s*(?P<name>\w+)\s*=(?!=)")


class Kernel:
    """A kernel's name, its parameters' names, and the arguments of its __launch_bounds__, or "0" if it has none."""

    def __init__(self, name, parameters, bounds):
        self.name = name
        self.parameters = parameters
        self.bounds = bounds


def module_source(text):
    """Returns preprocessed CUDA C++ as C++ with the table of its kernels at the end.

    text: contains emulator_global etc., which the prelude's macros produce. Raises MXNetError for a kernel that is a
    template.
    """
    text = ALIGNED.sub(_keep_lines, text) if DYNAMIC.search(ALIGNED.sub("", text)) else text
    text = DYNAMIC.sub(_dynamic_shared, text)
    text = _volatile_pointers(TWICE.sub(r"\1", text))
    kernels = {}
    text = _without_bounds(text, kernels)
    return GLOBAL.sub("__attribute__((noinline))", text) + _table(kernels.values())


def _keep_lines(match):
    return "\n" * match.group().count("\n")


def _dynamic_shared(match):
    """Rewrites a declaration of dynamic shared memory as the driver's pointer, with the declared name and type."""
    kind = " ".join((match["before"] + " " + match["after"]).split())
    inner = match["inner"].strip()
    declared = f"{kind} (* const {match['name']}){inner}" if inner else f"{kind} * const {match['name']}"
    return (f'extern __thread {declared} __asm__("emulator_dynamic_shared") '
            '__attribute__((tls_model("initial-exec")));' + _keep_lines(match))


def _volatile_pointers(text):
    """Rewrites stores through volatile pointers to wait for all lanes, because old kernels assume lockstep warps.

    For example, `volatile T *p = x; p[i] = y;` becomes `T *p = x; emulator::store_in_step(&p[i], y);` within its block.
    Stores through volatile pointers to memory other than shared memory do not wait.
    """
    pieces, position = [], 0
    for match in VOLATILE.finditer(text):
        if match.start() < position:
            continue
        end = _end_of_block(text, match.end())
        store = re.compile(rf"\b{match['name']}\s*\[([^\[\]]*)\]\s*=(?!=)([^;]*);")
        pieces += [text[position:match.start()], f"{match['type']} *{match['name']} =",
                   store.sub(rf"emulator::store_in_step(&{match['name']}[\1], \2);", text[match.end():end])]
        position = end
    return "".join([*pieces, text[position:]])


def _end_of_block(text, start):
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match.group() == "{" else -1
        if depth < 0:
            return match.start()
    return len(text)


def _without_bounds(text, kernels):
    """Returns the text without __launch_bounds__. kernels: {name: Kernel}, to which this function adds."""
    pieces, position = [], 0
    for match in GLOBAL.finditer(text):
        start = match.end()
        bounds = BOUNDS.search(text, start)
        opening = text.index("(", start)
        threads = "0"
        if bounds and bounds.end() - 2 == opening:              # the first parenthesis belongs to the launch bounds
            close = _closing(text, opening)
            threads = text[opening + 2:close - 1]
            pieces += [text[position:bounds.start()], _lines(text[bounds.start():close + 1])]
            position = close + 1
            opening = text.index("(", position)
        name = re.search(r"(\w+)\s*$", text[max(position, start):opening]).group(1)
        if TEMPLATE.search(text, max(0, match.start() - 400), match.start()):
            raise MXNetError(f"The emulator cannot launch the kernel {name!r}, which is a template. Make it a "
                             "__device__ function, and write an extern \"C\" __global__ function that calls it.")
        if name not in kernels or threads != "0":
            kernels[name] = Kernel(name, _names(text[opening + 1:_closing(text, opening)]), threads)
    return "".join([*pieces, text[position:]])


def _names(parameters):
    """Returns ["x", "n"] for "const T<int, 2> *x, int n"."""
    depth, parts = 0, [""]
    for letter in parameters:
        depth += {"(": 1, "<": 1, "[": 1, ")": -1, ">": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        elif depth == 0:
            parts[-1] += letter
    return [re.search(r"(\w*)\W*$", part)[1] for part in parts]


def _lines(text):
    return "\n" * text.count("\n")


def _closing(text, opening):
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def _table(kernels):
    entries = "".join(f'    emulator::entry<&{kernel.name}>("{kernel.name}", "{",".join(kernel.parameters)}", '
                      f"emulator::bound({kernel.bounds})),\n"
                      for kernel in kernels)
    return ('\nextern "C" {\n'
            f"extern const unsigned emulator_kernel_count = {len(kernels)};\n"
            "extern const emulator::Kernel emulator_kernels[] = {\n" + entries + "    {}\n};\n}\n")
