// Launches: arguments are checked before a kernel runs, and memory is checked for damage afterwards.
#include <algorithm>
#include <cstring>
#include "core/grid.h"
#include "core/memory.h"
#include "checks/fences.h"
#include "work.h"

namespace {

std::atomic<long> launches{0};

Order asked_order() {
    if (hard_mode()) return Order::shuffled;
    std::string name = setting("MINIGLUON_GPU_ORDER");
    return name == "reverse" ? Order::reverse : name == "shuffle" ? Order::shuffled : Order::forward;
}

CUresult check_size(const Function &function, Extent grid, Extent block, unsigned shared) {
    const char *name = function.name.c_str();
    uint64_t threads = uint64_t(block.x) * block.y * block.z;
    if (!grid.x || !grid.y || !grid.z || grid.x > unsigned(GRID_X) || grid.y > unsigned(GRID_YZ) ||
        grid.z > unsigned(GRID_YZ))
        return explain(INVALID_VALUE, format("kernel '%s': a grid of (%u,%u,%u) blocks, expected 1 to (%d,%d,%d)", name,
                       grid.x, grid.y, grid.z, GRID_X, GRID_YZ, GRID_YZ));
    if (!threads || threads > THREADS_PER_BLOCK || block.z > BLOCK_Z)
        return explain(INVALID_VALUE, format("kernel '%s': a block of (%u,%u,%u) threads, expected 1 to %d in all, and "
                       "at most %d in z", name, block.x, block.y, block.z, THREADS_PER_BLOCK, BLOCK_Z));
    if (threads > function.threads_at_most())
        return explain(LAUNCH_OUT_OF_RESOURCES, format("kernel '%s': %lu threads in a block, but its __launch_bounds__ "
                       "allow %u", name, threads, function.threads_at_most()));
    if (shared > function.dynamic_at_most)
        return explain(INVALID_VALUE, format("kernel '%s': %u bytes of dynamic shared memory, expected at most %zu "
                       "beside its %zu bytes of static shared memory. More must be allowed by cuFuncSetAttribute first",
                       name, shared, function.dynamic_at_most, function.shared_bytes));
    return SUCCESS;
}

CUresult pack_separate(Work &work, void **separate) {
    const emulator::Kernel &kernel = *work.function->kernel;
    if (kernel.count && !separate)
        return explain(INVALID_VALUE, format("kernel '%s' takes %u arguments, found none", kernel.name, kernel.count));
    for (unsigned i = 0; i < kernel.count; ++i)
        memcpy(&work.arguments[kernel.parameters[i].offset], separate[i], kernel.parameters[i].size);
    return SUCCESS;
}

CUresult pack(Work &work, void **separate, void **extra) {
    const emulator::Kernel &kernel = *work.function->kernel;
    work.arguments.resize(kernel.bytes);
    if (!extra) return pack_separate(work, separate);
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra; extra += 2) {                        // pairs of a type and a pointer, terminated by a zero
        if (reinterpret_cast<uintptr_t>(extra[0]) == 1) buffer = extra[1];
        else if (reinterpret_cast<uintptr_t>(extra[0]) == 2) size = *static_cast<size_t *>(extra[1]);
        else return INVALID_VALUE;
    }
    const emulator::Parameter *end = kernel.parameters + kernel.count - 1;
    unsigned last = kernel.count ? end->offset + end->size : 0;
    if (size != last && size != kernel.bytes)
        return explain(INVALID_VALUE, format("kernel '%s' takes %u bytes of arguments, found %zu", kernel.name, last,
                       size));
    if (size) memcpy(work.arguments.data(), buffer, size);
    return SUCCESS;
}

uintptr_t pointer_at(const Work &work, const emulator::Parameter &parameter) {
    uintptr_t pointer;
    memcpy(&pointer, &work.arguments[parameter.offset], sizeof pointer);
    return pointer;
}

// Pointers among the arguments must be null or point into (or just past the end of) memory that this device may use.
CUresult check_pointers(const Work &work, std::vector<Allocation> &used) {
    const emulator::Kernel &kernel = *work.function->kernel;
    for (unsigned i = 0; i < kernel.count; ++i) {
        if (!kernel.parameters[i].pointer) continue;
        uintptr_t pointer = pointer_at(work, kernel.parameters[i]);
        Allocation found;
        if (!pointer) continue;
        if (!find_allocation(pointer, &found, true) || (found.given_back && pointer < found.end()))
            return explain(ILLEGAL_ADDRESS, format("kernel '%s', argument %u is 0x%lx, ", kernel.name, i, pointer) +
                           whereabouts(pointer), true);
        bool host = found.kind == Kind::pinned || found.kind == Kind::registered || found.kind == Kind::managed;
        if (!host && found.context->device != work.context->device)
            return explain(ILLEGAL_ADDRESS, format("kernel '%s' runs on device %d, but argument %u is 0x%lx, memory of "
                           "device %d", kernel.name, work.context->device, i, pointer, found.context->device), true);
        used.push_back(found);
    }
    return SUCCESS;
}

