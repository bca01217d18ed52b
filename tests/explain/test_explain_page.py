"""The page that mx.explain writes: complete in itself, and clicked through in a browser without a network."""

import base64
import json
import os
import re
import shutil
from html.parser import HTMLParser

import pytest
from helpers.explain_nets import Classifier, Scaled, deep
from helpers.unrolled import Unrolled

import minigluon as mx
from minigluon import nd
from minigluon.tools.explain.page_data import gather

pytestmark = pytest.mark.once


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(not (BROWSER and DRIVER),
                                   reason="no headless browser: chromium and chromedriver are not both installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


def written(net, folder, *shapes, **options):
    net.initialize()
    return mx.explain(net, *(nd.random.normal(shape=s) for s in shapes), path=folder / f"{net.name}.html", **options)


@pytest.fixture(scope="module")
def training(folder):
    return written(Classifier(prefix="training_"), folder, (8, 5), (8,), train=True)


@pytest.fixture(scope="module")
def inference(folder):
    return written(Scaled(prefix="inference_"), folder, (4, 5))


# -- the file -------------------------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """All addresses, ids and open tags of a page."""

    ADDRESSES = {"src", "href", "xlink:href", "action", "data", "poster", "srcset", "background", "formaction"}
    EMPTY = {"meta", "link", "br", "input", "img"}

    def __init__(self, text):
        super().__init__()
        self.addresses, self.ids, self.styles, self.open, self.text = [], [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in self.ADDRESSES:
                self.addresses.append(value)
            if name == "id":
                self.ids.append(value)
            if name == "style":
                self.styles.append(value)
            assert not name.startswith("on"), "scripts stand in the script"
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("page", ["training", "inference"])
def test_the_page_is_complete_in_itself(page, request):
    with open(request.getfixturevalue(page), encoding="utf-8") as file:
        text = file.read()
    read = Reader(text)
    assert read.open == []
    assert len(read.ids) == len(set(read.ids))
    anchors = [a for a in read.addresses if a.startswith("#")]
    assert {a[1:] for a in anchors} <= set(read.ids)
    assert set(read.addresses) - set(anchors) == {"data:,"}         # an empty icon, so that none is asked for
    assert not re.search(r"https?:|file:|//[a-z]|@import|\bfetch\b|XMLHttpRequest|WebSocket|import\(", text)
    assert set(re.findall(r"url\(([^)]*)\)", text)) == {"#arrow-${phase}"}       # the script makes the arrows' heads
    assert "default-src 'none'" in text
    assert 'href="/' not in text


def test_what_is_in_a_source_is_escaped(inference):
    with open(inference, encoding="utf-8") as file:
        text = file.read()
    assert "&lt;marked&gt;" in text
    assert "<marked>" not in text
    assert '# a comment, "quoted" & <marked>' in Reader(text).text


def test_names_cannot_end_the_script(folder):
    net = mx.gluon.nn.HybridLambda(lambda F, x: F.relu(x, name="</script><script>alert(1)</script>"), prefix="bad_")
    path = mx.explain(net, nd.ones((2,)), path=folder / "bad.html")
    with open(path, encoding="utf-8") as file:
        read = Reader(file.read())
    assert read.open == []
    assert "alert(1)" in read.text


# -- in a browser ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    profile = tmp_path_factory.mktemp("profile")
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                     "--disable-background-networking", "--window-size=1400,1000", f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions",
                           {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    yield driver
    driver.quit()


class Opened:
    """A page in the browser."""

    def __init__(self, driver, path):
        self.driver = driver
        self.complaints()               # those of the page before, or of the browser's own
        driver.get("file://" + os.path.abspath(path))

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def text(self, selector):
        return " ".join(self.one(selector).text.split())

    def script(self, code, *args):
        return self.driver.execute_script(f"return {code}", *args)

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def shown(self):
        """(id of the graph, titles of the operators) that are seen."""
        return tuple(self.script("""(() => {
            const graph = document.querySelector("svg.graph");
            const titles = graph.querySelectorAll(".node:not(.k-input):not(.group) .title");
            return [graph.dataset.graph, [...titles].map(t => t.textContent)];
        })()"""))

    def node(self, title):
        """The first node of that title in the graph that is seen."""
        return next(n for n in self.all("#graph .node")
                    if n.find_element("css selector", ".title").text == title)

    def complaints(self):
        """What the browser has logged, and addresses that were asked for."""
        asked = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        addresses = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
        return self.driver.get_log("browser"), [a for a in addresses if not a.startswith(("file:", "data:"))]


@pytest.fixture
def opened(browser, request):
    """A function that opens a page; after the test, nobody may have complained."""
    pages = []

    def open_page(path):
        pages.append(Opened(browser, path))
        return pages[-1]

    yield open_page
    assert pages[-1].complaints() == ([], [])


@needs_browser
def test_passes_and_nodes(opened, training):
    page = opened(training)
    tabs = page.all("[role=tab]")
    assert [tab.text.split()[-1] for tab in tabs] == ["trace", "infer", "simplify", "differentiate", "simplify", "fuse"]
    forward = ["FullyConnected", "Activation relu", "FullyConnected", "log_softmax", "pick", "mul_scalar", "mean"]
    assert page.shown() == ("g0", forward)
    assert not page.one("#sides").is_displayed()

    tabs[3].click()
    before, after = page.all("#sides button")
    graph, titles = page.shown()
    assert (graph, titles[:7]) == ("g3", forward)
    assert "fully_connected_weight_grad" in titles
    assert page.text("#pass-name") == "differentiate"
    assert page.text("#pass-notes").startswith("4 gradients, of ")
    assert page.text("#graph-count") == f"{len(titles)} operators"
    assert len(page.all("#graph .node.added")) == len(titles) - 7 + 1        # and the gradient that arrives
    before.click()
    assert page.shown() == ("g2", forward)
    assert [b.get_attribute("aria-pressed") for b in (before, after)] == ["true", "false"]
    after.click()
    assert page.shown()[0] == "g3"

    page.node("FullyConnected").click()
    details = page.text("#node-details")
    assert details.startswith("FullyConnected dense0_fwd")
    for part in ("forward part", "num_hidden 16", "no_bias False", "data data0 8×5 float32",
                 "weight dense0_weight 16×5 float32", "Output 8×16 float32"):
        assert part in details, details
    assert len(page.all("#graph .edge.near")) >= 2
    before.click()
    assert page.text("#node-details") == details            # the same node, in the other graph
    assert len(page.all("#graph .node.chosen")) == 1


@needs_browser
def test_buffers(opened, training):
    page = opened(training)
    planned = page.all("[data-chart=planned] .buffer")
    naive = page.all("[data-chart=naive] .buffer")
    assert planned[0].is_displayed()
    assert not naive[0].is_displayed()
    planned[0].click()
    details = page.text("#buffer-details")
    assert re.search(r"size [\d.]+ k?B place bytes [\d,]+ to [\d,]+ of the block from step \d+: \S+ to step \d+: \S+",
                     details), details
    assert "chosen" in planned[0].get_attribute("class")
    page.all("#memories button")[1].click()
    assert naive[0].is_displayed()
    assert not planned[0].is_displayed()
    from selenium.webdriver.common.action_chains import ActionChains
    ActionChains(page.driver).move_to_element(naive[2]).perform()          # pointing is enough
    assert page.text("#buffer-details") != details


@needs_browser
def test_by_keyboard(opened, inference):
    from selenium.webdriver.common.keys import Keys
    page = opened(inference)
    page.script("document.querySelector('[role=tab]').focus()")
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.text("#pass-name") == "fuse"
    assert page.script("document.activeElement.id") == "tab3"
    page.press(Keys.HOME)
    assert page.text("#pass-name") == "trace"
    page.press(*[Keys.TAB] * 6)            # over the search and the buttons for the size
    assert page.script("document.activeElement.id") == "canvas"
    page.press(Keys.TAB)
    assert page.script("document.activeElement.classList.contains('node')")
    page.press(Keys.ARROW_DOWN)
    assert page.text("#node-details").startswith("FullyConnected")
    page.press(Keys.END)
    assert page.text("#node-details").startswith("softmax")
    page.script("document.querySelector('.chart').focus()")
    page.press(Keys.TAB, Keys.ENTER)
    assert "of the block" in page.text("#buffer-details")
    first = page.text("#buffer-details")
    page.press(Keys.ARROW_RIGHT)
    assert page.text("#buffer-details") != first


@needs_browser
def test_from_the_plan_to_the_graph(opened, inference):
    page = opened(inference)
    link = page.all(".link")[3]
    page.script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.click()
    assert page.text("#pass-name") == "fuse"
    assert page.text("#node-details").startswith("mul_scalar + plus_scalar + tanh")
    assert "mul_scalar(scalar=0.5) of input 0" in page.text("#node-details")


@needs_browser
def test_texts_stay_inside_their_nodes(opened, training):
    page = opened(training)
    for tab in page.all("[role=tab]"):
        tab.click()
        too_wide = page.script("""[...document.querySelectorAll('#graph .node')].filter(node => {
            const box = node.querySelector('rect').getBoundingClientRect();
            return [...node.querySelectorAll('text')].some(text => {
                const t = text.getBoundingClientRect();
                return t.left < box.left || t.right > box.right || t.top < box.top - 1 || t.bottom > box.bottom + 1;
            });
        }).map(node => node.id)""")
        assert too_wide == []


@needs_browser
@pytest.mark.parametrize("width", [360, 700, 1400])
def test_no_page_is_wider_than_the_screen(opened, training, width):
    page = opened(training)
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 800})
    try:
        assert page.script("document.documentElement.scrollWidth") <= width
        for selector in ("h1", ".facts", "#canvas", ".side .card", "table"):
            box = page.one(selector).rect
            assert box["width"] > 100, selector
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


CONTRAST = """(() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = color => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = color => rgb(color).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const found = {};
  for (const node of document.querySelectorAll("#graph .node")) {
    const fill = getComputedStyle(node.querySelector("rect")).fill;
    for (const text of node.querySelectorAll("text")) {
      found[node.id + " " + text.className.baseVal] = contrast(getComputedStyle(text).fill, fill);
    }
  }
  const paper = getComputedStyle(document.body).backgroundColor;
  for (const selector of ["h1", ".lead", ".intro", "nav a", ".legend"]) {
    found[selector] = contrast(getComputedStyle(document.querySelector(selector)).color, paper);
  }
  return found;
})()"""


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(opened, training, scheme):
    """All text at least 4.5 to 1, as the accessibility guidelines ask (WCAG 2.1, 1.4.3)."""
    page = opened(training)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    try:
        page.all("[role=tab]")[4].click()
        paper = page.script("getComputedStyle(document.body).backgroundColor")
        assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}[scheme]
        found = page.script(CONTRAST)
        assert len(found) > 30
        assert {what: ratio for what, ratio in found.items() if ratio < 4.5} == {}
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.fixture(scope="module")
def recurrent(folder):
    return written(Unrolled(10, prefix="recurrent_"), folder, (2, 10, 5), (2, 10, 3), train=True)


