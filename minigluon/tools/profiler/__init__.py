"""`mx.profiler`: the time of each operator, as a table and as a trace for chrome://tracing or ui.perfetto.dev.

    mx.profiler.set_config(filename="profile.json", profile_all=True, aggregate_stats=True)
    mx.profiler.set_state("run")
    ...                                     # imperative or hybridized
    mx.profiler.set_state("stop")
    print(mx.profiler.dumps())              # the table
    mx.profiler.dump()                      # the trace

While the profiler runs, each operator is a Python call that reads the clock twice, even in plans, which otherwise run
without Python; on a GPU, the call waits for each operator. When it is off, it costs nothing.
"""

from . import control, objects
from .control import *
from .objects import *

__all__ = [*control.__all__, *objects.__all__]
