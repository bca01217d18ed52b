"""Measurements: the same programs in several libraries and modes, by turns.

    nets.py         the programs, their nets and their sizes
    workers/        what runs in a process of each library, also under interpreters without minigluon
    peers.py        such a process, seen from here
    rounds.py       who runs when, and how often
    journal.py      results as lines of JSON, kept one by one
    report.py       from rounds to medians, ratios and JSON
    merge.py        several reports as one
    standing.py     minigluon's time by that of the best other library
    table.py        the report for a terminal, and as Markdown      (needs rich)
    chart.py        the report as bars                              (needs matplotlib)
    shown.py        both, for a notebook
    run.py          all of it, as one function

`minigluon bench` and benchmarks/ are made of these.
"""
