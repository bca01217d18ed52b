/* Products of rows of floats with a matrix of integers of 8 or 4 bits, as in weights.c, for processors that multiply
   pairs of 16-bit integers. Each group of data is rounded to integers of 16 bits with a scale of its own, which takes
   half as many instructions as converting the matrix to floats. The rounding error is at most 1 / 65534 of the largest
   magnitude in the group.

   For integers of 4 bits, data has another order: a vector of the matrix holds WORDS words of four integers, and the i-th
   integers of all words are one operand. */

#include "../vector.h"

#if defined(__AVX2__) && REAL_BITS == 32

#define INLINED static inline __attribute__((always_inline))

enum { MAX_FEW = 8, PADDED = 128, COLUMNS = 16, LARGEST = 32767 };
#define WORDS (2 * LANES)
#define BLOCK (4 * WORDS)           /* integers of 4 bits in a vector */
#define LEAST 1e-30f                /* smaller magnitudes, except 0, have no scale in float32 */

typedef uint16_t words __attribute__((vector_size(VECTOR_BYTES), may_alias));

FIELDS(WeightWords,
    int64_t rows, depth, columns;               /* columns: the number of rows of the matrix */
    int64_t group;                              /* integers per scale, a power of 2, at least 32 */
    int64_t is_half, has_bias;                  /* is_half: integers have 4 bits */
)

/* A row of arranged data, padded with zeros. Index k / 8 of the last two members belongs to elements k to k + 7. */
typedef struct {
    int16_t *integers;      /* as many as `padded_depth` */
    float *scales;          /* of their groups */
    int32_t *offsets;       /* -8 · the sum of eight integers: the matrix holds each integer of 4 bits plus 8 */
} Row;

static int64_t padded_depth(const WeightWords *s) { return (s->depth + PADDED - 1) / PADDED * PADDED; }

INLINED Row row_of(const WeightWords *s, void *const *io, int64_t row) {
    int64_t width = padded_depth(s);
    char *start = (char *)io[4 + s->has_bias] + 3 * width * row;
    return (Row){(int16_t *)start, (float *)(start + 2 * width), (int32_t *)(start + 2 * width + width / 2)};
}

#if defined(__AVX512F__)
INLINED mask add_pairs(words a, words b) { return (mask)_mm512_madd_epi16((__m512i)a, (__m512i)b); }
INLINED words load_bytes(const int8_t *p) { return (words)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)p)); }
#else
INLINED mask add_pairs(words a, words b) { return (mask)_mm256_madd_epi16((__m256i)a, (__m256i)b); }
INLINED words load_bytes(const int8_t *p) { return (words)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p)); }
#endif

INLINED words load_words(const void *p) {
    words v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* -- data ---------------------------------------------------------------------------------------------------------- */

/* The position of element k among the integers of a row. */
INLINED int64_t position_of(const WeightWords *s, int64_t k) {
    return s->is_half ? k / BLOCK * BLOCK + k % 4 * WORDS + k % BLOCK / 4 : k;
}

/* Rounds `count` elements from element k on, which are one group. Returns 0 if they cannot be rounded. */
INLINED int round_group(const WeightWords *s, const float *data, int64_t k, int64_t count, Row row) {
    vec most = {0};
    for (int64_t i = 0; i < count; i += LANES) {
        vec x = count - i < LANES ? load_some(data + k + i, count - i, 0) : load(data + k + i);
        most = max_vec(most, (vec)((mask)x & INT32_MAX));
    }
    float largest = max_lanes(most), factor = largest > 0 ? LARGEST / largest : 0;
    if (!(largest < INFINITY) || (largest > 0 && largest < LEAST)) return 0;
    for (int64_t i = 0; i < count; i += 8) {
        int32_t sum = 0;
        for (int64_t j = i; j < min_int(i + 8, count); j++) {
            int32_t integer = (int32_t)__builtin_rintf(data[k + j] * factor);
            row.integers[position_of(s, k + j)] = (int16_t)integer;
            sum += integer;
        }
        row.scales[(k + i) / 8] = largest / LARGEST;
        row.offsets[(k + i) / 8] = -8 * sum;
    }
    return 1;
}

static int arrange_words(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const WeightWords *s = fields;
    Range range = range_of(s->rows, part, parts);
    for (int64_t n = range.begin; n < range.end; n++) {
        Row row = row_of(s, io, n);
        int64_t last = s->depth / PADDED * PADDED;
        if (last < s->depth) {
            memset(row.integers + last, 0, PADDED * sizeof(int16_t));
            memset(row.scales + last / 8, 0, PADDED / 8 * sizeof(float));
            memset(row.offsets + last / 8, 0, PADDED / 8 * sizeof(int32_t));
        }
        for (int64_t k = 0; k < s->depth; k += s->group)
            if (!round_group(s, (const float *)io[0] + n * s->depth, k, min_int(s->group, s->depth - k), row))
                return REFUSED;
    }
    return DONE;
}

/* Fetches `bytes` bytes of the rows of the matrix after these ones, which hide the memory's latency: rows are too short
   for the processor to recognize that they follow each other. */
INLINED void prefetch(const void *w, int rows, int64_t w_step, int64_t bytes) {
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++)
        for (int64_t n = 0; n < bytes; n += 64) __builtin_prefetch((const char *)w + (rows + i) * w_step + n);
}

