// Maps the address of an instruction to a source line, for modules that were compiled with line numbers.
#pragma once
#include <cstdint>
#include <string>

struct Module;

// " at softmax.cu:12", or "" if unknown. place: the address of an instruction, as recorded for memory uses.
std::string at_line(const Module *module, uint32_t place);
