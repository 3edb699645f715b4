/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels that code code-blocks, one after the other, against the processor's functions on random and extreme
 * values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "j2k/cpu/blocks/block_encode.h"
#include "j2k/cpu/dwt/forward.h"
#include "j2k/gpu/encode.h"
#include "j2k/gpu/modules.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/rate/encoding.h"
#include "j2k/rate/measure.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

enum { BLOCKS_MOST = 256, AHEAD = 64, LANES = 8, FRONT_LANES = 2, FRONT_ROWS = 3 };

static struct j2k_forward forward;

/* A code-block of the test: its description for the kernels, and how the processor codes it. */
struct block {
    uint32_t width, height, orientation, style;
    bool exact, measured, summed; /* summed: with the errors of the quantiser and of what is left out */
    float step, stop;
    uint32_t roi_shift;
    struct j2k_rect region;
};

/* All that the three kernels get and give. */
struct coding {
    struct block block[BLOCKS_MOST];
    uint32_t count;
    uint32_t *list, list_words, *samples, sample_words, units, data_bytes;
};

static const uint16_t shapes[][2] = {
    {8, 8}, {1, 1}, {3, 2}, {5, 9}, {16, 7}, {32, 32}, {64, 64}, {4, 100}, {100, 5}, {1024, 4}, {2, 1024}, {33, 17}};

/* Patches of small and large magnitudes, up to `planes` bits. */
static void fill_block(const struct block *block, uint32_t planes, uint32_t *to)
{
    uint32_t quiet = 0, noise = next_random() % 3;
    for (uint32_t i = 0; i < block->width * block->height; i++) {
        if (i % 61 == 0)
            quiet = next_random() % (planes + 1);
        uint32_t bits = noise == 0 ? planes : next_random() % (planes - quiet + 1);
        uint32_t magnitude = next_random() & (((uint32_t)1 << bits) - 1), negative = next_random() & 1;
        if (block->exact)
            to[i] = negative ? 0 - magnitude : magnitude;
        else
            to[i] = stage_bits_of(
                (negative ? -1.0F : 1.0F) * ((float)magnitude + (float)(next_random() % 256) / 256) * block->step);
    }
}

/* The first five styles have all bits, set and not; one of five blocks is not measured. */
static void make_block(struct block *block, uint32_t index)
{
    uint32_t shape = next_random() % (simulated() ? 4 : (uint32_t)(sizeof shapes / sizeof *shapes));
    *block = (struct block){.width = shapes[shape][0],
        .height = shapes[shape][1],
        .orientation = next_random() % 4,
        .style = index * 11 % 64,
        .exact = next_random() % 2,
        .measured = index % 8 != 3,
        .step = 1.0F / (float)(1 + next_random() % 9)};
    if (block->exact)
        block->step = 1;
    block->summed = block->measured && index % 4 < 2;
    if (block->measured && next_random() % 2)
        block->stop = ldexpf(1.0F + (float)(next_random() % 1000) / 1000, (int)(next_random() % 40) - 4);
    if (next_random() % 4 == 0) {
        block->roi_shift = 1 + next_random() % 15;
        block->region = (struct j2k_rect){next_random() % block->width, next_random() % block->height,
            1 + next_random() % block->width, 1 + next_random() % block->height};
    }
}

/* Units of decisions that blocks take at most. */
static uint32_t most_units(const struct coding *coding)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < coding->count; i++) {
        uint32_t samples = coding->block[i].width * coding->block[i].height;
        uint32_t columns = coding->block[i].width * ((coding->block[i].height + 3) / 4);
        sum += (J2K_CODED_PLANES * (samples + 7) + samples + 2 * columns) / J2K_DECISION_UNIT + 1;
    }
    return sum;
}

static void describe_blocks(struct coding *coding, uint32_t capacity)
{
    uint32_t head_words = sizeof(struct j2k_list_work) / 4, at = 0;
    coding->list_words = head_words + coding->count * (uint32_t)(sizeof(struct j2k_work_coded_block) / 4);
    coding->list = stage_poisoned(coding->list_words * 4ULL);
    struct j2k_list_work *head = (struct j2k_list_work *)(void *)coding->list;
    *head = (struct j2k_list_work){.blocks = coding->count,
        .passes = J2K_CODED_PASSES,
        .block = head_words,
        .room = coding->units,
        .lanes = LANES,
        .front_lanes = FRONT_LANES,
        .front_rows = FRONT_ROWS};
    struct j2k_work_coded_block *to = (struct j2k_work_coded_block *)(void *)(coding->list + head->block);
    for (uint32_t i = 0; i < coding->count; i++) {
        const struct block *block = &coding->block[i];
        to[i] = (struct j2k_work_coded_block){.from = at,
            .pitch = block->width,
            .width = block->width,
            .height = block->height,
            .style = block->style,
            .contexts = block->orientation == J2K_HH   ? 2
                        : block->orientation == J2K_HL ? 1
                                                       : 0,
            .exact = block->exact,
            .factor = stage_bits_of(1.0F / block->step),
            .measured = (block->measured ? J2K_MEASURED_GAINS : 0U) | (block->summed ? J2K_MEASURED_ERRORS : 0U),
            .stop = stage_bits_of(block->stop),
            .roi_shift = block->roi_shift,
            .left = block->region.x0,
            .top = block->region.y0,
            .right = block->region.x1,
            .bottom = block->region.y1,
            .data = i * (capacity + J2K_DATA_HEAD),
            .capacity = capacity};
        at += block->width * block->height;
    }
    coding->data_bytes = coding->count * (capacity + J2K_DATA_HEAD);
}

