"""One process of a job of `distributed.py`: it waits in a pipe for a number of steps, and writes the time of a step."""

import json
import os
import sys
import time
from pathlib import Path


def serve(job):
    """Run rounds. job: a function of the options that returns a function, which takes one step.

    Arguments of the program: a folder with a pipe named after the rank, the rank, and the options as JSON.
    """
    folder, rank = Path(sys.argv[1]), sys.argv[2]
    if rank == "mpi":
        rank = os.environ["OMPI_COMM_WORLD_RANK"]
    options = {**json.loads(sys.argv[3]), "rank": int(rank)}
    step = job(options)
    for _ in range(4):
        step()
    (folder / f"ready{rank}").touch()
    while True:
        steps = int((folder / f"pipe{rank}").read_text())       # waits for the writer
        if steps == 0:
            return
        begin, cpu = time.perf_counter(), time.process_time()
        for _ in range(steps):
            step()
        partial = folder / f"partial{rank}"
        partial.write_text(f"{(time.perf_counter() - begin) / steps} {(time.process_time() - cpu) / steps}")
        partial.rename(folder / f"result{rank}")
