// Asynchronous copies from global to shared memory, which take no registers.
//
// GPUs support them from sm_80 on; on older GPUs, the copies are synchronous. The emulator performs the copies when the
// thread waits for them, so a missing wait leaves the old contents. The other threads of the block see the copies after
// the next barrier.

#define COPIES_ASYNC (__CUDA_ARCH__ >= 800)

// V: the type that is copied, which has 4, 8 or 16 bytes.
template <typename V> struct Copies {
#ifdef MINIGLUON_EMULATED
    struct { V *to; const V *from; } waiting[128];
    int count = 0;

    // *to = *from; if `there` is false, *to = 0 and nothing is read.
    __device__ void copy(V *to, const V *from, bool there) {
        waiting[count].to = to;
        waiting[count++].from = there ? from : nullptr;
    }

    // Waits until all copies of this thread are complete.
    __device__ void wait() {
        for (int i = 0; i < count; ++i) *waiting[i].to = waiting[i].from ? *waiting[i].from : V{};
        count = 0;
    }
#elif COPIES_ASYNC
    __device__ void copy(V *to, const V *from, bool there) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                     :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(__cvta_generic_to_global(from)),
                        "n"(sizeof(V)), "r"(there ? (int)sizeof(V) : 0) : "memory");
    }

    __device__ void wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#else
    __device__ void copy(V *to, const V *from, bool there) { *to = there ? *from : V{}; }
    __device__ void wait() {}
#endif
};
