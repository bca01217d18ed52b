// Source lines, which the program addr2line reads from the image; it is part of binutils, which g++ requires anyway.
#include "core/lines.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include "core/modules.h"

namespace {

// Functions of the prelude are inlined in kernels; the line that calls them is the kernel's line.
bool of_prelude(const std::string &line) { return line.find("/emulator/device/") != std::string::npos; }

}  // namespace

std::string at_line(const Module *module, uint32_t place) {
    if (!module || module->image.empty()) return "";
    std::string path = "/tmp/minigluon-lines-XXXXXX";
    int file = mkstemp(path.data());
    if (file < 0) return "";
    bool written = write(file, module->image.data(), module->image.size()) == ssize_t(module->image.size());
    close(file);
    // A return address points after the call. Only 32 bits of an address are kept, and a module is smaller than that.
    uint32_t offset = place - uint32_t(module->base) - 1;
    FILE *told = written ? popen(format("addr2line -i -e %s %#x 2> /dev/null", path.c_str(), offset).c_str(), "r")
                         : nullptr;
    std::string result;
    char text[4096];
    while (told && fgets(text, sizeof text, told)) {
        std::string line(text);
        line = line.substr(0, line.find_first_of(" \n"));
        if (!result.empty() || of_prelude(line) || line[0] == '?' || line.back() == '?') continue;
        // The compiler runs in the folder /, which is prefixed to relative source names.
        result = " at " + line.substr(line.find_first_not_of('/'));
    }
    if (told) pclose(told);
    unlink(path.c_str());
    return result;
}
