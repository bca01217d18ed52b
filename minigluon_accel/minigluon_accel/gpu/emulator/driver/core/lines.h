// From the address of an instruction to the line of the source, for modules that were compiled with line numbers.
#pragma once
#include <cstdint>
#include <string>

struct Module;

// " at softmax.cu:12", or "" if unknown. place: of an instruction, as recorded for uses of memory.
std::string at_line(const Module *module, uint32_t place);
