"""What NVRTC says of a kernel, as numbers; how many of its blocks run at a time on a multiprocessor; and the table of
both for all kernels, benchmarks/gpu-kernels.json."""

import json
import pathlib
import re
from typing import NamedTuple

__all__ = ["ARCHITECTURES", "TABLE", "Use", "Widths", "as_lines", "read_table", "resident", "uses", "widths", "worse"]

TABLE = pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "gpu-kernels.json"


class Use(NamedTuple):
    """What a kernel takes. Bytes, but for the registers of a thread; spills are registers kept in local memory."""

    registers: int
    spill_stores: int
    spill_loads: int
    stack: int
    shared: int
    constant: int


class Widths(NamedTuple):
    """Instructions in a kernel's text that read and write global memory, and the bytes that they move in a thread."""

    reads: int
    read: int
    writes: int
    written: int


# -- the compiler's words ---------------------------------------------------------------------------------------------


def uses(log):
    """{kernel: Use} from what `--ptxas-options=-v` prints."""
    found, frames, kernel, function = {}, {}, None, None
    for line in log.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            kernel = match[1]
        elif match := re.search(r"Function properties for (\w+)", line):
            function = match[1]
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            frames[function] = [int(number) for number in match.groups()]
        elif match := re.search(r"Used (\d+) registers", line):
            stack, stores, loads = frames[kernel]
            deepest = re.search(r"(\d+) bytes cumulative stack", line)
            found[kernel] = Use(int(match[1]), stores, loads, max(stack, int(deepest[1]) if deepest else 0),
                                _sum(r"(\d+) bytes smem", line), _sum(r"(\d+) bytes cmem\[", line))
    return found


def _sum(pattern, line):
    return sum(map(int, re.findall(pattern, line)))


# ld.global.nc.v4.f32, st.global.u16
ACCESS = {word: re.compile(rf"\b{word}(?:\.volatile|\.relaxed\.\w+)?\.global(?:\.nc)?(?:\.v([24]))?\.[a-z]+(\d+)")
          for word in ("ld", "st")}


def widths(ptx):
    """{kernel: Widths}."""
    found = {}
    for part in re.split(r"^\s*(?:\.visible\s+)?\.entry\s+", ptx, flags=re.MULTILINE)[1:]:
        body = part.split("\n}", 1)[0]
        reads, writes = ([int(many or 1) * int(bits) // 8 for many, bits in ACCESS[word].findall(body)]
                         for word in ("ld", "st"))
        found[re.match(r"\w+", part)[0]] = Widths(len(reads), sum(reads), len(writes), sum(writes))
    return found


# -- occupancy --------------------------------------------------------------------------------------------------------


class Multiprocessor(NamedTuple):
    """What its blocks share, from the table of compute capabilities in NVIDIA's CUDA programming guide."""

    threads: int
    blocks: int
    shared: int             # KiB
    reserved: int           # bytes of shared memory of each block that are the system's


ARCHITECTURES = {
    "sm_75": Multiprocessor(1024, 16, 64, 0), "sm_80": Multiprocessor(2048, 32, 164, 1024),
    "sm_86": Multiprocessor(1536, 16, 100, 1024), "sm_89": Multiprocessor(1536, 24, 100, 1024),
    "sm_90": Multiprocessor(2048, 32, 228, 1024), "sm_100": Multiprocessor(2048, 32, 228, 1024),
    "sm_120": Multiprocessor(1536, 24, 100, 1024),
}
REGISTERS = 65536           # of a multiprocessor
FEW_REGISTERS = 256         # a warp gets as many at a time


def resident(arch, use, threads, dynamic=0):
    """(blocks that run at a time on a multiprocessor, their warps as a part of all that it could run)."""
    at, warps = ARCHITECTURES[arch], -(-threads // 32)
    of_warp = -(-max(use.registers, 1) * 32 // FEW_REGISTERS) * FEW_REGISTERS
    by_registers = REGISTERS // 4 // of_warp * 4 // warps           # four schedulers, each with a quarter
    shared = use.shared + dynamic + at.reserved
    by_shared = at.shared * 1024 // shared if shared else at.blocks
    blocks = min(at.blocks, at.threads // 32 // warps, by_registers, by_shared)
    return blocks, blocks * warps / (at.threads // 32)


# -- the table --------------------------------------------------------------------------------------------------------


def read_table(path=TABLE):
    """{"compilers": {"13.5": [architectures]}, "kernels": {image: {function: entry}}}; empty where there is none.

    entry: {"threads", "dynamic", "widths": Widths, "13.5": {"sm_80": Use, ...}, ...}
    """
    if not path.exists():
        return {"compilers": {}, "kernels": {}}
    table = json.loads(path.read_text(encoding="utf-8"))
    for entry in (entry for functions in table["kernels"].values() for entry in functions.values()):
        for version in table["compilers"].keys() & entry.keys():
            entry[version] = {arch: Use(*numbers) for archs, numbers in entry[version].items()
                              for arch in archs.split()}
    return table


def as_lines(table):
    """The table as JSON with a line for each kernel; architectures with the same numbers stand together."""
    lines = ['{"compilers": ' + json.dumps(table["compilers"]) + ',', '"kernels": {']
    for image, functions in sorted(table["kernels"].items()):
        entries = [f" {json.dumps(name)}: {json.dumps(_grouped(entry), separators=(',', ':'))}"
                   for name, entry in sorted(functions.items())]
        lines.append(json.dumps(image) + ": {\n" + ",\n".join(entries) + "},")
    return "\n".join(lines).rstrip(",") + "\n}}\n"


def _grouped(entry):
    found = dict(entry)
    for version, of in entry.items():
        if isinstance(of, dict):
            groups = {}
            for arch in sorted(of, key=list(ARCHITECTURES).index):
                groups.setdefault(tuple(of[arch]), []).append(arch)
            found[version] = {" ".join(archs): list(use) for use, archs in groups.items()}
    return found


def worse(before, now):
    """['registers: 40, now 48', ...] where a kernel takes more than before; constants may grow."""
    return [f"{name.replace('_', ' ')}: {old}, now {new}"
            for name, old, new in zip(Use._fields, before, now, strict=True) if name != "constant" and new > old]
