"""A site's pages in a headless browser: what it complains of, what axe-core finds, what is wider than the window."""

import shutil

__all__ = ["BROWSER", "DRIVER", "SAMPLE", "SCHEMES", "WIDTHS", "SiteBrowser"]

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
WIDTHS, SCHEMES = (360, 768, 1280), ("light", "dark")

# A page of each kind, for tests; tests/scripts/check_site.py looks at all pages.
SAMPLE = ["index", "docs/9-hybridize", "docs/programs/vae", "docs/zh/README", "benchmarks/charts", "api/autograd",
          "api/operators/nn-matrix", "explained/index", "explained/lenet", "source/minigluon/tape/__init__.py",
          "source/minigluon/ops/nn", "search"]


class SiteBrowser:
    """A headless Chromium without a network. `with` closes it."""

    def __init__(self, site, profile):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = BROWSER
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                         "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.site = site
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(300)         # axe-core takes long for thousands of links
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.driver.quit()

    def open(self, page, width=1280, scheme="light"):
        """Open a page of the site, by its path without '.html'."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.resize(width)
        self.driver.get_log("browser")
        self.driver.get(f"{self.site.resolve().as_uri()}/{page}.html")

    def resize(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def look(self, page, width, scheme, axe=True, picture=None):
        """What is wrong with a page, what is folded included, as texts. picture: a file for a screenshot."""
        self.open(page, width, scheme)
        self.driver.execute_script("document.querySelectorAll('details').forEach(folded => folded.open = true)")
        where, found = f"{page} at {width}, {scheme}", []
        wide = self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        if wide > 0:
            found.append(f"{where}: {wide} pixels wider than the window, {self.driver.execute_script(WIDEST)}")
        found += [f"{where}: {entry['message']}" for entry in self.driver.get_log("browser")
                  if entry["level"] in ("SEVERE", "WARNING")]
        if picture:
            picture.parent.mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(picture))
        if axe:
            found += [f"{where}: {finding}" for finding in self.axe()]
        return found

    def axe(self, within=None):
        """The serious and critical findings of axe-core: rule, number of places, the first place.

        within: what axe-core calls a context, where the rest of the page is somebody else's.
        """
        from axe_core_python.selenium import Axe
        options = {"resultTypes": ["violations"]}
        violations = Axe().run(self.driver, context=within, options=options)["violations"]
        return [f"{v['impact']} {v['id']}, {len(v['nodes'])} times: {v['nodes'][0]['html'][:200]}"
                for v in violations if v["impact"] in ("serious", "critical")]


WIDEST = """return [...document.querySelectorAll("body *")]
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .filter(e => !e.closest(".picture, pre, .table-wrapper, .sidebar-drawer"))
    .slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join(" | ")"""
