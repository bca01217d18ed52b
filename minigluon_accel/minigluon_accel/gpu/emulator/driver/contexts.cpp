// Initialization of the driver, and contexts: each thread has a stack of contexts, and the top context is current.
#include <algorithm>
#include <cstdlib>
#include <cstdio>
#include <pthread.h>
#include "checks/deferred_work.h"
#include "core/memory.h"
#include "core/modules.h"
#include "state.h"

namespace {

thread_local std::vector<Context *> stack;
std::atomic<bool> forked{false};

Context *new_context(CUdevice device, unsigned flags) {
    Context *context = new Context;     // never deleted: a thread's stack may still contain a destroyed context
    context->device = device;
    context->flags = flags;
    return context;
}

void destroy(Context *context) {
    catch_up_with_all();
    context->alive = false;
    free_memory_of(context);
    unload_modules_of(context);
}

void read_environment(State &all) {
    std::string count = setting("MINIGLUON_GPU_COUNT"), memory = setting("MINIGLUON_GPU_MEMORY"),
                fail = setting("MINIGLUON_GPU_FAIL");
    if (!count.empty()) all.devices = std::max(0, atoi(count.c_str()));
    if (!memory.empty()) all.memory = strtoull(memory.c_str(), nullptr, 10);
    if (fail.rfind("lost:", 0) == 0) all.lost_at = atol(fail.c_str() + 5);
    if (fail.rfind("illegal:", 0) == 0) all.illegal_at = atol(fail.c_str() + 8);
    all.late = fail == "late" || all.illegal_at >= 0;
    all.primary.assign(all.devices, nullptr);
    all.retained.assign(all.devices, 0);
}

CUresult retain(Context **context, CUdevice device) {
    State &all = state();
    if (!is_device(device)) return INVALID_DEVICE;
    if (!all.primary[device]) {
        all.primary[device] = new_context(device, 0);
        all.primary[device]->primary = true;
    }
    ++all.retained[device];
    *context = all.primary[device];
    return SUCCESS;
}

}  // namespace

bool is_device(CUdevice device) { return device >= 0 && device < state().devices; }

State &state() {
    static State *all = new State;      // never destroyed: other libraries' destructors may still call us at exit
    return *all;
}

std::string setting(const char *name) {
    const char *text = getenv(name);
    return text ? text : "";
}

Context *current_context() { return stack.empty() ? nullptr : stack.back(); }

// A lost device does not affect work that is done only on the host.
CUresult host_ready() {
    if (forked)
        return explain(NOT_INITIALIZED, "CUDA was initialized before this process was forked, and does not work in the "
                       "child. Start it with the method 'spawn', or use the GPU in the parent alone");
    return state().initialized ? SUCCESS : NOT_INITIALIZED;
}

CUresult driver_ready() {
    if (CUresult error = host_ready()) return error;
    if (state().lost) return explain(DEVICE_UNAVAILABLE, "the device is gone (device lost)");
    return state().poisoned;
}

CUresult ready(Context **context) {
    if (CUresult error = driver_ready()) return error;
    Context *current = current_context();
    if (context) *context = current;
    if (!current) return INVALID_CONTEXT;
    if (!current->alive) return CONTEXT_IS_DESTROYED;
    return current->failed;
}

