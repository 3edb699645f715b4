/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels' tables of contexts, against the rules of T.800 Annex D. */
#include <stdint.h>

#include "support/test.h"

typedef uint8_t u8;
#define SPREAD_TABLE static const
#include "j2k/kernels/context_tables.h"
#include "j2k/tables/contexts.h"

static void zero_coding(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ZERO_TABLE; i++) {
        uint32_t horizontal = J2K_BIT(i, 1) + J2K_BIT(i, 7), vertical = J2K_BIT(i, 3) + J2K_BIT(i, 5);
        uint32_t diagonal = J2K_BIT(i, 0) + J2K_BIT(i, 2) + J2K_BIT(i, 6) + J2K_BIT(i, 8);
        assert_int_equal(zero_contexts[i], J2K_ZERO_CONTEXT(horizontal, vertical, diagonal));
        assert_int_equal(zero_contexts[ZERO_TABLE + i], J2K_ZERO_CONTEXT(vertical, horizontal, diagonal));
        assert_int_equal(zero_contexts[2 * ZERO_TABLE + i], J2K_ZERO_CONTEXT_HH(horizontal + vertical, diagonal));
    }
    assert_int_equal(sizeof zero_contexts, ZERO_TABLES * ZERO_TABLE);
}

/* Returns the contribution of the neighbour whose significance is bit s of the index; its sign is the next bit. */
static int contribution(int i, int s)
{
    return J2K_SIGNED(J2K_BIT(i, s), J2K_BIT(i, s + 1));
}

static void sign_coding(void **state)
{
    (void)state;
    for (int i = 0; i < SIGN_TABLE; i++) {
        int horizontal = contribution(i, 0) + contribution(i, 6), vertical = contribution(i, 2) + contribution(i, 4);
        int both = J2K_BOTH_SIGNS(horizontal, vertical);
        assert_int_equal(sign_contexts[i], J2K_SIGN_CONTEXT(both));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zero_coding), cmocka_unit_test(sign_coding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
