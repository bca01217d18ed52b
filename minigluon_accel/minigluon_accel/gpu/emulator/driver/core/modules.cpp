// Loading modules. An image is a shared object: it is written to a file of its own, which the loader opens.
#include "core/modules.h"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <set>
#include <unistd.h>
#include "core/elf_symbols.h"
#include "checks/deferred_work.h"
#include "core/memory.h"

namespace {

struct ThreadStorage { size_t module, offset; };
extern "C" void *__tls_get_addr(ThreadStorage *);

struct Loaded {
    std::set<Module *> modules;
    std::set<const Function *> functions;
};

Loaded &loaded() {
    static Loaded *all = new Loaded;
    return *all;
}

// The library of the image, or null, with an explanation, if it cannot be opened. The file has a unique name, because
// the loader treats two files with the same name as one file.
void *open_image(const void *image, size_t size) {
    std::string folder = setting("TMPDIR");
    std::string path = (folder.empty() ? "/tmp" : folder) + "/minigluon-module-XXXXXX";
    int file = mkstemp(path.data());
    if (file < 0) {
        explain(OPERATING_SYSTEM, format("cannot write %s: %s", path.c_str(), strerror(errno)));
        return nullptr;
    }
    bool written = write(file, image, size) == ssize_t(size);
    close(file);
    void *library = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!written) explain(OPERATING_SYSTEM, format("cannot write %s: %s", path.c_str(), strerror(errno)));
    else if (!library) explain(INVALID_IMAGE, format("the module cannot be loaded: %s", dlerror()));
    unlink(path.c_str());
    return library;
}

// What the loader knows about a module: its thread-local memory and its sections.
void ask_loader(Module &module, uintptr_t base) {
    struct Asked { Module *module; uintptr_t base; } asked{&module, base};
    dl_iterate_phdr([](dl_phdr_info *info, size_t, void *data) {
        auto *asked = static_cast<Asked *>(data);
        if (info->dlpi_addr != asked->base) return 0;
        asked->module->thread_storage = info->dlpi_tls_modid;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr) &part = info->dlpi_phdr[i];
            uintptr_t start = info->dlpi_addr + part.p_vaddr;
            if (part.p_type == PT_TLS) asked->module->thread_bytes = part.p_memsz;
            if (part.p_type == PT_LOAD) asked->module->sections.push_back({start, start + part.p_memsz});
        }
        return 1;
    }, &asked);
}

// The name of a shared variable inside a function begins with _ZZ and the function's name.
std::string prefix(const std::string &kernel) { return "_ZZ" + std::to_string(kernel.size()) + kernel; }

void add_functions(Module &module) {
    auto count = *static_cast<const unsigned *>(dlsym(module.library, "emulator_kernel_count"));
    auto *kernels = static_cast<const emulator::Kernel *>(dlsym(module.library, "emulator_kernels"));
    for (unsigned i = 0; i < count; ++i) {
        auto function = std::make_unique<Function>();
        function->name = kernels[i].name;
        function->module = &module;
        function->kernel = &kernels[i];
        for (const Variable &variable : module.shared) {
            bool mine = variable.name.rfind(prefix(function->name), 0) == 0, others = false;
            for (unsigned k = 0; k < count && !mine; ++k)
                others = others || variable.name.rfind(prefix(kernels[k].name), 0) == 0;
            if (!others) function->shared.push_back(variable);
            if (mine) function->shared_bytes += variable.size;
        }
        function->dynamic_at_most = SHARED_BYTES - std::min(size_t(SHARED_BYTES), function->shared_bytes);
        loaded().functions.insert(function.get());
        module.functions[function->name] = std::move(function);
    }
}

void add_variables(Module &module, const void *image, uintptr_t base) {
    for (const Symbol &symbol : elf_variables(image)) {
        if (symbol.type == SYMBOL_THREAD_LOCAL) {
            module.shared.push_back({symbol.name, size_t(symbol.value), size_t(symbol.size)});
        } else if (symbol.name.rfind("emulator_", 0) != 0) {
            module.variables[symbol.name] = {base + symbol.value, symbol.size};
            add_region(base + symbol.value, symbol.size, Kind::variable, module.context);
        }
    }
}

