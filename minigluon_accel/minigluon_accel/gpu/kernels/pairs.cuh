// float16 elements on their way to tiles for tensor cores, several per instruction.
//
// A thread loads COUNT elements of a tile whose rows run along the depth. If the depth is contiguous in memory, these
// elements are adjacent along it and are read at once; otherwise they are adjacent across it at two depths, which takes
// two reads. In both cases, they are written in pairs along the depth. If addresses or the ends of the matrix do not
// allow this, they are read one by one.
#include "packed.cuh"

template <int SIZE> struct PairSlots {
    static constexpr int COUNT = SIZE * BK / THREADS, HALF = COUNT / 2;
    bool along;
    int at, k;                          // offset of the first element

    __device__ explicit PairSlots(bool along_depth) : along(along_depth) {
        int thread = threadIdx.x;
        at = along ? thread / (BK / COUNT) : thread / (BK / 2) * HALF;
        k = along ? thread % (BK / COUNT) * COUNT : thread % (BK / 2) * 2;
    }
    // The distance of element i from the first element.
    __device__ int down(int i) const { return along ? 0 : i / 2; }
    __device__ int deep(int i) const { return along ? i : i % 2; }
};

template <int SIZE>
__device__ void put(S (&tile)[SIZE][PITCH], const PairSlots<SIZE> &slots, const S (&values)[PairSlots<SIZE>::COUNT]) {
#pragma unroll
    for (int i = 0; i < PairSlots<SIZE>::COUNT; i += 2)
        *(unsigned *)&tile[slots.at + slots.down(i)][slots.k + slots.deep(i)] =
            values[i].bits | (unsigned)values[i + 1].bits << 16;
}

// Like Strided in gemm.cu.
template <int SIZE> struct Paired {
    static constexpr int COUNT = PairSlots<SIZE>::COUNT, HALF = PairSlots<SIZE>::HALF;
    PairSlots<SIZE> slots;
    const T *next;
    long long step, depth_step;
    int rows;
    NUMBER deep;
    bool at_once;                       // whether addresses allow several elements to be read at once

    __device__ Paired(const T *matrix, NUMBER first, NUMBER count, NUMBER from, NUMBER to, NUMBER step,
                      NUMBER depth_step)
        : slots(step != 1),
          next(matrix + (long long)(first + slots.at) * step + (long long)(from + slots.k) * depth_step), step(step),
          depth_step(depth_step), rows((int)min(count - first, (NUMBER)SIZE) - slots.at), deep(to - from - slots.k) {
        at_once = slots.along ? depth_step == 1 && aligned<COUNT>(next) : depth_step % HALF == 0 && aligned<HALF>(next);
    }

    template <typename To> __device__ void fetch(NUMBER k, const To &to) {
        if (at_once && rows >= (slots.along ? 1 : HALF) && deep >= (slots.along ? COUNT : 2)) {
            if (slots.along) {
                Packed<T, COUNT> line = packed<COUNT>(next);
#pragma unroll
                for (int i = 0; i < COUNT; ++i) to.values[i] = line.at[i];
            } else {
                Packed<T, HALF> line = packed<HALF>(next), deeper = packed<HALF>(next + depth_step);
#pragma unroll
                for (int i = 0; i < HALF; ++i) to.values[2 * i] = line.at[i], to.values[2 * i + 1] = deeper.at[i];
            }
        } else {
#pragma unroll
            for (int i = 0; i < COUNT; ++i)
                to(i, next + slots.down(i) * step + slots.deep(i) * depth_step,
                   slots.down(i) < rows && slots.deep(i) < deep);
        }
        next += depth_step * BK;
        deep -= BK;
    }
};
