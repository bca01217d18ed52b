// Shared by attention and its gradient: a block has BM rows of one head, and processes columns in tiles of BN. In some
// kernels, rows are queries and columns are keys; in others, columns are queries and rows are keys.
//
//   BM, BN, TM, TN      rows and columns of a tile of scores, of which a thread has TM x TN in registers
//   DEPTH, WIDTH        elements of a query or key, and of a value, padded with zeros to multiples of 32
//   MASKING, WEIGHS     the effects of the mask, see fused_attention.py
//
// Tiles in shared memory are laid out like the arrays, but have four extra elements per row, so that threads that read
// the same column use different banks. A thread has every DOWN-th row and every eighth column, so that neighboring
// threads read neighboring elements. Eight threads of a warp share a row.
#include "common.cuh"
#include "packed.cuh"
#include "async.cuh"

#define ACROSS 8
#define DOWN (BM / TM)
#define THREADS (DOWN * ACROSS)
#define PITCH(SIZE) ((SIZE) + 4)
#define AT_ONCE (16 / (int)sizeof(A))   // elements copied at once
#define COPIED (COPIES_ASYNC && sizeof(T) == sizeof(A))

static_assert(TM % 4 == 0 && BN == TN * ACROSS && DEPTH % 32 == 0 && WIDTH % 32 == 0 && THREADS % 32 == 0,
              "threads read four numbers at once");

enum { NONE, ADD, WHERE, LENGTH, UNTIL };       // MASKING

typedef Packed<A, 4> Four;
typedef Packed<A, AT_ONCE> Piece;

// An array's first element, and the strides of the batch, heads and rows. A row is contiguous.
struct Place { long long first, batch, head, row; };

// fused_attention.py writes this struct.
struct Attention {
    long long heads, queries, keys, depth, width, norms;    // norms: distance from the largest scores to the sums
    long long mask_batch, mask_head, mask_query, mask_key;
    Place query, key, value, out, to_query, to_key, to_value;
};

// A block's head and first row, if a head has `count` rows.
struct Unit {
    long long pair, batch, head, first;
    __device__ Unit(const Attention &s, long long count) {
        const long long tiles = (count + BM - 1) / BM, number = blockIdx.x;
        pair = number / tiles;
        first = (number - pair * tiles) * BM;
        batch = pair / s.heads;
        head = pair - batch * s.heads;
    }
    template <typename V> __device__ V *rows(V *array, const Place &place) const {
        return array + place.first + batch * place.batch + head * place.head;
    }
    __device__ const T *mask(const T *array, const Attention &s) const {
        return array + batch * s.mask_batch + head * s.mask_head;
    }
};

__device__ inline int across() { return threadIdx.x % ACROSS; }
__device__ inline int down() { return threadIdx.x / ACROSS; }

// Loads a tile of COUNT of the `count` rows, starting at row `first`, each of `size` elements; missing elements are
// zero. The caller must wait for the copies.
template <int COUNT, int SIZE>
__device__ void bring(A *tile, const T *from, long long step, long long first, long long count, long long size,
                      Copies<Piece> &copies) {
    from += first * step;
    count -= first;
    if constexpr (COPIED) {
        if (size % AT_ONCE == 0 && step % AT_ONCE == 0 && aligned<AT_ONCE>(from)) {
            constexpr int PIECES = SIZE / AT_ONCE;
#pragma unroll
            for (int e = threadIdx.x; e < COUNT * PIECES; e += THREADS) {
                const int r = e / PIECES, c = e % PIECES * AT_ONCE;
                copies.copy((Piece *)(tile + r * PITCH(SIZE) + c), (const Piece *)(from + r * step + c),
                            r < count && c < size);
            }
            return;
        }
    }
#pragma unroll 4
    for (int e = threadIdx.x; e < COUNT * SIZE; e += THREADS) {
        const int r = e / SIZE, c = e % SIZE;
        tile[r * PITCH(SIZE) + c] = r < count && c < size ? convert<A>(from[r * step + c]) : (A)0;
    }
}

