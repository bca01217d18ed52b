"""Sphinx's settings for the site; docs/build_site.py reads them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

project = "minigluon"
author = "the authors of minigluon"
project_copyright = "the authors of minigluon, under the Apache License 2.0"
html_title = "minigluon"
root_doc = "index"

# myst-parser: the pages already contain the output of their blocks, and a test compares it, so nothing needs to run
# when the site is built.
extensions = ["myst_parser", "sphinx_copybutton", "website.extension"]
myst_heading_anchors = 6                # anchors like GitHub's
myst_url_schemes = ["http", "https", "mailto", "site"]

smartquotes = False                     # 'relu' is a string

html_theme = "furo"                     # a plain theme, light and dark, that works without a network
html_static_path = ["static"]
html_logo = html_favicon = "static/logo.svg"
html_search_scorer = str(Path(__file__).with_name("scorer.js"))          # names and titles come before texts
html_css_files = ["style.css"]
html_js_files = ["scroll.js"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = html_split_index = True
html_domain_indices = False
templates_path = []
pygments_style = "website.colors.Light"
pygments_dark_style = "website.colors.Dark"

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
