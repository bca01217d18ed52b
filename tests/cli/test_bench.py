"""`minigluon bench`: what it measures, prints and writes, and what it says when it cannot."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from helpers import ROOT, WIDE
from helpers.shared_work import shared

import minigluon as mx
from minigluon.base import MXNetError
from minigluon.tools import cli
from minigluon.tools.bench import chart, peers, standing, table
from minigluon.tools.bench import run as run_module
from minigluon.tools.bench.merge import merged
from minigluon.tools.bench.nets import OTHERS, PROGRAMS, QUICK, QUICK_NETS, SIZES, kind_of, runs_in
from minigluon.tools.bench.peers import Peer, ProgramError, interpreters, resident_bytes
from minigluon.tools.bench.rounds import Contender, Pace, contenders, measure
from minigluon.tools.bench.run import run as run_as_function
from minigluon.tools.bench.workers import names, probes, programs_gluon, resident

pytestmark = pytest.mark.once

# In CI without the large nets, which take most of the time, and without those that are another one's program with
# other sizes or cells.
LONG = ("alexnet", "resnet", "lenet256", "gru", "gru layers", "mobilenetv2", "resnet50", "unet", "vit-tiny",
        "bert-mini", "gpt", "ds-cnn", "mobilenet0.25", "resnet8", "autoencoder", "lstm layers")
NETS = [net for net in PROGRAMS if WIDE or net not in LONG]
ALL = [program for net in NETS for program in PROGRAMS[net]]

# Where a plugin is installed, the reference is measured beside it.
REFERENCE = ["reference"] if "reference" in interpreters() else []

# One thread for BLAS: where several tests run at once, its threads would wait for each other.
ENVIRONMENT = {**os.environ, "PYTHONPATH": peers._environment("minigluon", sys.executable, None)["PYTHONPATH"],
               "PYTHONWARNINGS": "error", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "110"}
for name in OTHERS:
    ENVIRONMENT.pop(f"MINIGLUON_{name.upper()}_PYTHON", None)


def run(*args, cwd):
    return subprocess.run([sys.executable, "-m", "minigluon", "bench", *args], cwd=cwd, env=ENVIRONMENT,
                          capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """(what it printed, the folder with its files, the JSON) of a quick run over all nets, no peers named."""
    def measure(folder):
        done = run("--quick", "--rounds", "2", "--nets", *NETS, cwd=folder)
        assert (done.returncode, done.stderr) == (0, "")
        (folder / "printed").write_text(done.stdout, encoding="utf-8")
    folder = shared(tmp_path_factory, "the-bench", measure)
    out, printed = folder / "minigluon-out", (folder / "printed").read_text(encoding="utf-8")
    return printed, out, json.loads((out / "bench.json").read_text(encoding="utf-8"))


def fake_interpreter(folder, text, name="python"):
    """An executable that does what the text says, in this Python."""
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return str(path)


def bytes_of_rates(program):
    """What a trainer keeps from step to step: one number, and two for each weight."""
    if not program.endswith("train step"):
        return 0
    blocks = programs_gluon.makers(mx, QUICK)[program]("hybridized").blocks
    return 8 * (1 + 2 * sum(len(block.collect_params()) for block in blocks))


# -- a run from end to end ------------------------------------------------------------------------------------------


def test_json(quick):
    _, _, report = quick
    assert (report["format"], report["left_out"]) == (1, [])
    assert list(report["libraries"]) == ["minigluon", *REFERENCE, "numpy"]
    assert report["libraries"]["minigluon"].startswith(f"minigluon {mx.__version__}" + " on " * len(REFERENCE))
    assert report["libraries"]["numpy"] == f"numpy {np.__version__}"
    assert report["settings"] == {"quick": True, "nets": NETS, "sizes": QUICK, "threads": None, "without": [],
                                  "rounds": 2, "burst": 0.005, "rest": 0, "clock": "wall", "patience": 20}
    assert set(report["machine"]) == {"processor", "cores", "system", "python", "blas", "load_before", "load_after"}
    raw = {"mlp forward", "chain forward"}
    assert [(r["program"], r["library"], r["mode"]) for r in report["rows"]] == [
        row for program in ALL for row in
        [*[(program, library, mode) for library in ["minigluon", *REFERENCE]
           for mode in programs_gluon.MODES[library] if runs_in(mode, program)],
         *([(program, "numpy", "raw")] if program in raw else [])]]
    for row in report["rows"]:
        assert len(row["seconds"]) == 2
        assert 0 < row["low"] <= row["median"] <= row["high"] < 60
        examined = [row["peak_bytes"], row["kept_bytes"], row["kernels"]]
        assert row["resident_bytes"] is None            # not in a quick run
        if row["library"] == "minigluon":
            assert row["peak_bytes"] >= row["kept_bytes"] >= 0
            assert row["peak_bytes"] > 0 < row["kernels"]
            # What the planner has laid out is what stays allocated, apart from small results of Python's own.
            planned = row["planned_bytes"] or 0
            if row["mode"] == "imperative" or not REFERENCE:        # a plugin may need no memory between kernels
                assert (planned == 0) == (row["mode"] == "imperative")
            assert planned <= row["kept_bytes"]
            if not REFERENCE:           # kernels of a plugin may keep scratch memory
                assert row["kept_bytes"] <= 1.1 * planned + 1000 + bytes_of_rates(row["program"])
        else:
            assert examined == [None, None, None]


def test_ratios_are_those_of_the_rounds(quick):
    _, _, report = quick
    for row in report["rows"]:
        of = {r["mode"]: r["seconds"] for r in report["rows"]
              if r["program"] == row["program"] and r["library"] == "minigluon"}
        assert row["median"] == statistics.median(row["seconds"])
        assert row["of_imperative"] == pytest.approx(np.median(np.divide(row["seconds"], of["imperative"])))
        assert row["hybridized_of_this"] == pytest.approx(np.median(np.divide(of["hybridized"], row["seconds"])))


def test_table_names_every_net(quick):
    printed, _, report = quick
    lines = printed.splitlines()
    for program in ALL:
        at = lines.index(next(line for line in lines if line.strip() == program))
        names = [" ".join(line.split()[:2]) for line in lines[at + 1:at + 3]]
        assert names == ["minigluon imperative", "minigluon hybridized"]
    row = report["rows"][0]
    shown = next(line for line in lines if line.startswith("minigluon imperative")).split()
    assert " ".join(shown[2:4]) == table.time_text(row["median"])
    assert shown[-1] == str(row["kernels"])
    assert "Quick: sizes and rounds are small, so these numbers mean little." in printed
    assert max(map(len, lines)) <= 110
    charts = [f"bench{end}.png" for end in chart.pages(report)]
    assert [line.split()[-1] for line in lines[-2 - len(charts):]] == [
        os.path.join("minigluon-out", name) for name in ("bench.json", "bench.md", *charts)]


def test_markdown(quick):
    _, out, report = quick
    text = (out / "bench.md").read_text(encoding="utf-8")
    assert text == table.markdown(report)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + len(report["rows"])
    assert {line.count("|") for line in rows} == {10}
    assert rows[0] == ("| program | library | median | range | this / imperative | hybridized / this | peak memory "
                       "| in arrays | kernels |")
    assert "\n|---|---|---|---|---|---|---|---|---|\n" in text


def test_chart(quick):
    from matplotlib.image import imread
    _, out, report = quick
    end, page = next(iter(chart.pages(report).items()))
    pixels = imread(out / f"bench{end}.png")
    assert np.ptp(pixels[..., :3]) > 0.5
    assert pixels.shape[:2] == tuple(reversed(chart.draw(page).canvas.get_width_height()))
    figure = chart.draw(report)
    panels = {axes.get_title(loc="left"): axes for axes in figure.axes}
    kinds = {kind: [program for program in ALL if kind_of(program) == kind] for kind in ("forward", "training")}
    means = [f"{kind}: geometric mean" for kind in kinds]
    assert list(panels) == [*means, *kinds["forward"], *kinds["training"]]
    for program in ALL:
        rows = [row for row in report["rows"] if row["program"] == program]
        axes = panels[program]
        assert ends_of_bars(axes) == pytest.approx([row["of_imperative"] for row in rows])
        assert [label.get_text() for label in axes.get_yticklabels()] == [f"{r['library']} {r['mode']}" for r in rows]
        beside = [text.get_text() for text in axes.texts]
        for row in rows:
            assert {f"{row['of_imperative']:.2f}", table.time_text(row["median"])} <= set(beside)
        assert axes.get_xscale() == "log"
    for kind, mean in zip(kinds, means, strict=True):
        hybridized = [row["of_imperative"] for row in report["rows"] if kind_of(row["program"]) == kind
                      and (row["library"], row["mode"]) == ("minigluon", "hybridized")]
        assert ends_of_bars(panels[mean])[:2] == pytest.approx([1, np.prod(hybridized) ** (1 / len(hybridized))])


def test_a_long_chart_has_pages():
    programs = [f"{i} forward" for i in range(chart.MOST_PANELS + 1)] + ["a train step", "b train step"]
    report = {"rows": [{"program": program} for program in programs], "format": 1}
    parts = {end: [row["program"] for row in page["rows"]] for end, page in chart.pages(report).items()}
    assert parts == {"-forward-1": programs[:chart.MOST_PANELS], "-forward-2": [programs[chart.MOST_PANELS]],
                     "-training-1": programs[-2:]}
    short = {"rows": report["rows"][:3]}
    assert chart.pages(short) == {"": short}


def ends_of_bars(axes):
    return [bar.get_x() + bar.get_width() for bar in axes.patches]


@pytest.mark.parametrize("ratios", [[0.002, 900], [1, 1], [0.9, 1.1], [1 / 64, 256], [1, 1e6]])
def test_nothing_in_the_chart_overprints_or_is_cut(ratios):
    rows = [{"program": program, "library": "minigluon", "mode": mode, "median": 1, "of_imperative": ratio,
             "peak_bytes": 123_000, "kernels": 12_345}
            for program in ("lenet256 forward", "lstm layers train step")
            for mode, ratio in zip(("imperative", "hybridized"), ratios, strict=True)]
    figure = chart.draw({"rows": rows})
    figure.draw_without_rendering()
    whole = figure.bbox
    for axes in figure.axes:
        ticks = [label for label in axes.get_xticklabels() if label.get_text()]
        assert {"1"} <= {label.get_text() for label in ticks}
        for texts in (ticks, axes.texts, axes.get_yticklabels(), [axes.title, axes._left_title]):
            boxes = [text.get_window_extent() for text in texts if text.get_text()]
            for box in boxes:
                assert whole.contains(box.x0, box.y0)
                assert whole.contains(box.x1, box.y1)
            assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


# -- other libraries ------------------------------------------------------------------------------------------------


HALF_A_TORCH = """
import json, sys
print(json.dumps({"version": "torch 0", "modes": ["eager", "compile"], "programs": ["mlp forward"]}), flush=True)
for line in sys.stdin:
    what, *arguments = json.loads(line)
    if "compile" in arguments:
        answer = {"error": "InvalidCxxCompiler: no compiler\\nmore"}
    else:
        answer = {"result": 0.001}
    print(json.dumps(answer), flush=True)