// sums += left · right: the products of this thread's rows with its columns.
template <int SIZE> __device__ void dots(const A *left, const A *right, A (&sums)[TM][TN]) {
    left += down() * PITCH(SIZE), right += across() * PITCH(SIZE);
#pragma unroll 2
    for (int k = 0; k < SIZE; k += 4) {
        Four rows[TM];
#pragma unroll
        for (int r = 0; r < TM; ++r) rows[r] = packed<4>(left + r * DOWN * PITCH(SIZE) + k);
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            const Four column = packed<4>(right + c * ACROSS * PITCH(SIZE) + k);
#pragma unroll
            for (int e = 0; e < 4; ++e)
#pragma unroll
                for (int r = 0; r < TM; ++r) sums[r][c] += rows[r].at[e] * column.at[e];
        }
    }
}

// A tile of weights (BN, BM), in which this thread's rows are adjacent.
__device__ inline void put(A *tile, const A (&values)[TM][TN]) {
    tile += across() * PITCH(BM) + down() * TM;
#pragma unroll
    for (int c = 0; c < TN; ++c)
#pragma unroll
        for (int r = 0; r < TM; r += 4) {
            Four four;
#pragma unroll
            for (int e = 0; e < 4; ++e) four.at[e] = values[r + e][c];
            store(tile + c * ACROSS * PITCH(BM) + r, four);
        }
}

// A thread's share of the SIZE elements of each of its rows: groups of four elements, 32 elements apart.
template <int SIZE> struct Gathered {
    A sums[TM][SIZE / ACROSS];
    __device__ Gathered() {
#pragma unroll
        for (int r = 0; r < TM; ++r)
#pragma unroll
            for (int c = 0; c < SIZE / ACROSS; ++c) sums[r][c] = (A)0;
    }

    // Adds Σ weight · row over the BN rows of a tile.
    __device__ void add(const A *weights, const A *tile) {
        weights += down() * TM, tile += across() * 4;
#pragma unroll 4
        for (int j = 0; j < BN; ++j) {
            Four by[TM / 4];
#pragma unroll
            for (int r = 0; r < TM; r += 4) by[r / 4] = packed<4>(weights + j * PITCH(BM) + r);
#pragma unroll
            for (int c = 0; c < SIZE; c += 32) {
                const Four four = packed<4>(tile + j * PITCH(SIZE) + c);
#pragma unroll
                for (int r = 0; r < TM; ++r)
#pragma unroll
                    for (int e = 0; e < 4; ++e) sums[r][c / ACROSS + e] += by[r / 4].at[r % 4] * four.at[e];
            }
        }
    }

    // Writes row r of this thread, of `size` elements, divided by its sum.
    __device__ void write(T *to, int r, long long size, A divisor) const {
#pragma unroll
        for (int c = 0; c < SIZE; c += 32) {
            T values[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) values[e] = convert<T>(sums[r][c / ACROSS + e] / divisor);
            const int from = c + across() * 4;
            write_run<4>(to + from, 1, size - from, values);
        }
    }

    // Writes all rows of this thread; they begin at row `first` of `count` rows, which are `step` elements apart.
    __device__ void write_all(T *to, long long step, long long first, long long count, long long size) const {
#pragma unroll
        for (int r = 0; r < TM; ++r) {
            const long long i = first + r * DOWN + down();
            if (i < count) write(to + i * step, r, size, (A)1);
        }
    }
};

// A masked score, whether the mask leaves it unchanged, and the factor of its weight.
struct Masked {
    A score, factor;
    bool kept;
    __device__ Masked(const T *mask, long long key, A score, A fill) : score(score), factor((A)1), kept(true) {
        if (MASKING == NONE) return;
        const A m = convert<A>(*mask);
        if (WEIGHS) factor = m;
        if (MASKING == ADD) {
            this->score += m;
            return;
        }
        kept = MASKING == WHERE ? m != (A)0 : (A)key < m;
        if (!kept) this->score = fill;
    }
};

// How many of the `count` items lie in the tile that begins at `first`.
__device__ inline int there(long long first, long long count, int most) {
    return (int)(count - first < most ? count - first : most);
}

// The values, rounded as if they were stored in an array.
__device__ inline A rounded(double x) { return convert<A>(convert<T>(x)); }
__device__ inline A filling(double fill) { return MASKING == LENGTH ? (A)-MINIGLUON_INFINITY : rounded(fill); }