EXPORT CUresult cuInit(unsigned flags) {
    if (flags) return INVALID_VALUE;
    if (forked) return host_ready();
    State &all = state();
    Lock hold(all.lock);
    if (!all.initialized) {
        read_environment(all);
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
        all.initialized = true;
    }
    return all.devices ? SUCCESS : NO_DEVICE;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(Context **context, CUdevice device) {
    if (CUresult error = driver_ready()) return error;
    Lock hold(state().lock);
    return retain(context, device);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    State &all = state();
    if (forked) return host_ready();
    Lock hold(all.lock);
    if (!is_device(device)) return INVALID_DEVICE;
    if (!all.retained[device]) return INVALID_CONTEXT;
    if (--all.retained[device] == 0) {
        destroy(all.primary[device]);
        all.primary[device] = nullptr;
    }
    return SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    State &all = state();
    if (forked) return host_ready();
    Lock hold(all.lock);
    if (!is_device(device)) return INVALID_DEVICE;
    if (Context *context = all.primary[device]) {       // the handle remains valid, but is now empty and has no failure
        destroy(context);
        context->alive = true;
        context->failed = SUCCESS;
    }
    return SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned) {
    return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    if (!is_device(device)) return INVALID_DEVICE;
    *flags = 0;
    *active = state().primary[device] != nullptr;
    return SUCCESS;
}

EXPORT CUresult cuCtxCreate_v2(Context **context, unsigned flags, CUdevice device) {
    if (CUresult error = driver_ready()) return error;
    if (!is_device(device)) return INVALID_DEVICE;
    stack.push_back(*context = new_context(device, flags));
    return SUCCESS;
}

EXPORT CUresult cuCtxCreate_v4(Context **context, void *, unsigned flags, CUdevice device) {
    return cuCtxCreate_v2(context, flags, device);
}

EXPORT CUresult cuCtxDestroy_v2(Context *context) {
    if (forked) return host_ready();
    if (!context || context->primary || !context->alive) return INVALID_CONTEXT;
    Lock hold(state().lock);
    destroy(context);
    if (current_context() == context) stack.pop_back();
    return SUCCESS;
}

EXPORT CUresult cuCtxAttach(Context **context, unsigned) {
    *context = current_context();
    return *context ? SUCCESS : INVALID_CONTEXT;
}

// PyCUDA also releases a primary context this way.
EXPORT CUresult cuCtxDetach(Context *context) {
    bool primary = context && context->primary && context->alive;
    return primary ? cuDevicePrimaryCtxRelease_v2(context->device) : cuCtxDestroy_v2(context);
}

EXPORT CUresult cuCtxPushCurrent_v2(Context *context) {
    if (CUresult error = host_ready()) return error;
    if (!context) return INVALID_CONTEXT;
    stack.push_back(context);
    return SUCCESS;
}

EXPORT CUresult cuCtxPopCurrent_v2(Context **context) {
    if (forked) return host_ready();
    if (stack.empty()) return INVALID_CONTEXT;
    if (context) *context = stack.back();
    stack.pop_back();
    return SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(Context *context) {
    if (CUresult error = host_ready()) return error;
    if (!stack.empty()) stack.pop_back();
    if (context) stack.push_back(context);
    return SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(Context **context) {
    *context = current_context();
    return host_ready();
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
    if (CUresult error = host_ready()) return error;
    if (!current_context()) return INVALID_CONTEXT;
    *device = current_context()->device;
    return SUCCESS;
}

EXPORT CUresult cuCtxSynchronize() {
    fflush(stdout);                     // kernels' printf
    if (CUresult error = ready()) return error;
    if (CUresult error = refuse_while_capturing("cuCtxSynchronize")) return error;
    if (!hard_mode()) return SUCCESS;
    if (CUresult error = catch_up_with_all()) return error;
    order_host_waits_for_all();
    return SUCCESS;
}

EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    *flags = context->flags;
    return SUCCESS;
}

EXPORT CUresult cuCtxGetApiVersion(Context *, unsigned *version) { *version = 3020; return SUCCESS; }

EXPORT CUresult cuCtxGetLimit(size_t *value, int limit) {
    static const size_t values[] = {1024, 1 << 20, 8 << 20};            // stack of a thread, printf buffer, malloc heap
    if (limit < 0 || limit > 2) return INVALID_VALUE;
    *value = values[limit];
    return SUCCESS;
}

EXPORT CUresult cuCtxSetLimit(int limit, size_t) { return limit < 0 || limit > 2 ? INVALID_VALUE : SUCCESS; }

EXPORT CUresult cuCtxGetCacheConfig(unsigned *config) {
    if (CUresult error = ready()) return error;
    *config = current_context()->cache;
    return SUCCESS;
}

EXPORT CUresult cuCtxSetCacheConfig(unsigned config) {
    if (CUresult error = ready()) return error;
    current_context()->cache = config;
    return SUCCESS;
}

EXPORT CUresult cuCtxGetSharedMemConfig(unsigned *config) { *config = 1; return SUCCESS; }
EXPORT CUresult cuCtxSetSharedMemConfig(unsigned) { return SUCCESS; }

EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return SUCCESS;
}