@needs_browser
def test_folding(opened, recurrent):
    page = opened(recurrent)
    page.all("[role=tab]")[-1].click()
    page.all("#folds button")[1].click()
    heads = {group.get_attribute("aria-label").rpartition(",")[0]: group for group in page.all("#graph .group")}
    assert set(heads) == {"LSTMCell cell", "L2Loss loss"} or "LSTMCell cell" in heads
    closed = len(page.shown()[1])
    group = page.one("#graph .group.forward")
    assert group.get_attribute("aria-expanded") == "false"
    group.click()
    group = page.one("#graph .group.forward")
    assert group.get_attribute("aria-expanded") == "true"
    steps = [g for g in page.all("#graph .group.closed.forward") if "step" in g.get_attribute("aria-label")]
    assert [g.get_attribute("aria-label") for g in steps[:2]] == [
        f"LSTMCell, step {i} cell, {count} operators" for i, count in zip((0, 1), counts(steps))]
    page.script("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", steps[1])
    steps[1].click()
    assert len(page.shown()[1]) >= closed + 10
    names = page.script("[...document.querySelectorAll('#graph .node:not(.group) .name')].map(t => t.textContent)")
    assert {"lstm0_t1_i2h", "lstm0_t1_h2h"} <= set(names)
    assert "lstm0_t0_i2h" not in names
    overlapping = page.script(OVERLAPS)
    assert overlapping == []
    page.press(*ENTER)                      # the head of the open group has the focus
    assert len(page.shown()[1]) < closed + 10
    page.one("[data-open=all]").click()
    assert page.script(OVERLAPS) == []
    assert page.script("document.querySelectorAll('#graph .node:not(.group)').length") == page.script(
        "Number(document.querySelector('#graph-count').textContent.split(' ')[0])"
        " + document.querySelectorAll('#graph .k-input').length")


