// Faults of kernels: signals of the processor become failures of the block that runs.
#pragma once

// Make sure that this thread's faults come to us while it runs kernels.
void watch_faults();
