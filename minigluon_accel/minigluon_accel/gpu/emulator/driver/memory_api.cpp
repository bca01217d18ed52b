// cuMemAlloc and related functions: allocating, freeing, and querying device and page-locked memory.
#include <cstdlib>
#include "checks/deferred_work.h"
#include "core/memory.h"

namespace {

CUresult make(void **pointer, size_t size, Kind kind, const char *what) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    if (CUresult error = refuse_while_capturing(what)) return error;
    if (!size) return INVALID_VALUE;
    *pointer = allocate(size, kind, context);
    return *pointer ? SUCCESS : OUT_OF_MEMORY;
}

// Waits until the device is idle, as a device does before it frees memory.
void wait_for_all() {
    if (!hard_mode()) return;
    catch_up_with_all();
    order_host_waits_for_all();
}

}  // namespace

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size) {
    return make(reinterpret_cast<void **>(pointer), size, Kind::device, "cuMemAlloc");
}

EXPORT CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned) {
    return make(reinterpret_cast<void **>(pointer), size, Kind::managed, "cuMemAllocManaged");
}

EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned) {
    *pitch = (width + 511) / 512 * 512;
    return cuMemAlloc_v2(pointer, *pitch * height);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
    if (CUresult error = driver_ready()) return error;
    if (!current_context()) return INVALID_CONTEXT;
    if (!pointer) return SUCCESS;
    if (CUresult error = refuse_while_capturing("cuMemFree")) return error;
    Allocation found;
    if (!find_allocation(pointer, &found) || found.start != pointer || found.kind == Kind::variable)
        return explain(INVALID_VALUE, format("cuMemFree of 0x%llx, which is ", pointer) + whereabouts(pointer));
    wait_for_all();
    release(pointer);
    return current_context()->failed;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    *total = state().memory;
    *free = *total - memory_in_use(context->device);
    return SUCCESS;
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *start, size_t *size, CUdeviceptr pointer) {
    if (CUresult error = ready()) return error;
    Allocation found;
    if (!find_allocation(pointer, &found)) return NOT_FOUND;
    if (start) *start = found.start;
    if (size) *size = found.size;
    return SUCCESS;
}

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned) {
    return make(pointer, size, Kind::pinned, "cuMemHostAlloc");
}

EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t size) { return cuMemHostAlloc(pointer, size, 0); }

EXPORT CUresult cuMemFreeHost(void *pointer) {
    if (CUresult error = driver_ready()) return error;
    wait_for_all();
    return release(reinterpret_cast<uintptr_t>(pointer)) ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    bool added = add_region(reinterpret_cast<uintptr_t>(pointer), size, Kind::registered, context);
    return added ? SUCCESS : HOST_MEMORY_ALREADY_REGISTERED;
}

EXPORT CUresult cuMemHostUnregister(void *pointer) {
    Allocation found;
    uintptr_t start = reinterpret_cast<uintptr_t>(pointer);
    if (!find_allocation(start, &found) || found.start != start || found.kind != Kind::registered)
        return HOST_MEMORY_NOT_REGISTERED;
    wait_for_all();
    remove_region(start);
    return SUCCESS;
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned) {
    Allocation found;
    *device = reinterpret_cast<uintptr_t>(host);
    return find_allocation(*device, &found) ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *) { *flags = 0; return SUCCESS; }

EXPORT CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr pointer) {
    Allocation found;
    if (!find_allocation(pointer, &found)) return INVALID_VALUE;
    bool host = found.kind == Kind::pinned || found.kind == Kind::registered;
    switch (attribute) {
        case 1: *static_cast<void **>(value) = found.context; return SUCCESS;
        case 2: *static_cast<int *>(value) = host ? 1 : 2; return SUCCESS;
        case 3: case 4: *static_cast<CUdeviceptr *>(value) = pointer; return SUCCESS;
        case 8: *static_cast<int *>(value) = found.kind == Kind::managed; return SUCCESS;
        case 9: *static_cast<int *>(value) = found.context->device; return SUCCESS;
        case 11: *static_cast<CUdeviceptr *>(value) = found.start; return SUCCESS;
        case 12: *static_cast<size_t *>(value) = found.size; return SUCCESS;
        default: return NOT_SUPPORTED;
    }
}

// -- pools above the driver, in hard mode ----------------------------------------------------------------------------
//
// A pool reports when it assigns memory to an array and when the memory is returned, in the order of a stream. Later
// work must not use returned memory, which is filled with NaN. Any thread may call these functions, with any context or
// none.

namespace {

CUresult put_off_for_pool(CUdeviceptr pointer, void *handle, What what, bool given_back) {
    Allocation found;
    Stream *stream;
    if (!find_allocation(pointer, &found) || !find_stream(handle, &stream)) return INVALID_VALUE;
    Work work;
    work.what = what;
    work.context = found.context;
    work.to = found.start;
    work.to_device = true;
    work.width = found.size;
    work.pattern = 0xff;
    work.given_back = given_back;
    return perform_in_order(std::move(work), stream, false);
}

}  // namespace

EXPORT CUresult emulator_gives_back(CUdeviceptr pointer, void *stream) {
    if (CUresult error = put_off_for_pool(pointer, stream, What::fill, false)) return error;
    return put_off_for_pool(pointer, stream, What::pool, true);
}

EXPORT CUresult emulator_takes(CUdeviceptr pointer, void *stream) {
    return put_off_for_pool(pointer, stream, What::pool, false);
}
