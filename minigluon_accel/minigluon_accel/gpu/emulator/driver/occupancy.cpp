// The number of blocks that fit on a multiprocessor, limited by threads, shared memory, and 32 registers per thread.
#include <algorithm>
#include "core/modules.h"

namespace {

int blocks_at_once(const Function &function, int threads, size_t dynamic) {
    if (threads < 1 || threads > int(function.threads_at_most())) return 0;
    int rounded = (threads + WARP - 1) / WARP * WARP;
    size_t shared = function.shared_bytes + dynamic + 1024;            // the system uses 1 KiB per block
    return std::min({BLOCKS_PER_MULTIPROCESSOR, THREADS_PER_MULTIPROCESSOR / rounded,
                     int(SHARED_BYTES_PER_MULTIPROCESSOR / shared)});
}

}  // namespace

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *function, int threads,
                                                            size_t dynamic) {
    Lock hold(state().lock);
    if (!is_function(function)) return INVALID_HANDLE;
    *blocks = blocks_at_once(*function, threads, dynamic);
    return SUCCESS;
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Function *function, int threads,
                                                                     size_t dynamic, unsigned) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, dynamic);
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Function *function, size_t (*dynamic_for)(int),
                                                 size_t dynamic, int limit) {
    Lock hold(state().lock);
    if (!is_function(function)) return INVALID_HANDLE;
    int most = int(function->threads_at_most()), best = 0;
    if (limit) most = std::min(most, limit);
    for (int threads = most; threads > 0; threads -= threads % WARP ? threads % WARP : WARP) {
        int blocks = blocks_at_once(*function, threads, dynamic_for ? dynamic_for(threads) : dynamic);
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * MULTIPROCESSORS;
        }
    }
    return best ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Function *function,
                                                          size_t (*dynamic_for)(int), size_t dynamic, int limit,
                                                          unsigned) {
    return cuOccupancyMaxPotentialBlockSize(grid, block, function, dynamic_for, dynamic, limit);
}
