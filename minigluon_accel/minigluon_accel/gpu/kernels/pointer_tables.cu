// Writes words to device memory: addresses and sizes, for kernels that need more arrays than they can take as
// arguments. One thread.
#include "common.cuh"

typedef unsigned long long Word;

#define EIGHT(name) Word name##0, Word name##1, Word name##2, Word name##3, Word name##4, Word name##5, Word name##6, \
    Word name##7
#define STORE(at, name) \
    to[at] = name##0, to[at + 1] = name##1, to[at + 2] = name##2, to[at + 3] = name##3, to[at + 4] = name##4, \
    to[at + 5] = name##5, to[at + 6] = name##6, to[at + 7] = name##7

extern "C" __global__ void write_words(Word *to, long long first, EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e),
                                       EIGHT(f), EIGHT(g)) {
    to += first;
    STORE(0, a);
    STORE(8, b);
    STORE(16, c);
    STORE(24, d);
    STORE(32, e);
    STORE(40, f);
    STORE(48, g);
}
