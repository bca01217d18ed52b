// Devices: their number and properties.
#include <cstdio>
#include <cstring>
#include <map>
#include "state.h"

EXPORT CUresult cuDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }

EXPORT CUresult cuDeviceGetCount(int *count) {
    if (CUresult error = host_ready()) return error;
    *count = state().devices;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int number) {
    if (CUresult error = host_ready()) return error;
    if (!is_device(number)) return INVALID_DEVICE;
    *device = number;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    if (!is_device(device)) return INVALID_DEVICE;
    strncpy(name, "minigluon emulator", length);
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid_v2(char *uuid, CUdevice device) {
    if (!is_device(device)) return INVALID_DEVICE;
    memcpy(uuid, "minigluon-emu..", 16);
    uuid[15] = char(device);
    return SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    if (!is_device(device)) return INVALID_DEVICE;
    *bytes = state().memory;
    return SUCCESS;
}

EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    if (!is_device(device)) return INVALID_DEVICE;
    *major = 8;
    *minor = 0;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
    if (!is_device(device)) return INVALID_DEVICE;
    snprintf(text, length, "0000:%02x:00.0", device + 1);
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    unsigned bus = 0;
    if (sscanf(text, "%*x:%x", &bus) != 1 || !is_device(int(bus) - 1)) return INVALID_VALUE;
    *device = int(bus) - 1;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    static const std::map<int, int> values = {
        {1, THREADS_PER_BLOCK}, {2, THREADS_PER_BLOCK}, {3, THREADS_PER_BLOCK}, {4, BLOCK_Z}, {5, GRID_X}, {6, GRID_YZ},
        {7, GRID_YZ}, {8, SHARED_BYTES}, {9, 64 << 10}, {10, WARP}, {11, 2147483647}, {12, 65536}, {13, 1000000},
        {14, 512}, {15, 1}, {16, MULTIPROCESSORS}, {19, 1}, {31, 1}, {36, 1000000}, {37, 64}, {38, 1 << 20},
        {39, THREADS_PER_MULTIPROCESSOR}, {40, 1}, {41, 1}, {51, 32}, {75, 8}, {76, 0}, {78, 1},
        {81, SHARED_BYTES_PER_MULTIPROCESSOR}, {82, 65536}, {83, 1}, {97, MAX_SHARED_BYTES}, {99, 1},
        {106, BLOCKS_PER_MULTIPROCESSOR}};
    if (!is_device(device)) return INVALID_DEVICE;
    if (attribute == 33) *value = device + 1;                               // the PCI bus id
    else *value = values.count(attribute) ? values.at(attribute) : 0;
    return attribute > 0 ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice, CUdevice) { *can = 0; return SUCCESS; }
