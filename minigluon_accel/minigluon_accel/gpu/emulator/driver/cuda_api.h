// The part of the CUDA driver interface that the emulator offers, with the constants and layouts of the real driver.
#pragma once
#include <cstddef>
#include <cstdint>

#define EXPORT extern "C" __attribute__((visibility("default")))

using CUdevice = int;
using CUdeviceptr = unsigned long long;

enum CUresult {
    SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201,
    FILE_NOT_FOUND = 301, OPERATING_SYSTEM = 304, INVALID_HANDLE = 400, ILLEGAL_STATE = 401, NOT_FOUND = 500,
    NOT_READY = 600, ILLEGAL_ADDRESS = 700, LAUNCH_OUT_OF_RESOURCES = 701, LAUNCH_TIMEOUT = 702,
    PRIMARY_CONTEXT_ACTIVE = 708, CONTEXT_IS_DESTROYED = 709, ASSERT = 710, HOST_MEMORY_ALREADY_REGISTERED = 712,
    HOST_MEMORY_NOT_REGISTERED = 713, HARDWARE_STACK_ERROR = 714, ILLEGAL_INSTRUCTION = 715, MISALIGNED_ADDRESS = 716,
    LAUNCH_FAILED = 719, NOT_SUPPORTED = 801, STREAM_CAPTURE_UNSUPPORTED = 900, STREAM_CAPTURE_INVALIDATED = 901,
    STREAM_CAPTURE_MERGE = 902, STREAM_CAPTURE_UNMATCHED = 903, STREAM_CAPTURE_UNJOINED = 904,
    STREAM_CAPTURE_IMPLICIT = 906, CAPTURED_EVENT = 907, GRAPH_EXEC_UPDATE_FAILURE = 910, UNKNOWN = 999,
};

// Properties of a device: compute capability 8.0, with the limits that all such devices share.
constexpr int THREADS_PER_BLOCK = 1024, WARP = 32, MULTIPROCESSORS = 4, BLOCKS_PER_MULTIPROCESSOR = 32,
              THREADS_PER_MULTIPROCESSOR = 2048, SHARED_BYTES = 48 << 10, MAX_SHARED_BYTES = 163 << 10,
              SHARED_BYTES_PER_MULTIPROCESSOR = 164 << 10, GRID_X = 2147483647, GRID_YZ = 65535, BLOCK_Z = 64;

struct Extent { unsigned x, y, z; };

// One side of a copy of rectangles. Type: 1 host, 2 device, 4 unified.
struct CopySide2D { size_t x, y; int type; void *host; CUdeviceptr device; void *array; size_t pitch; };
struct Copy2D { CopySide2D from, to; size_t width, height; };
struct CopySide3D {
    size_t x, y, z, level; int type; void *host; CUdeviceptr device; void *array, *reserved; size_t pitch, height;
};
struct Copy3D { CopySide3D from, to; size_t width, height, depth; };
