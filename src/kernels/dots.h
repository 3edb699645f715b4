/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes sums of the products of four bytes with four others, and of two halves of a word with two bytes, in one
 * instruction where the device has it.
 */
#include "kernels/portable.h"

/* Return the sum of c and of the products of the bytes of x and y, modulo 2^32. */
FUNCTION u32 dot_bytes(u32 x, u32 y, u32 c)
{
#if defined(__CUDACC__)
    u32 result;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#elif defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
    u32 result;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#else
    return c + (x & 255) * (y & 255) + (x >> 8 & 255) * (y >> 8 & 255) + (x >> 16 & 255) * (y >> 16 & 255) +
           (x >> 24) * (y >> 24);
#endif
}

/* Return the same, where the bytes of y have signs. */
FUNCTION u32 dot_signed_bytes(u32 x, u32 y, u32 c)
{
#if defined(__CUDACC__)
    u32 result;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#elif defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
    u32 result;
    __asm__("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#else
    /* A byte with a sign is the byte without its highest bit, less 128 where that is set. */
    return dot_bytes(x, y & 0x7F7F7F7Fu, c) - dot_bytes(x, y & 0x80808080u, 0);
#endif
}

/* Return the sum of c and of the products of the halves of x and the lower two bytes of y, modulo 2^32. */
FUNCTION u32 dot_halves_low(u32 x, u32 y, u32 c)
{
#if defined(__CUDACC__)
    u32 result;
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#elif defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
    u32 result;
    __asm__("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#else
    return c + (x & 0xFFFF) * (y & 255) + (x >> 16) * (y >> 8 & 255);
#endif
}

/* Return the same with the upper two bytes of y. */
FUNCTION u32 dot_halves_high(u32 x, u32 y, u32 c)
{
#if defined(__CUDACC__)
    u32 result;
    asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#elif defined(__NV_CL_C_VERSION) || defined(cl_nv_pragma_unroll)
    u32 result;
    __asm__("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(x), "r"(y), "r"(c));
    return result;
#else
    return c + (x & 0xFFFF) * (y >> 16 & 255) + (x >> 16) * (y >> 24);
#endif
}
