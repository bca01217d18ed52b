/* Replaces everything after the end of each sequence with a constant. */

#include "../vector.h"

/* data (rows, columns, inner), lengths | out like data. by_row: rows are time steps and each column has a length;
   otherwise columns are time steps and each row has a length. */
FIELDS(SequenceMask, int64_t rows, columns, inner, by_row; double value;)

/* Each part handles a range of rows. */
static int sequence_mask(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const SequenceMask *s = fields;
    Range range = range_of(s->rows, part, parts);
    const real *data = (const real *)io[0] + range.begin * s->columns * s->inner, *lengths = io[1];
    real *out = (real *)io[2] + range.begin * s->columns * s->inner;
    for (int64_t row = range.begin; row < range.end; row++)
        for (int64_t column = 0; column < s->columns; column++, data += s->inner, out += s->inner) {
            int64_t step = s->by_row ? row : column, which = s->by_row ? column : row;
            if ((real)step + 1 <= lengths[which]) {      /* a length is rounded towards zero; NaN never matches */
                memcpy(out, data, s->inner * sizeof(real));
            } else {
                for (int64_t i = 0; i < s->inner; i++) out[i] = (real)s->value;
            }
        }
    return DONE;
}

KERNELS(KERNEL(sequence_mask, SequenceMask))
