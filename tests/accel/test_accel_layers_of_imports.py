"""The floors of the plugin: an import points down, never up, also one inside a function, and none goes in a circle."""

import pytest
from helpers import ROOT
from helpers.imports import Package

PLUGIN = Package(ROOT / "minigluon_accel" / "minigluon_accel")
STREETS = {"array", "linalg", "math", "nn", "optimizer", "quantized", "random", "rnn", "vision"}

# From the bottom to the top, first what serves the CPU, then what serves the GPU, which may use the former. A module
# may import from its own floor and from those below. "kernels.<street>" are the modules of all families.
FLOORS = [
    {"engine", "strides", "version"},
    {"operators"},
    {"operators.fused_convolution"},                                        # operators that the passes make
    {"operators.blocked_images", "operators.fused_matrix"},
    {"operators.packed_integers"},
    {"kernels.registry"},
    {"kernels.wide"},
    {"kernels.batch_chain", "kernels.integer_steps", "kernels.matrix_product",     # what families share
     "kernels.movement", "kernels.philox", "kernels.programs"},
    {"kernels.loops", "kernels.reductions"},
    {"kernels.<street>", "kernels.fused"},
    {"kernels"},
    {"passes.fuse_attention.match"},
    {"passes.fuse_attention.strides"},
    {"passes.fuse_attention", "passes.fuse_elementwise", "passes.fuse_neighbours", "passes.prepack_quantized",
     "settings"},
    {"passes.absorb_padding", "passes.blocked_layout", "passes.prepack_convolution", "passes.prepack_rnn",
     "passes.recompute_normalized", "passes.split_rnn_parameters", "passes.tile_batch"},
    {"passes.prepack_matrix"},
    {"passes"},
    {"backend"},
    {"__init__"},
    {"gpu.launcher", "gpu.paths", "gpu.pool", "gpu.strides"},
    {"gpu.commands", "gpu.emulator", "gpu.hard_pool", "gpu.install", "gpu.nvcc", "gpu.nvrtc"},
    {"gpu.out_of_range", "gpu.sticky_errors"},
    {"gpu.driver", "gpu.puzzles"},
    {"gpu.alignment"},
    {"gpu.cublas", "gpu.cublaslt", "gpu.cudnn", "gpu.cudnn.convolution", "gpu.cudnn.convolution_relu",
     "gpu.cudnn.descriptors", "gpu.cudnn.library",
     "gpu.formulas", "gpu.graphs", "gpu.launch", "gpu.nccl", "gpu.status"},
    {"gpu.compile", "gpu.expressions", "gpu.elementwise_codegen"},
    {"gpu.copies", "gpu.program"},
    {"gpu.buffer"},
    {"gpu.memory"},
    {"gpu.autotuning"},
    {"gpu.passes", "gpu.passes.fuse_elementwise", "gpu.passes.fuse_relu"},
    {"gpu.kernels.registry"},
    {"gpu.kernels.checks", "gpu.kernels.compose", "gpu.kernels.gemm", "gpu.kernels.gemm_library",
     "gpu.kernels.movement", "gpu.kernels.philox", "gpu.kernels.reductions", "gpu.kernels.transfers",
     "gpu.kernels.pointer_tables"},
    {"gpu.kernels.<street>", "gpu.kernels.fused"},
    {"gpu.kernels"},
    {"gpu.libraries", "gpu.passes.fuse_attention"},
    {"gpu.backend"},
    {"gpu"},
]
FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}


def part(module):
    """Where a module stands in FLOORS: 'minigluon_accel.gpu.kernels.nn.matrix' is of 'gpu.kernels.<street>'."""
    names = module.split(".")[1:]
    for place, name in enumerate(names):
        if name in STREETS:
            return ".".join([*names[:place], "<street>"])
        if name in ("emulator", "puzzles"):
            return f"gpu.{name}"
    return ".".join(names) or "__init__"


def test_every_part_has_a_floor():
    parts = set(map(part, PLUGIN.modules))
    assert parts == set(FLOOR_OF), f"differ: {sorted(parts ^ set(FLOOR_OF))}"


@pytest.mark.parametrize("path", PLUGIN.python_files(), ids=lambda p: str(p.relative_to(PLUGIN.root)))
def test_imports_point_down(path):
    here = part(PLUGIN.module_name(path))
    for target, line in PLUGIN.imported(path):
        there = part(PLUGIN.owner(target))
        # `from . import x` names the package that a module is in
        if there != here and not PLUGIN.module_name(path).startswith(PLUGIN.owner(target) + "."):
            assert FLOOR_OF[there] <= FLOOR_OF[here], f"{path}:{line}: {here} imports {there}, which is above it"


def test_no_circles():
    assert not PLUGIN.circle()