/* -- 8 bits -------------------------------------------------------------------------------------------------------- */

/* Adds the products of `count` integers from element k on, at most one group, to sum[f][i]. */
INLINED void add_group(int few, int rows, const Row *x, int64_t k, const int8_t *w, int64_t w_step, int64_t count,
                       const float *scale, int64_t scale_step, vec sum[MAX_FEW][4]) {
    mask c[MAX_FEW][4];
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) c[f][i] = (mask){0};
    int64_t n = 0;
    prefetch(w, rows, w_step, count);
    for (; n + WORDS <= count; n += WORDS)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            words weight = load_bytes(w + i * w_step + n);
#pragma GCC unroll 8
            for (int f = 0; f < few; f++) c[f][i] += add_pairs(weight, load_words(x[f].integers + k + n));
        }
    if (n < count)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            int8_t last[VECTOR_BYTES / 2] = {0};
            memcpy(last, w + i * w_step + n, (size_t)(count - n));
            words weight = load_bytes(last);
#pragma GCC unroll 8
            for (int f = 0; f < few; f++) c[f][i] += add_pairs(weight, load_words(x[f].integers + k + n));
        }
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++)
            sum[f][i] += __builtin_convertvector(c[f][i], vec) * all(scale[i * scale_step] * x[f].scales[k / 8]);
}

INLINED void dot_bytes(const WeightWords *s, int few, int rows, const Row *x, const uint8_t *w, const float *scale,
                       vec sum[MAX_FEW][4]) {
    int64_t groups = (s->depth + s->group - 1) / s->group;
    for (int64_t g = 0; g < groups; g++) {
        int64_t k = g * s->group;
        add_group(few, rows, x, k, (const int8_t *)w + k, s->depth, min_int(s->group, s->depth - k), scale + g, groups,
                  sum);
    }
}

/* -- 4 bits -------------------------------------------------------------------------------------------------------- */

/* The scales of the lanes of a block: of one group, or of `groups` groups of which `there` exist. */
INLINED vec scales_of(const float *scale, int64_t groups, int64_t there) {
    vec scales = all(scale[0]);
    for (int64_t g = 1; g < groups; g++) {
        float lanes[VECTOR_BYTES / sizeof(float)];
        for (int64_t lane = 0; lane < LANES; lane++) lanes[lane] = lane >= g * LANES / groups ? -1 : 0;
        scales = select(load(lanes) != 0, all(scale[min_int(g, there - 1)]), scales);
    }
    return scales;
}

INLINED void add_block(int few, int rows, const Row *x, int64_t k, const uint8_t *w, int64_t w_step, const float *scale,
                       int64_t scale_step, int64_t groups, int64_t there, vec sum[MAX_FEW][4]) {
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        words packed = load_words(w + i * w_step);
        __builtin_prefetch(w + (rows + i) * w_step);
        words weight[4] = {packed & 15, packed >> 4 & 15, packed >> 8 & 15, packed >> 12};
        vec scales = groups == 1 ? all(scale[i * scale_step]) : scales_of(scale + i * scale_step, groups, there);
#pragma GCC unroll 8
        for (int f = 0; f < few; f++) {
            mask c = (mask)load((const float *)x[f].offsets + k / 8);
#pragma GCC unroll 4
            for (int n = 0; n < 4; n++) c += add_pairs(weight[n], load_words(x[f].integers + k + n * WORDS));
            sum[f][i] += __builtin_convertvector(c, vec) * (scales * load(x[f].scales + k / 8));
        }
    }
}