CUresult look_for_damage(const Work &work, const std::vector<Allocation> &used) {
    for (const Allocation &allocation : used) {
        std::string text = damage(allocation);
        if (!text.empty()) return explain(ILLEGAL_ADDRESS, "kernel '" + work.function->name + "' " + text, true);
    }
    return SUCCESS;
}

CUresult run(const Work &work) {
    if (CUresult error = check_size(*work.function, work.grid, work.block, work.shared)) return error;
    const emulator::Kernel &kernel = *work.function->kernel;
    std::vector<Allocation> used;
    if (CUresult error = check_pointers(work, used)) return work.context->failed = error;
    std::vector<void *> arguments(kernel.count);
    for (unsigned i = 0; i < kernel.count; ++i)
        arguments[i] = const_cast<unsigned char *>(&work.arguments[kernel.parameters[i].offset]);
    if (work.operation) forget_published();
    Failure failure = run_grid({work.function, work.grid, work.block, arguments.data(), work.shared, asked_order(),
                                work.operation.get(), work.operation ? hard_seed() : 0});
    if (failure.code) return work.context->failed = explain(failure.code, failure.text, true);
    return work.context->failed = look_for_damage(work, used);
}

// A kernel's error poisons the process, but the launch itself reports success. In hard mode, the launch returned long
// ago, and the call that waits for the kernel receives the error.
CUresult poison(CUresult error) {
    state().poisoned = error;
    return hard_mode() ? error : SUCCESS;
}

CUresult run_late(const Work &work) {
    CUresult error = run(work);
    return work.context->failed ? poison(work.context->failed) : error;
}

}  // namespace

CUresult perform_launch(const Work &work) {
    State &all = state();
    long number = launches++;
    if (all.lost_at >= 0 && number >= all.lost_at) all.lost = true;
    if (CUresult error = driver_ready()) return error;
    if (number == all.illegal_at) return poison(ILLEGAL_ADDRESS);
    return all.late ? run_late(work) : run(work);
}

EXPORT CUresult cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                               unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **separate,
                               void **extra) {
    if (CUresult error = ready()) return error;
    Work work;
    {
        Lock hold(state().lock);
        if (!is_function(function)) return INVALID_HANDLE;
    }
    work.what = What::launch;
    work.function = function;
    work.grid = {grid_x, grid_y, grid_z};
    work.block = {block_x, block_y, block_z};
    work.shared = shared;
    if (CUresult error = check_size(*function, work.grid, work.block, shared)) return error;
    if (CUresult error = pack(work, separate, extra)) return error;
    return enqueue(work, stream, false, "cuLaunchKernel");
}

EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, Function *function) {
    Lock hold(state().lock);
    if (!is_function(function)) return INVALID_HANDLE;
    switch (attribute) {
        case 0: *value = int(function->threads_at_most()); return SUCCESS;
        case 1: *value = int(function->shared_bytes); return SUCCESS;
        case 2: case 3: *value = 0; return SUCCESS;                     // bytes of constants and of local memory
        case 4: *value = 32; return SUCCESS;                            // registers per thread: the same for all
                                                                        // kernels
        case 5: case 6: *value = 80; return SUCCESS;                    // compute capability
        case 8: *value = int(function->dynamic_at_most); return SUCCESS;
        default: *value = 0; return attribute >= 0 ? SUCCESS : INVALID_VALUE;
    }
}

EXPORT CUresult cuFuncSetAttribute(Function *function, int attribute, int value) {
    Lock hold(state().lock);
    if (!is_function(function)) return INVALID_HANDLE;
    if (attribute == 9) return SUCCESS;                                 // preferred division of the cache: ignored
    if (attribute != 8 || value < 0) return INVALID_VALUE;
    if (size_t(value) + function->shared_bytes > MAX_SHARED_BYTES) return INVALID_VALUE;
    function->dynamic_at_most = std::max(function->dynamic_at_most, size_t(value));
    return SUCCESS;
}

EXPORT CUresult cuFuncSetCacheConfig(Function *, int) { return ready(); }
EXPORT CUresult cuFuncSetSharedMemConfig(Function *, int) { return ready(); }

EXPORT CUresult cuFuncGetModule(Module **module, Function *function) {
    Lock hold(state().lock);
    if (!is_function(function)) return INVALID_HANDLE;
    *module = function->module;
    return SUCCESS;
}

// PyCUDA still calls these two functions from CUDA versions before 4; the launch that follows passes the same values.
EXPORT CUresult cuFuncSetBlockShape(Function *function, int x, int y, int z) {
    if (CUresult error = ready()) return error;
    Lock hold(state().lock);
    if (!is_function(function)) return INVALID_HANDLE;
    return check_size(*function, {1, 1, 1}, {unsigned(x), unsigned(y), unsigned(z)}, 0);
}
EXPORT CUresult cuFuncSetSharedSize(Function *, unsigned) { return ready(); }
