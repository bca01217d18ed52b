"""Look for trouble until the time is over: every front that is named, or all of them, one after the other.

    python tests/campaign                           # ten minutes for each front, on from where the last run stopped
    python tests/campaign files states --minutes 60 --jobs 2
    python tests/campaign files --count 1000 --seed 0
    python tests/campaign files --again 4711        # one seed once more; a finding's small case from its file

Prints each finding with its seed; at the end, how many cases held. The exit status is 1 when something was found.
The folder (--folder, else .campaign) keeps the next seed and the findings, each with a case made small.
"""

import argparse
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])      # tests/, where helpers and this package are

from campaign import FRONTS  # noqa: E402 - after the path
from campaign.driver import Campaign  # noqa: E402


def again(campaign, seed):
    """Run one seed, or the small case that was kept for it; 1 when something is wrong with it."""
    kept = [finding["small"] for finding in campaign.findings if finding["seed"] == seed]
    case = kept[-1] if kept else sys.modules[campaign.front].case(seed)
    finding = campaign.again(case)
    print(case, finding or "holds", sep="\n")
    return int(finding is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fronts", nargs="*", metavar="front", help=f"of {', '.join(FRONTS)}; all if none is named")
    parser.add_argument("--minutes", type=float, default=10, help="for each front")
    parser.add_argument("--count", type=int, help="cases of each front")
    parser.add_argument("--seed", type=int, help="the first seed; else the one after the last run's")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run cases")
    parser.add_argument("--folder", default=".campaign")
    parser.add_argument("--again", type=int, metavar="SEED")
    options = parser.parse_args()
    if unknown := set(options.fronts) - set(FRONTS):
        parser.error(f"no front is called {', '.join(sorted(unknown))}; there are {', '.join(FRONTS)}")
    status = 0
    for front in options.fronts or FRONTS:
        campaign = Campaign(f"campaign.{front}", options.folder, options.seed, options.jobs)
        if options.again is not None:
            return again(campaign, options.again)
        held, findings = campaign.run(options.minutes, options.count)
        print(f"{front}: {held + len(findings)} cases to seed {campaign.next - 1}, {len(findings)} findings; "
              f"in all {campaign.held} held, {len(campaign.findings)} did not", flush=True)
        status |= bool(findings)
    return status


if __name__ == "__main__":
    sys.exit(main())