"""

posix = pytest.mark.skipif(sys.platform == "win32", reason="a script with #! is the fake interpreter")


@posix
def test_what_a_peer_cannot_run_is_left_out_and_said(tmp_path):
    python = fake_interpreter(tmp_path, HALF_A_TORCH)
    done = run("--quick", "--rounds", "1", "--nets", "mlp", "--torch-python", python, "--sizes",
               "lenet_batch=3", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads((tmp_path / "minigluon-out" / "bench.json").read_text(encoding="utf-8"))
    assert report["settings"]["sizes"] == {**QUICK, "lenet_batch": 3}
    assert [row["seconds"] for row in report["rows"] if row["library"] == "torch"] == [[0.001]]
    assert report["left_out"] == [{"program": "mlp forward", "library": "torch", "mode": "compile",
                                   "reason": "InvalidCxxCompiler: no compiler\nmore"}]
    assert "torch compile could not run mlp forward: InvalidCxxCompiler: no compiler\n" in done.stdout


@posix
@pytest.mark.parametrize(("text", "problem"), [
    ("import sys; sys.exit('there is no torch here')",
     "the worker of torch ended with code 1: there is no torch here. It was run by {python}; name the python of an "
     "environment that has torch installed."),
    ("", "the worker of torch ended with code 0: nothing on standard error. It was run by {python}; name the python of "
         "an environment that has torch installed."),
    ("print('hello')", "the worker of torch answered 'hello', which is not a worker's answer. Is {python} a Python "
                       "interpreter?"),
])
def test_interpreters_that_are_no_workers(tmp_path, capsys, text, problem):
    python = fake_interpreter(tmp_path, text)
    args = ["bench", "--quick", "--nets", "mlp", "--torch-python", python, "--out", str(tmp_path / "out")]
    assert cli.main(args) == 1
    assert capsys.readouterr().err == f"minigluon bench: error: {problem.format(python=python)}\n"


def test_an_interpreter_that_is_not_there(tmp_path, capsys):
    python = str(tmp_path / "python")
    assert cli.main(["bench", "--mxnet-python", python, "--nets", "mlp", "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == (
        f"minigluon bench: error: the interpreter for mxnet, {python}, cannot be started: No such file or directory. "
        "Name the python of an environment that has mxnet installed.\n")


def test_arguments_go_before_the_environment(monkeypatch):
    monkeypatch.setenv("MINIGLUON_TORCH_PYTHON", "from-environment")
    monkeypatch.delenv("MINIGLUON_MXNET_PYTHON", raising=False)
    here = dict.fromkeys(["minigluon", *REFERENCE, "numpy"], sys.executable)
    assert interpreters() == {**here, "torch": "from-environment"}
    assert interpreters(torch="a", mxnet="b") == {**here, "torch": "a", "mxnet": "b"}
    assert interpreters(jax="c")["jax"] == "c"


@posix
def test_a_worker_that_dies_between_questions(tmp_path):
    text = HALF_A_TORCH.replace("what, *", "sys.exit('out of memory'); what, *")
    with Peer("torch", fake_interpreter(tmp_path, text), SIZES) as peer:
        for _ in range(2):
            with pytest.raises(MXNetError, match=r"^the worker of torch ended with code 1: out of memory\."):
                peer.seconds("mlp forward", "eager", 1)


# -- a worker of minigluon ------------------------------------------------------------------------------------------


PROGRAMS_OF_A_TEST = """
print("noise on standard output")

