"""A page for each program in docs/programs."""

import ast
import re

__all__ = ["pages", "texts"]


def pages(root):
    """Return {path of a program: path of its page's source}."""
    files = [path.relative_to(root).as_posix() for path in sorted((root / "docs" / "programs").glob("*.py"))]
    return {path: path.removesuffix(".py") + ".md" for path in files}


def texts(root):
    """Yield (path of a program, the Markdown of its page) for each program."""
    for path in pages(root):
        text = (root / path).read_text(encoding="utf-8")
        said = ast.get_docstring(ast.parse(text)) or ""
        # indented text is a command
        said = re.sub(r"(?:^    .*\n?)+", lambda m: f"```sh\n{m[0]}```\n", said, flags=re.MULTILINE)
        yield path, f"# {path.rsplit('/', 1)[1]}\n\n{said}\n\n```python\n{text}```\n"
