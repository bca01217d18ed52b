// The parts of CUDA C++ that C++ lacks, for kernels compiled for the emulator. It is precompiled, and included before
// every source. Kernels are recognized by the words emulator_global and emulator_bounds, which rewrite.py removes.
#pragma once
// Only the C headers: C++'s own <math.h> and <stdlib.h> would double the time that a small kernel takes to compile.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bits/std_abs.h>               // abs for each type
#include <type_traits>
#define _GLIBCXX_MATH_H 1               // so that a kernel may also include them
#define _GLIBCXX_STDLIB_H 1
#include "../driver/abi.h"

#define MINIGLUON_EMULATED 1
#define __CUDACC__ 1
#define __CUDA_ARCH__ 800
#define __NVCC__ 1

#define __host__
#define __device__
#define __global__ emulator_global
#define __launch_bounds__(...) emulator_bounds((__VA_ARGS__))
#define __shared__ static __thread
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")

// The location in a kernel from which it calls the driver, for messages.
#define EMULATOR_INLINE inline __attribute__((always_inline))
#define EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

#include "vectors.h"
#include "threads.h"
#include "atomics.h"
#include "overloads.h"
#include "functions.h"
#include "kernels.h"
