// Kernel faults: the processor's signals become failures of the running block.
#pragma once

// Make sure that our handler receives this thread's faults while it runs kernels.
void watch_faults();
