/* Products of rows of reals with a matrix of integers of 8 or 4 bits, which have one scale per group of consecutive
   integers in a row of the matrix. In decoding, most of the time is spent reading the matrix, so its integers become
   reals in registers.

   Integers of 4 bits need the rows in another order: a vector of the matrix holds LANES words, and the i-th halves of
   its bytes are one operand, whose elements are NIBBLES apart. */

#include "../vector.h"

#if !defined(__AVX2__) || REAL_BITS == 64           /* elsewhere weights_words.c has these kernels */

#define INLINED static inline __attribute__((always_inline))

/* MAX_FEW: the number of rows that share what is read from the matrix. Rows of doubles are computed one by one, because
   they are rare, and their functions took longer to compile than any other file. */
enum { MAX_FEW = REAL_BITS == 32 ? 8 : 1, PADDED = 128, COLUMNS = 16 };
enum { NIBBLES = 2 * sizeof(real) };            /* integers of 4 bits in a word, which is as long as a real */
#define BLOCK (LANES * NIBBLES)                 /* integers of 4 bits in a vector */

FIELDS(WeightOnly,
    int64_t rows, depth, columns;               /* columns: the number of rows of the matrix */
    int64_t group;                              /* integers per scale, a power of 2, at least 32 */
    int64_t is_half, has_bias;                  /* is_half: integers have 4 bits */
)

/* Length of a row of arranged data: whole vectors, for each instruction set. */
static int64_t padded_depth(const WeightOnly *s) { return (s->depth + PADDED - 1) / PADDED * PADDED; }

/* data (rows, depth) -> the scratch buffer (rows, padded depth), with zeros at the end of each row. */
static int arrange_rows(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const WeightOnly *s = fields;
    int64_t width = padded_depth(s);
    Range range = range_of(s->rows, part, parts);
    for (int64_t row = range.begin; row < range.end; row++) {
        const real *data = (const real *)io[0] + row * s->depth;
        real *out = (real *)io[4 + s->has_bias] + row * width;
        if (!s->is_half) {
            memcpy(out, data, (size_t)s->depth * sizeof(real));
            memset(out + s->depth, 0, (size_t)(width - s->depth) * sizeof(real));
            continue;
        }
        for (int64_t start = 0; start < width; start += BLOCK)
            for (int64_t i = 0; i < NIBBLES; i++)
                for (int64_t lane = 0; lane < LANES; lane++) {
                    int64_t k = start + lane * NIBBLES + i;
                    out[start + i * LANES + lane] = k < s->depth ? data[k] : 0;
                }
    }
    return DONE;
}

/* -- 8 bits -------------------------------------------------------------------------------------------------------- */

/* LANES integers as reals. Compilers convert a vector of bytes in many steps. */
INLINED vec load_bytes(const int8_t *p) {
#if defined(__AVX512F__) && REAL_BITS == 32
    return (vec)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)p)));
#elif defined(__AVX2__) && REAL_BITS == 32
    return (vec)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)p)));
#else
    mask v;
    for (int64_t i = 0; i < LANES; i++) v[i] = p[i];
    return __builtin_convertvector(v, vec);
#endif
}

/* Adds the products of `count` integers, at most one group, to sum[f][i]. */
INLINED void add_group(int few, int rows, const real *x, int64_t x_step, const int8_t *w, int64_t w_step,
                       int64_t count, const float *scale, int64_t scale_step, vec sum[MAX_FEW][4]) {
    vec c[MAX_FEW][4];
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) c[f][i] = (vec){0};
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) {
            vec weight = load_bytes(w + i * w_step + k);
#pragma GCC unroll 8
            for (int f = 0; f < few; f++) c[f][i] += weight * load(x + f * x_step + k);
        }
    if (k < count)
        for (int i = 0; i < rows; i++) {
            int8_t last[VECTOR_BYTES / sizeof(real)] = {0};
            memcpy(last, w + i * w_step + k, (size_t)(count - k));
            vec weight = load_bytes(last);
            for (int f = 0; f < few; f++) c[f][i] += weight * load(x + f * x_step + k);
        }
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) sum[f][i] += c[f][i] * all((real)scale[i * scale_step]);
}

