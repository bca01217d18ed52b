#pragma once
#include "core/block.h"

// Run all blocks of a launch. Returns the failure of one of the blocks, or a Failure with code SUCCESS.
Failure run_grid(const Launch &launch);
