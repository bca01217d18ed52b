"""The results of gpu_suite.py in short: what ran, file by file, and what failed, with the end of its message."""

__all__ = ["summary"]

WELL = "passed", "skipped", "left out"
OUTCOMES = "passed", "skipped", "failed", "lost", "crashed", "hangs"       # of tests


def summary(rows, complete):
    """(Markdown, has something failed?)"""
    tests, steps, pieces = latest(rows), steps_of(rows), [row["piece"] for row in rows if "piece" in row]
    now = pieces[-1]
    failed = [row for row in [*steps, *tests] if row["outcome"] not in (*WELL, "interrupted")]
    state = "complete" if complete else "**not complete: run the same again**"
    lines = [f"{now['date'][:10]}, Python {now['python']}, {now['cores']} cores, {len(pieces)} "
             f"piece{'s' * (len(pieces) > 1)}, {state}.", ""]
    if now["emulated"]:
        lines += ["**Emulated: no card took part.**", ""]
    lines += ["| step | outcome | seconds | last line |", "|---|---|---|---|"]
    lines += [f"| {row['step']} | {row['outcome']} | {row['seconds']} | {last_line(row['text'])} |" for row in steps]
    lines += ["", "| tests of | " + " | ".join(OUTCOMES) + " | seconds |", "|---|" + "---|" * (len(OUTCOMES) + 1)]
    for (tool, file), own in by_file(tests).items():
        counts = [str(sum(row["outcome"] == outcome for row in own) or "") for outcome in OUTCOMES]
        lines.append(f"| {tool + ': ' if tool else ''}{file.rpartition('/')[2]} | {' | '.join(counts)} "
                     f"| {sum(row['seconds'] for row in own):.1f} |")
    for row in failed:
        lines += ["", f"### {row.get('test') or row['step']}: {row['outcome']}", "", "```",
                  *(row["text"].strip().splitlines()[:15] if row["outcome"] == "crashed" else
                    row["text"].strip().splitlines()[-15:]), "```"]
    return "\n".join(lines) + "\n", bool(failed)


def latest(rows):
    """The last row of each test of each tool."""
    return list({(row["tool"], row["test"]): row for row in rows if "test" in row}.values())


def steps_of(rows):
    """The last row of each step, and all of a sanitizer: each process of it has looked at other tests."""
    found = {}
    for number, row in enumerate(rows):
        if "step" in row:
            found[(row["step"], number) if row["step"].endswith("check") else row["step"]] = row
    return list(found.values())


def by_file(tests):
    found = {}
    for row in tests:
        found.setdefault((row["tool"], row["file"]), []).append(row)
    return found


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1][:120].replace("|", "/") if lines else ""
