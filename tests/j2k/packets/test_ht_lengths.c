/* SPDX-License-Identifier: BSD-2-Clause */
/* What packet headers say of code-blocks of T.814: passes in front of the first set, lengths, and which coder has them.
 */
#include <string.h>

#include "j2k/plan/block_coder.h"
#include "j2k/syntax/marker.h"
#include "support/j2k/codestream.h"
#include "support/test.h"

enum { SEGMENTS = 4, PLANES = 9, HT = J2K_STYLE_HT, MIXED = J2K_STYLE_HT | J2K_STYLE_MIXED };

static struct made made;

/* One block of 8 × 8 in as many layers as there are headers, each with the bytes of its block behind it. */
static void make(uint32_t style, const char *const header[2], const uint32_t bytes[2])
{
    const struct made_size size = {.image = {0, 0, 8, 8}, .tile_width = 8, .tile_height = 8, .components = 1};
    const uint8_t cod[] = {0, J2K_LRCP, 0, header[1] ? 2 : 1, 0, 0, 4, 4, (uint8_t)style, 1};
    uint8_t body[256] = {0};
    size_t length = 0;
    made_start(&made, &size);
    made_segment(&made, J2K_COD, cod, sizeof cod);
    made_qcd(&made, 0);
    for (uint32_t i = 0; i < 2 && header[i]; i++) {
        struct made_bits bits = {.length = 0};
        made_put_bits(&bits, header[i]);
        memcpy(body + length, bits.byte, bits.length);
        length += bits.length + bytes[i];
    }
    made_part(&made, 0, 0, 1, body, length);
    made_end(&made);
}

struct expectation {
    const char *header[2];
    uint32_t style, bytes[2]; /* behind each header */
    uint32_t coder, missing, segments;
    struct {
        uint32_t passes, length, pieces;
    } segment[SEGMENTS];
};

static void expect(const struct expectation *e)
{
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    struct j2k_filter filter = {.layers = 0};
    make(e->style, e->header, e->bytes);
    assert_int_equal(made_parse(&made, NULL, &stream), KST_OK);
    kst_report_init(&report);
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_plan_build(&op, &stream, &filter, &plan), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(plan.totals.left_bytes, 0);
    assert_int_equal(plan.block_count, e->segments > 0);
    assert_int_equal(plan.segment_count, e->segments);
    for (uint32_t s = 0; s < e->segments; s++) {
        assert_int_equal(plan.block[0].coder, e->coder);
        assert_int_equal(plan.block[0].missing, e->missing);
        assert_int_equal(plan.segment[s].passes, e->segment[s].passes);
        assert_int_equal(plan.segment[s].length, e->segment[s].length);
        assert_int_equal(plan.segment[s].piece_count, e->segment[s].pieces);
    }
    kst_j2k_plan_release(&made_memory, &plan);
    kst_j2k_stream_release(&made_memory, &stream);
}

/* Not empty, included, two planes above the first pass's; then passes, Lblock, lengths. */
#define FIRST "1 1 001 "