/* `share`: of the room for decisions that there may be. */
static struct coding *make_coding(uint32_t count, uint32_t capacity, uint32_t share)
{
    struct coding *coding = calloc(1, sizeof *coding);
    assert_non_null(coding);
    coding->count = count;
    for (uint32_t i = 0; i < count; i++) {
        make_block(&coding->block[i], i);
        coding->sample_words += coding->block[i].width * coding->block[i].height;
    }
    coding->samples = stage_poisoned(coding->sample_words * 4ULL);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        uint32_t most = 31 - coding->block[i].roi_shift, planes = next_random() % 5 ? next_random() % 12 : most;
        if (simulated() && planes > 4)
            planes = 4;
        fill_block(&coding->block[i], planes < most ? planes : most, coding->samples + at);
        at += coding->block[i].width * coding->block[i].height;
    }
    coding->units = most_units(coding) / share;
    describe_blocks(coding, capacity);
    return coding;
}

/* Quantiser indices as the processor makes them; returns the quantiser's error. */
static uint64_t load_there(const struct block *block, const uint32_t *from, struct j2k_block_encoder *encoder)
{
    uint32_t count = block->width * block->height;
    uint64_t error = 0;
    float factor = 1.0F / block->step;
    if (block->exact)
        forward.sign_integers((const int32_t *)(const void *)from, count, encoder->sample);
    else
        forward.quantise((const float *)(const void *)from, count, factor, encoder->sample);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = i % block->width, y = i / block->width, *sample = &encoder->sample[i];
        uint32_t magnitude = *sample & 0x7FFFFFFF;
        float value, part;
        memcpy(&value, &from[i], sizeof value);
        part = fabsf(value) * factor - (magnitude > 0 ? (float)magnitude + 0.5F : 0);
        int64_t whole = block->exact ? 0 : (int32_t)(part * (float)(1 << J2K_ERROR_BITS));
        error += (uint64_t)(whole * whole);
        if (x >= block->region.x0 && x < block->region.x1 && y >= block->region.y0 && y < block->region.y1)
            *sample = (*sample & 0x80000000) | magnitude << block->roi_shift;
    }
    return block->summed ? error : 0;
}

/* Compute the result on the CPU. Returns the quantiser's error. */
static uint64_t encode_there(const struct block *block, const uint32_t *from, struct j2k_block_encoder *encoder)
{
    const struct j2k_block_settings source = {.width = block->width,
        .height = block->height,
        .orientation = block->orientation,
        .style = block->style,
        .exact = block->exact,
        .measure = block->measured,
        .sum = block->summed,
        .stop = block->stop};
    uint64_t error = load_there(block, from, encoder);
    encoder->functions = kst_j2k_cpu_coding_passes(kst_cpu_best());
    kst_j2k_cpu_block_encode(encoder, &source);
    return error;
}

static double scaled(uint64_t low, uint64_t high, uint32_t shift)
{
    return ldexp((double)(high << 32 | low), 2 * (int)shift);
}

static void compare_block(const struct coding *coding, uint32_t index, const struct j2k_work_coded_result *result,
    const uint32_t *collected, const uint32_t *from, struct j2k_block_encoder *encoder)
{
    const struct block *block = &coding->block[index];
    uint64_t error = encode_there(block, from, encoder);
    const uint32_t *pass = collected + result->at;
    assert_int_equal(result->planes, encoder->planes);
    if (result->passes != encoder->passes || result->length != encoder->length)
        fail_msg("block %u, %u×%u, style %u, %u planes, stop %g: %u passes of %u bytes, not %u of %u", index,
            block->width, block->height, block->style, encoder->planes, (double)block->stop, result->passes,
            result->length, encoder->passes, encoder->length);
    assert_true(((uint64_t)result->error_high << 32 | result->error_low) == error);
    for (uint32_t p = 0; p < encoder->passes; p++, pass += J2K_PASS_RESULT) {
        uint32_t plane = encoder->planes - 1 - (p + 2) / 3;
        assert_int_equal(pass[0], encoder->pass[p].length);
        assert_true(ldexp((double)j2k_gpu_gain(&pass[1]), (int)plane - 1) == encoder->pass[p].gain);
        if (p + 1 == encoder->passes)
            assert_true(
                scaled(result->left_low, result->left_high, plane + 1 > 24 ? plane + 1 - 24 : 0) == encoder->left);
    }
    const uint32_t *data = collected + coding->count * J2K_CODED_PASSES * J2K_PASS_RESULT + result->data;
    assert_memory_equal(data, encoder->data, encoder->length);
}

