"""Parsers of numbers and lists of numbers as MXNet writes them in files and programs write them in strings."""

__all__ = ["items_of", "number_of"]


def number_of(text):
    """Converts '4', '4L', '4.0', '0x10' or 'True' to an integer."""
    text = text.strip()
    if text in ("True", "False"):
        return text == "True"
    try:
        return int(text.rstrip("L"), 0)         # Python 2 wrote long integers as 64L
    except ValueError:
        return float(text)


def items_of(text):
    """Returns the items of '(1, 2)', '[1, 2]' or '1' as strings.

    `ast.literal_eval` is not used because its tree takes hundreds of bytes per character of a file.
    """
    text = text.strip()
    if text[:1] + text[-1:] in ("()", "[]"):
        text = text[1:-1]
    items = text.split(",")
    if not items[-1].strip():           # '(1,)' and '()'
        items.pop()
    return items