static void sets(void **state)
{
    static const struct expectation cases[] = {
        {{FIRST "0 0 010"}, HT, {2}, J2K_HT, 2, 1, {{1, 2, 1}}},
        {{FIRST "0 10 1010"}, HT, {10}, J2K_HT, 2, 1, {{1, 10, 1}}},
        {{FIRST "10 0 010 011"}, HT, {5}, J2K_HT, 2, 2, {{1, 2, 1}, {1, 3, 1}}},
        {{FIRST "1100 0 010 0001"}, HT, {3}, J2K_HT, 2, 2, {{1, 2, 1}, {2, 1, 1}}},
        {{FIRST "1100 0 010 0000"}, HT, {2}, J2K_HT, 2, 2, {{1, 2, 1}, {2, 0, 0}}},
        /* SigProp and MagRef in different layers are one string of bytes */
        {{FIRST "10 0 010 001", "1 1 0 0 011"}, HT, {3, 3}, J2K_HT, 2, 2, {{1, 2, 1}, {2, 4, 2}}},
        /* a second set, whole again, and one that is empty */
        {{FIRST "1100 0 010 0001", "1 1 1100 0 011 0010"}, HT, {3, 5}, J2K_HT, 2, 4,
            {{1, 2, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 1}}},
        {{FIRST "1100 0 010 0001", "1 1 1100 0 000 0000"}, HT, {3, 0}, J2K_HT, 2, 4,
            {{1, 2, 1}, {2, 1, 1}, {1, 0, 0}, {2, 0, 0}}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(&cases[i]);
}

static void placeholders(void **state)
{
    static const struct expectation cases[] = {
        /* seven passes: two planes, and a cleanup pass, whose length has two bits more */
        {{FIRST "1111 00001 0 00010"}, HT, {2}, J2K_HT, 2, 1, {{7, 2, 1}}},
        {{FIRST "1111 00010 0 00010 011"}, HT, {5}, J2K_HT, 2, 2, {{7, 2, 1}, {1, 3, 1}}},
        /* three passes without bytes, then the set */
        {{FIRST "1100 0 000 0", "1 1 0 0 010"}, HT, {0, 2}, J2K_HT, 2, 1, {{4, 2, 1}}},
        {{FIRST "10 0 000 0", "1 1 1100 0 0010 001"}, HT, {0, 3}, J2K_HT, 2, 2, {{4, 2, 1}, {1, 1, 1}}},
        /* and nothing else */
        {{FIRST "1100 0 000 0"}, HT, {0}, J2K_HT, 0, 0, {{0, 0, 0}}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(&cases[i]);
}

static void mixed(void **state)
{
    static const struct expectation cases[] = {
        /* three bits cannot be a length of T.814 */
        {{FIRST "0 0 101"}, MIXED, {5}, J2K_EBCOT, 2, 1, {{1, 5, 1}}},
        {{FIRST "0 0 010"}, MIXED, {2}, J2K_EBCOT, 2, 1, {{1, 2, 1}}},
        /* four can, if the first is 0 */
        {{FIRST "0 10 0010"}, MIXED, {2}, J2K_HT, 2, 1, {{1, 2, 1}}},
        {{FIRST "0 10 1000"}, MIXED, {8}, J2K_EBCOT, 2, 1, {{1, 8, 1}}},
        {{FIRST "0 10 0001"}, MIXED, {1}, J2K_EBCOT, 2, 1, {{1, 1, 1}}},
        {{FIRST "1100 10 0010 00001"}, MIXED, {3}, J2K_HT, 2, 2, {{1, 2, 1}, {2, 1, 1}}},
        {{FIRST "1100 10 1000 1"}, MIXED, {17}, J2K_EBCOT, 2, 1, {{3, 17, 1}}},
        {{FIRST "1100 0 000 1"}, MIXED, {1}, J2K_EBCOT, 2, 1, {{3, 1, 1}}},
        /* what comes first is open until there are bytes */
        {{FIRST "1100 0 000 0", "1 1 0 0 011"}, MIXED, {0, 3}, J2K_EBCOT, 2, 1, {{4, 3, 1}}},
        {{FIRST "1100 0 000 0", "1 1 0 10 0011"}, MIXED, {0, 3}, J2K_HT, 2, 1, {{4, 3, 1}}},
        {{FIRST "0 0 000", "1 1 0 0 110"}, MIXED, {0, 6}, J2K_EBCOT, 2, 1, {{2, 6, 1}}},
        {{FIRST "1100 0 000 0"}, MIXED, {0}, J2K_HT, 0, 0, {{0, 0, 0}}},
        /* with TERMALL each pass of T.800 has a length */
        {{FIRST "10 0 101 010"}, MIXED | J2K_STYLE_TERMALL, {7}, J2K_EBCOT, 2, 2, {{1, 5, 1}, {1, 2, 1}}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(&cases[i]);
}

/* Return the first warning of building, which leaves no block. */
static kst_status warning_of(uint32_t style, const char *const header[2], const uint32_t bytes[2], uint32_t blocks)
{
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    struct j2k_filter filter = {.layers = 0};
    make(style, header, bytes);
    assert_int_equal(made_parse(&made, NULL, &stream), KST_OK);
    kst_report_init(&report);
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_plan_build(&op, &stream, &filter, &plan), KST_OK);
    assert_int_equal(plan.block_count, blocks);
    kst_j2k_plan_release(&made_memory, &plan);
    kst_j2k_stream_release(&made_memory, &stream);
    return report.first_warning;
}

static void damage(void **state)
{
    static const uint32_t none[2] = {0, 0}, some[2] = {2, 2};
    /* bytes where no cleanup pass can be: behind one pass, another one */
    static const char *const nowhere[2] = {FIRST "0 0 000", "1 1 0 0 010"};
    /* a length that its further bits make more than 0, of passes that do not reach the next cleanup pass */
    static const char *const late[2] = {FIRST "1100 0 000 1"};
    /* 28 passes, of 7 planes: nothing is left of the set */
    static const char *const deep[2] = {FIRST "1111 10110 0 0000010"};
    /* three passes on the last of 7 planes: there is no plane for the refinement passes */
    static const char *const low[2] = {FIRST "1111 01111 0 0000010 0000"};
    (void)state;
    assert_int_equal(PLANES - 2, 7);
    assert_int_equal(warning_of(HT, nowhere, (uint32_t[]){0, 2}, 0), KST_WARNING_J2K_PACKET);
    assert_int_equal(warning_of(HT, late, none, 0), KST_WARNING_J2K_PACKET);
    assert_int_equal(warning_of(HT, deep, some, 0), KST_WARNING_J2K_BLOCK);
    assert_int_equal(warning_of(HT, low, some, 1), KST_WARNING_J2K_BLOCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets), cmocka_unit_test(placeholders), cmocka_unit_test(mixed), cmocka_unit_test(damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