def makers(mx, sizes):
    def broken(mode):
        return lambda: mx.nd.zeros((2, 3)) + mx.nd.zeros((4, 5))
    def loud(mode):
        return lambda: print("more noise")
    return {"broken": broken, "loud": loud}
"""


def test_further_programs_may_print_and_fail(tmp_path):
    path = tmp_path / "extra.py"
    path.write_text(PROGRAMS_OF_A_TEST)
    with Peer("minigluon", sys.executable, QUICK, {"minigluon": [str(path)]}) as peer:
        assert peer.version.startswith(f"minigluon {mx.__version__}")
        assert {"broken", "loud", *sum(PROGRAMS.values(), [])} <= set(peer.programs)
        assert 0 < peer.seconds("loud", "imperative", 5) < 1
        with pytest.raises(ProgramError) as caught:
            measure(contenders([peer], "broken"), "broken", Pace())
        assert str(caught.value).startswith("minigluon imperative cannot run broken: ShapeError: ")
        assert 0 < peer.seconds("loud", "imperative", 1) < 1         # the worker lives on


class FakePeer:
    """Takes a second for each run, by its own watch."""

    def __init__(self, library, modes, turns, seconds):
        self.library, self.modes, self.turns, self.took = library, modes, turns, seconds
        self.programs = ["p"]

    def seconds(self, program, mode, count, clock):
        self.turns.append((self.library, mode, count))
        return self.took


@posix
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_number_of_threads(tmp_path, threads, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    text = """
import json, os
names = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"]
print(json.dumps({"version": [os.environ.get(name) for name in names], "modes": [], "programs": []}), flush=True)
"""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with Peer("torch", fake_interpreter(tmp_path, text), SIZES, threads=threads) as peer:
        assert peer.version == ([None, "7", None] if threads is None else [str(threads)] * 3)


def test_clocks(tmp_path):
    """A program that sleeps takes time of the wall clock, and none of the processor's."""
    path = tmp_path / "extra.py"
    path.write_text("import time\ndef makers(mx, sizes):\n    return {'nap': lambda mode: lambda: time.sleep(0.05)}")
    with Peer("minigluon", sys.executable, QUICK, {"minigluon": [str(path)]}) as peer:
        assert peer.seconds("nap", "imperative", 2, "wall") >= 0.05
        assert peer.seconds("nap", "imperative", 2, "cpu") < 0.02


