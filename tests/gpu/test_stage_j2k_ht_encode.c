/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that code code-blocks of T.814, collect them, and count their bytes, against the processor's functions:
 * blocks of all kinds of shapes, with samples that make any number of stuffed bits, and with too little room.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "j2k/cpu/blocks/ht_encode.h"
#include "j2k/cpu/dwt/forward.h"
#include "j2k/gpu/encode.h"
#include "j2k/gpu/modules.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/rate/encoding.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

enum { BLOCKS = 130, MARGIN = 3 /* samples of a band beside each block */ };

static struct j2k_forward forward;

/* Blocks beside each other, each in a band of its own, and all that the kernels read. */
struct coding {
    uint32_t count, list_words, sample_words, data_bytes;
    uint32_t *list, *samples;
    struct j2k_work_coded_block *block;
};

static const uint16_t shapes[][2] = {{64, 64}, {1, 1}, {3, 2}, {5, 9}, {16, 7}, {32, 32}, {4, 100}, {100, 5}, {1, 37},
    {77, 1}, {1024, 4}, {2, 1024}, {33, 17}, {61, 64}, {128, 31}, {6, 6}, {1023, 3}, {3, 1023}};

enum filling { PATCHES, ONES, FULL, SPARSE, EQUAL, ZERO, FILLINGS };

/* Return a magnitude: of any length in patches; such that bits are mostly ones; large; rare; all alike; none. */
static uint32_t choose_magnitude(enum filling filling, uint32_t i, uint32_t planes)
{
    static uint32_t quiet;
    const uint32_t most = planes < 31 ? (1U << planes) - 1 : 0x7FFFFFFF;
    if (i % 61 == 0)
        quiet = next_random() % (planes + 1);
    switch (filling) {
    case PATCHES:
        return next_random() & most >> (next_random() % (planes - quiet + 1) + quiet);
    case ONES:
        return next_random() % 64 ? most / 2 + 1 : next_random() & most;
    case FULL:
        return next_random() & most;
    case SPARSE:
        return next_random() % 40 ? 0 : next_random() & most;
    case EQUAL:
        return most;
    default:
        return 0;
    }
}

static void fill(struct coding *coding, const struct j2k_work_coded_block *block, uint32_t planes, float step)
{
    const enum filling filling = next_random() % FILLINGS;
    const uint32_t negative = next_random() % 3;
    for (uint32_t i = 0; i < block->width * block->height; i++) {
        uint32_t magnitude = choose_magnitude(filling, i, planes);
        uint32_t sign = negative == 2 ? next_random() & 1 : negative;
        uint32_t *to = &coding->samples[block->from + i / block->width * block->pitch + i % block->width];
        if (block->exact)
            *to = sign ? 0 - magnitude : magnitude;
        else
            *to = stage_bits_of((sign ? -1.0F : 1.0F) * ((float)(magnitude & 0xFFFFFF) + 0.25F) * step);
    }
}

static struct j2k_work_coded_block describe(uint32_t index, uint32_t capacity, uint32_t *at)
{
    const uint16_t *shape = shapes[simulated() ? 1 + index % 4 : next_random() % (sizeof shapes / sizeof *shapes)];
    struct j2k_work_coded_block block = {.width = shape[0],
        .height = shape[1],
        .style = J2K_STYLE_HT | (next_random() % 2 ? J2K_STYLE_CAUSAL : 0U),
        .exact = next_random() % 2,
        .measured = index % 3 == 0 ? 0 : J2K_MEASURED_GAINS | (index % 3 == 1 ? J2K_MEASURED_ERRORS : 0U),
        .factor = stage_bits_of(1.0F / (float)(1 + next_random() % 9)),
        .data = index * (capacity + J2K_DATA_HEAD),
        .capacity = capacity};
    block.pitch = next_random() % 2 ? (block.width + MARGIN) / 4 * 4U : block.width + next_random() % MARGIN;
    block.from = next_random() % 2 ? (*at + 3) / 4 * 4 : *at + next_random() % MARGIN;
    *at = block.from + block.pitch * block.height;
    if (next_random() % 4 == 0) {
        block.roi_shift = 1 + next_random() % 9;
        block.left = next_random() % block.width;
        block.top = next_random() % block.height;
        block.right = block.left + 1 + next_random() % block.width;
        block.bottom = block.top + 1 + next_random() % block.height;
    }
    return block;
}