def counts(groups):
    return [int(g.get_attribute("aria-label").split()[-2]) for g in groups]


ENTER = ["\ue007"]
OVERLAPS = """(() => {
  const boxes = [...document.querySelectorAll("#graph .node:not(.open)")].map(node => {
    const r = [...node.querySelectorAll("rect:not(.card):not(.strip)")][0];
    return ["x", "y", "width", "height"].map(name => Number(r.getAttribute(name)));
  });
  return boxes.flatMap(([x, y, w, h], i) => boxes.slice(i + 1).filter(([p, q, v, u]) =>
    x + w > p + 1 && p + v > x + 1 && y + h > q + 1 && q + u > y + 1));
})()"""


@needs_browser
def test_a_place_is_kept_from_pass_to_pass(opened, recurrent):
    page = opened(recurrent)
    where = """Object.fromEntries([...document.querySelectorAll("#graph .node:not(.group)")].map(node =>
        [node.dataset.place, ["x", "y"].map(name => Number(node.querySelector("text").getAttribute(name)))]))"""
    first = page.script(where)
    for tab in page.all("[role=tab]")[1:]:
        tab.click()
        now = page.script(where)
        same = set(first) & set(now)
        assert len(same) > 3
        assert all(abs(first[place][0] - now[place][0]) < 0.2 for place in same)
    assert page.one("#graph .k-input").is_displayed()