def test_headline_says_how_it_was_measured(quick):
    _, _, report = quick
    settings = report["settings"]
    for threads, text in ((None, "; up to 2 rounds"), (1, "; one thread each; up to"), (2, "; 2 threads each; up to")):
        assert text in table.headline({**report, "settings": {**settings, "threads": threads}})
    assert "; processor time; up to 2 rounds" in table.headline({**report, "settings": {**settings, "clock": "cpu"}})


def test_all_take_turns_in_an_order_that_rotates():
    turns = []
    field = contenders([FakePeer("minigluon", ["a", "b"], turns, 0.01), FakePeer("numpy", ["raw"], turns, 0.2)], "p")
    times, refusals = measure(field, "p", Pace(rounds=3, burst=0.1, rest=0))
    assert refusals == {}
    assert times == {("minigluon", "a"): [0.01] * 3, ("minigluon", "b"): [0.01] * 3, ("numpy", "raw"): [0.2] * 3}
    a, b, raw = ("minigluon", "a", 10), ("minigluon", "b", 10), ("numpy", "raw", 1)
    assert turns[-9:] == [a, b, raw, b, raw, a, raw, a, b]


def test_patience_ends_after_three_rounds():
    times, _ = measure([Contender(FakePeer("minigluon", ["a"], [], 0.01), "a")], "p", Pace(9, rest=0, patience=0))
    assert len(times["minigluon", "a"]) == 3


# -- memory and kernels ---------------------------------------------------------------------------------------------


def test_peak_memory_of_a_known_allocation():
    def setup():
        parameter = np.ones(500_000, "uint8")           # does not count
        kept = []

        def run():
            if not kept:
                kept.append(np.empty(300_000, "uint8"))     # a plan's buffer: stays
            one = np.empty(2_000_000, "uint8")
            del one
            two, three = np.empty(1_000_000, "uint8"), np.empty(700_000, "uint8")
            return parameter.size + two.size + three.size
        return run

    peak, kept = probes.peak_memory(setup)
    assert kept == 300_000
    assert peak == pytest.approx(2_300_000, abs=2_000)


