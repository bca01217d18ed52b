"""The command line, run as a user runs it."""

import configparser
import gzip
import hashlib
import io
import os
import pathlib
import re
import struct
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import ROOT
from helpers.stripes import idx, png_size, write_stripes

import minigluon as mx
from minigluon.base import MXNetError
from minigluon.common import optional_packages as extras
from minigluon.tools import cli
from minigluon.tools.cli import data, pictures, summary, train, train_options, training

pytestmark = pytest.mark.once

# One thread for BLAS: where several tests run at once, its threads would wait for each other.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", "OPENBLAS_NUM_THREADS": "1"}


def run(*args, cwd=None):
    return subprocess.run([sys.executable, "-m", "minigluon", *args], cwd=cwd, env=ENVIRONMENT, capture_output=True,
                          text=True, timeout=300)


def test_train_on_digits(tmp_path):
    done = run("train", "--data", "digits", "--net", "mlp", "--epochs", "2", "--workers", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == ("a perceptron on scikit-learn's digits: 1,437 images for training, 360 for testing; batches "
                        "of 64, sgd with learning rate 0.2, cpu(0)")
    for epoch in (1, 2):
        assert re.fullmatch(rf"epoch {epoch}/2: loss \d\.\d{{4}}, accuracy \d+\.\d\d%, test accuracy \d+\.\d\d%, "
                            r"\d+\.\d s, [\d,]+ samples/s", lines[epoch])
    out = tmp_path / "minigluon-out"
    accuracy, wrong = re.fullmatch(r"test accuracy (\d+\.\d\d)%: (\d+) of 360 images wrong", lines[3]).groups()
    assert float(accuracy) == pytest.approx(100 * (1 - int(wrong) / 360), abs=0.006)
    assert [line.split()[-1] for line in lines[4:7]] == [
        os.path.join("minigluon-out", name) for name in ("mlp.params", "learning-curve.png", "mistakes.png")]
    assert png_size(out / "learning-curve.png") == (480, 1200)
    assert png_size(out / "mistakes.png") == (864, 1080)

    net = train.make_net("mlp", 10)
    net.load_parameters(str(out / "mlp.params"))
    images = data.load("digits")
    probabilities = training.predict(net, images.x_test, mx.cpu())
    indices = np.flatnonzero(probabilities.argmax(1) != images.y_test)
    assert len(indices) == int(wrong)
    first = max(indices, key=lambda i: probabilities[i].max())
    assert lines[7:11] == [
        "", f"Learned: {784 * 256 + 256 + 256 * 128 + 128 + 1290:,} weights, from 1,437 images. With them, the network "
        f"recognizes {360 - int(wrong)} of 360 images",
        "that it has never seen. Guessing would be right for about 36.", ""]
    assert lines[11:13] == ["Mistakes of which it was most certain:", ""]
    assert lines[13].split("   ")[0].strip() == f"this is {images.y_test[first]}"
    assert lines[14].startswith(f"read as {probabilities[first].argmax()}, {probabilities[first].max():.0%} sure ")
    assert set("".join(lines[15:-5])) <= set(" ▀▄█")
    assert lines[-5:] == [
        "", "Next:", "  minigluon train --data digits --hybridize    the same training as a compiled plan",
        "  minigluon ops Convolution                    what an operator computes, with an example",
        "  minigluon learn start mygluon                write such a framework yourself, step by step"]


def test_lenet_learns_and_the_seed_decides(tmp_path):
    folder = tmp_path / "data"
    write_stripes(folder / "mnist", gzip.compress)
    args = ["train", "--data", str(folder), "--epochs", "4", "--lr", "0.1", "--batch-size", "32"]
    runs = [run(*args, "--out", str(tmp_path / f"out{i}"), "--seed", seed) for i, seed in enumerate("001")]
    assert [r.returncode for r in runs] == [0, 0, 0], runs[0].stderr
    assert "test accuracy 100.00%: 0 of 32 images wrong" in runs[0].stdout
    params = [(tmp_path / f"out{i}" / "lenet.params").read_bytes() for i in range(3)]
    assert params[0] == params[1] != params[2]


@pytest.mark.parametrize("dotted", [False, True])
def test_folders(tmp_path, dotted):
    write_stripes(tmp_path, dotted=dotted)
    images = data.load(str(tmp_path))
    assert (images.x_train.shape, images.x_train.dtype, images.x_train.max()) == ((128, 1, 28, 28), np.float32,
                                                                                 pytest.approx(209 / 255))
    assert (images.y_test.shape, images.y_test.dtype, images.names) == ((32,), np.int32, ["0", "1", "2", "3"])


def test_the_images_in_the_package_are_a_fifth_of_mnist():
    """Those that tests/scripts/make_mnist_part.py makes of the originals, which it recognizes by their checksums."""
    folder = pathlib.Path(data.__file__).parent / "mnist"
    contents = {path.name: hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()[:16]
                for path in folder.glob("*.gz")}
    assert contents == {"train-images-idx3-ubyte.gz": "8a10b85c5abe2c55", "train-labels-idx1-ubyte.gz":
                        "da62d6bb1c5b219a", "t10k-images-idx3-ubyte.gz": "544b11e980491b35",
                        "t10k-labels-idx1-ubyte.gz": "00c8ee896b56b1f1"}
    assert sum(path.stat().st_size for path in folder.iterdir()) < 3e6
    images = data.load("mnist-part")
    assert images.x_train.shape == (12000, 1, 28, 28)
    assert images.x_test.shape == (2000, 1, 28, 28)
    assert np.bincount(images.y_train).min() > 1000
    assert "LeCun" in (words := (folder / "README.md").read_text(encoding="utf-8"))
    assert "https://creativecommons.org/licenses/by-sa/3.0/" in words


def test_pictures_fit_into_the_terminal(monkeypatch):
    images = np.zeros((3, 1, 6, 8))
    images[0, 0, 1:5, 2:4] = images[1, 0, 1, 2:6] = images[2, 0, 4, 5] = 1
    captions = [["this", "one"], ["that", ""], ["last", ""]]
    assert pictures.side_by_side(images, captions, width=20) == ["this   that   last", "one", "██     ▀▀▀▀",
                                                                 "██               ▄"]
    assert pictures.side_by_side(images, captions, width=17) == ["this   that", "one", "██     ▀▀▀▀", "██"]
    assert pictures.side_by_side(images[:1] * 0, captions[:1], width=1) == ["this", "one", "", "", ""]
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert pictures.side_by_side(images[1:], captions[1:]) == ["that   last", "", "''''", "          ."]


def test_digits_are_framed_like_mnist():
    images = data.load("digits")
    assert images.x_train.shape == (1437, 1, 28, 28)
    assert (images.x_train.min(), images.x_train.max()) == (0, 1)
    assert not images.x_train[:, :, :4].any()
    assert images.x_train[:, :, 4].any()


def test_hybridize_trains_the_same_network_as_a_plan(tmp_path, monkeypatch, capsys):
    write_stripes(tmp_path)
    nets, make_net = [], train.make_net
    monkeypatch.setattr(train, "make_net", lambda *args: nets.append(make_net(*args)) or nets[-1])
    told = []
    for flags in ([], ["--hybridize"]):
        out = str(tmp_path / f"out{len(flags)}")
        assert cli.main(["train", "--data", str(tmp_path), "--net", "mlp", "--epochs", "2", "--out", out, *flags]) == 0
        told.append(capsys.readouterr().out)
    assert [bool(net._graphs) for net in nets] == [False, True]
    assert [text.splitlines()[0].endswith("cpu(0), hybridized") for text in told] == [False, True]
    numbers = [re.findall(r"loss [\d.]+, accuracy [\d.]+%, test accuracy [\d.]+%", text) for text in told]
    assert numbers[0] == numbers[1]
    assert len(numbers[0]) == 2
    weights = [[param.data().asnumpy() for param in net.collect_params().values()] for net in nets]
    for imperative, hybridized in zip(*weights, strict=True):
        np.testing.assert_allclose(imperative, hybridized, rtol=1e-4, atol=1e-6)


def test_no_mistakes_and_no_pyplot(tmp_path):
    from minigluon.tools.cli.plots import learning_curve, mistakes
    write_stripes(tmp_path)
    images = data.load(str(tmp_path))
    assert len(mistakes(tmp_path / "m.png", "title", images, np.eye(4)[images.y_test])) == 0
    assert png_size(tmp_path / "m.png") == (864, 1080)
    history = training.History()
    history.losses, history.epoch_ends = [1.0], [1]
    history.train_accuracy = history.test_accuracy = [0.5]
    learning_curve(tmp_path / "l.png", "title", history)
    assert png_size(tmp_path / "l.png") == (480, 1200)


# -- what goes wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("args", "text"), [
    (["--data", "mnistt"], "minigluon train: error: --data mnistt: there is no folder or data set of that name "
                           "(data sets: mnist-part, digits, mnist, fashion-mnist). Did you mean 'mnist', "
                           "'mnist-part'?\n"),
    (["--data", "."], "minigluon train: error: --data .: the folder does not hold train-images-idx3-ubyte, "
                      "train-labels-idx1-ubyte, t10k-images-idx3-ubyte, t10k-labels-idx1-ubyte (with or without "
                      f".gz), nor does {os.path.join('.', 'mnist')}. These are MNIST's original files; --data "
                      "mnist-part needs none.\n"),
    (["--ctx", "tpu"], "minigluon train: error: unknown device type 'tpu'; expected one of cpu, gpu, cpu_pinned, "
                       "cpu_shared\n"),
])
def test_errors(args, text, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["train", *args]) == 1
    assert capsys.readouterr().err == text


