"""The memory that a piece of work takes."""

__all__ = ["Peak", "least"]

_START = []         # resident bytes at the first measurement: what work leaves behind counts for the next one


def least(measure, limit, tries=3):
    """The first result of `measure()` below the limit; the least of all tries where there is none.

    What belongs to the whole process counts, too: a table (interned names, the test runner's reports) that happens to
    double meanwhile takes hundreds of kilobytes at once. It does so once, and a leak does each time.
    """
    found = []
    while len(found) < tries and not (found and found[-1] < limit):
        found.append(measure())
    return min(found)


class Peak:
    """`with Peak() as peak:`, and then peak.bytes: the most resident memory inside, over that of the first time.

    0 where the system does not tell it: /proc/self/clear_refs resets the peak on Linux.
    """

    bytes = 0

    def __enter__(self):
        try:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        except OSError:
            return self
        if not _START:
            _START.append(_status("VmRSS"))
        return self

    def __exit__(self, *error):
        if _START:
            self.bytes = _status("VmHWM") - _START[0]


def _status(name):
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(name + ":"))
    return int(line.split()[1]) * 1024