@pytest.mark.parametrize("mode", ["imperative", "hybridized"])
def test_peak_memory_of_the_chain(mode):
    """Nine operators of n numbers each: at least the result and what is added to it, at most all."""
    n = 100_000
    made = programs_gluon.makers(mx, {**QUICK, "chain_elements": n})["chain forward"]
    peak, _ = probes.peak_memory(lambda: made(mode).run)
    assert 4 * n < peak < 9 * 4 * n


GLUON_NEVER_FREES = """
import json, sys
print(json.dumps({"version": "mxnet 0", "modes": ["static"], "programs": ["p"]}), flush=True)
for line in sys.stdin:
    print(json.dumps({"result": [json.loads(line), __import__("os").environ["MALLOC_MMAP_THRESHOLD_"]]}), flush=True)
"""


@posix
def test_memory_is_measured_in_a_process_of_its_own(tmp_path):
    python = fake_interpreter(tmp_path, GLUON_NEVER_FREES)
    answer = resident_bytes("mxnet", python, SIZES, {"small": 1}, "p", "static")
    assert answer == [["resident", "p", "static", {"small": 1}], "65536"]


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells the peak of a process in /proc")
def test_resident_bytes_of_known_allocations(tmp_path):
    """Megabytes: 30 are there before, the run keeps 20 and needs 50 for a moment. In the small run nothing counts.

    They are so many because Linux counts a process's pages in batches for each processor: what it tells is off by up to
    some hundred pages, whatever the size.
    """
    path = tmp_path / "extra.py"
    path.write_text("""
import numpy as np

class Made:
    gradient_bytes = 70_000_000
    def __init__(self, more):
        self.parameters, self.kept, self.more = np.ones(30_000_000, "uint8"), None, more
    def run(self):
        if self.kept is None:
            self.kept = np.ones(20_000_000, "uint8")
        np.ones(self.more, "uint8")

def makers(mx, sizes):
    return {"known": lambda mode: Made(sizes["lenet_batch"] * 10_000_000)}
""")
    with Peer("minigluon", sys.executable, {**SIZES, "lenet_batch": 5}, {"minigluon": [str(path)]},
              more=peers.FREE_AT_ONCE) as peer:
        found = peer.ask("resident", "known", "imperative", {**SIZES, "lenet_batch": 50})
    if found is None:
        pytest.skip("this system does not let a process reset its peak")
    assert found == pytest.approx(140_000_000, abs=3_000_000)


def test_where_the_system_does_not_tell(monkeypatch):
    monkeypatch.setattr(resident.ctypes, "CDLL", lambda name: object())         # a C library without malloc_trim
    assert resident.resident_bytes(lambda: None, lambda: None, lambda made: int, int) is None


def test_numbers_of_kernels(quick):
    """Three products, each with its bias, and two rectifiers. The chain's nine operators are fused into one."""
    _, _, report = quick
    kernels = {(row["program"], row["mode"]): row["kernels"] for row in report["rows"] if row["library"] == "minigluon"}
    assert kernels["mlp forward", "imperative"] == 3 + 2
    assert 3 <= kernels["mlp forward", "hybridized"] <= 3 + 2           # a plugin may rectify in the product's kernel
    assert (kernels["chain forward", "imperative"], kernels["chain forward", "hybridized"]) == (9, 1)


def test_counting_leaves_the_kernels_alone():
    before = mx.cpu().kernels
    program = programs_gluon.makers(mx, QUICK)["mlp forward"]("imperative")
    assert probes.count_kernels(mx, program) == 5
    assert mx.cpu().kernels is before


@pytest.mark.parametrize("mode", programs_gluon.ARGUMENTS)
@pytest.mark.parametrize("program", ["mlp forward", "lenet train step", "chain forward and backward"])
def test_each_program_runs_in_each_mode(program, mode):
    made = programs_gluon.makers(mx, QUICK)[program](mode)
    made.run()
    made.run()


# -- nets -------------------------------------------------------------------------------------------------------------

# Numbers in all parameters, also those of BatchNorm that no gradient changes. MLPerf Tiny's four as its paper's models
# have them (Keras counts in this way); the others as published, by their numbers of what is trained, plus running means
# and variances.
COUNTS = {"ds-cnn": 24_908, "mobilenet0.25": 221_794, "resnet8": 78_666, "autoencoder": 269_992,
          "mobilenetv2": 3_504_872 + 2 * 17_056, "resnet50": 25_557_032 + 2 * 26_560, "vit-tiny": 5_717_416,
          "bert-mini": 11_171_074}


@pytest.mark.parametrize("name", list(COUNTS))
def test_nets_have_as_many_parameters_as_published(name):
    sizes = {**QUICK, "photo_image": 224, "bert_words": 30_522, "mobilenetv2_batch": 1, "resnet50_batch": 1,
             "vit_batch": 1}
    net, x, _ = programs_gluon.NETS[name][0](mx, sizes)
    net.infer_shape(x)
    assert sum(np.prod(p.shape) for p in net.collect_params().values()) == COUNTS[name]