@needs_browser
def test_search_and_lines(opened, recurrent):
    page = opened(recurrent)
    box = page.one("#search")
    box.send_keys("t7_i2h")
    assert page.text("#found-count") == "1 found"
    assert page.text("#found") == "FullyConnected lstm0_t7_i2h"
    assert len(page.all("#graph .match")) == 1              # the group that it is folded in
    box.send_keys(*ENTER)
    assert page.text("#node-details").startswith("FullyConnected lstm0_t7_i2h")
    assert page.script("document.activeElement.classList.contains('match')")
    box.clear()
    box.send_keys("sigmoid")
    assert page.text("#found-count") == "30 found"
    box.send_keys("nothing")
    assert page.text("#found-count") == "0 found"
    box.clear()
    box.send_keys(" ")
    files = [place.text.rpartition("/")[2].split(",")[0] for place in page.all("#node-details .where")]
    assert files == ["unrolled.py", "rnn_cell.py", "matrix.py"]
    links = page.all("#node-details a.where")           # of what is shown on the page
    links[0].click()
    line = page.one("pre span.chosen")
    assert line.is_displayed()
    assert "self.cell.unroll(self.steps" in line.text
    links[-1].click()
    assert page.one("pre span.chosen").text.startswith("@register(")
    assert "class FullyConnected" in page.one("pre:has(span.chosen)").text


@needs_browser
def test_accessibility(opened, folder):
    """axe-core finds nothing at all, with groups closed and open, a node chosen and others found."""
    from axe_core_python.selenium import Axe
    page = opened(written(Unrolled(2, prefix="axe_"), folder, (2, 2, 5), (2, 2, 3), train=True))
    page.all("[role=tab]")[3].click()
    page.one("#graph .node:not(.group)").click()
    page.one("#search").send_keys("i2h")
    page.script("scrollTo(0, 0)")
    found = Axe().run(page.driver, options={"resultTypes": ["violations"]})["violations"]
    assert [(v["id"], v["nodes"][0]["html"], v["nodes"][0]["failureSummary"]) for v in found] == []


@needs_browser
def test_a_hundred_layers(opened, folder):
    page = opened(written(deep(), folder, (2, 16), train=True))
    page.all("[role=tab]")[-1].click()
    assert len(page.shown()[1]) < 50
    page.one("[data-open=all]").click()
    assert len(page.shown()[1]) > 400
    svg, canvas = page.one("#graph"), page.one("#canvas")
    assert svg.size["height"] > 5 * canvas.size["height"]           # to be scrolled, not squeezed
    title = svg.find_element("css selector", ".title")
    assert title.rect["height"] > 8
    page.one("[data-zoom=fit]").click()
    assert svg.size["height"] <= canvas.size["height"]
    page.one("[data-zoom=one]").click()
    assert svg.size["height"] > 5 * canvas.size["height"]
    screen = base64.b64decode(page.driver.get_screenshot_as_base64())
    assert len(screen) > 20000


VISIBLE = """(() => {
    const panel = canvas.getBoundingClientRect(), first = canvas.scrollLeft;
    const count = left => {
        canvas.scrollLeft = left;
        const boxes = [...document.querySelectorAll("#graph .node")].map(node => node.getBoundingClientRect());
        return boxes.filter(b => b.left >= panel.left && b.right <= panel.right && b.bottom <= panel.bottom).length;
    };
    return [count(first), Math.max(...[...Array(200).keys()].map(i => count(8 * i)))];
})()"""


@needs_browser
def test_a_wide_graph_on_a_phone(opened, folder):
    """Each pass shows the part of the drawing that has most nodes; without scrolling it was a nearly empty corner."""
    from minigluon.gluon.model_zoo import text
    encoder = text.BERTEncoder(num_layers=2, units=16, hidden_size=32, num_heads=2, max_length=20)
    net = text.BERTModel(encoder, vocab_size=30, token_type_vocab_size=2, units=16, use_decoder=False, prefix="phone_")
    net.initialize()
    path = mx.explain(net, nd.array([[1, 2, 3]]), nd.array([[0, 0, 1]]), nd.array([3]), path=str(folder / "phone.html"))
    page = opened(path)
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True})
    try:
        page.driver.refresh()
        for tab in page.all("[role=tab]"):
            page.script("arguments[0].click()", tab)
            seen, most = page.script(VISIBLE)
            assert seen == most > 5, tab.text
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_gathered_data_is_plain(folder):
    """What the page is made of can be tested without the page."""
    net = Scaled(prefix="plain_")
    net.initialize()
    page = gather(net, [nd.ones((1, 2))])
    from dataclasses import asdict
    assert json.loads(json.dumps(asdict(page)))["title"] == "Scaled"
