"""Messages in the reader's language. The source contains the English text, which is the key for the translation:

    _("step {number} is done").format(number=2)

The language is MINIGLUON_LANG or, if that is not set, LANGUAGE, LC_ALL, LC_MESSAGES or LANG, as in other programs.
locale/zh.po is the Chinese catalog, in gettext's format. It is read directly, because the standard library's gettext
needs a compiled file, which could be older than its source. A message that is not in the catalog stays in English.
Texts of steps (titles, tasks, hints) are plain text in their files, and are translated when they are shown.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["_", "columns", "languages", "read_catalogue", "translated_file", "wrapped"]

FOLDER = Path(__file__).parent / "locale"

# Chinese characters and punctuation: a line may break between them, but not before a closing mark.
WIDE, OPENING, CLOSING = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60", "（「《“", "，。；：、！？）」》”"
PIECE = re.compile(rf"( ?)([{OPENING}]*(?:[^\s{WIDE}]+|[{WIDE}])[{CLOSING}]*)")


def languages() -> list[Any]:
    """Return the languages that the environment requests, best first, such as ['zh_CN', 'zh']; [] means English."""
    for name in ("MINIGLUON_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            codes = [language.partition(".")[0].partition("@")[0] for language in value.split(":")]
            return [form for language in codes if language not in ("C", "POSIX")
                    for form in dict.fromkeys([language, language.partition("_")[0]])]
    return []


def _(message: str) -> Any:
    """Return the message in the reader's language."""
    return _catalogue(tuple(languages())).get(message, message)


@cache
def _catalogue(languages):
    for language in languages:
        if language.partition("_")[0] == "en":
            break
        path = FOLDER / f"{language}.po"
        if path.is_file():
            return read_catalogue(path)
    return {}


def read_catalogue(path: str) -> dict[Any, Any]:
    """Return {message: translation} of a .po file. Empty entries and entries marked `#, fuzzy` are omitted."""
    translations = {}
    for entry in path.read_text(encoding="utf-8").split("\n\n"):
        texts, part, lines = {}, "", entry.splitlines()
        for line in lines:
            if not line.startswith("#"):
                if not line.startswith('"'):
                    part, _space, line = line.partition(" ")
                texts[part] = texts.get(part, "") + json.loads(line)
        if texts.get("msgid") and texts["msgstr"] and "#, fuzzy" not in lines:
            translations[texts["msgid"]] = texts["msgstr"]
    return translations


def translated_file(path: str) -> Any:
    """Return `page.zh.md` for `page.md` if the reader's language is Chinese and the file exists, otherwise the path."""
    for language in languages():
        if language.partition("_")[0] == "en":
            break
        other = path.with_name(f"{path.stem}.{language}{path.suffix}")
        if other.is_file():
            return other
    return path


def columns(text: str) -> int:
    """Return the number of columns that a string occupies: a Chinese character occupies two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def wrapped(text: str, width: int, prefix: str) -> list[str]:
    """Return the lines of a string, each after `prefix`, broken at spaces and next to Chinese characters."""
    lines = [prefix]
    for space, piece in PIECE.findall(text):
        if lines[-1] != prefix and columns(lines[-1] + space + piece) > width:
            lines.append(prefix)
        lines[-1] += piece if lines[-1] == prefix else space + piece
    return lines
