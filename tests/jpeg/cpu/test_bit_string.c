/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares bit strings and their joining with a bit-by-bit model. */
#include <stdlib.h>
#include <string.h>

#include "jpeg/cpu/entropy/bit_string.h"
#include "support/test.h"

struct model {
    uint8_t data[400000];
    size_t length;
    uint32_t byte, bits;
};

static void model_bit(struct model *model, uint32_t bit)
{
    model->byte = model->byte << 1 | bit;
    if (++model->bits < 8)
        return;
    model->data[model->length++] = (uint8_t)model->byte;
    if (model->byte == 0xFF)
        model->data[model->length++] = 0;
    model->byte = model->bits = 0;
}

static void model_end(struct model *model)
{
    while (model->bits > 0)
        model_bit(model, 1);
}

static uint32_t next(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* Pieces of many lengths, rich in bytes of 0xFF, from several strings into a sink of the given capacity (0: growing).
 */
static kst_status join(struct memory *memory, uint32_t seed, uint32_t strings, uint32_t puts, size_t capacity,
    struct model *model, struct sink *sink)
{
    struct jpeg_bit_string bits;
    struct jpeg_joiner joiner = {.sink = sink};
    uint32_t random = seed, restarts = 0;
    memset(model, 0, sizeof *model);
    if (capacity > 0)
        kst_sink_init_fixed(sink, malloc(capacity), capacity);
    else
        kst_sink_init(sink, memory);
    kst_jpeg_cpu_bit_string_init(&bits, memory);
    for (uint32_t s = 0; s < strings; s++) {
        kst_jpeg_cpu_bit_string_clear(&bits);
        for (uint32_t i = 0; i < puts; i++) {
            uint32_t length = 1 + next(&random) % 56, kind = next(&random) % 4;
            uint64_t code = (uint64_t)next(&random) << 40 ^ (uint64_t)next(&random) << 20 ^ next(&random);
            code = (kind == 0 ? UINT64_MAX : kind == 1 ? 0 : code) & (((uint64_t)1 << length) - 1);
            assert_true(kst_jpeg_cpu_bit_string_room(&bits, 8));
            kst_jpeg_bit_string_put(&bits, code, length);
            for (uint32_t b = length; b-- > 0;)
                model_bit(model, (uint32_t)(code >> b) & 1);
            if (next(&random) % 50 == 0) {
                kst_jpeg_cpu_bit_string_end_piece(&bits);
                model_end(model);
                model->data[model->length++] = 0xFF;
                model->data[model->length++] = (uint8_t)(0xD0 + restarts++ % 8);
            }
        }
        kst_jpeg_cpu_join_pieces(&joiner, &bits);
        assert_int_equal(bits.status, KST_OK);
    }
    kst_jpeg_cpu_join_end(&joiner);
    model_end(model);
    kst_jpeg_cpu_bit_string_release(&bits);
    return sink->status;
}

static void joined_strings(void **state)
{
    (void)state;
    struct memory memory;
    struct model *model = malloc(sizeof *model);
    kst_memory_init(&memory, NULL, UINT64_MAX);
    for (uint32_t seed = 0; seed < 60; seed++) {
        struct sink sink;
        assert_int_equal(join(&memory, seed, 1 + seed % 7, seed * 13 % 900, 0, model, &sink), KST_OK);
        assert_int_equal(sink.length, model->length);
        assert_memory_equal(sink.data, model->data, model->length);
        kst_sink_release(&sink);
    }
    assert_int_equal(atomic_load(&memory.used), 0);
    free(model);
}

static void fixed_buffers(void **state)
{
    (void)state;
    struct memory memory;
    struct model *model = malloc(sizeof *model);
    kst_memory_init(&memory, NULL, UINT64_MAX);
    for (uint32_t seed = 1; seed < 40; seed++) {
        struct sink sink;
        join(&memory, seed, 3, seed * 17 % 700, sizeof model->data, model, &sink);
        size_t length = sink.length;
        free(sink.data);
        assert_int_equal(join(&memory, seed, 3, seed * 17 % 700, length, model, &sink), KST_OK);
        assert_int_equal(sink.length, model->length);
        assert_memory_equal(sink.data, model->data, model->length);
        free(sink.data);
        assert_int_equal(join(&memory, seed, 3, seed * 17 % 700, length - 1, model, &sink), KST_ERROR_BUFFER_FULL);
        free(sink.data);
    }
    assert_int_equal(atomic_load(&memory.used), 0);
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(joined_strings), cmocka_unit_test(fixed_buffers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
