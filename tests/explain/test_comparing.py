"""What differs between two nets: mx.explain(against=) and `minigluon explain a.py:net b.py:net`, text and page."""

import re
import shutil
import sysconfig

import pytest
from minigluon.explain import layout

import minigluon as mx
from minigluon import nd
from minigluon.gluon import nn
from minigluon.tools import cli
from minigluon.tools.explain.comparing import compare, text_of
from minigluon.tools.explain.page_data import gather

pytestmark = [pytest.mark.once, pytest.mark.skipif(not any(
    shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name) for name in layout.PROGRAMS),
    reason="neither graphviz-pure nor dot is installed")]

NETS = '''
from minigluon.gluon import nn

def old():
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(4))
    return net

def new():
    net = nn.HybridSequential()
    net.add(nn.Dense(16, activation="tanh"), nn.Dropout(0.5), nn.Dense(4, use_bias=False), nn.LayerNorm())
    return net
'''


def made(layers):
    """A net of the layers that a function returns, with names that are counted from 0."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(*layers())
    net.initialize()
    return net


def lines(before, after, x, **options):
    sections = compare(gather(before, [x], **options), gather(after, [x], **options))
    return text_of([section for section in sections if "call" not in section.title]).splitlines()


def test_a_net_and_itself():
    assert lines(made(lambda: [nn.Dense(3)]), made(lambda: [nn.Dense(3)]), nd.ones((2, 4))) == [
        "operators: 1 operator", "    no differences", "parameters: 2 parameters, 60 B", "    no differences",
        "kernels in the plan: 1 step", "    no differences", "memory of the plan: 24 B"]


def test_a_layer_more_and_a_wider_one():
    before = made(lambda: [nn.Dense(8, activation="relu"), nn.Dense(4)])
    after = made(lambda: [nn.Dense(16, activation="tanh"), nn.Dropout(0.5), nn.Dense(4, use_bias=False),
                          nn.LayerNorm()])
    found = lines(before, after, nd.ones((2, 3)))
    assert found[:-3] == [
        "operators: 3 operators → 5 operators",
        "  ~ FullyConnected dense0_fwd: num_hidden 8 → 16, 2×8 float32 → 2×16 float32",
        "  - Activation relu dense0_relu_fwd: 2×8 float32",
        "  + Activation tanh dense0_tanh_fwd: 2×16 float32",
        "  + Dropout dropout0_fwd: 2×16 float32",
        "  ~ FullyConnected dense1_fwd: no_bias False → True",
        "  + LayerNorm layernorm0_layernorm0: 2×4 float32",
        "parameters: 4 parameters, 272 B → 5 parameters, 544 B",
        "  - 1.weight: 4×8 float32",
        "  - 1.bias: 4 float32",
        "  ~ 0.weight: 8×3 float32 → 16×3 float32",
        "  ~ 0.bias: 8 float32 → 16 float32",
        "  + 2.weight: 4×16 float32",
        "  + 3.gamma: 4 float32",
        "  + 3.beta: 4 float32",
        "kernels in the plan: 3 steps → 4 steps",
        "  - Activation relu",
        "  + Activation tanh",
        "  + LayerNorm"]
    assert [line.partition(":")[0] for line in found[-3:]] == [
        "memory of the plan", "  ~ block", "  ~ values without planning"]
    assert found[-3].startswith("memory of the plan: 96 B → ")


def test_training_has_kernels_that_inference_lacks():
    before, after = made(lambda: [nn.Dense(3)]), made(lambda: [nn.Dense(3), nn.Dropout(0.5)])
    found = lines(before, after, nd.ones((2, 4)), train=True)
    assert "  + Dropout dropout0_fwd: 2×3 float32" in found
    kernels = found[found.index("kernels in the plan: 3 steps → 5 steps"):]
    assert kernels[1] == "  + Dropout"


def test_the_page(tmp_path):
    x = nd.ones((2, 4))
    path = str(tmp_path / "net.html")
    page = mx.explain(made(lambda: [nn.Dense(5)]), x, path=path, against=made(lambda: [nn.Dense(3)]))
    assert "  ~ 0.weight: 3×4 float32 → 5×4 float32\n" in page.differences
    section = page.text[page.text.index('<section id="compared"'):].partition("</section>")[0]
    assert re.search(r'<code>~ 0\.weight</code>\s*<span class="muted">3×4 float32 → 5×4 float32', section)
    alone = mx.explain(made(lambda: [nn.Dense(5)]), x, path=path)
    assert alone.differences == ""
    assert "compared" not in alone.text


def test_the_command(tmp_path, capsys):
    (tmp_path / "nets.py").write_text(NETS)
    first, second = f"{tmp_path}/nets.py:old", f"{tmp_path}/nets.py:new"
    page = str(tmp_path / "page.html")
    assert cli.main(["explain", first, second, "--shape", "2,3", "-o", page]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == f"{first} → {second}"
    assert printed[1] == "operators: 3 operators → 5 operators"
    assert printed[-2:] == ["", page]
    assert "16×3 float32" in (tmp_path / "page.html").read_text()


def test_why_a_block_is_larger_than_what_a_step_uses():
    """LeNet's first pooling must not overlap the second convolution's scratch memory, two steps later."""
    net = made(lambda: [nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(), nn.Conv2D(16, 5, activation="relu"),
                        nn.MaxPool2D(), nn.Dense(10)])
    memory = gather(net, [nd.ones((64, 1, 28, 28))]).memory
    live = {step: sum(b.size for b in memory.buffers if b.offset is not None and step in range(b.first, b.last + 1))
            for step in range(len(memory.steps))}
    assert memory.tightest == max(live.values()) == live[0]
    assert memory.size > memory.tightest
