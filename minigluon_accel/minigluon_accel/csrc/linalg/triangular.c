/* Systems of equations with triangular matrices, solved by substitution. */

#include "../vector.h"

/* A (batch, n, n), only one triangle of which is read; B (batch, n, m), or (batch, m, n) if A is on the right | X like
   B, with op(A) X = alpha B or X op(A) = alpha B. */
FIELDS(Triangular, int64_t batch, n, m, lower, transpose, rightside; double alpha;)

/* The numbers of columns and rows that are solved together; their sums stay in registers. */
enum { VECTORS = 4, ROWS = 4 };
#define WIDTH (VECTORS * LANES)

/* The system, viewed as one with a lower triangle that is solved from the first row down: a[i * row + k * column], k <=
   i. */
typedef struct { const real *a; int64_t row, column; } Lower;

/* x (n, WIDTH) holds alpha B and is overwritten with X. Solves rows `first` to first + rows - 1; the rows before them
   are already solved. */
static inline __attribute__((always_inline)) void solve_rows(Lower t, real *x, int64_t first, int rows) {
    vec sums[ROWS][VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < VECTORS; v++) sums[r][v] = load(x + (first + r) * WIDTH + v * LANES);
    for (int64_t k = 0; k < first; k++) {
        vec known[VECTORS];
        for (int v = 0; v < VECTORS; v++) known[v] = load(x + k * WIDTH + v * LANES);
        for (int r = 0; r < rows; r++) {
            real a = t.a[(first + r) * t.row + k * t.column];
            for (int v = 0; v < VECTORS; v++) sums[r][v] -= a * known[v];
        }
    }
    for (int r = 0; r < rows; r++) {
        const real *a = t.a + (first + r) * t.row + first * t.column;
        for (int v = 0; v < VECTORS; v++) {
            for (int k = 0; k < r; k++) sums[r][v] -= a[k * t.column] * sums[k][v];
            sums[r][v] = sums[r][v] / a[r * t.column];
            store(x + (first + r) * WIDTH + v * LANES, sums[r][v]);
        }
    }
}

/* Each part handles a range of the strips of WIDTH columns (rows, if op(A) is on the right) of all matrices. */
static int trsm(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Triangular *s = fields;
    int64_t n = s->n, m = s->m, strips = (m + WIDTH - 1) / WIDTH;
    Range range = range_of(s->batch * strips, part, parts);
    real *x = thread_scratch(n * WIDTH * sizeof(real));
    if (!x) return NO_MEMORY;
    /* X op(A) = B is op(A)ᵀ Xᵀ = Bᵀ; an upper triangle is a lower one that is read from the last row up */
    int turned = (s->transpose != 0) != (s->rightside != 0), upward = (s->lower != 0) == turned;
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *a = (const real *)io[0] + i / strips * n * n, *b = (const real *)io[1] + i / strips * n * m;
        real *out = (real *)io[2] + i / strips * n * m;
        int64_t begin = i % strips * WIDTH, count = min_int(m - begin, WIDTH);
        int64_t down = s->rightside ? 1 : m, across = s->rightside ? n : 1, start = begin * across;
        Lower t = {a, turned ? 1 : n, turned ? n : 1};
        if (upward) {
            t = (Lower){a + n * n - 1, -t.row, -t.column};
            start += (n - 1) * down;
            down = -down;
        }
        for (int64_t r = 0; r < n; r++) {
            if (t.a[r * (t.row + t.column)] == 0) return REFUSED;
            for (int64_t c = 0; c < WIDTH; c++)
                x[r * WIDTH + c] = c < count ? (real)s->alpha * b[start + r * down + c * across] : 0;
        }
        int64_t r = 0;
        for (; r + ROWS <= n; r += ROWS) solve_rows(t, x, r, ROWS);
        for (; r < n; r++) solve_rows(t, x, r, 1);
        for (r = 0; r < n; r++)
            for (int64_t c = 0; c < count; c++) out[start + r * down + c * across] = x[r * WIDTH + c];
    }
    return DONE;
}

KERNELS(KERNEL(trsm, Triangular))
