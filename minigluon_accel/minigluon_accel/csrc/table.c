/* Kernel files register themselves here when the library is loaded, before any lookup. */

#include "table.h"

#include <stdlib.h>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

typedef struct { const char *isa, *real; const Entry *entries; int count; } File;

enum { MAX_FILES = 512 };
static File files[MAX_FILES];
static int file_count;

void add_kernels(const char *isa, const char *real, const Entry *entries, int count) {
    if (file_count == MAX_FILES) abort();
    files[file_count++] = (File){isa, real, entries, count};
}

const Entry *kernel_at(int index, const char **isa, const char **real) {
    for (int i = 0; i < file_count; i++) {
        if (index < files[i].count) {
            *isa = files[i].isa, *real = files[i].real;
            return &files[i].entries[index];
        }
        index -= files[i].count;
    }
    return NULL;
}

#if defined(__x86_64__) && defined(__linux__)
/* Whether the processor has AMX for bytes, and the system has given this process the memory for its registers. */
static int has_amx(void) {
    enum { LEAF = 7, TILES = 1 << 24, BYTES = 1 << 25, REQUEST = 0x1023, TILE_DATA = 18 };
    unsigned a, b, c, d;
    if (!__get_cpuid_count(LEAF, 0, &a, &b, &c, &d) || (d & (TILES | BYTES)) != (TILES | BYTES)) return 0;
    return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}
#else
static int has_amx(void) { return 0; }
#endif

int has_isa(const char *isa) {
    if (strcmp(isa, "baseline") == 0) return 1;
#if defined(__x86_64__)
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(isa, "avx2") == 0) return avx2;
    if (strcmp(isa, "avx512vnni") == 0) return has_isa("avx512") && __builtin_cpu_supports("avx512vnni");
    if (strcmp(isa, "amx") == 0) return has_isa("avx512vnni") && has_amx();
    if (strcmp(isa, "avx512") == 0)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
               && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return 0;
}

const char *best_isa(void) {
    static const char *const names[] = {"avx512", "avx2", "baseline"};
    for (int i = 0; i < 3; i++) {
        if (!has_isa(names[i])) continue;
        for (int f = 0; f < file_count; f++)
            if (strcmp(files[f].isa, names[i]) == 0) return names[i];
    }
    return "baseline";
}
