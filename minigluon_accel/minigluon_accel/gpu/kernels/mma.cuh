// The tile of tile.cuh on tensor cores: MMA, the depth of one step, is 16 for float16 and 8 for float32 in tf32.
//
// Eight warps, two down and four across, share the tile: each computes BM/2 rows and BN/4 columns
// in fragments of 16 x 8. The layout of a fragment over the lanes of a warp is from NVIDIA's PTX ISA, section "Matrix
// fragments for mma.m16n8k16 / m16n8k8": with group = lane / 4 and place = lane % 4,
//
//   result       c[i]: row group + (i >= 2) * 8, column 2 * place + i % 2
//   float16 a[i] holds two elements: row group + (i % 2) * 8, k 2 * place + (i / 2) * 8 and the next;
//                b[i]: column group, k 2 * place + i * 8 and the next
//   tf32         a[i]: row group + (i % 2) * 8, k place + (i / 2) * 4; b[i]: column group, k place + i * 4
//
// The emulated version of the instruction reads the lanes' registers by shuffles and follows the same table, so a wrong
// index here leads to a wrong product there. Tests on an H200 have confirmed the table.

#define WARP_ROWS (BM / 2)
#define WARP_COLUMNS (BN / 4)
#define DOWN (WARP_ROWS / 16)
#define ACROSS (WARP_COLUMNS / 8)
#define SUMS (DOWN * ACROSS * 4)
#define RUN 2               // sums of a thread that are adjacent in a row: i and the following ones
#define COPIED false        // elements are converted, or are too small for asynchronous copies

// The depth runs along the rows here, as fragments need it. The 16 bytes after each row keep the lanes' reads in
// different banks.
#define PITCH (BK + 16 / (int)sizeof(S))
struct alignas(16) Shared {
    S left[2][BM][PITCH];
    S right[2][BN][PITCH];
};

__device__ inline int warp_row() { return threadIdx.x / 32 / 4 * WARP_ROWS; }
__device__ inline int warp_column() { return threadIdx.x / 32 % 4 * WARP_COLUMNS; }

// The position in the tile of this thread's sum i.
__device__ inline int row_of(int i) {
    return warp_row() + i / 4 / ACROSS * 16 + threadIdx.x % 32 / 4 + i % 4 / 2 * 8;
}

__device__ inline int column_of(int i) {
    return warp_column() + i / 4 % ACROSS * 8 + threadIdx.x % 4 * 2 + i % 2;
}

// An element of a tile in shared memory.
template <int SIZE> __device__ S &place_in(S (&tile)[SIZE][PITCH], int at, int k) { return tile[at][k]; }

// -- one instruction -------------------------------------------------------------------------------------------------

// A number rounded to the 10 bits of tf32: to the nearest, with ties away from zero. NaN and infinity are unchanged.
__device__ inline unsigned tf32(float x) {
#ifdef MINIGLUON_EMULATED
    unsigned bits = __float_as_uint(x);
    return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & ~0x1fffu;
#else
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
#endif
}

// An element as stored in shared memory: it is rounded once, not each time that a fragment loads it.
__device__ inline S as_shared(S x) {
#if MMA == 16
    return x;
#else
    return __uint_as_float(tf32(x));
#endif
}

#ifdef MINIGLUON_EMULATED

__device__ inline float half_of(unsigned pair, int which) {
    half x;
    x.bits = (unsigned short)(which ? pair >> 16 : pair);
    return (float)x;
}

// c += a . b, as the instruction computes it: each lane fetches the registers that hold its rows and columns from the
// other lanes.
__device__ inline void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    int lane = threadIdx.x % 32, group = lane / 4, place = lane % 4;
    for (int from = 0; from < 4; ++from) {              // the lanes of the group, each of which holds a part of the
                                                        // depth
        unsigned rows[4], columns[2][2];
        for (int i = 0; i < 4; ++i) rows[i] = __shfl_sync(0xffffffffu, a[i], group * 4 + from);
        for (int column = 0; column < 2; ++column)
            for (int i = 0; i < 2; ++i)
                columns[column][i] = __shfl_sync(0xffffffffu, b[i], (2 * place + column) * 4 + from);
        for (int i = 0; i < 4; ++i)
            for (int part = 0; part < 2; ++part) {
                unsigned x = rows[i / 2 + 2 * part], y = columns[i % 2][part];
#if MMA == 16
                c[i] += half_of(x, 0) * half_of(y, 0) + half_of(x, 1) * half_of(y, 1);
#else
                c[i] += __uint_as_float(x) * __uint_as_float(y);
#endif
            }
    }
}

#else

__device__ inline void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if MMA == 16
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
#else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
#endif
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#endif

// -- fragments -------------------------------------------------------------------------------------------------------

// A fragment's register: the element at this depth in a row (or column) of the tile, and for float16 also the next
// element.
__device__ inline unsigned of_fragment(const S *row, int k) {
#if MMA == 16
    return *(const unsigned *)&row[k];
#else
    return __float_as_uint(row[k]);
#endif
}

__device__ inline void multiply_shared(const Shared &shared, int turn, A (&sums)[SUMS]) {
    int group = threadIdx.x % 32 / 4, place = threadIdx.x % 4;
    constexpr int WIDE = MMA == 16 ? 2 : 1;             // elements per register
#pragma unroll
    for (int k = 0; k < BK; k += MMA) {
        unsigned b[ACROSS][2];
#pragma unroll
        for (int across = 0; across < ACROSS; ++across)
#pragma unroll
            for (int i = 0; i < 2; ++i)
                b[across][i] = of_fragment(shared.right[turn][warp_column() + across * 8 + group],
                                           k + WIDE * place + i * (MMA / 2));
#pragma unroll
        for (int down = 0; down < DOWN; ++down) {
            unsigned a[4];              // one fragment of the left factor at a time, because there are not enough
                                        // registers for all fragments
#pragma unroll
            for (int i = 0; i < 4; ++i)
                a[i] = of_fragment(shared.left[turn][warp_row() + down * 16 + group + i % 2 * 8],
                                   k + WIDE * place + i / 2 * (MMA / 2));
#pragma unroll
            for (int across = 0; across < ACROSS; ++across)
                mma(*(float (*)[4]) &sums[(down * ACROSS + across) * 4], a, b[across]);
        }
    }
}
