"""The course in which you build the engine yourself: `minigluon learn`. README.md explains how to write a step."""