def test_a_gpu_that_is_not_there(capsys):
    assert cli.main(["train", "--ctx", "gpu(99)"]) == 1
    with pytest.raises(MXNetError) as caught:
        mx.nd.zeros((1,), ctx=mx.gpu(99))
    told = str(caught.value).replace("Set MINIGLUON_GPU=emulate", "Add --emulate, or set MINIGLUON_GPU=emulate,")
    assert capsys.readouterr().err == f"minigluon train: error: {told}\n"


def test_without_a_driver_there_is_an_option(monkeypatch, capsys):
    def refused(*args, **kwargs):
        raise mx.base.ContextError("gpu: there is no NVIDIA driver here. Set MINIGLUON_GPU=emulate to run the kernels "
                                   "on the CPU, or use mx.cpu().")
    monkeypatch.setattr(train.nd, "zeros", refused)
    assert cli.main(["train", "--ctx", "gpu"]) == 1
    assert capsys.readouterr().err == (
        "minigluon train: error: gpu: there is no NVIDIA driver here. Add --emulate, or set MINIGLUON_GPU=emulate, to "
        "run the kernels on the CPU, or use mx.cpu().\n")


@pytest.mark.parametrize(("command", "arguments"), [
    ("train", []), ("bench", []), ("explain", ["a.py:net", "--shape", "1"]), ("im2rec", ["a", "b"]),
    ("install-as-mxnet", []), ("check", ["a.py"]), ("learn", []), ("ops", []), ("info", [])])
