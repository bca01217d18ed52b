// A tile of a matrix product, computed by the threads of a block from tiles of its factors in shared memory.
//
//   BM, BN       rows and columns of the tile; BK: how much of the depth is in shared memory at a time
//   TM, TN       each thread computes TM x TN elements in registers, so a block has BM / TM * BN / TN threads
//   T, S, A      types of the elements in memory, in shared memory, and of sums
//
// The factors come from two sources, `left` and `right`, with
//
//   Slots<SIZE> slots                          the elements of a tile that this thread loads
//   void fetch(NUMBER k, const To &to)         for the depths k .. k + BK - 1, calls to(i, address, there) for each
// element; if it is not there, it counts as 0
//
// There are two sets of tiles: while one is multiplied, the elements of the other are loaded, so one barrier per BK is
// enough. Elements are copied to shared memory asynchronously if the GPU supports this and they need no conversion;
// otherwise, they are copied through registers. With tiles of 128 x 128 x 8, a thread performs 512 multiplications for
// 8 elements loaded from memory and 32 reads of four elements from shared memory.

#include "async.cuh"

#ifdef MMA
#define THREADS 256
#else
#define THREADS (BM / TM * BN / TN)
#endif

// This thread's share of loading SIZE rows (or columns) of BK elements: element i is at position `at + i * at_step` and
// depth `k + i * k_step`. Neighboring threads load adjacent elements in memory, along the depth or across it.
template <int SIZE> struct Slots {
    static constexpr int COUNT = SIZE * BK / THREADS;
    int at, k, at_step, k_step;

    __device__ explicit Slots(bool along_depth) {
        int thread = threadIdx.x;
        at = along_depth ? thread / BK : thread % SIZE;
        k = along_depth ? thread % BK : thread / SIZE;
        at_step = along_depth ? THREADS / BK : 0;
        k_step = along_depth ? 0 : THREADS / SIZE;
    }
};

// The tile and the product that a block computes. Blocks for the same column of tiles are consecutive, so that they
// find their right factor in the cache.
struct Block { NUMBER row, column, split, batch; };

__device__ inline Block block_of(NUMBER rows, NUMBER columns, NUMBER splits) {
    unsigned number = blockIdx.x, down = (rows + BM - 1) / BM, across = (columns + BN - 1) / BN;
    return {(NUMBER)(number % down * BM), (NUMBER)(number / down % across * BN),
            (NUMBER)(number / down / across % splits), (NUMBER)(number / down / across / splits)};
}

#ifdef MMA
#include "mma.cuh"
#else

#define SUMS (TM * TN)
#define RUN 4               // sums of a thread that are adjacent in a row: i and the following ones

// Whether elements are copied asynchronously: they must have the same size in shared memory, and asynchronous copies
// must support that size.
#define COPIED (COPIES_ASYNC && sizeof(T) == sizeof(S))

// Four elements of shared memory. Here, S is a type of sums with 4 or 8 bytes, so this is one read of 16 bytes, or two.
struct alignas(16) Four { S at[4]; };

// Rows are four elements longer than needed, so that the elements of a column are in different banks, and they consist
// of whole Fours, so that each row begins at an address where a Four may begin.
struct alignas(16) Shared {
    S left[2][BK][BM + 4];
    S right[2][BK][BN + 4];
};
static_assert(sizeof(S) >= 4 && BM % 4 == 0 && BN % 4 == 0 && TM % 4 == 0 && TN % 4 == 0, "tiles are made of fours");

// The position in the tile of this thread's sum i. Its rows and columns come in groups of four, which are far apart, so
// that the threads of a warp read neighboring groups.
__device__ inline int row_of(int i) {
    int which = i / TN;
    return which / 4 * (4 * BM / TM) + threadIdx.x / (BN / TN) * 4 + which % 4;
}

__device__ inline int column_of(int i) {
    int which = i % TN;
    return which / 4 * (4 * BN / TN) + threadIdx.x % (BN / TN) * 4 + which % 4;
}

