/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the context tables of T.800 D.3, indexed by the neighbours of a coefficient. */
#include "j2k/cpu/blocks/neighbours.h"

#include "j2k/tables/contexts.h"

/*
 * Make the 256 entries of a table that f computes from the bits of an index, the highest first. From the index itself
 * these macros would make twice as much text, for which clang-tidy takes three times as long.
 */
#define BITS_1(f, ...) f(__VA_ARGS__, 0), f(__VA_ARGS__, 1)
#define BITS_2(f, ...) BITS_1(f, __VA_ARGS__, 0), BITS_1(f, __VA_ARGS__, 1)
#define BITS_3(f, ...) BITS_2(f, __VA_ARGS__, 0), BITS_2(f, __VA_ARGS__, 1)
#define BITS_4(f, ...) BITS_3(f, __VA_ARGS__, 0), BITS_3(f, __VA_ARGS__, 1)
#define BITS_5(f, ...) BITS_4(f, __VA_ARGS__, 0), BITS_4(f, __VA_ARGS__, 1)
#define BITS_6(f, ...) BITS_5(f, __VA_ARGS__, 0), BITS_5(f, __VA_ARGS__, 1)
#define BITS_7(f, ...) BITS_6(f, __VA_ARGS__, 0), BITS_6(f, __VA_ARGS__, 1)
#define ENTRIES(f) BITS_7(f, 0), BITS_7(f, 1)

/* Bits 5 and 6 are the horizontal neighbours, 4 and 7 the vertical ones, and 0 to 3 the diagonal ones. */
#define LOW(h, g, f, e, d, c, b, a) J2K_ZERO_CONTEXT((f + g), (e + h), (a + b + c + d))
#define HIGH_LOW(h, g, f, e, d, c, b, a) J2K_ZERO_CONTEXT((e + h), (f + g), (a + b + c + d))
#define HIGH_HIGH(h, g, f, e, d, c, b, a) J2K_ZERO_CONTEXT_HH((e + f + g + h), (a + b + c + d))

const uint8_t kst_j2k_cpu_zero_coding[4][256] = {
    {ENTRIES(LOW)}, {ENTRIES(HIGH_LOW)}, {ENTRIES(LOW)}, {ENTRIES(HIGH_HIGH)}};

/* The nearest neighbours have their significance in bits 0–3 and their signs in bits 4–7. */
#define SIGN(h, g, f, e, d, c, b, a)                                                                                   \
    J2K_SIGN_CONTEXT(J2K_BOTH_SIGNS(J2K_SIGNED(b, f) + J2K_SIGNED(c, g), J2K_SIGNED(a, e) + J2K_SIGNED(d, h)))

const uint8_t kst_j2k_cpu_sign_coding[256] = {ENTRIES(SIGN)};
