"""MXNet 1.x before and beside Gluon: Module, Executor, symbolic cells, callbacks, and small old modules."""