__device__ inline void multiply_shared(const Shared &shared, int turn, A (&sums)[SUMS]) {
    alignas(Four) S rows[TM];
    alignas(Four) S columns[TN];
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
        for (int i = 0; i < TM; i += 4) *(Four *)&rows[i] = *(const Four *)&shared.left[turn][k][row_of(i * TN)];
#pragma unroll
        for (int j = 0; j < TN; j += 4) *(Four *)&columns[j] = *(const Four *)&shared.right[turn][k][column_of(j)];
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; ++j) sums[i * TN + j] += (A)rows[i] * (A)columns[j];
    }
}

// An element of a tile in shared memory.
template <int PITCH> __device__ S &place_in(S (&tile)[BK][PITCH], int at, int k) { return tile[k][at]; }
__device__ inline S as_shared(S x) { return x; }
#endif

// -- on the way to shared memory -------------------------------------------------------------------------------------

// With 64 sums, few registers remain for the elements in flight. By default, compilers keep in registers all
// strides that are the same for all depths, and load elements long before they are used; other values then spill to
// local memory.

// Returns x, but hides its origin from the compiler, so that the compiler recomputes everything that depends on x.
__device__ inline int anew(int x) {
#ifndef MINIGLUON_EMULATED
    asm volatile("" : "+r"(x));
#endif
    return x;
}

// Prevents the reads that follow from being moved before it. It takes no time if the threads of a warp are in lockstep.
__device__ inline void later() {
#ifndef MINIGLUON_EMULATED
    __syncwarp();
#endif
}

template <int SIZE> struct ToRegisters {
    S (&values)[Slots<SIZE>::COUNT];
    __device__ void operator()(int i, const T *from, bool there) const { values[i] = there ? (S)*from : (S)0; }
};

template <int SIZE, typename Tile>
__device__ void put(Tile &tile, const Slots<SIZE> &slots, const S (&values)[Slots<SIZE>::COUNT]) {
    int at_step = slots.at_step, k_step = slots.k_step;
#ifdef MMA
    at_step = anew(at_step), k_step = anew(k_step);
#endif
#pragma unroll
    for (int i = 0; i < Slots<SIZE>::COUNT; ++i)
        place_in(tile, slots.at + i * at_step, slots.k + i * k_step) = as_shared(values[i]);
}

template <int SIZE, typename Tile> struct ToShared {
    Tile &tile;
    const Slots<SIZE> &slots;
    Copies<S> &copies;
    __device__ void operator()(int i, const T *from, bool there) const {
        copies.copy(&place_in(tile, slots.at + i * slots.at_step, slots.k + i * slots.k_step), (const S *)from, there);
    }
};

template <int SIZE, typename Tile>
__device__ ToShared<SIZE, Tile> to_shared(Tile &tile, const Slots<SIZE> &slots, Copies<S> &copies) {
    return {tile, slots, copies};
}

// sums += left . right over the depths from `from` to `to` - 1. All threads of the block call it together.
template <typename Left, typename Right>
__device__ void multiply(Left &left, Right &right, NUMBER from, NUMBER to, A (&sums)[SUMS]) {
    __shared__ Shared shared;
    int turn = 0;
    if constexpr (COPIED) {
        Copies<S> copies;
        if (from < to) {
            left.fetch(from, to_shared(shared.left[0], left.slots, copies));
            right.fetch(from, to_shared(shared.right[0], right.slots, copies));
        }
        for (NUMBER k = from; k < to; k += BK) {
            copies.wait();
            __syncthreads();            // these tiles are loaded, and the other tiles are no longer read
            if (k + BK < to) {
                left.fetch(k + BK, to_shared(shared.left[turn ^ 1], left.slots, copies));
                right.fetch(k + BK, to_shared(shared.right[turn ^ 1], right.slots, copies));
            }
            multiply_shared(shared, turn, sums);
            turn ^= 1;
        }
    } else {
        S lefts[Slots<BM>::COUNT], rights[Slots<BN>::COUNT];
        if (from < to) {
            left.fetch(from, ToRegisters<BM>{lefts});
            right.fetch(from, ToRegisters<BN>{rights});
        }
        for (NUMBER k = from; k < to; k += BK) {
            put(shared.left[turn], left.slots, lefts);
            put(shared.right[turn], right.slots, rights);
            __syncthreads();
            if (k + BK < to) {
                left.fetch(k + BK, ToRegisters<BM>{lefts});
                right.fetch(k + BK, ToRegisters<BN>{rights});
            }
            multiply_shared(shared, turn, sums);
            turn ^= 1;
        }
    }
}
