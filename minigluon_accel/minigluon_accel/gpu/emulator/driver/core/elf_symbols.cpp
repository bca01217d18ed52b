// Reads the symbol table of an image, for the names, addresses and sizes of its variables.
#include "core/elf_symbols.h"
#include <cstring>
#include <elf.h>

size_t elf_size(const void *image) {
    auto *header = static_cast<const Elf64_Ehdr *>(image);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64) return 0;
    return header->e_shoff + size_t(header->e_shnum) * header->e_shentsize;     // the section headers come last
}

std::vector<Symbol> elf_variables(const void *image) {
    auto *bytes = static_cast<const char *>(image);
    auto *header = static_cast<const Elf64_Ehdr *>(image);
    auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes + header->e_shoff);
    std::vector<Symbol> variables;
    for (int i = 0; i < header->e_shnum; ++i) {
        if (sections[i].sh_type != SHT_SYMTAB) continue;
        auto *symbols = reinterpret_cast<const Elf64_Sym *>(bytes + sections[i].sh_offset);
        const char *names = bytes + sections[sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k) {
            int type = ELF64_ST_TYPE(symbols[k].st_info);
            bool defined = symbols[k].st_shndx != SHN_UNDEF && symbols[k].st_size;
            if (defined && (type == SYMBOL_OBJECT || type == SYMBOL_THREAD_LOCAL))
                variables.push_back({names + symbols[k].st_name, symbols[k].st_value, symbols[k].st_size, type});
        }
    }
    return variables;
}
