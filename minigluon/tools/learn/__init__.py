"""The course in which one builds the engine oneself: `minigluon learn`. README.md tells how a step is made."""
