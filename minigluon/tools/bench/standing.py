"""minigluon's time divided by that of the best other library, for each program, and geometric means of these ratios."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any, NamedTuple

from .nets import OTHERS, kind_of
from .report import median_ratio

if TYPE_CHECKING:
    from .report import Report

__all__ = ["Standing", "best", "mean_ratio", "standings"]


class Standing(NamedTuple):
    """The standing of minigluon for one program."""

    program: str
    mode: str           # minigluon's
    other: str          # library and mode, such as 'torch frozen'
    ratio: float        # the median over the rounds of minigluon's time divided by the other's

    @property
    def kind(self):
        """The kind of program: 'forward' or 'training'."""
        return kind_of(self.program)


def standings(report: Report, others: Any = OTHERS) -> list[Any]:
    """Return [Standing] for the programs that minigluon and at least one other library have run, best first.

    The best mode of a library, and the best library, are those with the smallest median.
    """
    results = []
    for program in dict.fromkeys(row["program"] for row in report["rows"]):
        own, other = best(report, program, ["minigluon"]), best(report, program, others)
        if own and other:
            results.append(Standing(program, own["mode"], f"{other['library']} {other['mode']}",
                                    median_ratio(own["seconds"], other["seconds"])))
    return sorted(results, key=lambda standing: standing.ratio)


def best(report: Report, program: str, libraries: Any) -> Any:
    """Return the row of a program with the smallest median among these libraries, or None if there is none."""
    rows = [row for row in report["rows"] if row["program"] == program and row["library"] in libraries]
    return min(rows, key=lambda row: statistics.median(row["seconds"]), default=None)


def mean_ratio(standings: Any, kind: str) -> float | None:
    """Return the geometric mean of the ratios of one kind, or None if there are none."""
    ratios = [standing.ratio for standing in standings if standing.kind == kind]
    return statistics.geometric_mean(ratios) if ratios else None