def test_programs_of_a_net():
    programs = names.programs_of({"net": ("make", "tiny_batch")}, {"tiny_batch": 3}, "forward".__add__, "step".__add__)
    assert {name: maker.args for name, maker in programs.items()} == {
        "net batch 1 forward": ("make", {"tiny_batch": 1}), "net batch 8 forward": ("make", {"tiny_batch": 8}),
        "net train step": ("make", {"tiny_batch": 3})}


def test_each_net_has_a_size_for_its_batch():
    assert {size for _, size in programs_gluon.NETS.values()} <= set(SIZES)
    assert set(programs_gluon.NETS) <= set(PROGRAMS)


def test_a_step_of_decoding_keeps_what_was_before():
    """Scores of all words; keys and values of four layers, one place longer, which begin as they were."""
    net, (word, *past), _ = programs_gluon.NETS["gpt"][0](mx, QUICK)
    scores, *kept = net(word, *past)
    assert scores.shape == (1, QUICK["gpt_words"])
    for before, after in zip(past, kept, strict=True):
        assert after.shape == (1, 4, QUICK["gpt_tokens"] + 1, 64)
        np.testing.assert_array_equal(after[:, :, :-1].asnumpy(), before.asnumpy())


# -- limits ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def limits(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import limits
    return limits


def made_up_report(seconds, memory=None, arrays=None):
    """A report with these rows: {(program, library, mode): seconds}, {the same: resident bytes}."""
    rows = [{"program": program, "library": library, "mode": mode, "seconds": [took, took, took],
             "resident_bytes": (memory or {}).get((program, library, mode)),
             "peak_bytes": (arrays or {}).get((program, library, mode), 1)}
            for (program, library, mode), took in seconds.items()]
    return {"libraries": dict.fromkeys([row["library"] for row in rows]), "rows": rows}


def measured(limits, report):
    return {what: found for what, _, found in limits.limits(report) if found is not None}


def test_limits_of_a_report(quick, limits, capsys):
    _, out, report = quick
    found = {what: ratio for what, _, ratio in limits.limits(report)}
    own = REFERENCE[0] if REFERENCE else "minigluon"
    rows = {(r["program"], r["library"], r["mode"]): r for r in report["rows"]}
    for program in set(ALL) - {"lenet train step"}:
        two = [rows[program, own, mode]["seconds"] for mode in ("hybridized", "imperative")]
        assert found[f"time, {program}: {own} hybridized / {own} imperative"] == pytest.approx(
            np.median(np.divide(*two)))
    two = [rows["lenet train step", "minigluon", mode]["peak_bytes"] for mode in ("hybridized", "imperative")]
    assert found["arrays, lenet train step: minigluon hybridized / imperative"] == two[0] / two[1]
    assert found[f"time, mlp forward: {own} hybridized / torch eager"] is None
    limits.main(out / "bench.json")
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["| | at most | measured |", "|---|---|---|"]
    assert f"| time, mlp forward: {own} hybridized / torch eager | 1 | not measured |" in printed
    assert len(printed) == 2 + len(found) + 2


def test_limits_of_a_plugin(limits):
    """The best of a library's modes is the one with the least median; without a plugin there are no such limits."""
    step = "lenet train step"
    seconds = {(step, "minigluon", "hybridized"): 3, (step, "minigluon", "one call"): 2, (step, "torch", "eager"): 5,
               (step, "torch", "compile"): 4, (step, "mxnet", "static"): 8}
    plain = measured(limits, made_up_report(seconds))
    assert not any("best" in what or "peak memory" in what for what in plain)
    memory = {(step, "minigluon", "hybridized"): 3_000_000, (step, "torch", "eager"): 4_000_000}
    found = measured(limits, made_up_report({**seconds, (step, "reference", "hybridized"): 9,
                                             (step, "reference", "imperative"): 10}, memory))
    assert found[f"time, {step}: minigluon best (one call) / torch best (compile)"] == 0.5
    assert found[f"time, {step}: minigluon best (one call) / mxnet best (static)"] == 0.25
    assert found[f"time, {step}: reference hybridized / reference imperative"] == 0.9
    assert found[f"peak memory, {step}: minigluon hybridized / torch eager"] == 0.75


def test_a_few_pages_of_memory_are_no_difference(limits):
    seconds = {("mlp forward", "minigluon", "hybridized"): 1, ("mlp forward", "torch", "eager"): 1,
               ("mlp forward", "reference", "hybridized"): 1}
    memory = {("mlp forward", "minigluon", "hybridized"): 8192, ("mlp forward", "torch", "eager"): 0}
    what = "peak memory, mlp forward: minigluon hybridized / torch eager"
    assert measured(limits, made_up_report(seconds, memory))[what] == 1
    memory["mlp forward", "minigluon", "hybridized"] = 500_000
    memory["mlp forward", "torch", "eager"] = 250_000
    assert measured(limits, made_up_report(seconds, memory))[what] == 500_000 / limits.PAGES