void unload(Module *module) {
    for (auto &each : module->functions) loaded().functions.erase(each.second.get());
    for (auto &each : module->variables) remove_region(each.second.first);
    loaded().modules.erase(module);
    dlclose(module->library);
    delete module;
}

}  // namespace

char *Module::shared_base() const {
    ThreadStorage start{thread_storage, 0};
    return thread_storage ? static_cast<char *>(__tls_get_addr(&start)) : nullptr;
}

bool is_function(const Function *function) { return loaded().functions.count(function); }

void unload_modules_of(Context *context) {
    std::set<Module *> modules = loaded().modules;
    for (Module *module : modules)
        if (module->context == context) unload(module);
}

EXPORT CUresult cuModuleLoadData(Module **result, const void *image) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    size_t size = elf_size(image);
    if (!size) return explain(INVALID_IMAGE, "the image is none of the emulator's compiler. PTX and the images of real "
                              "devices do not run here");
    Lock hold(state().lock);
    void *library = open_image(image, size);
    if (!library) return INVALID_IMAGE;
    if (!dlsym(library, "emulator_kernels")) {
        dlclose(library);
        return explain(INVALID_IMAGE, "the image is a shared object, but none of the emulator's compiler");
    }
    link_map *map = nullptr;
    dlinfo(library, RTLD_DI_LINKMAP, &map);
    Module *module = *result = new Module;
    module->context = context;
    module->library = library;
    module->base = map->l_addr;
    bool checked = memmem(image, size, "__tsan_init", 11);       // called by modules in checked mode
    if (checked) module->image.assign(static_cast<const char *>(image), size);
    ask_loader(*module, map->l_addr);
    add_variables(*module, image, map->l_addr);
    add_functions(*module);
    loaded().modules.insert(module);
    return SUCCESS;
}

// Options of the driver's compiler, which does not exist here; its two logs (options 3 and 5, with their sizes in
// options 4 and 6) remain empty.
EXPORT CUresult cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options, void **values) {
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == 3 || options[i] == 5) *static_cast<char *>(values[i]) = 0;
        if (options[i] == 4 || options[i] == 6) values[i] = nullptr;
    }
    return cuModuleLoadData(module, image);
}

EXPORT CUresult cuModuleLoad(Module **module, const char *path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return FILE_NOT_FOUND;
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    bytes.resize(bytes.size() + 64);        // so that even a short file has a readable header
    return cuModuleLoadData(module, bytes.data());
}

EXPORT CUresult cuModuleUnload(Module *module) {
    if (CUresult error = driver_ready()) return error;
    if (hard_mode()) catch_up_with_all();
    Lock hold(state().lock);
    if (!loaded().modules.count(module)) return INVALID_HANDLE;
    unload(module);
    return SUCCESS;
}

EXPORT CUresult cuModuleGetFunction(Function **result, Module *module, const char *name) {
    if (CUresult error = ready()) return error;
    Lock hold(state().lock);
    if (!loaded().modules.count(module)) return INVALID_HANDLE;
    auto found = module->functions.find(name);
    if (found != module->functions.end()) {
        *result = found->second.get();
        return SUCCESS;
    }
    void *symbol = dlsym(module->library, name);        // a name mangled by C++
    std::string names;
    for (auto &each : module->functions) {
        if (symbol && each.second->kernel->address == symbol) {
            *result = each.second.get();
            return SUCCESS;
        }
        names += (names.empty() ? "" : ", ") + each.first;
    }
    return explain(NOT_FOUND, format("the module has no kernel '%s'. It has: %s", name, names.c_str()));
}

EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *size, Module *module, const char *name) {
    if (CUresult error = ready()) return error;
    Lock hold(state().lock);
    if (!loaded().modules.count(module)) return INVALID_HANDLE;
    auto found = module->variables.find(name);
    if (found == module->variables.end()) return explain(NOT_FOUND, format("the module has no variable '%s'", name));
    if (pointer) *pointer = found->second.first;
    if (size) *size = found->second.second;
    return SUCCESS;
}
