"""The table of all kernels as a page, benchmarks/gpu-kernels.md."""

from helpers.gpu_report import ARCHITECTURES, Widths, resident

__all__ = ["text"]

HEAD = """# Resources of each GPU kernel

Registers per thread, spills (registers that did not fit and are kept in memory), stack (arrays that a thread keeps in
memory) and shared memory, from NVRTC's own report, and the number of blocks that run concurrently on a multiprocessor.
All of this is known without a card: nothing was run on one for this page. [gpu-kernels.json](gpu-kernels.json) has the
numbers of each kernel with each set of defines; this page lists the kernels that use local memory, the tiles, and
ranges.

`python tests/scripts/gpu_compile_table.py` compiles all kernels and writes both, which takes a quarter of an hour of
processor time for each version; with `--check` it writes nothing, and fails if a kernel takes more than the table says.
CI checks some of the most used images: a third of what `--held` compiles, for one architecture, with each version that
it installs. There `tests/gpu/test_gpu_compile_table.py` fails if a kernel takes more.
"""


def text(table):
    """The page. table: of `gpu_report.read_table`."""
    versions = sorted(table["compilers"], key=lambda version: [int(part) for part in version.split(".")])
    newest = versions[-1]
    parts = [HEAD, _compilers(table, versions), _spills(table, newest), _tiles(table, newest), _files(table, newest)]
    return "\n".join(parts)


def _compilers(table, versions):
    rows = []
    for version in versions:
        counts = [sum(arch in entry.get(version, {}) for _, _, entry in _entries(table)) for arch in ARCHITECTURES]
        known = table["compilers"][version]
        rows.append([f"NVRTC {version}", *[str(count) if arch in known else "not known"
                                           for arch, count in zip(ARCHITECTURES, counts, strict=True)]])
    names = {(image.split()[0], name) for image, name, _ in _entries(table)}
    return (f"## Compiled kernels\n\nThe page covers {len(names)} kernels, each with the types and other defines of "
            "its launches. The table counts the variants for each compiler version and each architecture. Tensor cores "
            "are used from sm_80 on, so there are fewer for sm_75.\n\n"
            + _table(["", *ARCHITECTURES], rows))


def _spills(table, version):
    """A row for each kernel that keeps registers or arrays in local memory."""
    rows = []
    for image, name, entry in _entries(table):
        of = {arch: use for arch, use in entry.get(version, {}).items() if use.spill_stores or use.stack}
        if of:
            cells = [_local(of[arch]) if arch in of else "" for arch in ARCHITECTURES]
            rows.append([f"`{name}`", _short(image), *cells])
    return ("\n## Local memory\n\nBytes of stack, and of spills stored / loaded, compiled by NVRTC "
            f"{version}. All other kernels keep everything in registers.\n\n"
            + _table(["kernel", "of", *ARCHITECTURES], rows))


def _local(use):
    spilled = f", {use.spill_stores} / {use.spill_loads}" if use.spill_stores or use.spill_loads else ""
    return f"{use.stack}{spilled}"


def _tiles(table, version):
    """A row for each kernel of tiles: registers, blocks, occupancy."""
    rows = []
    for image, name, entry in _entries(table):
        if name.endswith("_tiles") and " BM=" in image and "NUMBER=int" in image:
            cells = []
            for arch in ARCHITECTURES:
                use = entry.get(version, {}).get(arch)
                blocks, share = resident(arch, use, entry["threads"], entry["dynamic"]) if use else (0, 0)
                cells.append(f"{use.registers}: {blocks} ({share:.0%})" if use else "")
            memory = max(use.shared for use in entry[version].values()) / 1024
            rows.append([f"`{name}`", _short(image), str(entry["threads"]), f"{memory:.1f} KiB", *cells])
    return ("\n## Tiles of products and convolutions\n\nRegisters per thread: concurrent blocks on a multiprocessor "
            f"(their threads as a fraction of its maximum), by NVRTC {version}.\n\n"
            + _table(["kernel", "of", "threads", "shared memory", *ARCHITECTURES], rows))


def _files(table, version):
    """A row for each kernel of each file, over all its defines."""
    groups = {}
    for image, name, entry in _entries(table):
        if entry.get(version):
            path = "generated" if image.startswith("generated") else image.split()[0]
            groups.setdefault((path, name), []).append(entry)
    rows = []
    for (path, name), entries in sorted(groups.items()):
        every = [(arch, use, entry) for entry in entries for arch, use in entry[version].items()]
        registers = [use.registers for _, use, _ in every]
        shares = [resident(arch, use, entry["threads"], entry["dynamic"])[1] for arch, use, entry in every]
        moved = [Widths(*entry["widths"]) for entry in entries]
        read = [w.read / w.reads for w in moved if w.reads]
        written = [w.written / w.writes for w in moved if w.writes]
        rows.append([f"`{path}`", f"`{name}`", str(len(entries)), _range(registers),
                     _range([use.shared for _, use, _ in every]), _range(shares, "{:.0%}"), _range(read, "{:.3g}"),
                     _range(written, "{:.3g}")])
    head = ["file", "kernel", "variants", "registers", "shared memory", "occupancy", "read", "written"]
    return (f"\n## Each kernel\n\nThe range over all types, defines and architectures that NVRTC {version} compiles. "
            "variants: sets of defines that are launched. occupancy: threads of resident blocks as a fraction of the "
            "maximum of a multiprocessor. read, written: bytes that a global memory instruction moves per thread, on "
            "average over the instructions in the kernel's code.\n\n" + _table(head, rows))


def _range(numbers, form="{}"):
    if not numbers:
        return ""
    low, high = form.format(min(numbers)), form.format(max(numbers))
    return low if low == high else f"{low} to {high}"


def _entries(table):
    for image, functions in sorted(table["kernels"].items()):
        for name, entry in sorted(functions.items()):
            yield image, name, entry


def _short(image):
    """Defines without those that follow from others."""
    words = dict(word.split("=", 1) for word in image.split(" ")[1:] if "=" in word)
    if "BM" not in words:
        return f"`{image}`" if len(image) < 90 else f"`{image[:86]} ...`"
    kinds = {"half": "float16", "float": "float32", "double": "float64", "int": "int32", "long": "int64"}
    if "DEPTH" in words:
        return (f"{kinds[words['T']]}, {words['BM']} x {words['BN']}, heads of {words['DEPTH']}, masking "
                f"{words['MASKING']}{', weighed' if words['WEIGHS'] == '1' else ''}")
    tensor = {"16": ", tensor cores", "8": ", tensor cores in TF32"}.get(words.get("MMA"), "")
    kind = {("0", "0"): "", ("0", "1"): ", data's gradient", ("1", "0"): ", weight's gradient"}[
        words.get("SUM_OVER_WINDOWS", "0"), words.get("GATHERS", "0")]
    planes = ", 3-D" if words.get("PLANES") == "1" else ""
    wide = ", 64-bit indices" if words["NUMBER"] != "int" else ""
    return f"{kinds[words['T']]}, {words['BM']} x {words['BN']} x {words['BK']}{tensor}{kind}{planes}{wide}"


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *["| " + " | ".join(row) + " |" for row in rows]]) + "\n"
