/* Windows with stride 1 and "same" padding, one per element of an image. Each tap then has the same offset from every
   window, and an image can be treated as one line. A vector of that line spans several rows if these are short; lanes
   whose tap is outside the image are masked. So, unlike in a Scene, nothing is copied, and no lane is idle.

   Some processors read the elements that a mask hides, so this method works inside an array, but not at its ends. */

#ifndef MINIGLUON_DENSE_WINDOWS_H
#define MINIGLUON_DENSE_WINDOWS_H

#include "convolution_windows.h"

/* The maximum numbers of elements and taps in an image; beyond these, computing the masks would take long compared with
   the work of a part. */
enum { MOST_FLAT = 1024, MOST_TAPS = 25 };

/* The active lanes, in the form in which a table stores them. load_where loads these lanes of `p`; the other lanes are
   zero. */
#if defined(__AVX512F__) && REAL_BITS == 32
typedef __mmask16 Where;
static inline Where where(mask m) { return _mm512_test_epi32_mask((__m512i)m, (__m512i)m); }
static inline vec load_where(const real *p, Where lanes) { return (vec)_mm512_maskz_loadu_ps(lanes, p); }
#elif defined(__AVX512F__)
typedef __mmask8 Where;
static inline Where where(mask m) { return _mm512_test_epi64_mask((__m512i)m, (__m512i)m); }
static inline vec load_where(const real *p, Where lanes) { return (vec)_mm512_maskz_loadu_pd(lanes, p); }
#else
typedef mask Where;
static inline Where where(mask m) { return m; }
static inline vec load_where(const real *p, Where lanes) { return (vec)((mask)load(p) & lanes); }
#endif

typedef struct {
    int64_t size, chunks, taps;     /* number of elements, vectors and taps of an image */
    int64_t before, behind;         /* number of elements that are read before and after the image */
    int64_t *offsets;               /* distance from a window to its element at each tap */
    Where *lanes;                   /* [tap][chunk]: the windows of the chunk whose tap is inside the image */
} Flat;

static inline int is_flat_axis(Axis a) { return a.in == a.out && a.step == 1; }
static inline int64_t flat_size(Windows w) { return w.z.in * w.y.in * w.x.in; }
static inline int64_t flat_chunks(Windows w) { return (flat_size(w) + LANES - 1) / LANES; }
static inline int64_t flat_taps(Windows w) { return w.z.taps * w.y.taps * w.x.taps; }
static inline int is_flat(Windows w) {
    int fits = flat_size(w) <= MOST_FLAT && flat_taps(w) <= MOST_TAPS;
    return fits && is_flat_axis(w.z) && is_flat_axis(w.y) && is_flat_axis(w.x);
}

/* Size of the tables in bytes, aligned to 64; 0 if the windows are not dense. */
static inline size_t flat_bytes(Windows w) {
    size_t lanes = flat_chunks(w) * flat_taps(w) * sizeof(Where), offsets = flat_taps(w) * sizeof(int64_t);
    return is_flat(w) ? (lanes + 63) / 64 * 64 + (offsets + 63) / 64 * 64 : 0;
}

typedef struct { mask z, y, x; } Places;        /* number of windows along each axis */

/* The positions of the windows in a chunk. `next` is the position of the first window, and becomes the position of the
   window after the last one. */
static inline Places find_places(Windows w, bits next[3]) {
    bits at[3][VECTOR_BYTES / sizeof(real)];
    Places found;
    for (int64_t i = 0; i < LANES; i++) {
        for (int axis = 0; axis < 3; axis++) at[axis][i] = next[axis];
        if (++next[2] == w.x.in) next[2] = 0, next[1]++;
        if (next[1] == w.y.in) next[1] = 0, next[0]++;
    }
    memcpy(&found.z, at[0], sizeof found.z), memcpy(&found.y, at[1], sizeof found.y);
    memcpy(&found.x, at[2], sizeof found.x);
    return found;
}

/* Whether tap t of the windows at these positions is inside the image. */
static inline mask is_seen(Axis a, mask places, int64_t t) {
    mask seen = places + (bits)(a.first + t * a.apart);
    return (seen >= 0) & (seen < (bits)a.in);
}

static inline Flat make_flat(void *memory, Windows w) {
    Flat f = {flat_size(w), flat_chunks(w), flat_taps(w), 0, 0, memory, NULL};
    f.lanes = (Where *)((char *)memory + (f.taps * sizeof(int64_t) + 63) / 64 * 64);
    bits next[3] = {0};
    for (int64_t chunk = 0; chunk < f.chunks; chunk++) {
        Places places = find_places(w, next);
        mask there = places.z < (bits)w.z.in;           /* false after the last window */
        for (int64_t i = 0, t = 0; i < w.z.taps; i++) {
            mask z = there & is_seen(w.z, places.z, i);
            for (int64_t j = 0; j < w.y.taps; j++) {
                mask zy = z & is_seen(w.y, places.y, j);
                for (int64_t l = 0; l < w.x.taps; l++, t++)
                    f.lanes[t * f.chunks + chunk] = where(zy & is_seen(w.x, places.x, l));
            }
        }
    }
    for (int64_t i = 0, t = 0; i < w.z.taps; i++)
        for (int64_t j = 0; j < w.y.taps; j++)
            for (int64_t l = 0; l < w.x.taps; l++, t++) {
                int64_t line = (w.z.first + i * w.z.apart) * w.y.in + w.y.first + j * w.y.apart;
                f.offsets[t] = line * w.x.in + w.x.first + l * w.x.apart;
                f.before = max_int(f.before, -f.offsets[t]), f.behind = max_int(f.behind, f.offsets[t] + LANES);
            }
    return f;
}

/* Whether all elements that the masks hide may be read. */
static inline int lies_within(const Flat *f, const real *image, const real *begin, const real *end) {
    return image - begin >= f->before && end - image >= f->size + f->behind;
}

#endif
