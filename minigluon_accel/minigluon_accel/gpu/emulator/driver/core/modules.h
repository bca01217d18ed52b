// Modules: images created by the stand-in compiler, their kernels and their variables.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>
#include "abi.h"
#include "state.h"

struct Variable { std::string name; size_t offset, size; };

struct Module;

struct Function {
    std::string name;
    Module *module = nullptr;
    const emulator::Kernel *kernel = nullptr;
    std::vector<Variable> shared;           // static shared variables: its own, and those of the functions that it
                                            // calls
    size_t shared_bytes = 0;                // bytes of its own static shared memory
    size_t dynamic_at_most = 0;             // bytes of dynamic shared memory that launches may request
    unsigned threads_at_most() const { return kernel->threads ? kernel->threads : THREADS_PER_BLOCK; }
};

struct Module {
    Context *context = nullptr;
    void *library = nullptr;
    uintptr_t base = 0;                     // the address of its first byte
    std::string image;                      // a copy of the image for source lines, in checked mode
    size_t thread_storage = 0;              // the loader's id of its thread-local memory; 0: none
    size_t thread_bytes = 0;                // size of that memory
    std::vector<std::pair<uintptr_t, uintptr_t>> sections;      // the address ranges of its code and data
    std::map<std::string, std::unique_ptr<Function>> functions;
    std::map<std::string, std::pair<uintptr_t, size_t>> variables;
    std::vector<Variable> shared;
    char *shared_base() const;              // this OS thread's copy of the shared variables
};

bool is_function(const Function *function);
void unload_modules_of(Context *context);
