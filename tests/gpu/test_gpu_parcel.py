"""What tests/scripts/gpu_parcel.py compiles without a card is found on a machine with one: equal names of images."""

import pytest
from helpers import gpu_choice  # noqa: F401 - skips where PyCUDA is not installed

# isort: split
from minigluon_accel.gpu import compile as gpu_compile
from minigluon_accel.gpu.launch import GeneratedSource, SourceFile
from scripts import gpu_parcel, gpu_sources

SOURCES = [(GeneratedSource('extern "C" __global__ void nothing() {}'), {"A": 1}),
           (SourceFile("copying.cu"), {"T": "float", "A": "float", "FROM": "half"}),
           (SourceFile("copying.cu", fmad=False), {})]


class Library:
    """A compiler that knows its version, and may be refused to compile."""

    compiles = True

    @staticmethod
    def version(arch):
        return "NVRTC 13.0"

    def compile(self, source, arch, options, name):
        assert self.compiles, "the image was to be found"
        return f"{arch} {options}".encode()


@pytest.fixture
def library(monkeypatch, tmp_path):
    made = Library()
    monkeypatch.setattr(gpu_parcel, "chosen_library", lambda nvrtc, path: made)
    monkeypatch.setattr(gpu_compile, "compiler", lambda architecture: made)
    monkeypatch.setenv("MINIGLUON_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MINIGLUON_GPU", "emulate")
    return made


@pytest.mark.parametrize(("source", "defines"), SOURCES, ids=["generated", "file", "without fma"])
def test_a_carried_image_is_found(library, tmp_path, monkeypatch, source, defines):
    text = gpu_sources.as_text(source, defines)
    assert gpu_parcel.compiled((text, "sm_90", None, str(tmp_path / "cache"))) is None
    library.compiles = False
    options = [] if source.fmad else ["--fmad=false"]
    assert gpu_compile.image_of(source, defines, "sm_90") == f"sm_90 {options}".encode()


def test_sources_are_recorded(library, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_compile, "image_of", gpu_compile.image_of)      # put back afterwards
    gpu_sources.record(tmp_path / "sources")
    for _ in range(2):
        for source, defines in SOURCES:
            gpu_compile.image_of(source, defines, "sm_80")
    found = {path.read_text(encoding="utf-8") for path in (tmp_path / "sources").iterdir()}
    assert found == {gpu_sources.as_text(source, defines) for source, defines in SOURCES}