def test_limits_that_are_kept_or_not(limits, tmp_path, capsys):
    seconds = {("lenet train step", "minigluon", "imperative"): 1, ("lenet train step", "minigluon", "hybridized"): 0.7,
               ("chain forward", "minigluon", "imperative"): 1, ("chain forward", "minigluon", "hybridized"): 0.7}
    arrays = {("lenet train step", "minigluon", "imperative"): 100, ("lenet train step", "minigluon", "hybridized"): 50}
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(made_up_report(seconds, arrays=arrays)))
    assert limits.main(path) == 0
    assert "| time, lenet train step: minigluon hybridized / minigluon imperative | 0.8 | **0.70** |" in (
        capsys.readouterr().out)
    seconds["chain forward", "minigluon", "hybridized"] = 1.75
    path.write_text(json.dumps(made_up_report(seconds, arrays=arrays)))
    assert limits.main(path) == 1
    printed = capsys.readouterr().out
    assert "| time, chain forward: minigluon hybridized / minigluon imperative | 1 | 1.75, NOT held |" in printed
    assert printed.endswith("\n1 limits are exceeded.\n")


# -- beside the best of the others ----------------------------------------------------------------------------------


def full_report(seconds, **more):
    """A made-up report with the settings and the machine that merging and drawing look at."""
    report = made_up_report(seconds)
    for row in report["rows"]:
        row["median"] = row["low"] = row["high"] = row["seconds"][0]
        row.update(dict.fromkeys(["of_imperative", "hybridized_of_this", "resident_bytes", "peak_bytes", "kernels"]))
    settings = {"quick": False, "sizes": SIZES, "threads": 2, "clock": "wall", "nets": ["mlp"]}
    machine = {"processor": "A", "cores": 2, "system": "B", "python": "3", "blas": "C", "load_before": 0,
               "load_after": 1}
    return {"format": 1, "date": "2020-02-02", "left_out": [], **report, "settings": settings, "machine": machine,
            **more}


STEP, ONE = "resnet8 train step", "resnet8 batch 1 forward"
SECONDS = {(STEP, "minigluon", "hybridized"): 3, (STEP, "minigluon", "one call"): 2, (STEP, "jax", "jit"): 8,
           (STEP, "torch", "eager"): 4, (ONE, "minigluon", "hybridized"): 3, (ONE, "openvino", "latency"): 2,
           (ONE, "onnxruntime", "session"): 2.5, ("chain forward", "minigluon", "hybridized"): 3}


def test_standing_beside_the_best_of_the_others():
    found = standing.standings(made_up_report(SECONDS))
    assert [tuple(each) for each in found] == [(STEP, "one call", "torch eager", 0.5),
                                               (ONE, "hybridized", "openvino latency", 1.5)]
    assert standing.mean_ratio(found, "forward") == pytest.approx(1.5)
    assert standing.mean_ratio(found, "training") == pytest.approx(0.5)
    assert standing.mean_ratio([], "training") is None
    assert [each.ratio for each in standing.standings(made_up_report(SECONDS), ["jax"])] == [0.25]


def test_limits_beside_the_best_of_the_others(limits):
    report = made_up_report(SECONDS)
    report["libraries"] = {"minigluon": "minigluon 0 on accel"}
    found = {what: (limit, ratio) for what, limit, ratio in limits.limits(report)}
    assert found[f"time, {STEP}: minigluon best (one call) / best of all (torch eager)"] == (0.8, 0.5)
    assert found[f"time, {ONE}: minigluon best (hybridized) / best of all (openvino latency)"] == (1, 1.5)
    assert found["geometric mean, forward: minigluon best / best of all"] == (0.8, pytest.approx(1.5))
    assert found["geometric mean, training: minigluon best / best of all"] == (0.6, pytest.approx(0.5))
    assert limits.mark(1, 1.5) == "1.50, NOT held"


def test_parts_of_a_measurement_are_merged(tmp_path, capsys):
    first = full_report({("mlp forward", "minigluon", "hybridized"): 1, (STEP, "minigluon", "hybridized"): 9})
    second = full_report({(STEP, "minigluon", "hybridized"): 2, (STEP, "jax", "jit"): 3})
    second["settings"] = {**second["settings"], "nets": ["resnet8"]}
    second["libraries"] = {"minigluon": None, "jax": "jax 1"}
    joined = merged([first, second])
    assert [(row["program"], row["library"], row["median"]) for row in joined["rows"]] == [
        ("mlp forward", "minigluon", 1), (STEP, "minigluon", 2), (STEP, "jax", 3)]
    assert joined["settings"]["nets"] == ["mlp", "resnet8"]
    assert joined["libraries"] == {"minigluon": None, "jax": "jax 1"}
    assert first["libraries"] == {"minigluon": None}
    other = {**second, "machine": {**second["machine"], "processor": "Z"}}
    with pytest.raises(MXNetError) as caught:
        merged([first, other])
    assert str(caught.value) == "these reports cannot be merged: processor is 'A' in one and 'Z' in another."
    path = tmp_path / "x.json"
    assert cli.main(["bench", "--merge", str(path), "--out", str(tmp_path / "out")]) == 1
    assert f"--merge {path}: this is not a readable bench.json (" in capsys.readouterr().err