static struct coding *make_coding(uint32_t count, uint32_t capacity)
{
    struct coding *coding = calloc(1, sizeof *coding);
    const uint32_t head_words = sizeof(struct j2k_list_work) / 4;
    assert_non_null(coding);
    coding->count = count;
    coding->list_words = head_words + count * (uint32_t)(sizeof *coding->block / 4);
    coding->list = stage_poisoned(coding->list_words * 4ULL);
    *(struct j2k_list_work *)(void *)coding->list =
        (struct j2k_list_work){.blocks = count, .block = head_words, .passes = 1};
    coding->block = (struct j2k_work_coded_block *)(void *)(coding->list + head_words);
    for (uint32_t i = 0; i < count; i++)
        coding->block[i] = describe(i, capacity, &coding->sample_words);
    coding->samples = stage_poisoned(coding->sample_words * 4ULL);
    for (uint32_t i = 0; i < count; i++) {
        const struct j2k_work_coded_block *block = &coding->block[i];
        uint32_t most = 31 - block->roi_shift, planes = next_random() % 6 ? 1 + next_random() % 12 : most;
        float factor;
        memcpy(&factor, &block->factor, sizeof factor);
        fill(coding, block, planes < most ? planes : most, 1 / factor);
    }
    coding->data_bytes = count * (capacity + J2K_DATA_HEAD);
    return coding;
}

static void free_coding(struct coding *coding)
{
    free(coding->list);
    free(coding->samples);
    free(coding);
}

/* The quantiser's error of a coefficient. */
static uint64_t error_of(float value, float factor, uint32_t magnitude)
{
    float part = fabsf(value) * factor - (magnitude > 0 ? (float)magnitude + 0.5F : 0);
    int64_t whole = (int32_t)(part * (float)(1 << J2K_ERROR_BITS));
    return (uint64_t)(whole * whole);
}

/* Code a block on the processor. Returns the quantiser's error, if it is measured. */
static uint64_t encode_there(const struct coding *coding, const struct j2k_work_coded_block *block,
    struct j2k_block_scratch *scratch, struct j2k_block_outcome *outcome)
{
    const struct j2k_block_settings settings = {.width = block->width,
        .height = block->height,
        .style = block->style,
        .exact = block->exact,
        .measure = block->measured > 0};
    uint64_t error = 0;
    float factor;
    memcpy(&factor, &block->factor, sizeof factor);
    for (uint32_t y = 0; y < block->height; y++) {
        const uint32_t *from = coding->samples + block->from + (size_t)y * block->pitch;
        uint32_t *to = scratch->sample + (size_t)y * block->width;
        if (block->exact)
            forward.sign_integers((const int32_t *)(const void *)from, block->width, to);
        else
            forward.quantise((const float *)(const void *)from, block->width, factor, to);
        for (uint32_t x = 0; x < block->width && !block->exact && (block->measured & J2K_MEASURED_ERRORS) != 0; x++)
            error += error_of(((const float *)(const void *)from)[x], factor, to[x] & 0x7FFFFFFF);
        for (uint32_t x = 0; x < block->width; x++)
            if (x >= block->left && x < block->right && y >= block->top && y < block->bottom)
                to[x] = (to[x] & 0x80000000) | (to[x] & 0x7FFFFFFF) << block->roi_shift;
    }
    kst_j2k_cpu_ht.encode(scratch, CPU_C, &settings, outcome);
    return error;
}

/* A gain as the kernel reports it. */
static double gain_of(const uint32_t *pass, uint32_t planes)
{
    return ldexp((double)((uint64_t)pass[2] << 32 | pass[1]), 2 * (int)j2k_gpu_left_shift(planes));
}

