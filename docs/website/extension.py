"""Additions to Sphinx: links to any file on the site, frames in which pictures scroll, and the table of contents."""

from functools import partial
from html import escape

from docutils import nodes
from sphinx import addnodes
from sphinx.util.osutil import relative_uri

__all__ = ["setup"]


def setup(app):
    """Connect the functions in this file. Sphinx calls this function."""
    app.connect("doctree-resolved", resolve_links)
    app.connect("doctree-resolved", frame_pictures)
    app.connect("html-page-context", put_contents, priority=400)        # before the theme uses it
    app.connect("html-page-context", put_language)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def resolve_links(app, doctree, docname):
    """Resolve links of the form site:PATH to that path on the site."""
    for node in doctree.findall(nodes.reference):
        if node.get("refuri", "").startswith("site:"):
            node["refuri"] = relative_uri(app.builder.get_target_uri(docname), node["refuri"].removeprefix("site:"))
            node["internal"] = True


def frame_pictures(app, doctree, docname):
    """Put each picture into a frame that scrolls sideways, so that its text keeps its size on a phone."""
    for image in list(doctree.findall(nodes.image)):
        frame = nodes.container(classes=["picture"])
        image.replace_self(frame)
        frame += image


def put_contents(app, pagename, templatename, context, doctree):
    """Place the table of contents next to a page, expanded along the path to the page and below it.

    Sphinx's own function, which copies and resolves the whole tree for each page, would take half of the build time.
    """
    context["toctree"] = partial(contents, app, pagename)


def put_language(app, pagename, templatename, context, doctree):
    """Set the language of a page, for screen readers and for the choice of fonts."""
    if is_chinese(pagename):
        context["language"] = "zh"


def is_chinese(name):
    """Return whether this page is in Chinese."""
    return name.startswith("docs/zh/") or name.endswith(".zh")


def contents(app, pagename, **options):
    """Return the table of contents as HTML; the theme's options are the same each time."""
    parts = []
    for tree in app.env.tocs[app.config.root_doc].findall(addnodes.toctree):
        caption = escape(tree["caption"] or "")
        parts.append(f'<p class="caption" role="heading" aria-level="2"><span class="caption-text">{caption}</span></p>'
                     + branch(app, pagename, [name for _, name in tree["entries"]], 1))
    return "".join(parts)


def branch(app, pagename, names, level):
    """Return a list of pages, with subpages for those that contain the current page."""
    items = []
    for name in names:
        here = name == pagename or pagename in below(app.env, name)
        children = app.env.toctree_includes.get(name, []) if here else []
        link = relative_uri(app.builder.get_target_uri(pagename), app.builder.get_target_uri(name)) or "#"
        language = ' lang="zh"' if is_chinese(name) else ' lang="en"' if is_chinese(pagename) else ""
        items.append(f'<li class="toctree-l{level}{" current" * here}"{language}>'
                     f'<a class="reference internal" href="{link}">{escape(app.env.titles[name].astext())}</a>'
                     f'{branch(app, pagename, children, level + 1) if children else ""}</li>')
    return f"<ul>{''.join(items)}</ul>"


def below(env, name):
    """Return all pages below the given page."""
    children = env.toctree_includes.get(name, [])
    return {*children, *(grandchild for child in children for grandchild in below(env, child))}