def test_names_with_hyphens_in_markdown():
    report = full_report({("bert-mini train step", "minigluon", "hybridized"): 1},
                         libraries={"minigluon": "minigluon 0"})
    assert "\n| bert-mini train step | minigluon hybridized | 1 s |" in table.markdown(report)


@pytest.fixture
def bench_image(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.syspath_prepend(ROOT / "docs")
    import bench_image
    return bench_image


def test_summary_image(bench_image):
    svg = bench_image.draw(full_report(SECONDS, libraries={"minigluon": "", "jax": "", "openvino": ""})).svg()
    for text in ("Time of minigluon / time of the best of OpenVINO, JAX", "0.50", "1.50", "openvino", "train steps",
                 "geometric means: forward 1.50, train steps 0.50; 2020-02-02, A, threads: 2"):
        assert f">{text}" in svg
    assert "prefers-color-scheme: dark" in svg


# -- the command ----------------------------------------------------------------------------------------------------


def test_missing_extras(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "rich", None)          # as if they were not installed
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["bench"]) == 1
    assert capsys.readouterr().err == ("minigluon bench: error: rich and matplotlib are not installed. Install what "
                                       'this command needs with: pip install "minigluon[bench]"\n')


@pytest.mark.parametrize(("args", "text"), [
    (["--rounds", "0"], "minigluon bench: error: argument --rounds: must be positive, found 0\n"),
    (["--sizes", "alexnet_bacth=3"], "minigluon bench: error: argument --sizes: unknown size 'alexnet_bacth'. Did "
                                     "you mean 'alexnet_batch'"),
    *[(["--sizes", size], "minigluon bench: error: argument --sizes: deep_width must be a positive integer, such as "
                          f"deep_width=71, found {size!r}\n")
      for size in ("deep_width", "deep_width=0", "deep_width=x", "deep_width=-1")],
    (["--nets", "vgg"], "minigluon bench: error: argument --nets: invalid choice: 'vgg' (choose from "),
])
def test_bad_arguments(args, text, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(["bench", *args])
    assert caught.value.code == 2
    assert text in capsys.readouterr().err


def test_out_that_cannot_be_made(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert cli.main(["bench", "--out", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err == (f"minigluon bench: error: --out {tmp_path / 'file'}: cannot create this folder "
                                       "(File exists). Name another one.\n")


def test_times_and_bytes_in_words():
    assert [table.time_text(s) for s in (2, 0.0123456, 1e-3, 999.4e-6, 3.1e-7)] == [
        "2 s", "12.3 ms", "1 ms", "999 µs", "0.31 µs"]
    assert [table.bytes_text(n) for n in (12, 1500, 3_840_000, 2e9)] == ["12 B", "1.5 kB", "3.84 MB", "2 GB"]
    assert table.range_text(0.00951, 0.0138) == "9.51 to 13.8 ms"
    assert table.range_text(0.000874, 0.00168) == "874 µs to 1.68 ms"


def test_quick_measures_some_nets(monkeypatch):
    measured = {}
    monkeypatch.setattr(run_module, "start_peers", lambda *args, **options: contextlib.nullcontext([]))
    monkeypatch.setattr(run_module, "Peer", lambda *args: contextlib.nullcontext())
    monkeypatch.setattr(run_module, "measure_all", lambda programs, *args: measured.setdefault("programs", programs))
    run_as_function(quick=True)
    assert measured["programs"] == [program for net in QUICK_NETS for program in PROGRAMS[net]]
    measured.clear()
    run_as_function()
    assert measured["programs"] == [program for programs in PROGRAMS.values() for program in programs]


def test_run_refuses_what_is_no_net():
    with pytest.raises(MXNetError) as caught:
        run_as_function(["lenet", "mpl"])
    assert str(caught.value) == "bench has no net 'mpl'. Did you mean 'mlp'?"


@pytest.mark.parametrize("name", ["minigluon", "minigluon imperative"])
def test_run_refuses_to_leave_out_what_all_are_divided_by(name):
    with pytest.raises(MXNetError) as caught:
        run_as_function(["lenet"], without=["numpy", name])
    assert str(caught.value) == (f"bench cannot leave out {name!r}: every time is divided by that of minigluon "
                                 "imperative")
