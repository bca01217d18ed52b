"""The parts of the emulator's error messages, for programs that explain them."""

import re
from dataclasses import dataclass

__all__ = ["Report", "Side", "report"]

THREAD = re.compile(r"kernel '(?P<kernel>[^']*)'(?:, block \((?P<block>[\d,]+)\))?"
                    r"(?:, thread \((?P<thread>[\d,]+)\))?: ")
LINE = r"(?:,? at (?P<{}>[^\s:,']+:\d+))?"
RACE = re.compile(r"race in (?P<memory>shared|global) memory: (?:it|(?P<copy>a copy[ \w]*|a fill)) "
                  r"(?P<does>reads|writes|updates) (?P<array>.*?)" + LINE.format("line") + r", which (?P<who>.*?) "
                  r"(?P<did>read|wrote|updated)" + LINE.format("other_line") + r",? (?P<why>(?:with no|and) .*)")
BOUNDS = re.compile(r"(?P<does>reads|writes|updates) (?P<array>.*?)" + LINE.format("line") + "$")
WHO = re.compile(r"(?:block \((?P<block>[\d,]+)\), )?thread \((?P<thread>[\d,]+)\)(?: of kernel '(?P<kernel>[^']*)')?")
NAME = re.compile(r"'([^']+)'")


@dataclass(frozen=True)
class Side:
    """One party of a memory access: a thread of a kernel, or a copy (`kernel`, `block` and `thread` are None).

    access: "reads", "writes" or "updates" (an atomic operation). line: "tile.cu:12", or None if unknown.
    """

    title: str
    access: str
    line: str | None
    kernel: str | None = None
    block: tuple | None = None
    thread: tuple | None = None


@dataclass(frozen=True)
class Report:
    """A mistake that the emulator has found.

    kind: "race"; "bounds", an access outside the allowed memory; "other", for which only `text` and `side` are set.
    memory: "shared" or "global" for a race. array: a description of the array. name: the name of the kernel's variable
    or parameter for the array, or None. side: the party that made the mistake. other: the conflicting party of a race.
    """

    kind: str
    text: str
    side: Side
    memory: str | None = None
    array: str | None = None
    name: str | None = None
    other: Side | None = None


def report(error):
    """Returns the Report contained in an error (or its text) from a launch or from waiting for it, or None if there is
    none.

    >>> found = report("kernel 'f', block (0,0,0), thread (2,0,0): race in shared memory: it reads byte 4 of 'f::tile' "
    ...                "at f.cu:9, which thread (1,0,0) wrote at f.cu:7, with no barrier between")
    >>> found.name, found.side.line, found.other.line, found.other.thread
    ('f::tile', 'f.cu:9', 'f.cu:7', (1, 0, 0))
    """
    text = str(error).split("\n")[0]
    head, race = THREAD.search(text), RACE.search(text)
    if head is None and race is None:
        return None
    kernel, block, thread = (head["kernel"], _numbers(head["block"]), _numbers(head["thread"])) if head else (None,) * 3
    words = text[head.start():] if head else race.group()
    if race is not None:
        side = Side(race["copy"] or _title(block, thread), race["does"], race["line"], kernel, block, thread)
        name = NAME.search(race["array"])
        return Report("race", words, side, race["memory"], race["array"], name and name[1], _other(race, side))
    bounds = BOUNDS.match(text, head.end())
    if bounds is None:
        return Report("other", words, Side(_title(block, thread), "", None, kernel, block, thread))
    name = NAME.search(bounds["array"])
    return Report("bounds", words, Side(_title(block, thread), bounds["does"], bounds["line"], kernel, block, thread),
                  None, bounds["array"], name and name[1])


def _other(race, side):
    access = {"read": "reads", "wrote": "writes", "updated": "updates"}[race["did"]]
    who = WHO.fullmatch(race["who"])
    if who is None:
        return Side(race["who"], access, race["other_line"])
    return Side(race["who"], access, race["other_line"], who["kernel"] or side.kernel,
                _numbers(who["block"]) or side.block, _numbers(who["thread"]))


def _title(block, thread):
    return f"block {block}, thread {thread}"


def _numbers(text):
    return tuple(map(int, text.split(","))) if text else None
