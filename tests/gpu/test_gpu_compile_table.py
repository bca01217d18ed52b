"""No kernel takes more of a card unnoticed: some are compiled and compared with benchmarks/gpu-kernels.json."""

import pytest
from helpers import gpu_choice, gpu_page
from helpers.gpu_checks import own_kernels
from helpers.gpu_images import held
from helpers.gpu_report import ARCHITECTURES, TABLE, Use, Widths, as_lines, read_table, resident, uses, widths, worse
from minigluon_accel.gpu import nvrtc, paths

gpu_choice.require(nvrtc.available(), "NVRTC is not installed")

ARCH = "sm_80"              # every version that the table has knows it


@pytest.fixture(scope="module")
def table():
    return read_table()


@pytest.mark.parametrize("number", range(len(nvrtc.libraries())), ids=lambda number: str(nvrtc.libraries()[number]))
def test_no_kernel_takes_more_than_the_table_says(number, table):
    """One image in three; where there are several versions, each compiles its part. The script compiles all."""
    library, step = nvrtc.libraries()[number], len(nvrtc.libraries())
    version = paths.version_text(library.version)
    if version not in table["compilers"]:
        pytest.skip(f"{TABLE.name} has no numbers of NVRTC {version}, it has those of {', '.join(table['compilers'])}: "
                    "python tests/scripts/gpu_compile_table.py writes them")
    with own_kernels():         # as in the table, whatever a card's machine has
        images = held()
    found = []
    for image in images[number::3 * step]:
        log, _ = library.report(image.text(), ARCH, image.options, image.name)
        for name, use in uses(log).items():
            before = table["kernels"].get(image.name, {}).get(name, {}).get(version, {}).get(ARCH)
            found += [f"{name} of {image.name}: {change}"
                      for change in (["not in the table"] if before is None else worse(before, use))]
    assert not found, "\n".join([f"NVRTC {version} for {ARCH}, see tests/scripts/gpu_compile_table.py:", *found])


def test_the_page_is_made_of_the_table(table):
    assert TABLE.read_text(encoding="utf-8") == as_lines(table)
    assert TABLE.with_suffix(".md").read_text(encoding="utf-8") == gpu_page.text(table)


def test_each_architecture_is_compiled_by_two_versions(table):
    for arch in ARCHITECTURES:
        assert sum(arch in archs for archs in table["compilers"].values()) >= 2


# -- how the compiler's report is read --------------------------------------------------------------------------------

LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'near' for 'sm_80'
ptxas info    : Function properties for near
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 0 barriers, 1024 bytes smem, 468 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compiling entry function 'far' for 'sm_80'
ptxas info    : Function properties for far
ptxas         .     96 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 128 registers, used 1 barriers, 96 bytes cumulative stack size, 400 bytes cmem[0]
"""
PTX = """
.visible .entry near(
	.param .u64 near_param_0
)
{
	ld.param.u64 	%rd1, [near_param_0];
	ld.global.v4.f32 	{%f1, %f2, %f3, %f4}, [%rd1];
	ld.global.nc.u16 	%rs1, [%rd2];
	st.global.v2.u32 	[%rd1], {%r1, %r2};
	st.shared.u32 	[%rd1], %r1;
}
"""


def test_the_report_is_read():
    assert uses(LOG) == {"near": Use(14, 0, 0, 0, 1024, 476), "far": Use(128, 16, 24, 96, 0, 400)}
    assert widths(PTX) == {"near": Widths(2, 18, 1, 8)}


def test_more_is_told():
    before = Use(40, 0, 0, 0, 1024, 400)
    assert worse(before, before._replace(registers=32, constant=500)) == []
    assert worse(before, before._replace(registers=48, spill_stores=16)) == ["registers: 40, now 48",
                                                                             "spill stores: 0, now 16"]


@pytest.mark.parametrize(("arch", "registers", "shared", "threads", "blocks"), [
    ("sm_80", 32, 0, 256, 8),           # all of 2048 threads
    ("sm_80", 128, 0, 256, 2),          # registers: 65536 / (128 · 256)
    ("sm_80", 40, 40 * 1024, 128, 4),   # shared memory: 164 / (40 + 1)
    ("sm_75", 40, 32 * 1024, 128, 2),   # of 64, and nothing reserved
    ("sm_89", 16, 0, 32, 24),           # blocks
    ("sm_75", 255, 0, 512, 0),          # cannot run at all
])
def test_blocks_of_a_multiprocessor(arch, registers, shared, threads, blocks):
    found, share = resident(arch, Use(registers, 0, 0, 0, shared, 0), threads)
    assert (found, share) == (blocks, blocks * threads / ARCHITECTURES[arch].threads)