/* Words that nobody else has; what is taken is never more than `count`. */
static void take_words(uint8_t *taken, uint32_t count, uint32_t at, uint32_t words)
{
    assert_in_range(words, 0, count);
    assert_in_range(at, 0, count - words);
    for (uint32_t i = at; i < at + words; i++)
        assert_int_equal(taken[i]++, 0);
}

/* Passes and bytes of all blocks side by side. */
static void check_places(const uint32_t *result, uint32_t blocks)
{
    const struct j2k_work_coded_result *each =
        (const struct j2k_work_coded_result *)(const void *)(result + J2K_LIST_HEAD);
    uint32_t passes = result[J2K_COLLECTED_PASSES], data = result[J2K_COLLECTED_DATA], sum = 0, words = 0;
    uint8_t *pass_taken = calloc(passes + 1ULL, 1), *data_taken = calloc(data + 1ULL, 1);
    assert_true(pass_taken && data_taken);
    for (uint32_t i = 0; i < blocks; i++) {
        if (each[i].length == J2K_NO_ROOM)
            continue;
        take_words(pass_taken, passes, each[i].at, J2K_PASS_RESULT * each[i].passes);
        take_words(data_taken, data, each[i].data, (each[i].length + 3) / 4);
        sum += J2K_PASS_RESULT * each[i].passes;
        words += (each[i].length + 3) / 4;
    }
    assert_int_equal(passes, sum);
    assert_int_equal(data, words);
    free(pass_taken);
    free(data_taken);
}

/* Every block once, those with more decisions first, but for the last few bits of their number. */
static void check_order(const uint32_t *order, const struct j2k_work_coded_result *results, uint32_t blocks)
{
    uint8_t *seen = calloc(blocks, 1);
    assert_non_null(seen);
    for (uint32_t i = 0; i < blocks; i++) {
        assert_in_range(order[i], 0, blocks - 1);
        assert_int_equal(seen[order[i]]++, 0);
        if (i > 0 && results[order[i - 1]].decisions < (1 << 16) - 64)
            assert_true(results[order[i - 1]].decisions / 64 >= results[order[i]].decisions / 64);
    }
    free(seen);
}

/* One kernel after the other; each finds what the ones before left. */
static void check_blocks(struct gpu_runtime *runtime, const struct coding *coding, bool ample)
{
    const uint32_t blocks = coding->count;
    size_t decisions = coding->units * (size_t)J2K_DECISION_UNIT + AHEAD, orders = blocks * 4ULL;
    size_t passes = blocks * (size_t)J2K_CODED_PASSES * J2K_PASS_WORDS * 4, data = coding->data_bytes;
    size_t results = J2K_LIST_HEAD * 4 + blocks * sizeof(struct j2k_work_coded_result), room = passes + data;
    uint32_t *decision = stage_poisoned(decisions), *order = stage_poisoned(orders), *pass = stage_poisoned(passes);
    uint32_t *bytes = stage_poisoned(data), *result = stage_poisoned(results), *collected = stage_poisoned(room);
    const struct stage_argument list = STAGE_IN("list", coding->list, coding->list_words * 4ULL);
    const struct stage_argument model[] = {list, STAGE_IN("samples", coding->samples, coding->sample_words * 4ULL),
        STAGE_FOUND("decisions", decision, decision, decisions), STAGE_FOUND("passes", pass, pass, passes),
        STAGE_FOUND("results", result, result, results)};
    const struct stage_argument sort[] = {
        list, STAGE_IN("results", result, results), STAGE_FOUND("order", order, order, orders)};
    const struct stage_argument code[] = {list, STAGE_IN("order", order, orders),
        STAGE_IN("decisions", decision, decisions), STAGE_FOUND("passes", pass, pass, passes),
        STAGE_FOUND("data", bytes, bytes, data), STAGE_FOUND("results", result, result, results)};
    const struct stage_argument collect[] = {list, STAGE_FOUND("results", result, result, results),
        STAGE_IN("passes", pass, passes), STAGE_IN("data", bytes, data),
        STAGE_FOUND("collected", collected, collected, room)};
    memset(result, 0, J2K_LIST_HEAD * 4);
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_MODEL, blocks, model, 5);
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_ORDER, 1, sort, 3);
    check_order(order, (const struct j2k_work_coded_result *)(const void *)(result + J2K_LIST_HEAD), blocks);
    const uint32_t rest = blocks > FRONT_LANES * FRONT_ROWS ? blocks - FRONT_LANES * FRONT_ROWS : 0;
    const uint32_t rows = FRONT_ROWS + (rest + LANES - 1) / LANES, together = J2K_CODE_GROUP / J2K_CODE_LANES;
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_CODE, (rows + together - 1) / together, code, 6);
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_COLLECT, blocks, collect, 5);

    struct j2k_block_encoder *encoder = calloc(1, sizeof *encoder);
    const struct j2k_work_coded_result *each =
        (const struct j2k_work_coded_result *)(const void *)(result + J2K_LIST_HEAD);
    uint32_t at = 0, missing = 0;
    check_places(result, blocks);
    for (uint32_t i = 0; i < blocks; i++) {
        if (each[i].length == J2K_NO_ROOM)
            missing++;
        else
            compare_block(coding, i, &each[i], collected, coding->samples + at, encoder);
        at += coding->block[i].width * coding->block[i].height;
    }
    assert_true(ample ? missing == 0 : missing > 0 && missing < blocks);
    free(encoder);
    free(decision);
    free(order);
    free(pass);
    free(bytes);
    free(result);
    free(collected);
}

