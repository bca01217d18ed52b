"""MXNet 1.x's APIs other than Gluon: Module, Executor, symbolic cells, callbacks, and small older modules."""
