"""Benchmarks: the same programs in several libraries and modes, which take turns.

    nets.py         the programs, their nets and their sizes
    workers/        the code of each library's process, also under interpreters without minigluon
    peers.py        such a process, as seen by the main process
    rounds.py       the order and number of runs
    journal.py      results as lines of JSON, saved one by one
    report.py       from rounds to medians, ratios and JSON
    merge.py        several reports combined into one
    standing.py     minigluon's time divided by the best other library's
    table.py        the report for a terminal, and as Markdown      (needs rich)
    chart.py        the report as bars                              (needs matplotlib)
    shown.py        both, for a notebook
    run.py          the whole benchmark as one function

`minigluon bench` and benchmarks/ use them.
"""
