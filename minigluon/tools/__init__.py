"""Programs and tools around the engine: the command line, bench, explain, the course, profiler."""
