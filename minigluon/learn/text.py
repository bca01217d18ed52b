"""Messages in the reader's language: gettext of the standard library, with English in the source.

    _("step {number} is done").format(number=2)

The language is MINIGLUON_LANG, or what LANGUAGE, LC_ALL, LC_MESSAGES or LANG say, as for other programs. A catalogue
lies in locale/LANGUAGE/LC_MESSAGES/learn.mo; a message that it lacks stays English. Texts of steps (titles, tasks,
hints) stand in their files as they are, and are translated where they are shown.
"""

import gettext
import os
from functools import cache
from pathlib import Path

__all__ = ["_", "languages", "translated_file"]

FOLDER = Path(__file__).parent / "locale"


def languages():
    """The languages that the environment asks for, best first, such as ['zh_CN', 'zh']; [] is English."""
    for name in ("MINIGLUON_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            wanted = [language.partition(".")[0].partition("@")[0] for language in value.split(":")]
            return [form for language in wanted if language not in ("C", "POSIX")
                    for form in dict.fromkeys([language, language.partition("_")[0]])]
    return []


@cache
def _catalogue(wanted):
    return gettext.translation("learn", str(FOLDER), wanted, fallback=True)


def _(message):
    """The message in the reader's language."""
    return _catalogue(tuple(languages())).gettext(message) if message else message


def translated_file(path):
    """`page.zh.md` beside `page.md` where the reader's language is Chinese and the file is there; else the path."""
    for language in languages():
        if language.partition("_")[0] == "en":
            break
        other = path.with_name(f"{path.stem}.{language}{path.suffix}")
        if other.is_file():
            return other
    return path
