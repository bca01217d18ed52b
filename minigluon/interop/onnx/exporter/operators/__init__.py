"""The translations of operators, in the streets of `minigluon.ops`."""
