/* The inverse of the error function, for all lanes of a vector.

   erfinv(x) / x is a smooth function of w = -log(1 - x²): a polynomial in w approximates it up to about w = 6, and a
   polynomial in √w above that. Both polynomials interpolate at Chebyshev nodes, were computed with 50 digits, and are
   centered at the midpoints of their ranges. */

#ifndef MINIGLUON_ERFINV_H
#define MINIGLUON_ERFINV_H

#include "../vmath.h"

#if REAL_BITS == 32
#define FAR_FROM 5.0f
static inline vec erfinv_near(vec w) {
    static const real c[] = {1.50140936f, 0.2466402791f, -0.004177392875f, -0.001252726392f, 0.0002183493862f,
                             -4.972419689e-6f, -3.463985268e-6f, 4.681313481e-7f, 2.33359672e-8f, -8.93192597e-9f};
    return POLYNOMIAL(w - 2.5f, c);
}

/* 5 <= w <= 16.7; w = 15.9 for the largest x < 1 */
static inline vec erfinv_far(vec root) {
    static const real c[] = {2.996505454f, 1.004232611f, 0.006476572956f, -0.004758634053f, 0.003323256519f,
                             -0.002244066731f, 0.001234118011f, -0.000345290123f, -0.0001410675301f, 0.0001133013435f};
    return POLYNOMIAL(root - 3.16303399f, c);
}
#else
#define FAR_FROM 6.25
static inline vec erfinv_near(vec w) {
    static const real c[] = {
        1.65365456268310271, 0.24015818242558971, -0.0060336708714270113, -0.000740702534166940108,
        0.000186734208021242716, -0.0000138825233612768762, -1.36546917965920684e-6, 4.2347877672780653e-7,
        -2.90703866601914295e-8, -4.11263310429761391e-9, 1.05122024401217841e-9, -5.4154417754696635e-11,
        -1.29775052020149665e-11, 2.63357249246084841e-12, -8.10659445643849512e-14, -4.05541397468860051e-14,
        6.58195530592923886e-15, 2.16699462628357397e-17, -1.29070235461307304e-16, 1.11257947593794649e-17,
        1.10277715915000329e-18, -1.67873306152567719e-19, -2.36236969856610742e-22};
    return POLYNOMIAL(w - 3.125, c);
}

static inline vec erfinv_far(vec root) {
    static const real up_to_16[] = {
        3.08388561049222068, 1.0052589676941592, 0.00537091455355819832, -0.00375120850756385379,
        0.00249144209761988121, -0.0016882755561681803, 0.000953289352111817776, -0.000355037518630697601,
        0.0000240313632454405481, 0.0000682848405229292337, -0.0000473195291833718902, 0.0000124753434743769308,
        2.92737221159869259e-6, -4.01394639819029188e-6, 1.49582631529849174e-6, 1.83239998813285777e-8,
        -2.68609757255714609e-7, 9.07195057102992253e-8, -3.83103994607241138e-10};
    static const real beyond[] = {              /* up to w = 36.7; w = 36.04 for the largest x < 1 */
        4.8802152847624021, 1.01029156925253941, -0.000157666914241810497, -0.000206085405562814405,
        0.0000731031881753511824, -0.0000188855179184878057, 4.32314510854524089e-6, -9.40107843387912008e-7,
        2.11893339636335494e-7, -5.97107135913336144e-8, 2.45159468411406537e-8, -1.24045833435626911e-8,
        6.40497167091688899e-9, -3.22804195285366719e-9, 1.29558846773951565e-9, -2.54968916281806492e-10,
        -2.55728466081927036e-12};
    return select(root < 4, POLYNOMIAL(root - 3.25, up_to_16), POLYNOMIAL(root - 5.03, beyond));
}
#endif

static inline vec erfinv_vec(vec x) {
    vec w = -log_vec((1 - x) * (1 + x));
    vec y = x * select(w < FAR_FROM, erfinv_near(w), erfinv_far(sqrt_vec(w)));
    vec size = abs_vec(x);
    return select(size < 1, y, select(size == 1, with_sign(all(INFINITY), x), all(NAN)));
}

#endif