static void compare_block(const struct coding *coding, uint32_t index, const struct j2k_work_coded_result *result,
    const uint32_t *collected, struct j2k_block_scratch *scratch)
{
    const struct j2k_work_coded_block *block = &coding->block[index];
    struct j2k_block_outcome wanted;
    uint64_t error = encode_there(coding, block, scratch, &wanted);
    assert_true(((uint64_t)result->error_high << 32 | result->error_low) == error);
    assert_int_equal(result->planes, wanted.planes);
    assert_int_equal(result->passes, wanted.passes);
    if (result->length == J2K_NO_ROOM) {
        assert_true(wanted.length > block->capacity);
        return;
    }
    if (result->length != wanted.length)
        fail_msg("block %u, %u×%u, %u planes: %u bytes, not %u", index, block->width, block->height, wanted.planes,
            result->length, wanted.length);
    if (wanted.passes > 0) {
        assert_int_equal(collected[result->at], wanted.length);
        double gain = block->measured ? wanted.pass[0].gain : 0;
        assert_true(gain_of(collected + result->at, wanted.planes) == gain);
    }
    const uint32_t *data = collected + coding->count * J2K_PASS_RESULT + result->data;
    assert_memory_equal(data, wanted.data, wanted.length);
}

/* Code and collect blocks, and compare them. Returns how many found no room. */
static uint32_t check(struct gpu_runtime *runtime, const struct coding *coding)
{
    size_t passes = coding->count * (size_t)J2K_PASS_WORDS * 4, data = coding->data_bytes;
    size_t results = J2K_LIST_HEAD * 4 + coding->count * sizeof(struct j2k_work_coded_result), room = passes + data;
    uint32_t *pass = stage_poisoned(passes), *bytes = stage_poisoned(data), *result = stage_poisoned(results);
    uint32_t *collected = stage_poisoned(room), missing = 0;
    struct j2k_block_scratch *scratch = calloc(1, kst_j2k_cpu_ht.encoder_length);
    assert_non_null(scratch);
    const struct stage_argument list = STAGE_IN("list", coding->list, coding->list_words * 4ULL);
    const struct stage_argument code[] = {list, STAGE_IN("samples", coding->samples, coding->sample_words * 4ULL),
        STAGE_FOUND("data", bytes, bytes, data), STAGE_FOUND("passes", pass, pass, passes),
        STAGE_FOUND("results", result, result, results)};
    const struct stage_argument collect[] = {list, STAGE_FOUND("results", result, result, results),
        STAGE_IN("passes", pass, passes), STAGE_IN("data", bytes, data),
        STAGE_FOUND("collected", collected, collected, room)};
    const struct j2k_work_coded_result *each =
        (const struct j2k_work_coded_result *)(const void *)(result + J2K_LIST_HEAD);
    memset(result, 0, J2K_LIST_HEAD * 4);
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_CODE_HT, coding->count, code, 5);
    for (uint32_t i = 0; i < coding->count; i++) { /* nothing is written behind a block's room */
        uint32_t poison = STAGE_POISON * 0x01010101U;
        assert_memory_equal((uint8_t *)bytes + coding->block[i].data, &poison, J2K_DATA_HEAD);
        missing += each[i].length == J2K_NO_ROOM;
    }
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_COLLECT, coding->count, collect, 5);
    for (uint32_t i = 0; i < coding->count; i++)
        compare_block(coding, i, &each[i], collected, scratch);
    free(scratch);
    free(pass);
    free(bytes);
    free(result);
    free(collected);
    return missing;
}

/* Make a list of blocks to be counted, each of a band of its own, whose factors are not in the blocks' records. */
static uint32_t *counting_list(const struct coding *coding, uint32_t *words)
{
    const uint32_t head = sizeof(struct j2k_count_work) / 4, first = head + coding->count;
    *words = first + coding->count * (uint32_t)(sizeof *coding->block / 4);
    uint32_t *list = stage_poisoned(*words * 4ULL);
    struct j2k_work_coded_block *block = (struct j2k_work_coded_block *)(void *)(list + first);
    *(struct j2k_count_work *)(void *)list = (struct j2k_count_work){.factor = head, .block = first};
    memcpy(block, coding->block, coding->count * sizeof *block);
    for (uint32_t i = 0; i < coding->count; i++) {
        block[i].band = coding->count - 1 - i;
        list[head + block[i].band] = block[i].factor;
        block[i].factor = block[i].capacity = 0;
    }
    return list;
}

