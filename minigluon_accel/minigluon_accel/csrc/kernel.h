/* The header of every kernel file: the one signature of a kernel, and how a file registers its kernels in the table.

   A kernel file is in the folder of a category such as `nn/`, and is compiled once for each instruction set and for
   each of float and double. A file whose name ends in `_bytes` handles elements of any type, or integers, and is
   compiled only once for each instruction set. Because files are compiled several times, everything in a kernel file and in the headers
   that it includes is `static`. */

#ifndef MINIGLUON_KERNEL_H
#define MINIGLUON_KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Does part `part` of the work, which is divided into `parts` parts. The parts may run in any order, at the same time,
   and on any thread. The division of the work depends only on the sizes, so the result does not depend on the number of
   threads. The result of a kernel OF_ANY_PARTS does not depend on the number of parts, so its work is divided into only
   as many parts as keep the threads busy.

   fields: the kernel's FIELDS. io: the arrays, inputs first, then outputs, then scratch buffers, all of them
   C-contiguous. Returns one of the codes below. */
typedef int Kernel(const void *fields, void *const *io, int64_t part, int64_t parts);

enum {
    DONE = 0,
    NO_MEMORY = 1,          /* `thread_scratch` returned NULL */
    BAD_INDEX = 2,          /* an index among the input's values is out of range */
    REFUSED = 3,            /* for these values, the reference must compute the result or raise the error */
};

/* This thread's memory for use within one kernel call: at least `bytes` bytes, aligned to 64 bytes; NULL if out of
   memory. A second call in the same kernel may return the same memory. */
void *thread_scratch(size_t bytes);

typedef struct {
    const char *name;
    Kernel *run;
    const char *fields;         /* the text that declares the members of its struct */
    size_t size;                /* size of the struct, without a last member of unspecified length */
    int any_parts;              /* whether the result is the same for any number of parts */
} Entry;

/* FIELDS(Scaled, int64_t size; double factor;) declares a struct of the parameters that a kernel receives, and keeps
   the text of its members. The engine parses this text to fill the struct, so there is no second list that could
   differ. A member is an int64_t or a double, an array of either, or a struct of int64_t. The length of the last member
   may be left open: `int64_t sizes[];`. */
#define FIELDS(name, ...)                                                                        \
    typedef struct { __VA_ARGS__ } name;                                                         \
    static const char name##_fields[] = #__VA_ARGS__;

void add_kernels(const char *isa, const char *real, const Entry *entries, int count);

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#define KERNEL(function, type) {#function, function, type##_fields, sizeof(type), 0}
#define KERNEL_OF_ANY_PARTS(function, type) {#function, function, type##_fields, sizeof(type), 1}

/* At the end of a file: KERNELS(KERNEL(scale, Scaled), ...) */
#define KERNELS(...)                                                                             \
    static const Entry kernel_entries[] = {__VA_ARGS__};                                         \
    __attribute__((constructor)) static void enter_kernels(void) {                               \
        add_kernels(TEXT(ISA), TEXT(REAL_NAME), kernel_entries, sizeof kernel_entries / sizeof *kernel_entries); \
    }

/* The range of items that belongs to a part if `count` items are divided into `parts` parts. */
typedef struct { int64_t begin, end; } Range;

static inline Range range_of(int64_t count, int64_t part, int64_t parts) {
    int64_t each = count / parts, more = count % parts;
    int64_t begin = part * each + (part < more ? part : more);
    Range range = {begin, begin + each + (part < more)};
    return range;
}

static inline int64_t min_int(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_int(int64_t a, int64_t b) { return a > b ? a : b; }

#endif
