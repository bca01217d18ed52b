// Copies and fills. Each copy is described as rows of bytes; the memory at both ends is looked up before any byte is
// copied.
#include <cstring>
#include "core/memory.h"
#include "checks/races.h"
#include "work.h"

namespace {

constexpr void *DEFAULT = nullptr;      // the default stream

// Whether `rows` rows of `width` bytes starting at `start` are in one allocation; if not, the result is an error with
// an explanation.
CUresult inside(const char *what, uintptr_t start, size_t width, size_t rows, size_t pitch, bool now) {
    Allocation found;
    uintptr_t end = start + (rows - 1) * pitch + width;
    bool there = find_allocation(start, &found) && !(now && found.given_back);
    if (there && end <= found.end()) return SUCCESS;
    bool begins_well = there && start >= found.start && start < found.end();
    return explain(INVALID_VALUE, format("%s %zu bytes at 0x%lx, ", what, end - start, start) + (begins_well ?
        format("of which %zu lie past the end of an allocation of %s", end - found.end(),
               plural(found.size, "byte").c_str()) : "which is " + whereabouts(start)));
}

Work copy(uintptr_t to, bool to_device, uintptr_t from, bool from_device, size_t bytes) {
    Work work;
    work.what = What::copy;
    work.to = to;
    work.to_device = to_device;
    work.from = from;
    work.from_device = from_device;
    work.width = bytes;
    return work;
}

Work fill(CUdeviceptr to, unsigned pattern, unsigned pattern_bytes, size_t width, size_t rows = 1, size_t pitch = 0) {
    Work work;
    work.what = What::fill;
    work.to = to;
    work.to_device = true;
    work.pattern = pattern;
    work.pattern_bytes = pattern_bytes;
    work.width = width * pattern_bytes;
    work.rows = rows;
    work.to_pitch = pitch;
    return work;
}

uintptr_t address(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// For type 4 (unified) and pinned memory, the allocation table says whether the memory is on the device.
bool in_device_memory(int type) { return type == 2; }

// One side of a copy of rectangles: the address of its first byte. Returns false for a CUDA array, which is not
// emulated.
template <class Side> bool first_byte(const Side &side, size_t slice, uintptr_t *first) {
    if (side.type == 3) return false;
    *first = (side.type == 1 ? address(side.host) : uintptr_t(side.device)) + slice + side.y * side.pitch + side.x;
    return true;
}

CUresult copy_slice(const Copy3D &c, size_t slice, void *stream, bool waits, const char *call) {
    Work work = copy(0, in_device_memory(c.to.type), 0, in_device_memory(c.from.type), c.width);
    if (!first_byte(c.to, (c.to.z + slice) * c.to.height * c.to.pitch, &work.to) ||
        !first_byte(c.from, (c.from.z + slice) * c.from.height * c.from.pitch, &work.from)) return NOT_SUPPORTED;
    work.rows = c.height;
    work.to_pitch = c.to.pitch;
    work.from_pitch = c.from.pitch;
    return enqueue(work, stream, waits, call);
}

CUresult copy_3d(const Copy3D &c, void *stream, bool waits, const char *call) {
    for (size_t slice = 0; slice < c.depth; ++slice)
        if (CUresult error = copy_slice(c, slice, stream, waits, call)) return error;
    return SUCCESS;
}

CopySide3D with_depth(const CopySide2D &side) {
    return {side.x, side.y, 0, 0, side.type, side.host, side.device, side.array, nullptr, side.pitch, 0};
}

CUresult copy_2d(const Copy2D &c, void *stream, bool waits) {
    return copy_3d({with_depth(c.from), with_depth(c.to), c.width, c.height, 1}, stream, waits, "cuMemcpy2D");
}

// In hard mode: whether other work may at the same time use the memory that this work reads or writes.
CUresult look_for_races(const Work &w) {
    if (!w.operation) return SUCCESS;
    Allocation found;
    std::string trouble;
    for (size_t row = 0; row < w.rows && trouble.empty(); ++row) {
        uintptr_t from = w.from + row * w.from_pitch, to = w.to + row * w.to_pitch;
        if (w.what == What::copy && find_allocation(from, &found))
            trouble = use_by_copy(*w.operation, from, w.width, Access::read);
        if (trouble.empty() && find_allocation(to, &found))
            trouble = use_by_copy(*w.operation, to, w.width, Access::write);
    }
    return trouble.empty() ? SUCCESS : w.context->failed = explain(LAUNCH_FAILED, trouble, true);
}

}  // namespace

CUresult check_addresses(const Work &w, bool now) {
    if ((w.what != What::copy && w.what != What::fill) || !w.width || !w.rows) return SUCCESS;
    if (w.what == What::fill) {
        if (w.to % w.pattern_bytes)
            return explain(INVALID_VALUE, format("a fill of numbers of %u bytes at 0x%lx, which is not aligned to them",
                           w.pattern_bytes, w.to));
        return inside("a fill of", w.to, w.width, w.rows, w.to_pitch, now);
    }
    if (w.to_device)
        if (CUresult error = inside("a copy to", w.to, w.width, w.rows, w.to_pitch, now)) return error;
    return w.from_device ? inside("a copy from", w.from, w.width, w.rows, w.from_pitch, now) : SUCCESS;
}

CUresult perform_copy(const Work &w) {
    if (!w.width || !w.rows) return SUCCESS;
    if (CUresult error = check_addresses(w)) return error;
    if (CUresult error = look_for_races(w)) return error;
    for (size_t row = 0; row < w.rows; ++row)
        memmove(reinterpret_cast<void *>(w.to + row * w.to_pitch),
                reinterpret_cast<const void *>(w.from + row * w.from_pitch), w.width);
    return SUCCESS;
}

CUresult perform_fill(const Work &w) {
    if (!w.width || !w.rows) return SUCCESS;
    if (CUresult error = check_addresses(w)) return error;
    if (CUresult error = look_for_races(w)) return error;
    for (size_t row = 0; row < w.rows; ++row) {
        auto *bytes = reinterpret_cast<unsigned char *>(w.to + row * w.to_pitch);
        if (w.pattern_bytes == 1) memset(bytes, int(w.pattern), w.width);
        else for (size_t i = 0; i < w.width; i += w.pattern_bytes) memcpy(bytes + i, &w.pattern, w.pattern_bytes);
    }
    return SUCCESS;
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    return enqueue(copy(to, true, address(from), false, bytes), DEFAULT, true, "cuMemcpyHtoD");
}
EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    return enqueue(copy(address(to), false, from, true, bytes), DEFAULT, true, "cuMemcpyDtoH");
}
EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return enqueue(copy(to, true, from, true, bytes), DEFAULT, true, "cuMemcpyDtoD");
}
EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return enqueue(copy(to, false, from, false, bytes), DEFAULT, true, "cuMemcpy");
}
EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, void *stream) {
    return enqueue(copy(to, true, address(from), false, bytes), stream, false, "cuMemcpyHtoDAsync");
}
EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, void *stream) {
    return enqueue(copy(address(to), false, from, true, bytes), stream, false, "cuMemcpyDtoHAsync");
}
EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
    return enqueue(copy(to, true, from, true, bytes), stream, false, "cuMemcpyDtoDAsync");
}
EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
    return enqueue(copy(to, false, from, false, bytes), stream, false, "cuMemcpyAsync");
}
EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, Context *, CUdeviceptr from, Context *, size_t bytes) {
    return cuMemcpyDtoD_v2(to, from, bytes);
}
EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, Context *, CUdeviceptr from, Context *, size_t bytes, void *stream) {
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
EXPORT CUresult cuMemcpy2D_v2(const Copy2D *c) { return copy_2d(*c, DEFAULT, true); }
EXPORT CUresult cuMemcpy2DUnaligned_v2(const Copy2D *c) { return copy_2d(*c, DEFAULT, true); }
EXPORT CUresult cuMemcpy2DAsync_v2(const Copy2D *c, void *stream) { return copy_2d(*c, stream, false); }
EXPORT CUresult cuMemcpy3D_v2(const Copy3D *c) { return copy_3d(*c, DEFAULT, true, "cuMemcpy3D"); }
EXPORT CUresult cuMemcpy3DAsync_v2(const Copy3D *c, void *stream) { return copy_3d(*c, stream, false, "cuMemcpy3D"); }

EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
    return enqueue(fill(to, value, 1, count), DEFAULT, true, "cuMemsetD8");
}
EXPORT CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
    return enqueue(fill(to, value, 2, count), DEFAULT, true, "cuMemsetD16");
}
EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
    return enqueue(fill(to, value, 4, count), DEFAULT, true, "cuMemsetD32");
}
EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, void *stream) {
    return enqueue(fill(to, value, 1, count), stream, false, "cuMemsetD8Async");
}
EXPORT CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, void *stream) {
    return enqueue(fill(to, value, 2, count), stream, false, "cuMemsetD16Async");
}
EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, void *stream) {
    return enqueue(fill(to, value, 4, count), stream, false, "cuMemsetD32Async");
}
EXPORT CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return enqueue(fill(to, value, 1, width, height, pitch), DEFAULT, true, "cuMemsetD2D8");
}
EXPORT CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
    return enqueue(fill(to, value, 2, width, height, pitch), DEFAULT, true, "cuMemsetD2D16");
}
EXPORT CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
    return enqueue(fill(to, value, 4, width, height, pitch), DEFAULT, true, "cuMemsetD2D32");
}
EXPORT CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                                  void *stream) {
    return enqueue(fill(to, value, 1, width, height, pitch), stream, false, "cuMemsetD2D8Async");
}
EXPORT CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                                   void *stream) {
    return enqueue(fill(to, value, 2, width, height, pitch), stream, false, "cuMemsetD2D16Async");
}
EXPORT CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                                   void *stream) {
    return enqueue(fill(to, value, 4, width, height, pitch), stream, false, "cuMemsetD2D32Async");
}
