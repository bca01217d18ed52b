// Faults of kernels: signals of the processor become failures of the block that runs.
#pragma once

// Make sure that our handler gets this thread's faults while it runs kernels.
void watch_faults();
