"""pytest's part of gpu_suite.py: a row for each test when it has ended, none for those that have one already.

A plugin: `pytest -p gpu_worker`, with what it needs in the variable GPU_SUITE as JSON:

    journal     the file of results
    running     a file that has the name of the test that runs
    file        the file of tests
    tool        of compute-sanitizer, or None
    part, of    which share of the file's tests is run: those whose number is `part` modulo `of`
    again       run tests again that have failed
    sources     None, or a folder for the sources of the kernels that the tests compile

A row is {"tool", "file", "test", "outcome", "seconds", "text"}. The outcome is passed, failed, skipped, or lost, which
is failed, and the device takes no more work after an error in a kernel. Then the process ends with the status LOST,
since every further test would fail as well; who has started it goes on with a new one. A file that cannot be imported
has a row like that of a test.
"""

import json
import os
import pathlib
import sys

import gpu_sources

from minigluon.tools.bench import journal

LOST = 17           # exit status
LONGEST = 6000      # characters of a failure that are kept

SUITE = json.loads(os.environ.get("GPU_SUITE", "null"))
_phases = {}        # test -> its reports so far


def settled(rows, tool, again=False):
    """Tests of a tool that need not run: with a result, or lost twice, since a test may only be the next victim."""
    last, losses = {}, {}
    for row in rows:
        if row.get("tool") == tool and "test" in row:
            last[row["test"]] = row["outcome"]
            losses[row["test"]] = losses.get(row["test"], 0) + (row["outcome"] == "lost")
    return {test for test, outcome in last.items()
            if (outcome in ("passed", "skipped") if again else outcome != "lost" or losses[test] > 1)}


def done_before():
    return settled(journal.rows(SUITE["journal"]), SUITE["tool"], SUITE["again"])


def pytest_collection_modifyitems(config, items):
    done = done_before()
    chosen = [item for item in items[SUITE["part"]::SUITE["of"]] if item.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def pytest_collection_finish(session):
    if SUITE["sources"] is not None and gpu_sources.RECORDED in sys.modules:
        gpu_sources.record(SUITE["sources"])


def pytest_collectreport(report):
    ended_here = report.failed or report.skipped and report.nodeid.endswith(".py")
    if ended_here and report.nodeid not in done_before():
        keep(report.nodeid, "failed" if report.failed else "skipped", 0, words_of(report))


def pytest_runtest_logstart(nodeid, location):
    pathlib.Path(SUITE["running"]).write_text(nodeid, encoding="utf-8")
    _phases[nodeid] = []


def pytest_runtest_logreport(report):
    _phases[report.nodeid].append(report)
    if report.when == "teardown":
        ended(report.nodeid, _phases.pop(report.nodeid))


def ended(test, phases):
    """Keep the result of a test. The process ends here where the device is lost."""
    failed = [phase for phase in phases if phase.failed]
    skipped = any(phase.skipped and not hasattr(phase, "wasxfail") for phase in phases)
    lost = bool(failed) and device_is_lost()
    outcome = "lost" if lost else "failed" if failed else "skipped" if skipped else "passed"
    text = "\n".join(words_of(phase) for phase in (failed or (phases if skipped else [])))
    keep(test, outcome, sum(phase.duration for phase in phases), text)
    pathlib.Path(SUITE["running"]).write_text("", encoding="utf-8")
    if lost:
        print(f"\n{test}: the device is lost; a new process goes on")
        sys.stdout.flush()
        os._exit(LOST)


def device_is_lost():
    """After an error in a kernel, whatever is asked of the context fails with that error."""
    driver = sys.modules.get("minigluon_accel.gpu.driver")
    try:
        if driver is not None:
            driver.wait_for_all()
    except Exception:           # of whatever kind: a test that is over has left nothing that could fail
        return True
    return False


def words_of(report):
    """Why a test failed or was skipped."""
    if isinstance(report.longrepr, tuple):          # of a skipped one: file, line, reason
        return str(report.longrepr[2])
    return str(report.longrepr or "")[-LONGEST:]


def keep(test, outcome, seconds, text):
    journal.add(SUITE["journal"], {"tool": SUITE["tool"], "file": SUITE["file"], "test": test, "outcome": outcome,
                                   "seconds": round(seconds, 3), "text": text})
