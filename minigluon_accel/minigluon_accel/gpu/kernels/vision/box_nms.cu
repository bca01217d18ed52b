// Suppression of boxes that overlap a better box, in four launches. These launches order the rows, find the rows that
// survive, and write the output. Rows are (batch, n, width); order (batch, n) contains row indices, best first, then -1
// for each excluded row; alive (batch, n) says which of these rows survive.
#include "vision/boxes.cuh"

// One thread for each row counts the rows before it: in descending order of scores with `by_score`, otherwise in their
// original order.
extern "C" __global__ void order_rows(int *order, const T *rows, long long total, long long n, long long width,
                                      long long score_index, long long id_index, double valid_above, double background,
                                      long long by_score) {
    for_each(i, total) {
        const T *all = rows + i / n * n * width;
        long long mine = i % n, before = 0, valid_ones = 0;
#define VALID(row) ((A)(row)[score_index] > (A)valid_above && !(id_index >= 0 && (A)(row)[id_index] == (A)background))
        bool valid = VALID(all + mine * width);
        A score = (A)all[mine * width + score_index];
        for (long long other = 0; other < n; ++other) {
            bool takes_part = VALID(all + other * width);
            A found = (A)all[other * width + score_index];
            valid_ones += takes_part;
            bool first = other < mine;
            if (valid && by_score) first = found > score || (found == score && first);
            before += takes_part == valid && first;
        }
        order[i / n * n + before + (valid ? 0 : valid_ones)] = valid ? (int)mine : -1;
    }
}

// One block for each item of the batch visits the rows in this order; for each survivor, all threads suppress the boxes
// that overlap it too much. most < 0: no limit.
extern "C" __global__ void suppress(bool *alive, const int *order, const T *rows, long long batch, long long n,
                                    long long width, long long first, long long id_index, double threshold,
                                    long long reaches, double pixel, long long topk, long long most,
                                    long long centered) {
    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        const T *all = rows + b * n * width;
        const int *names = order + b * n;
        bool *lives = alive + b * n;
        for (long long j = threadIdx.x; j < n; j += blockDim.x) lives[j] = names[j] >= 0 && j < topk;
        __syncthreads();
        long long kept = 0;
        for (long long i = 0; i < n && names[i] >= 0; ++i) {
            bool survives = lives[i];           // the same for all threads
            if (survives) {
                bool full = ++kept == most;
                const T *row = all + names[i] * width;
                Box box = box_at(row + first, centered);
                for (long long j = i + 1 + threadIdx.x; j < n; j += blockDim.x) {
                    if (!lives[j]) continue;
                    const T *other = all + names[j] * width;
                    bool same_kind = id_index < 0 || (A)row[id_index] == (A)other[id_index];
                    A found = same_kind ? overlap_of(box, box_at(other + first, centered), (A)pixel) : (A)-1;
                    if (full || (same_kind && (reaches ? found >= (A)threshold : found > (A)threshold)))
                        lives[j] = false;
                }
                __syncthreads();
            }
        }
        __syncthreads();
    }
}

// Writes the survivors, in order, to out (batch, n, width) and their indices to index (batch, n), followed by rows of
// -1. turn: 1 writes coordinates as center and size, 2 as corners; 0 leaves them unchanged.
extern "C" __global__ void collect(T *out, int *index, const bool *alive, const int *order, const T *rows,
                                   long long total, long long n, long long width, long long first, long long turn) {
    for_each(i, total) {
        const bool *lives = alive + i / n * n;
        long long mine = i % n, alive_before = 0, all_alive = 0;
        for (long long j = 0; j < n; ++j) {
            all_alive += lives[j];
            alive_before += j < mine && lives[j];
        }
        bool kept = lives[mine];
        long long place = i / n * n + (kept ? alive_before : all_alive + mine - alive_before);
        const T *row = kept ? rows + (i / n * n + order[i]) * width : rows;
        index[place] = kept ? order[i] : -1;
        for (long long k = 0; k < width; ++k) out[place * width + k] = kept ? row[k] : (T)-1;
        if (!kept || !turn) continue;
        T *to = out + place * width + first;
        if (turn == 2) {
            Box box = box_at(row + first, true);
            to[0] = convert<T>(box.left); to[1] = convert<T>(box.top);
            to[2] = convert<T>(box.right); to[3] = convert<T>(box.bottom);
        } else {
            A wide = (A)row[first + 2] - (A)row[first], high = (A)row[first + 3] - (A)row[first + 1];
            to[0] = convert<T>((A)row[first] + wide * (A)0.5);
            to[1] = convert<T>((A)row[first + 1] + high * (A)0.5);
            to[2] = convert<T>(wide);
            to[3] = convert<T>(high);
        }
    }
}

// Copies rows of grad to the rows that index identifies as their source; ignores -1.
extern "C" __global__ void back_to_rows(T *out, const T *grad, const int *index, long long total, long long n,
                                        long long width) {
    for_each(i, total) {
        long long row = i / width;
        if (index[row] >= 0 && index[row] < n) out[(row / n * n + index[row]) * width + i % width] = grad[i];
    }
}

// Copies the rows selected by index; writes zeros for -1.
extern "C" __global__ void chosen_rows(T *out, const T *data, const int *index, long long total, long long n,
                                       long long width) {
    for_each(i, total) {
        long long row = i / width;
        out[i] = index[row] >= 0 && index[row] < n ? data[(row / n * n + index[row]) * width + i % width] : (T)0;
    }
}
