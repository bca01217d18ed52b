"""Wrong answers that people give to the CUDA puzzles, and what the course says to each: three or more of each puzzle.

A row: (text of the solution, what stands there instead, what is said; # stands for the number of a line). Without the
first text the whole hole is replaced.
"""

WRONG = {
    "p01_map": [
        ("int i = threadIdx.x;", "int i = 0;",
         "a race for out[0]: thread 0 of block 0 and thread 1 of block 0 both write it in line #. Let only one "
         "thread write each element"),
        ("int i = threadIdx.x;", "int i = threadIdx.x + 1;",
         "thread 3 of block 0 reads x[4] in line #, but x has 4 elements, x[0] to x[3]: this index goes too far"),
        ("x[i] + 10", "x[0] + 10",
         "out[1] is 17; expected 13. That is x[0] + 10 everywhere: the thread index is missing in x[...]"),
    ],
    "p02_guard": [
        ("if (i < n)\n", "",
         "thread 31 of block 0 reads x[31] in line #, but x has 20 elements, x[0] to x[19]: a guard is missing. A "
         "thread that has no element of its own must not touch one"),
        ("if (i < n)", "if (i <= n)",
         "thread 20 of block 0 reads x[20] in line #, but x has 20 elements, x[0] to x[19]: one too far. Does a "
         "comparison have <= where it needs <?"),
        ("if (i < n)", "if (i < n - 1)",
         "out[19], the last element, is never written. Does a guard or a loop end one too early?"),
    ],
    "p03_broadcast": [
        ("a[row] + b[column]", "a[column] + b[row]",
         "out[0][1] is 2; expected 7. That is a[column] + b[row]: rows and columns are swapped"),
        ("row * columns + column", "row * rows + column",
         "a race for out[0][5]: thread (x=5, y=0) of block 0 and thread (x=0, y=1) of block 0 both write it in line "
         "#. Let only one thread write each element"),
        ("row < rows && column < columns", "row < rows",
         "thread (x=7, y=4) of block 0 reads b[7] in line #, but b has 7 elements, b[0] to b[6]: a guard is missing. "
         "A thread that has no element of its own must not touch one"),
        ("row < rows && column < columns", "row * columns + column < rows * columns",
         "thread (x=7, y=3) of block 0 reads b[7] in line #, but b has 7 elements, b[0] to b[6]: a guard is missing. "
         "A thread that has no element of its own must not touch one"),
    ],
    "p04_blocks": [
        ("blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x",
         "a race for out[0]: thread 0 of block 0 and thread 0 of block 1 both write it in line #. The block index is "
         "missing in the index"),
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * gridDim.x + threadIdx.x",
         "a race for out[2]: thread 2 of block 0 and thread 0 of block 1 both write it in line #. Let only one "
         "thread write each element"),
        ("    if (i < n)\n", "",
         "thread 31 of block 2 reads x[95] in line #, but x has 70 elements, x[0] to x[69]: a guard is missing. A "
         "thread that has no element of its own must not touch one"),
    ],
    "p05_shared_memory": [
        ("    __syncthreads();\n", "",
         "a race for piece[6]: thread 6 of block 0 writes it in line #, and thread 7 of block 0 reads it in line #, "
         "with no __syncthreads() between the two. Which of them comes first is a matter of chance"),
        ("    piece[threadIdx.x] = i < n", "    if (i >= n)\n        return;\n    piece[threadIdx.x] = i < n",
         "only 4 of the 8 threads of block 2 came to the __syncthreads() in line #. A card may then wait forever: no "
         "thread may return before a barrier, or skip it with an if"),
        ("piece[threadIdx.x] = i < n", "piece[i] = i < n",
         "line # uses index 15 of piece, which has the size [8]: shared memory is indexed within a block, from 0, "
         "not along the whole array"),
        ("__shared__ float piece", "float piece",
         "out is wrong, and no array of this kernel is in shared memory: without __shared__, each thread has its own "
         "array"),
        ("-INFINITY", "0",
         "out[16] is -3; expected -2. That is what comes out when threads without an element bring 0"),
        ("largest = fmaxf(largest, piece[k])",
         "largest = fmaxf(largest, i - threadIdx.x + k < n ? x[i - threadIdx.x + k] : -INFINITY)",
         "right, but x[1] is read 9 times from global memory in line #; expected once: fetch it into shared memory, "
         "from which all threads of the block can read it"),
    ],
    "p06_stencil": [
        ("    if (t == 0)\n        tile[0] = i > 0 ? x[i - 1] : 0;\n", "",
         "thread 0 of block 0 reads tile[0] in line #, which no thread has written: shared memory begins with "
         "nothing useful in it"),
        ("i > 0 ? x[i - 1] : 0", "x[i - 1]",
         "thread 0 of block 0 reads x[-1] in line #, but x has 8 elements, x[0] to x[7]: there is nothing before the "
         "first element"),
        ("    __syncthreads();\n", "",
         "a race for tile[7]: thread 6 of block 0 writes it in line #, and thread 7 of block 0 reads it in line #, "
         "with no __syncthreads() between the two. Which of them comes first is a matter of chance"),
        ("tile[0] = i > 0 ? x[i - 1] : 0", "tile[0] = 0",
         "out[8] is 0; expected -9. That is what comes out when a block has 0 before its own piece: the halo is the "
         "neighbours' numbers"),
    ],
    "p07_dot": [
        ("    part[t] = sum;\n    __syncthreads();\n", "    part[t] = sum;\n",
         "a race for part[1]: thread 1 of block 0 writes it in line #, and thread 0 of block 0 reads it in line #, "
         "with no __syncthreads() between the two. Which of them comes first is a matter of chance"),
        ("    for (int i = t; i < n; i += THREADS)\n        sum", "    int i = t;\n    if (i < n)\n        sum",
         "out[0] is -73; expected -284. That is the sum of the first 8 products: each thread has more than one, 8 "
         "elements apart"),
        ("    part[t] = sum;", "    out[0] += sum;\n    part[t] = sum;",
         "a race for out[0]: thread 0 of block 0 writes it in line #, and thread 1 of block 0 reads it in line #. "
         "Which of them comes first is a matter of chance"),
        ("        float total = 0;\n        for (int k = 0; k < THREADS; ++k)\n            total += part[k];\n"
         "        out[0] = total;\n",
         "        for (int k = 0; k < THREADS; ++k)\n            out[0] += part[k];\n",
         "thread 0 of block 0 reads out[0] in line # before anything is written there: out begins with nothing useful "
         "in it"),
        ("    if (t == 0) {", "    {",
         "a race for out[0]: thread 0 of block 0 and thread 1 of block 0 both write it in line #. Let only one "
         "thread write each element"),
    ],
    "p08_reduction": [
        ("        __syncthreads();\n", "",
         "a race for part[31]: thread 31 of block 0 writes it in line #, and thread 15 of block 0 reads it in line "
         "#, with no __syncthreads() between the two. Which of them comes first is a matter of chance"),
        ("        __syncthreads();\n        if (t < half)\n            part[t] += part[t + half];\n",
         "        if (t < half) {\n            __syncthreads();\n            part[t] += part[t + half];\n        }\n",
         "only 16 of the 32 threads of block 0 came to the __syncthreads() in line #. A card may then wait forever: "
         "no thread may return before a barrier, or skip it with an if"),
        ("half > 0", "half > 1",
         "out[0] is 15; expected 18. That is the sum of every second number: the last round, with half = 1, is "
         "missing"),
        ("i < n ? x[i] : 0", "x[i]",
         "thread 31 of block 2 reads x[95] in line #, but x has 70 elements, x[0] to x[69]: a guard is missing. A "
         "thread that has no element of its own must not touch one"),
    ],
    "p09_scan": [
        ("        float left = t >= by ? sum[t - by] : 0;\n        __syncthreads();\n        sum[t] += left;\n",
         "        if (t >= by)\n            sum[t] += sum[t - by];\n",
         "a race for sum[1]: thread 1 of block 0 writes it in line #, and thread 2 of block 0 reads it in line #, "
         "with no __syncthreads() between the two. Which of them comes first is a matter of chance"),
        ("        float left = t >= by ? sum[t - by] : 0;\n        __syncthreads();\n        sum[t] += left;\n",
         "        if (t >= by) {\n"
         "            float left = sum[t - by];\n"
         "            __syncthreads();\n"
         "            sum[t] += left;\n"
         "        }\n",
         "threads of one block wait at two different barriers: some at the __syncthreads() in line #, some at that "
         "in line #. All threads of a block must reach the same one: do not put a barrier in an if or a loop that "
         "only some of them enter"),
        ("t >= by ?", "t > by ?",
         "out[0][1] is 3; expected 10. That is what comes out with t > by: thread `by` also has a neighbour, thread 0"),
        ("out[i] = sum[t];", "out[i] = sum[t] - x[i];",
         "out[0][0] is 0; expected 7. That is the sum of the numbers before, without the number itself"),
    ],
    "p10_softmax": [
        ("    top = part[0];\n    __syncthreads();", "    top = part[0];\n",
         "a race for part[0]: thread 1 of block 0 reads it in line #, and thread 0 of block 0 writes it in line #, "
         "with no __syncthreads() between the two. Which of them comes first is a matter of chance"),
        ("    top = part[0];\n", "    top = 0;\n",
         "out[0][8] is nan; expected 1. That is what comes out when exp is taken of large numbers: take the largest "
         "of the row away first"),
        ("/ part[0]", "/ sum",
         "out[0][0] is 1; expected 0.981103. That is a division by the thread's own sum: that of the row is in "
         "part[0] after reduce"),
    ],
    "p11_transpose": [
        ("[TILE + 1]", "[TILE]",
         "right, but with bank conflicts: thread (x=0, y=0) of block 0 reads tile[0][0] and thread (x=1, y=0) of "
         "block 0 tile[1][0] at once in line #. Their places differ by a multiple of 32 words, so they are in one "
         "bank, and the warp is served in 32 turns instead of one. One more column in the tile moves each row on by "
         "one bank"),
        ("    __syncthreads();\n", "",
         "a race for tile[30][31]: thread (x=31, y=30) of block 0 writes it in line #, and thread (x=30, y=31) of "
         "block 0 reads it in line #, with no __syncthreads() between the two. Which of them comes first is a matter "
         "of chance"),
        ("= tile[tx][ty]", "= tile[ty][tx]",
         "out[0][1] is 3; expected -8. That is x itself: nothing is transposed. "
         "Read the tile by columns: tile[tx][ty]"),
        (None,
         "    __shared__ float tile[TILE][TILE + 1];\n"
         "    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;\n"
         "    if (row < height && column < width)\n"
         "        out[column * height + row] = x[row * width + column];\n",
         "right, but not coalesced: thread (x=0, y=0) of block 0 writes out[0][0] and thread (x=1, y=0) of block 0, "
         "its neighbour, out[1][0] in line #. The 32 threads of a warp need 32 pieces of memory at once instead of "
         "4: let threadIdx.x count the elements that lie side by side"),
    ],
    "p12_tiled_product": [
        ("        __syncthreads();                                        /* and have been used */\n", "",
         "a race for left[0][0]: thread (x=0, y=0) of block (x=0, y=0) writes it in line #, and thread (x=1, y=0) of "
         "block (x=0, y=0) reads it in line #, with no __syncthreads() between the two. Which of them comes first is "
         "a matter of chance"),
        ("row < rows && start + tx < depth ? a[row * depth + start + tx] : 0", "a[row * depth + start + tx]",
         "thread (x=7, y=7) of block (x=0, y=1) reads a[307] in line #, but a has 10 x 20 elements, a[0] to a[199]: "
         "this index goes too far. Is a guard missing for it?"),
        ("start < depth; start += TILE", "start < 1; start += TILE",
         "out[0][0] is -9; expected 34. That is only the product of the first tiles"),
        ("left[ty][k] * right", "a[row * depth + start + k] * right",
         "thread (x=0, y=2) of block (x=0, y=1) reads a[200] in line #, but a has 10 x 20 elements, a[0] to a[199]: "
         "this index goes too far. Is a guard missing for it?"),
    ],
    "p13_convolution": [
        ("    for (int i = ty * TILE + tx; i < SIDE * SIDE; i += TILE * TILE) {", "    int i = ty * TILE + tx;\n    {",
         "thread (x=2, y=4) of block 0 reads tile[6][4] in line #, which no thread has written: shared memory begins "
         "with nothing useful in it"),
        ("w[i * 3 + j]", "w[(2 - i) * 3 + 2 - j]",
         "out[0][0] is -124; expected -37. That is the result of the flipped filter: weight w[i][j] meets x[row + "
         "i][column + j]"),
        ("    __syncthreads();\n", "",
         "a race for tile[6][3]: thread (x=7, y=7) of block 0 writes it in line #, and thread (x=3, y=6) of block 0 "
         "reads it in line #, with no __syncthreads() between the two. Which of them comes first is a matter of "
         "chance"),
        ("row * (width - 2) + column", "row * width + column",
         "thread (x=4, y=6) of block 0 writes out[64] in line #, but out has 8 x 8 elements, out[0] to out[63]: this "
         "index goes too far"),
    ],
    "p14_attention": [
        ("            score /= sqrtf(D);\n", "",
         "out[0][0] is -0.305409; expected -0.0234453. That is what comes out when the scores are not divided by "
         "sqrt(D)"),
        ("sum[d] * factor + weight", "sum[d] + weight",
         "out[0][0] is 1.02441; expected -0.0234453. That is what comes out when sum keeps what was added up "
         "relative to an older top: multiply by exp(old top - new top)"),
        ("j < THREADS && start + j < keys", "j < THREADS",
         "out[0][0] is 0.549062; expected 0.354143. That is what comes out when the last tile, which is short, is "
         "used to its end: rows of the tile before are still there"),
        ("        __syncthreads();\n", "",
         "a race for key[6][0]: thread 6 of block 0 writes it in line #, and thread 7 of block 0 reads it in line #, "
         "with no __syncthreads() between the two. Which of them comes first is a matter of chance"),
    ],
}

# Changes of a solution that change no result, and no rule: what `learn_gpu.py --mutants` prints -> why.
EQUIVALENT = {
    "scan: for (int by = 1; by < THREADS; by *= 2) {  ->  for (int by = 1; by <= THREADS; by *= 2) {":
        "one more round, in which no thread has a neighbour",
    "scan: for (int by = 1; by < THREADS; by *= 2) {  ->  for (int by = 1; by < (THREADS - 1); by *= 2) {":
        "the last round is by = 16 in both",
    "softmax: for (int i = t; i < n; i += THREADS)  ->  for (int i = t; i < n; i += (THREADS - 1))":
        "in the loop for the largest: some numbers are looked at twice",
    "tiled_product: for (int start = 0; start < depth; start += TILE) {  ->  for (int start = 0; start <= depth; "
    "start += TILE) {":
        "one more pair of tiles, full of zeros",
    "attention: float score = 0;  ->  float score = 1;": "softmax does not change with a number added to all scores",
}