static void compare_gains(const struct block *block, const struct j2k_work_measured_block *found, const uint32_t *from,
    struct j2k_block_encoder *encoder)
{
    struct j2k_gains gains[J2K_CODED_PLANES];
    const struct j2k_block_settings source = {.width = block->width, .height = block->height, .exact = block->exact};
    uint64_t error = load_there(block, from, encoder);
    encoder->functions = kst_j2k_cpu_coding_passes(kst_cpu_best());
    assert_int_equal(found->planes, kst_j2k_cpu_block_measure(encoder, &source, gains));
    assert_true(!block->summed || ((uint64_t)found->error_high << 32 | found->error_low) == error);
    for (uint32_t p = found->planes, before = 0; p-- > 0; before += gains[p].significant) {
        const uint32_t *gain = &found->gains[J2K_GAIN_WORDS * p];
        if (j2k_gpu_gain(&gain[0]) != gains[p].significance || j2k_gpu_gain(&gain[2]) != gains[p].refinement ||
            gain[4] != gains[p].significant)
            fail_msg("%u×%u, plane %u of %u: %lld, %lld, %u", block->width, block->height, p, found->planes,
                (long long)j2k_gpu_gain(&gain[0]), (long long)j2k_gpu_gain(&gain[2]), gain[4]);
        assert_int_equal(gains[p].refined, before);
    }
}

static void check_gains(struct gpu_runtime *runtime, const struct coding *coding)
{
    struct j2k_block_encoder *encoder = calloc(1, sizeof *encoder);
    size_t length = coding->count * sizeof(struct j2k_work_measured_block);
    uint32_t *found = stage_poisoned(length);
    const struct stage_argument arguments[] = {STAGE_IN("list", coding->list, coding->list_words * 4ULL),
        STAGE_IN("samples", coding->samples, coding->sample_words * 4ULL), STAGE_FOUND("found", found, found, length)};
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_MEASURE, coding->count, arguments, 3);
    for (uint32_t i = 0, at = 0; i < coding->count; i++) {
        compare_gains(&coding->block[i], (const struct j2k_work_measured_block *)(const void *)found + i,
            coding->samples + at, encoder);
        at += coding->block[i].width * coding->block[i].height;
    }
    free(found);
    free(encoder);
}

static void test_blocks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct coding *coding = make_coding(simulated() ? 5 : BLOCKS_MOST, 1 << 15, 1);
        check_blocks(runtimes[i], coding, true);
        check_gains(runtimes[i], coding);
        free(coding->list);
        free(coding->samples);
        free(coding);
    }
}

/* Blocks without enough room, for bytes or for decisions, say so, and write nowhere else. */
static void test_no_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++)
        for (uint32_t k = 0; k < (simulated() ? 1 : 2); k++) {
            struct coding *coding = make_coding(simulated() ? 5 : 64, k ? 1 << 15 : simulated() ? 8 : 40, k ? 20 : 1);
            check_blocks(runtimes[i], coding, false);
            free(coding->list);
            free(coding->samples);
            free(coding);
        }
}

static int start(void **state)
{
    kst_j2k_cpu_forward_init(&forward, kst_cpu_best());
    return open_pictures(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, start, close_pictures);
}
