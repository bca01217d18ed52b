// Symbols of an ELF image in memory.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct Symbol { std::string name; uint64_t value, size; int type; };
constexpr int SYMBOL_OBJECT = 1, SYMBOL_THREAD_LOCAL = 6;

// The size of the image at this address; 0 if it is not a 64-bit ELF file.
size_t elf_size(const void *image);

// The image's variables, including local ones: objects, with their addresses in the file, and thread-local variables.
std::vector<Symbol> elf_variables(const void *image);