/* The largest magnitude of a block's coefficients, as bits of a real number; all ones if they are integers. */
static uint32_t largest_there(const struct coding *coding, const struct j2k_work_coded_block *block)
{
    uint32_t largest = 0;
    for (uint32_t y = 0; y < block->height; y++)
        for (uint32_t x = 0; x < block->width; x++) {
            const uint32_t bits = coding->samples[block->from + (size_t)y * block->pitch + x] & 0x7FFFFFFF;
            largest = bits > largest ? bits : largest;
        }
    return block->exact ? UINT32_MAX : largest;
}

static uint32_t count_there(
    const struct coding *coding, const struct j2k_work_coded_block *block, struct j2k_block_scratch *scratch)
{
    const struct j2k_block_settings settings = {
        .width = block->width, .height = block->height, .style = block->style, .exact = block->exact};
    struct j2k_block_outcome outcome;
    encode_there(coding, block, scratch, &outcome);
    return kst_j2k_cpu_ht.count(scratch, CPU_C, &settings);
}

/* Set factors of which nothing is left but of integers, which do not depend on them. */
static void make_coarse(const struct coding *coding, uint32_t *list)
{
    const float coarse = 0x1p-120F;
    for (uint32_t i = 0; i < coding->count; i++)
        memcpy(&list[sizeof(struct j2k_count_work) / 4 + i], &coarse, sizeof coarse);
}

/* Bits are counted as the processor counts them; the second time a block is known to have nothing left. */
static void test_counts(void **state)
{
    (void)state;
    struct j2k_block_scratch *scratch = calloc(1, kst_j2k_cpu_ht.encoder_length);
    assert_non_null(scratch);
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct coding *coding = make_coding(simulated() ? 8 : BLOCKS, 24 << 10);
        uint32_t words, *list = counting_list(coding, &words);
        const size_t room = coding->count * sizeof(struct j2k_work_counted_block);
        struct j2k_work_counted_block *found = stage_poisoned(room);
        memset(found, 0xFF, room); /* nothing is known yet */
        const struct stage_argument count[] = {STAGE_IN("list", list, words * 4ULL),
            STAGE_IN("samples", coding->samples, coding->sample_words * 4ULL),
            STAGE_FOUND("found", found, found, room)};
        stage_run(runtimes[i], &kst_j2k_gpu_encoding, J2K_ENCODE_COUNT_HT, coding->count, count, 3);
        for (uint32_t b = 0; b < coding->count; b++) {
            assert_int_equal(found[b].bits, count_there(coding, &coding->block[b], scratch));
            assert_int_equal(found[b].largest, largest_there(coding, &coding->block[b]));
        }
        make_coarse(coding, list);
        stage_run(runtimes[i], &kst_j2k_gpu_encoding, J2K_ENCODE_COUNT_HT, coding->count, count, 3);
        for (uint32_t b = 0; b < coding->count; b++) {
            const struct j2k_work_coded_block *block = &coding->block[b];
            assert_int_equal(found[b].bits, block->exact ? count_there(coding, block, scratch) : 0);
            assert_int_equal(found[b].largest, largest_there(coding, block));
        }
        free(found);
        free(list);
        free_coding(coding);
    }
    free(scratch);
}

static void test_blocks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct coding *coding = make_coding(simulated() ? 8 : BLOCKS, 24 << 10);
        assert_int_equal(check(runtimes[i], coding), 0);
        free_coding(coding);
    }
}

/* Blocks without enough room say so, and write nowhere else. */
static void test_no_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++)
        for (uint32_t k = 0; k < (simulated() ? 1 : 3); k++) {
            struct coding *coding = make_coding(simulated() ? 8 : 40, simulated() ? 4 : 8U << 3 * k);
            assert_in_range(check(runtimes[i], coding), 1, coding->count - 1);
            free_coding(coding);
        }
}

static int start(void **state)
{
    kst_j2k_cpu_forward_init(&forward, CPU_C);
    return open_pictures(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, start, close_pictures);
}
