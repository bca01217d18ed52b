"""The site in a headless browser: a page of each kind, three widths, light and dark. All: scripts/check_site.py."""

import os
from pathlib import Path

import pytest
from helpers.site_browser import BROWSER, DRIVER, SAMPLE, SiteBrowser

pytestmark = [pytest.mark.once,
              pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium or chromedriver is not installed")]

PICTURES = os.environ.get("MINIGLUON_SCREENSHOTS")       # a folder, which .ci/run and the workflow keep

# axe-core looks at these; the others are looked at for what is too wide, and for complaints.
AXE = [(360, "light"), (1280, "dark")]
# What is too wide does not depend on the colors. scripts/check_site.py looks at each width in both.
VIEWS = [*AXE, (768, "light")]


@pytest.fixture(scope="module")
def browser(site, tmp_path_factory):
    with SiteBrowser(site, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.mark.parametrize("page", SAMPLE)
def test_page_in_a_browser(browser, page):
    found = []
    for width, scheme in VIEWS:
        picture = PICTURES and Path(PICTURES) / f"{page.replace('/', '-')}-{width}-{scheme}.png"
        found += browser.look(page, width, scheme, (width, scheme) in AXE, picture)
    assert found == []


@pytest.mark.parametrize(("word", "first"), [("FullyConnected", "api/operators/nn-matrix.html"),
                                         ("Dense", "api/gluon.nn.html#gluon.nn.Dense"),
                                         ("hybridize", "api/gluon.html#gluon.Block.hybridize")])
def test_search_lists_names_first(browser, word, first):
    from selenium.webdriver.support.ui import WebDriverWait
    browser.open("search")
    browser.driver.get(f"{browser.driver.current_url}?q={word}")
    WebDriverWait(browser.driver, 20).until(lambda driver: driver.find_elements("css selector", "#search-results li"))
    link = browser.driver.find_element("css selector", "#search-results li a").get_attribute("href")
    assert first in link


def test_dark_is_chosen_by_hand(browser):
    browser.open("index", 1280, "light")
    before = browser.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    button = next(b for b in browser.driver.find_elements("css selector", ".theme-toggle") if b.is_displayed())
    for _ in range(3):          # what the system says, light, dark, in some order
        if browser.driver.execute_script("return document.body.dataset.theme") != "dark":
            button.click()
    assert browser.driver.execute_script("return document.body.dataset.theme") == "dark"
    assert browser.driver.execute_script("return getComputedStyle(document.body).backgroundColor") != before
    browser.driver.execute_script("localStorage.clear()")