def test_each_command_shows_its_own_usage(command, arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([command, *arguments, "--foo"])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith(f"usage: minigluon {command} [-h]")
    assert told.endswith(f"minigluon {command}: error: unrecognized arguments: --foo\n")


def test_missing_extras(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)          # as if it were not installed
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["train"]) == 1
    assert capsys.readouterr().err == (
        "minigluon train: error: tqdm and matplotlib are not installed. Install what this command needs with: "
        'pip install "minigluon[demo]"\n')
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MXNetError) as caught:
        extras.require("sklearn")
    assert str(caught.value) == ("scikit-learn is not installed. Install what this command needs with: "
                                 'pip install "minigluon[demo]"')


def test_images_and_labels_that_do_not_belong_together(tmp_path):
    write_stripes(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte").write_bytes(idx(np.zeros(5, np.uint8)))
    with pytest.raises(MXNetError) as caught:
        data.load(str(tmp_path))
    assert str(caught.value) == (f"{tmp_path / 't10k-images-idx3-ubyte'}: images of shape (32, 28, 28) do not match "
                                 "labels of shape (5,)")


def test_divergence_is_an_error(tmp_path, capsys):
    write_stripes(tmp_path)
    args = ["train", "--data", str(tmp_path), "--net", "mlp", "--lr", "1e6", "--epochs", "3"]
    with np.errstate(all="ignore"):
        assert cli.main([*args, "--out", str(tmp_path / "out")]) == 1
    assert re.fullmatch(r"minigluon train: error: the loss is (nan|inf) after epoch \d: training diverged. Try a "
                        r"learning rate below 1e\+06, for example --lr 200000\n", capsys.readouterr().err)


@pytest.mark.parametrize(("args", "text"), [
    (["--epochs", "0"], "minigluon train: error: argument --epochs: must be positive, found 0\n"),
    (["--lr", "fast"], "minigluon train: error: argument --lr: must be a number or 'find', found 'fast'\n"),
    (["--lr", "-1"], "minigluon train: error: argument --lr: must be positive, found -1\n"),
    (["--foo", "1"], "minigluon train: error: unrecognized arguments: --foo 1\n"),
])
def test_bad_arguments(args, text, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(["train", *args])
    assert caught.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("usage: minigluon train [-h]")
    assert told.endswith(text)


def test_emulate_is_for_a_gpu():
    done = run("train", "--emulate")
    assert done.returncode == 1
    assert done.stderr == ("minigluon train: error: --emulate runs a GPU's kernels on the CPU, but the device is "
                           "cpu(0): add --ctx gpu\n")


# -- the rest -------------------------------------------------------------------------------------------------------


def test_version_help_and_info():
    assert run("--version").stdout == f"minigluon {mx.__version__}\n"
    usage = run()
    assert usage.returncode == 0
    assert usage.stdout == run("--help").stdout
    assert {"train", "info"} <= set(usage.stdout.split())
    assert "minigluon train --data FOLDER --net mlp" in run("train", "--help").stdout
    info = run("info")
    assert info.returncode == 0, info.stderr
    assert info.stdout.splitlines()[0].startswith(f"minigluon  {mx.__version__}")
    for text in (np.__version__, sys.version.split()[0], "BLAS", "cores", "backends", "tqdm"):
        assert text in info.stdout


def test_info_says_what_is_missing(monkeypatch):
    from minigluon.tools.cli import info
    monkeypatch.setattr(info, "_version", lambda name: None)
    lines = info.report()
    at = lines.index("  Install the missing ones with: pip install")
    assert lines[at + 1].strip() == ('"minigluon[bench,bfloat16,completion,demo,digits,explain,image,mpi,onnx,'
                                     'safetensors,sparse,tensorboard,viz]"')
    assert sum("not installed" in line for line in lines) == len(info.OPTIONAL)
    assert any(line.startswith("  numpy          serves cpu") for line in lines)
    if not any("gpu" in its.device_types for its in mx.backend.available().values()):
        assert lines[-1].startswith("  gpu            gpu(0) is not available: no installed backend serves 'gpu'")


def test_info_lists_all_optional_packages():
    """Those of all extras, except what builds the pages and runs the tests."""
    from minigluon.tools.cli import info
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    extras = settings["options.extras_require"]
    wanted = {re.match(r"[\w-]+", line)[0]: name for name in extras if name not in ("docs", "test")
              for line in extras[name].split("\n") if line}
    assert {name.lower() for name in wanted} == {name.lower() for name in info.OPTIONAL}
    for name, (extra, _) in info.OPTIONAL.items():
        assert name in extras[extra]


def test_lines_of_info_fit_into_120_columns(monkeypatch):
    from minigluon.tools.cli import info
    assert info.wrapped("short") == ["short"]
    line = "                 devices   none: " + "there is no driver " * 10
    lines = info.wrapped(line)
    assert max(map(len, lines)) <= info.WIDTH
    assert lines[1].startswith(" " * 27 + "no driver")
    assert " ".join(" ".join(lines).split()) == " ".join(line.split())
    assert info.wrapped("  compiler  " + "/x" * 80)[-1].endswith("/x")          # a path is not cut
    for line in info.report():
        assert len(line) < 120 or len(line.split()) == 1


def test_a_misspelled_command(capsys):
    for words, text in [(["chek", "x"], "minigluon: error: there is no command 'chek'. Did you mean 'check'? Choose "),
                        (["learn", "stat"], "minigluon learn: error: there is no command 'stat'. Did you mean 'start', "
                                            "'status'? Choose one of start, next, check, hint, exercise, status.")]:
        with pytest.raises(SystemExit) as end:
            cli.main(words)
        assert end.value.code == 2
        assert text in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed to see the progress bar")
def test_progress_bar_on_a_terminal(tmp_path):
    import fcntl
    import pty
    import termios
    write_stripes(tmp_path)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 24, 120, 0, 0))
    command = [sys.executable, "-m", "minigluon", "train", "--data", ".", "--net", "mlp", "--epochs", "1"]
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=theirs) as program:
        os.close(theirs)
        seen = b""
        try:
            while block := os.read(ours, 4096):
                seen += block
        except OSError:                 # Linux: the other end is closed
            pass
    os.close(ours)
    assert program.returncode == 0, seen
    assert re.search(r"epoch 1/1: +\d+%.*samples/s", seen.decode())


@pytest.mark.parametrize("page", ["README.md", "docs/zh/README.md"])
def test_the_readme_shows_the_last_lines_of_train(page):
    """The numbers and pictures are those of a run with the plugin; the sentences are those of the program."""
    shown, = re.findall(r"```text\n(Learned: .*?)\n```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    net = train.make_net("lenet", 10)
    net.initialize()
    net(mx.nd.zeros((1, 1, 28, 28)))
    images = data.load("mnist-part")
    settings = train_options.chosen(SimpleNamespace(**dict.fromkeys(train_options.SETTINGS)))
    wrong = np.arange(2000 - int(re.search(r"([\d,]+) of 2,000", shown)[1].replace(",", "")))
    told = summary.summary(SimpleNamespace(images=images, net=net, ctx=mx.cpu(), settings=settings),
                           np.eye(10)[images.y_test - 1], wrong)
    assert told[1:6] == [*shown.splitlines()[:5]]
    assert told[-5:] == shown.splitlines()[-5:]
