"""Numbers and names, formatted for people."""

from __future__ import annotations

from typing import Any

__all__ = ["bytes_text", "count_text", "ratio_text", "shortened", "time_text"]


def time_text(seconds: Any) -> str:
    """Format a time: '9.78 ms'."""
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{_three(seconds / unit)} {name}"
    return f"{_three(seconds * 1e9)} ns"


def bytes_text(count: int) -> str:
    """Format a size: '3.81 MB', with powers of ten."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{_three(count / unit)} {name}"
    return f"{count:.0f} B"


def _three(number):
    """Format a number with three digits, without an exponent."""
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def count_text(number: int, what: str) -> str:
    """Format a count: '1 step', '7 steps'."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def ratio_text(part: Any, whole: Any) -> str:
    """Format a ratio: '31 %', or '' if the whole is 0."""
    return f"{part / whole:.0%}".replace("%", " %") if whole else ""


def shortened(text: str, longest: Any) -> str:
    """Return the text with at most `longest` characters, shortened by omitting its middle."""
    if len(text) <= longest:
        return text
    if longest < 2:
        return ""
    head = (longest - 1) // 2
    return text[:head] + "…" + text[len(text) - (longest - 1 - head):]
