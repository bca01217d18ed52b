"""Wrong answers to step 17, and what the course says to them."""

WRONG = [
    ("x[i] < 0 ? 0 : x[i]", "x[i] > 0 ? x[i] : 0",
     "relu of [nan, -inf, inf, -1, 0.5] is [0. , 0. , inf, 0. , 0.5]; expected [nan, 0. , inf, 0. , 0.5]: NaN stays "
     "NaN"),
    ("i < count; i++", "i <= count; i++",
     "relu of 3 numbers: it has written behind the array out: a loop starts too early or goes too far"),
    ("(i * length + j) * inner + k", "(i * length + j) + k", "out[i][j][k] = x[i][j][k] + row[j]"),
    ("out[i * columns + j] = sum;", "out[i * columns + j] += sum;",
     "out[i][j] is the sum of x[i][k] * weight[j][k] over k"),
    ("weight[j * depth + k]", "weight[k * columns + j]",
     "matrix_product of x (2, 2) and weight (2, 2) is"),
    ("            float sum = 0;\n", "", "this does not compile: 'sum' undeclared"),
]
