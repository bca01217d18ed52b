"""Programs and instruments around the engine: the command line, bench, explain, the course, profiler."""
