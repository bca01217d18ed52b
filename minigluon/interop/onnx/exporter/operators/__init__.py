"""The translations of operators, by the categories of `minigluon.ops`."""
