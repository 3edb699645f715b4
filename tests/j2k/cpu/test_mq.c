/* SPDX-License-Identifier: BSD-2-Clause */
/* The MQ coder on the standard's test sequence (T.88 H.2), and the reader of raw bits. */
#include "j2k/cpu/blocks/mq.h"
#include "j2k/cpu/blocks/mq_encode.h"
#include "support/test.h"

static const uint8_t coded[] = {0x84, 0xC7, 0x3B, 0xFC, 0xE1, 0xA1, 0x43, 0x04, 0x02, 0x20, 0x00, 0x00, 0x41, 0x0D,
    0xBB, 0x86, 0xF4, 0x31, 0x7F, 0xFF, 0x88, 0xFF, 0x37, 0x47, 0x1A, 0xDB, 0x6A, 0xDF, 0xFF, 0xAC};
static const uint8_t plain[] = {0x00, 0x02, 0x00, 0x51, 0x00, 0x00, 0x00, 0xC0, 0x03, 0x52, 0x87, 0x2A, 0xAA, 0xAA,
    0xAA, 0xAA, 0x82, 0xC0, 0x20, 0x00, 0xFC, 0xD7, 0x9E, 0xF6, 0xBF, 0x7F, 0xED, 0x90, 0x4F, 0x46, 0xA3, 0xBF};

static void decode_sequence(size_t length)
{
    struct j2k_mq mq;
    uint32_t context = kst_j2k_cpu_mq_states[0];
    kst_j2k_cpu_mq_start(&mq, coded, length);
    for (size_t i = 0; i < sizeof plain; i++) {
        uint32_t byte = 0;
        for (uint32_t b = 0; b < 8; b++)
            byte = byte << 1 | j2k_mq_decode(&mq, &context);
        assert_int_equal(byte, plain[i]);
    }
}

static void standard_sequence(void **state)
{
    (void)state;
    decode_sequence(sizeof coded);
    decode_sequence(sizeof coded - 2); /* without the marker: ones follow either way */
}

static void standard_sequence_encoded(void **state)
{
    (void)state;
    uint8_t room[sizeof coded + 8] = {0};
    j2k_decision decision[8 * sizeof plain];
    uint32_t context = kst_j2k_cpu_mq_rows[0];
    struct j2k_mq_encoder mq;
    for (size_t i = 0; i < sizeof decision; i++)
        decision[i] = plain[i / 8] >> (7 - i % 8) & 1;
    kst_j2k_cpu_mq_encode_start(&mq, room + 1);
    kst_j2k_cpu_mq_encode(&mq, &context, decision, decision + 100);
    kst_j2k_cpu_mq_encode(&mq, &context, decision + 100, decision + sizeof decision);
    const uint8_t *end = kst_j2k_cpu_mq_flush(&mq);
    assert_int_equal(end - room - 1, sizeof coded - 2); /* without the marker */
    assert_memory_equal(room + 1, coded, sizeof coded - 2);
}

static void contexts_start_as_the_standard_says(void **state)
{
    (void)state;
    uint32_t contexts[J2K_CONTEXTS], states[J2K_CONTEXTS];
    kst_j2k_cpu_mq_reset(contexts);
    kst_j2k_cpu_mq_reset_states(states);
    for (uint32_t i = 0; i < J2K_CONTEXTS; i++) {
        uint32_t row = i == J2K_CONTEXT_ZERO ? 4 : i == J2K_CONTEXT_RUN ? 3 : i == J2K_CONTEXT_UNIFORM ? 46 : 0;
        assert_int_equal(contexts[i], kst_j2k_cpu_mq_rows[2 * row]);
        assert_int_equal(states[i], kst_j2k_cpu_mq_states[2 * row]);
    }
}

static void raw_bits(void **state)
{
    (void)state;
    static const uint8_t data[] = {0xA5, 0xFF, 0x7F, 0x12};
    static const char bits[] = "10100101"
                               "11111111"
                               "1111111"
                               "00010010"
                               "1111111111111111";
    struct j2k_raw raw;
    kst_j2k_cpu_raw_start(&raw, data, sizeof data);
    for (size_t i = 0; bits[i] != 0; i++)
        assert_int_equal(j2k_raw_bit(&raw), bits[i] - '0');
}

static void raw_bits_end_at_a_marker(void **state)
{
    (void)state;
    static const uint8_t data[] = {0x00, 0xFF, 0x90, 0x00, 0x00};
    struct j2k_raw raw;
    kst_j2k_cpu_raw_start(&raw, data, sizeof data);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(j2k_raw_bit(&raw), i >= 8);
}

static void raw_ends(void **state)
{
    (void)state;
    static const uint8_t data[] = {0xAA, 0xFF, 0x2A};
    struct j2k_raw raw;
    kst_j2k_cpu_raw_start(&raw, data, 1);
    for (uint32_t i = 0; i < 8; i++) {
        j2k_raw_bit(&raw);
        assert_int_equal(kst_j2k_cpu_raw_ended_predictably(&raw), i % 2 == 0 || i == 7);
    }
    kst_j2k_cpu_raw_start(&raw, data, 3);
    for (uint32_t i = 0; i < 16; i++) {
        assert_false(kst_j2k_cpu_raw_ended_predictably(&raw));
        j2k_raw_bit(&raw);
    }
    assert_true(kst_j2k_cpu_raw_ended_predictably(&raw));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_sequence),
        cmocka_unit_test(standard_sequence_encoded),
        cmocka_unit_test(contexts_start_as_the_standard_says),
        cmocka_unit_test(raw_bits),
        cmocka_unit_test(raw_bits_end_at_a_marker),
        cmocka_unit_test(raw_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
