// Error names and messages, and the longer explanations that the emulator provides.
#include <cstdarg>
#include <cstdio>
#include <set>
#include "state.h"

namespace {

struct Description { int code; const char *name, *text; };

const Description DESCRIPTIONS[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialized"},
    {DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is gone"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no device found"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "no device has this number"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "not the image of a module"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "no context is current, or it is not a valid one"},
    {FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"},
    {OPERATING_SYSTEM, "CUDA_ERROR_OPERATING_SYSTEM", "a call of the operating system failed"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "not a valid handle"},
    {ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "not possible in this state"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "nothing has this name"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "not ready yet"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources asked for by a launch"},
    {LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel does not end"},
    {PRIMARY_CONTEXT_ACTIVE, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context is in use"},
    {CONTEXT_IS_DESTROYED, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is destroyed"},
    {ASSERT, "CUDA_ERROR_ASSERT", "an assertion in a kernel failed"},
    {HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "this memory is page-locked already"},
    {HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "this memory is not page-locked"},
    {HARDWARE_STACK_ERROR, "CUDA_ERROR_HARDWARE_STACK_ERROR", "the stack of a thread overflowed"},
    {ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction"},
    {MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "a misaligned address"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "the emulation does not have this"},
    {STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted while a stream is captured"},
    {STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture failed by an earlier error"},
    {STREAM_CAPTURE_MERGE, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "two captures would become one"},
    {STREAM_CAPTURE_UNMATCHED, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture began on another stream"},
    {STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "a captured stream was not joined to the first"},
    {STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the default stream would join a capture"},
    {CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT", "the event was recorded in a capture"},
    {GRAPH_EXEC_UPDATE_FAILURE, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graphs differ in more than arguments"},
    {UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const Description *describe(int code) {
    for (const Description &each : DESCRIPTIONS)
        if (each.code == code) return &each;
    return nullptr;
}

// Texts that cuGetErrorString has returned must remain valid: each text is kept forever, but stored only once.
const char *kept(const std::string &text) {
    static std::mutex lock;
    static std::set<std::string> texts;
    std::lock_guard<std::mutex> hold(lock);
    return texts.insert(text).first->c_str();
}

thread_local int explained_code = 0;
thread_local const char *explained_text = nullptr;

}  // namespace

std::string format(const char *pattern, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, pattern);
    vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

std::string plural(size_t count, const char *noun) { return format("%zu %s%s", count, noun, count == 1 ? "" : "s"); }

CUresult explain(CUresult code, const std::string &text, bool print) {
    explained_code = code;
    explained_text = kept(text);
    if (print) fprintf(stderr, "minigluon emulator: %s\n", text.c_str());
    return code;
}

EXPORT CUresult cuGetErrorName(int code, const char **name) {
    const Description *found = describe(code);
    *name = found ? found->name : nullptr;
    return found ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(int code, const char **text) {
    const Description *found = describe(code);
    *text = code && code == explained_code ? explained_text : found ? found->text : nullptr;
    return *text ? SUCCESS : INVALID_VALUE;
}
