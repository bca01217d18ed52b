// NumPy's Philox generator, Philox 4x64-10 (Salmon et al. 2011, 'Parallel random numbers: as easy as 1, 2, 3'), with
// random access: any thread can compute any number of a sequence from the state of the host's generator.
//
//   each_draw(draws, n, f)      f(i, bits) for the next n 32-bit numbers of the generator
//   each_wide_draw              the same for 64-bit numbers
//   Stream(draws, i)            a separate sequence for element i, of any length: for rejection samplers
#include "common.cuh"

typedef unsigned long long Word;

struct Counter { Word at[4]; };

// Random numbers that the host has reserved in its generator: see philox.py.
struct Draws {
    Counter counter;            // counter of the block in the generator's buffer
    Word key[2];
    long long ready;            // number of 32-bit numbers left in that buffer; they come first:
    unsigned first[10];
};

__device__ inline Counter advanced(Counter counter, Word n) {
    for (int k = 0; k < 4 && n; ++k) {
        counter.at[k] += n;
        n = counter.at[k] < n;
    }
    return counter;
}

__device__ inline Counter philox(Counter c, Word key0, Word key1) {
    for (int round = 0; round < 10; ++round) {
        const Word m0 = 0xD2E7470EE14C6C93ull, m1 = 0xCA5A826395121157ull;
        Word x = __umul64hi(m0, c.at[0]), y = __umul64hi(m1, c.at[2]);
        c = Counter{{y ^ c.at[1] ^ key0, m1 * c.at[2], x ^ c.at[3] ^ key1, m0 * c.at[0]}};
        key0 += 0x9E3779B97F4A7C15ull, key1 += 0xBB67AE8584CAA73Bull;
    }
    return c;
}

// A warp computes 32 blocks at a time, one block for each lane, and exchanges their numbers through shared memory, so
// that neighboring lanes call f for neighboring numbers, and their accesses are coalesced, wherever they begin. V is
// the type of the numbers; `ready` numbers precede those of the first block. blockDim.x is 256.
template <typename V, typename F>
__device__ void each_number(const Draws *draws, long long n, long long ready, F f) {
    const int EACH = sizeof(Counter) / sizeof(V), MANY = 32 * EACH;
    __shared__ Counter blocks[256];
    int lane = threadIdx.x % 32;
    Counter *own = blocks + (threadIdx.x - lane);
    const V *numbers = (const V *)own;
    const Counter counter = draws->counter;         // read only once, because f may write to memory that aliases it
    const Word key0 = draws->key[0], key1 = draws->key[1];
    long long warp = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = (long long)gridDim.x * 8;
    for (long long start = ready + warp * MANY; start < n; start += warps * MANY) {
        own[lane] = philox(advanced(counter, (start - ready) / EACH + lane + 1), key0, key1);
        __syncwarp();
        int there = n - start < MANY ? (int)(n - start) : MANY;
#pragma unroll
        for (int k = 0; k < EACH; ++k)
            if (32 * k + lane < there) f(start + 32 * k + lane, numbers[32 * k + lane]);
        __syncwarp();                   // the warp has read these numbers before the next numbers replace them
    }
}

template <typename F> __device__ void each_draw(const Draws *draws, long long n, F f) {
    long long ready = draws->ready;
    for_each(i, ready < n ? ready : n) f(i, draws->first[i]);
    each_number<unsigned>(draws, n, ready, f);
}

template <typename F> __device__ void each_wide_draw(const Draws *draws, long long n, F f) {
    long long ready = draws->ready / 2;
    for_each(i, ready < n ? ready : n) f(i, (Word)draws->first[2 * i + 1] << 32 | draws->first[2 * i]);
    each_number<Word>(draws, n, ready, f);
}

// Bits as numbers in [0, 1), converted as in NumPy.
__device__ inline float unit(unsigned bits) { return (bits >> 8) * (1.0f / 16777216.0f); }
__device__ inline double wide_unit(Word bits) { return (bits >> 11) * (1.0 / 9007199254740992.0); }

// The counter's highest word, which the host's generator never reaches, counts the blocks of one element's stream.
// The host reserves eight 32-bit numbers for each element, so that the elements of the next call have different
// counters.
struct Stream {
    Counter counter, words;
    Word key[2];
    int used;
    __device__ Stream(const Draws *draws, long long i) : counter(advanced(draws->counter, i)), used(4) {
        key[0] = draws->key[0], key[1] = draws->key[1];
    }
    __device__ Word next() {
        if (used == 4) {
            ++counter.at[3];
            words = philox(counter, key[0], key[1]);
            used = 0;
        }
        return words.at[used++];
    }
    __device__ double uniform() { return ((next() >> 11) + 0.5) * (1.0 / 9007199254740992.0); }     // in (0, 1)
};