INLINED void dot_halves(const WeightWords *s, int few, int rows, const Row *x, const uint8_t *w, const float *scale,
                        vec sum[MAX_FEW][4]) {
    int64_t groups = (s->depth + s->group - 1) / s->group, w_step = (s->depth + 1) / 2, k = 0;
    int64_t of_block = max_int(BLOCK / s->group, 1);
    if (of_block == 1)
        for (; k + BLOCK <= s->depth; k += BLOCK)
            add_block(few, rows, x, k, w + k / 2, w_step, scale + k / s->group, groups, 1, 1, sum);
    else
        for (; k + BLOCK <= s->depth; k += BLOCK)
            add_block(few, rows, x, k, w + k / 2, w_step, scale + k / s->group, groups, of_block, of_block, sum);
    if (k == s->depth) return;
    uint8_t last[4][BLOCK / 2];
    for (int i = 0; i < rows; i++) {
        memset(last[i], 0, BLOCK / 2);          /* these are multiplied by zeros */
        memcpy(last[i], w + i * w_step + k / 2, (size_t)(w_step - k / 2));
    }
    add_block(few, rows, x, k, last[0], BLOCK / 2, scale + k / s->group, groups, of_block, groups - k / s->group, sum);
}

/* -- both ---------------------------------------------------------------------------------------------------------- */

/* Computes `rows` columns of `few` rows of the result. */
INLINED void dots(const WeightWords *s, void *const *io, int few, int rows, int is_half, int64_t row, int64_t column) {
    int64_t groups = (s->depth + s->group - 1) / s->group, bytes = is_half ? (s->depth + 1) / 2 : s->depth;
    const uint8_t *w = (const uint8_t *)io[1] + column * bytes;
    const float *scale = (const float *)io[2] + column * groups;
    const float *bias = s->has_bias ? (const float *)io[3] + column : NULL;
    float *out = (float *)io[3 + s->has_bias] + row * s->columns + column;
    Row x[MAX_FEW];
    vec sum[MAX_FEW][4];
#pragma GCC unroll 8
    for (int f = 0; f < few; f++) {
        x[f] = row_of(s, io, row + f);
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) sum[f][i] = (vec){0};
    }
    if (is_half) dot_halves(s, few, rows, x, w, scale, sum);
    else dot_bytes(s, few, rows, x, w, scale, sum);
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) out[f * s->columns + i] = sum_lanes(sum[f][i]) + (bias ? bias[i] : 0);
}

#define ROWS_FOR(few) ((few) <= 2 ? 4 : (few) <= 4 ? 2 : 1)

/* One function for each number of rows and bits, because one function with all of them inlined takes much longer to
   compile. */
#define DOTS(few, bits, is_half)                                                                                     \
    static __attribute__((noinline)) void dots_##few##_##bits(const WeightWords *s, void *const *io, int64_t row,    \
                                                              Range range) {                                         \
        int64_t n = range.begin;                                                                                     \
        for (; n + ROWS_FOR(few) <= range.end; n += ROWS_FOR(few)) dots(s, io, few, ROWS_FOR(few), is_half, row, n); \
        for (; n < range.end; n++) dots(s, io, few, 1, is_half, row, n);                                             \
    }
#define DOTS_OF(bits, is_half)                                                                                       \
    DOTS(1, bits, is_half) DOTS(2, bits, is_half) DOTS(3, bits, is_half) DOTS(4, bits, is_half)                      \
    DOTS(5, bits, is_half) DOTS(6, bits, is_half) DOTS(7, bits, is_half) DOTS(8, bits, is_half)
DOTS_OF(8, 0)
DOTS_OF(4, 1)

static void (*const dots_of[2][MAX_FEW])(const WeightWords *, void *const *, int64_t, Range) = {
    {dots_1_8, dots_2_8, dots_3_8, dots_4_8, dots_5_8, dots_6_8, dots_7_8, dots_8_8},
    {dots_1_4, dots_2_4, dots_3_4, dots_4_4, dots_5_4, dots_6_4, dots_7_4, dots_8_4}};

/* data, weight, scale, bias if any | out | arranged data. Each part handles a range of columns, and a few of them with
   all rows before the next ones, so that these are read from the cache again. */
static int weight_word_dots(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const WeightWords *s = fields;
    Range range = range_of(s->columns, part, parts);
    int64_t step = s->rows <= MAX_FEW ? range.end - range.begin : COLUMNS;
    for (int64_t n = range.begin; n < range.end; n += step)
        for (int64_t row = 0; row < s->rows; row += MAX_FEW)
            dots_of[s->is_half != 0][min_int(s->rows - row, MAX_FEW) - 1](s, io, row,
                                                                          (Range){n, min_int(n + step, range.end)});
    return DONE;
}

KERNELS(KERNEL_OF_ANY_PARTS(arrange_words, WeightWords), KERNEL_OF_ANY_PARTS(weight_word_dots, WeightWords))

#endif