INLINED void dot_bytes(const WeightOnly *s, int few, int rows, const real *x, int64_t x_step, const uint8_t *w,
                       const float *scale, vec sum[MAX_FEW][4]) {
    int64_t groups = (s->depth + s->group - 1) / s->group;
    for (int64_t g = 0; g < groups; g++) {
        int64_t k = g * s->group;
        add_group(few, rows, x + k, x_step, (const int8_t *)w + k, s->depth, min_int(s->group, s->depth - k), scale + g,
                  groups, sum);
    }
}

/* -- 4 bits -------------------------------------------------------------------------------------------------------- */

/* A half of a byte in the mantissa of 2^e, where e is chosen so that its lowest bit has the value 1, is the real number
   2^e + integer. MANTISSA: the number of bits; LAST: the last half of a word that is in the mantissa. */
#if REAL_BITS == 32
enum { MANTISSA = 23, BIAS = 127, LAST = 4, SHIFT = 16 };
#else
enum { MANTISSA = 52, BIAS = 1023, LAST = 12, SHIFT = 32 };
#endif

/* The i-th integers of all words as reals. high: words shifted right by SHIFT. */
INLINED vec nibbles(mask words, mask high, int i) {
    int place = i <= LAST ? i : i - SHIFT / 4;
    bits power = (bits)(BIAS + MANTISSA - 4 * place) << MANTISSA;
    mask joined = ((i <= LAST ? words : high) & ((bits)15 << 4 * place)) | power;
    return (vec)joined - ((real)((int64_t)1 << (MANTISSA - 4 * place)) + 8);
}

/* The scales of the lanes of a block: of one group, or of `groups` groups of which `there` exist. */
INLINED vec scales_of(const float *scale, int64_t groups, int64_t there) {
    vec scales = all((real)scale[0]);
    for (int64_t g = 1; g < groups; g++) {
        real lanes[VECTOR_BYTES / sizeof(real)];
        for (int64_t lane = 0; lane < LANES; lane++) lanes[lane] = lane >= g * LANES / groups ? -1 : 0;
        scales = select(load(lanes) != 0, all((real)scale[min_int(g, there - 1)]), scales);
    }
    return scales;
}

INLINED void add_block(int few, int rows, const real *x, int64_t x_step, const uint8_t *w, int64_t w_step,
                       const float *scale, int64_t scale_step, int64_t groups, int64_t there, vec sum[MAX_FEW][4]) {
    vec c[MAX_FEW][4];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
        mask words;
        memcpy(&words, w + i * w_step, sizeof words);
        mask high = words >> SHIFT;
#pragma GCC unroll 16
        for (int n = 0; n < NIBBLES; n++) {
            vec weight = nibbles(words, high, n);
#pragma GCC unroll 8
            for (int f = 0; f < few; f++) {
                vec product = weight * load(x + f * x_step + n * LANES);
                if (n == 0) c[f][i] = product;
                else c[f][i] += product;
            }
        }
        vec scales = groups == 1 ? all((real)scale[i * scale_step]) : scales_of(scale + i * scale_step, groups, there);
#pragma GCC unroll 8
        for (int f = 0; f < few; f++) sum[f][i] += c[f][i] * scales;
    }
}

