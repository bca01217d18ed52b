// log |Γ(x)| and its derivatives in double, by the series that minigluon/ops/special.py names.

#define SPECIAL_PI 3.14159265358979323846
#define SPECIAL_LARGE 12        // from here on the asymptotic series are exact to double

// sin(π x), exact at whole numbers.
__device__ inline double sine_of_pi(double x) {
    double whole = rint(x), value = sin(SPECIAL_PI * (x - whole));
    return fmod(whole, 2.0) == 0 ? value : -value;
}

// The Bernoulli numbers B(2j), j from 1.
__device__ inline double bernoulli(int j) {
    const double numbers[9] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510,
                               43867.0 / 798};
    return numbers[j - 1];
}

// x >= 0.5, or NaN.
__device__ inline double log_gamma_right(double z) {
    const double lanczos[9] = {0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
                               -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
                               1.5056327351493116e-7};
    if (z < SPECIAL_LARGE) {
        double sum = lanczos[0], t = z + 6.5;
        for (int k = 1; k < 9; ++k) sum += lanczos[k] / (z - 1 + k);
        return log(sum * sqrt(2 * SPECIAL_PI)) + (z - 0.5) * log(t) - t;
    }
    double series = 0, power = 1 / z;
    for (int j = 1; j < 10; ++j, power /= z * z) series += bernoulli(j) / (2 * j * (2 * j - 1)) * power;
    return (z - 0.5) * log(z) - z + log(2 * SPECIAL_PI) / 2 + series;
}

// log |Γ(x)|; infinite at 0 and the negative whole numbers.
__device__ inline double log_gamma(double x) {
    if (isinf(x) || (x <= 0 && x == floor(x))) return MINIGLUON_INFINITY;
    if (x < 0.5) return log(SPECIAL_PI / fabs(sine_of_pi(x))) - log_gamma_right(1 - x);
    return log_gamma_right(x);
}

// d/dx log Γ(x), by recurrence into x >= 12 and the asymptotic series; reflected for negative x.
__device__ inline double digamma(double x) {
    double fraction = x - rint(x), z = x < 0 ? 1 - x : x, y = 0;
    if (x < 0 && fraction == 0) return MINIGLUON_NAN;
    for (; z < SPECIAL_LARGE; z += 1) y -= 1 / z;
    double series = 0, power = 1 / (z * z);
    for (int j = 1; j < 10; ++j, power /= z * z) series += bernoulli(j) / (2 * j) * power;
    y += log(z) - 0.5 / z - series;
    return x < 0 ? y - SPECIAL_PI / tan(SPECIAL_PI * fraction) : y;
}

// The n-th derivative of digamma, n >= 1: (-1)ⁿ⁺¹ n! ζ(n + 1, x), Hurwitz's zeta by Euler and Maclaurin. NaN below -1000.
__device__ inline double polygamma(int n, double x) {
    double s = n + 1, factorial = 1, zeta = 0, z = x, large = SPECIAL_LARGE + n;
    for (int k = 2; k <= n; ++k) factorial *= k;
    double outside = n % 2 ? factorial : -factorial;
    if (x < -1000) return MINIGLUON_NAN;
    if (x <= 0 && x == floor(x)) return outside * MINIGLUON_INFINITY;
    for (; z < large; z += 1) zeta += pow(z, -s);
    zeta += pow(z, 1 - s) / (s - 1) + pow(z, -s) / 2;
    double rising = s, even = 2;
    for (int j = 1; j < 10; ++j) {
        zeta += bernoulli(j) / even * rising * pow(z, 1 - s - 2 * j);
        rising *= (s + 2 * j - 1) * (s + 2 * j);
        even *= (2 * j + 1) * (2 * j + 2);          // (2j)! of the next j
    }
    return outside * zeta;
}