INLINED void dot_halves(const WeightOnly *s, int few, int rows, const real *x, int64_t x_step, const uint8_t *w,
                        const float *scale, vec sum[MAX_FEW][4]) {
    int64_t groups = (s->depth + s->group - 1) / s->group, w_step = (s->depth + 1) / 2, k = 0;
    int64_t of_block = max_int(BLOCK / s->group, 1);
    if (of_block == 1)
        for (; k + BLOCK <= s->depth; k += BLOCK)
            add_block(few, rows, x + k, x_step, w + k / 2, w_step, scale + k / s->group, groups, 1, 1, sum);
    else
        for (; k + BLOCK <= s->depth; k += BLOCK)
            add_block(few, rows, x + k, x_step, w + k / 2, w_step, scale + k / s->group, groups, of_block, of_block, sum);
    if (k == s->depth) return;
    uint8_t last[4][BLOCK / 2];
    for (int i = 0; i < rows; i++) {
        memset(last[i], 0x88, BLOCK / 2);       /* zeros */
        memcpy(last[i], w + i * w_step + k / 2, (size_t)(w_step - k / 2));
        if (s->depth % 2) {
            uint8_t *end = &last[i][w_step - k / 2 - 1];
            *end = (*end & 15) | 0x80;
        }
    }
    add_block(few, rows, x + k, x_step, last[0], BLOCK / 2, scale + k / s->group, groups, of_block,
              groups - k / s->group, sum);
}

/* -- both ---------------------------------------------------------------------------------------------------------- */

/* Computes `rows` columns of `few` rows of the result. */
INLINED void dots(const WeightOnly *s, void *const *io, int few, int rows, int is_half, int64_t row, int64_t column) {
    int64_t width = padded_depth(s), groups = (s->depth + s->group - 1) / s->group;
    int64_t bytes = is_half ? (s->depth + 1) / 2 : s->depth;
    const real *x = (const real *)io[4 + s->has_bias] + row * width;
    const uint8_t *w = (const uint8_t *)io[1] + column * bytes;
    const float *scale = (const float *)io[2] + column * groups;
    const real *bias = s->has_bias ? (const real *)io[3] + column : NULL;
    real *out = (real *)io[3 + s->has_bias] + row * s->columns + column;
    vec sum[MAX_FEW][4];
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) sum[f][i] = (vec){0};
    if (is_half) dot_halves(s, few, rows, x, width, w, scale, sum);
    else dot_bytes(s, few, rows, x, width, w, scale, sum);
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 4
        for (int i = 0; i < rows; i++) out[f * s->columns + i] = sum_lanes(sum[f][i]) + (bias ? bias[i] : 0);
}

#define ROWS_FOR(few) ((few) <= 2 ? 4 : (few) <= 4 ? 2 : 1)

/* One function for each number of rows, because one function with all of them inlined takes much longer to compile. */
#define DOTS(few)                                                                                                    \
    static __attribute__((noinline)) void dots_##few(const WeightOnly *s, void *const *io, int64_t row, Range range) { \
        int64_t n = range.begin;                                                                                     \
        for (; n + ROWS_FOR(few) <= range.end; n += ROWS_FOR(few)) dots(s, io, few, ROWS_FOR(few), s->is_half != 0, row, n); \
        for (; n < range.end; n++) dots(s, io, few, 1, s->is_half != 0, row, n);                                     \
    }
DOTS(1)
#if REAL_BITS == 32
DOTS(2) DOTS(3) DOTS(4) DOTS(5) DOTS(6) DOTS(7) DOTS(8)
#define ALL_DOTS dots_1, dots_2, dots_3, dots_4, dots_5, dots_6, dots_7, dots_8
#else
#define ALL_DOTS dots_1
#endif

static void (*const dots_of[MAX_FEW])(const WeightOnly *, void *const *, int64_t, Range) = {ALL_DOTS};

/* data, weight, scale, bias if any | out | arranged data. Each part handles a range of columns, and a few of them with
   all rows before the next ones, so that these are read from the cache again. */
static int weight_only_dots(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const WeightOnly *s = fields;
    Range range = range_of(s->columns, part, parts);
    int64_t step = s->rows <= MAX_FEW ? range.end - range.begin : COLUMNS;
    for (int64_t n = range.begin; n < range.end; n += step)
        for (int64_t row = 0; row < s->rows; row += MAX_FEW)
            dots_of[min_int(s->rows - row, MAX_FEW) - 1](s, io, row, (Range){n, min_int(n + step, range.end)});
    return DONE;
}

KERNELS(KERNEL_OF_ANY_PARTS(arrange_rows, WeightOnly), KERNEL_OF_ANY_PARTS(weight_only_dots, WeightOnly))

#endif
