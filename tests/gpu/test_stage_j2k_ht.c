/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that decode code-blocks of T.814, each by itself, against the processor's functions: blocks of all kinds
 * of shapes, of which parts are wanted, and some that are damaged.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "j2k/cpu/blocks/ht_decode.h"
#include "j2k/gpu/modules.h"
#include "j2k/kernels/work.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

enum { BLOCKS = 10, STREAM_WORDS = 1 << 14, STATE_WORDS = 1 << 15, SAMPLE_WORDS = 1 << 15, PICTURES = 2, OTHERS = 3 };

/* What the kernels read and write, and what the buffers hold behind each of them. */
struct stage {
    uint32_t count, at, states, samples; /* blocks; used bytes of the stream, and words of the other buffers */
    uint32_t stream[STREAM_WORDS];
    struct j2k_work_ht_block block[BLOCKS];
    struct j2k_work_piece piece[2 * BLOCKS];
    uint32_t *quads, *kept;              /* states behind the first two kernels */
    uint32_t *empty, *cleaned, *refined; /* samples in front of and behind the last two */
    uint32_t flag[OTHERS + BLOCKS], later[OTHERS + BLOCKS];
    uint32_t damage[PICTURES * J2K_WORK_DAMAGE];
    struct j2k_block_scratch *scratch;
};

static uint32_t random_state = 5;

static uint32_t below(uint32_t n)
{
    return random_below(&random_state, n);
}

static void fill(struct j2k_block_scratch *scratch, uint32_t count, uint32_t planes)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t magnitude = below(1U << 20) & ((1U << below(planes + 1)) - 1);
        scratch->sample[i] = magnitude | (magnitude > 0 ? below(2) << 31 : 0);
    }
}

/* Code a block, put its bytes into the stream, the refinement's in two pieces, and describe them. */
static void code(struct stage *s, struct j2k_work_ht_block *block, struct j2k_work_piece *piece)
{
    const struct j2k_block_settings settings = {.width = block->width,
        .height = block->height,
        .style = J2K_STYLE_HT | (block->causal ? J2K_STYLE_CAUSAL : 0U),
        .plane = block->plane,
        .refinements = block->passes - 1U};
    struct j2k_block_outcome outcome;
    uint8_t *bytes = (uint8_t *)s->stream;
    fill(s->scratch, (uint32_t)block->width * block->height, block->bits + block->plane);
    kst_j2k_cpu_ht.encode(s->scratch, CPU_C, &settings, &outcome);
    block->length = outcome.passes > 0 ? outcome.pass[0].length : 0;
    block->refinement = outcome.passes > 0 ? outcome.length - block->length : 0;
    block->passes = (uint16_t)(block->length > 0 ? block->passes : 0);
    block->from = s->at + below(4);
    if (outcome.length > 0)
        memcpy(bytes + block->from, outcome.data, outcome.length);
    piece[0] = (struct j2k_work_piece){block->from + block->length, block->refinement / 2};
    piece[1] = (struct j2k_work_piece){piece[0].offset + piece[0].length, block->refinement - piece[0].length};
    block->pieces = 2;
    s->at = block->from + outcome.length + 1;
    assert_true(s->at + 8 < sizeof s->stream);
}

/* Decode with the first passes, on the processor, to what bands hold. Returns whether there is damage. */
static bool decode(struct stage *s, const struct j2k_work_ht_block *block, uint32_t passes, uint32_t *value)
{
    const uint8_t *bytes = (const uint8_t *)s->stream + block->from;
    const struct j2k_codeword codeword[] = {
        {bytes, block->length, 1}, {bytes + block->length, block->refinement, passes - 1}};
    const struct j2k_coded_block coded = {.width = block->width,
        .height = block->height,
        .style = J2K_STYLE_HT | (block->causal ? J2K_STYLE_CAUSAL : 0U),
        .missing = block->bits - 1U,
        .planes = block->plane + 1U,
        .roi_shift = block->roi_shift,
        .fraction = block->fraction,
        .codeword_count = passes > 1 ? 2 : 1,
        .codewords = codeword};
    bool damaged = kst_j2k_cpu_ht.decode(s->scratch, CPU_C, &coded);
    for (uint32_t i = 0; i < (uint32_t)block->width * block->height; i++) {
        int32_t magnitude = (int32_t)(s->scratch->sample[i] & 0x7FFFFFFF);
        int32_t index = s->scratch->sample[i] >> 31 ? -magnitude : magnitude;
        value[i] = block->factor ? stage_bits_of((float)index * 0.3F) : (uint32_t)index;
    }
    return damaged;
}

/* Put the wanted part of a block into a buffer of samples. */
static void put(const struct j2k_work_ht_block *block, const uint32_t *value, uint32_t *samples)
{
    for (uint32_t y = block->top; y < block->bottom; y++)
        for (uint32_t x = block->left; x < block->right; x++) {
            uint32_t at = block->to + (y - block->top) * block->pitch + (x - block->left);
            if (block->narrow)
                ((uint16_t *)(void *)samples)[at] = (uint16_t)value[y * block->width + x];
            else
                samples[at] = value[y * block->width + x];
        }
}

/* What the first kernel writes. Returns whether the block's lengths are impossible. */
static bool expect_quads(struct stage *s, const struct j2k_work_ht_block *block)
{
    struct j2k_ht_decoder *decoder = (struct j2k_ht_decoder *)(void *)s->scratch;
    const struct j2k_ht_set set = {
        .cleanup = (const uint8_t *)s->stream + block->from, .cleanup_length = block->length, .passes = 1};
    uint32_t columns = (block->width + 1U) / 2, rows = (block->height + 1U) / 2, pitch = J2K_QUAD_PITCH(columns);
    decoder->width = block->width;
    decoder->height = block->height;
    decoder->quad_columns = columns;
    decoder->quad_rows = rows;
    decoder->quad_pitch = pitch + 2;
    decoder->bits = block->bits;
    if (!kst_j2k_cpu_ht_open(decoder, &set))
        return true;
    assert_true(kst_j2k_cpu_ht_quads(decoder));
    for (uint32_t i = 0; i < pitch * rows; i++) {
        uint32_t at = i / pitch * (pitch + 2) + i % pitch + 1, missing = i % pitch >= columns;
        s->quads[block->state + i] = missing ? 0 : J2K_QUAD((uint32_t)decoder->quad[at], (uint32_t)decoder->u[at]);
    }
    return false;
}

/* What the second kernel keeps for the third: magnitudes with signs. */
static void expect_kept(struct stage *s, const struct j2k_work_ht_block *block)
{
    struct j2k_work_ht_block plain = *block;
    uint32_t columns = (block->width + 1U) / 2, rows = (block->height + 1U) / 2, value[J2K_BLOCK_SAMPLES];
    plain.factor = plain.roi_shift = 0;
    plain.fraction = 0;
    decode(s, &plain, 1, value);
    for (uint32_t i = 0; i < (uint32_t)block->width * block->height; i++) {
        int32_t index = (int32_t)value[i];
        s->kept[block->state + J2K_QUAD_PITCH(columns) * rows + i] =
            ((uint32_t)abs(index) >> block->plane) | (index < 0 ? 0x80000000U : 0);
    }
}

static void expect_block(struct stage *s, uint32_t k)
{
    const struct j2k_work_ht_block *block = &s->block[k];
    uint32_t value[J2K_BLOCK_SAMPLES] = {0};
    s->flag[OTHERS + k] = block->broken || (block->passes > 0 && expect_quads(s, block));
    bool damaged = s->flag[OTHERS + k] || (block->passes > 0 && decode(s, block, 1, value));
    s->later[OTHERS + k] = damaged;
    put(block, value, s->cleaned);
    if (damaged) {
        uint32_t *counts = s->damage + block->picture * J2K_WORK_DAMAGE;
        counts[0]++;
        counts[1] = block->offset < counts[1] ? block->offset : counts[1];
    } else if (block->passes > 1) {
        decode(s, block, block->passes, value);
    }
    put(block, value, s->refined);
}

/* Choose a block's shape, passes and place. */
static void choose(struct stage *s, uint32_t k)
{
    static const uint16_t shapes[BLOCKS][2] = {
        {13, 10}, {6, 7}, {64, 16}, {1, 1}, {70, 5}, {32, 32}, {3, 40}, {200, 4}, {8, 8}, {33, 9}};
    struct j2k_work_ht_block *block = &s->block[k];
    const uint32_t width = shapes[k][0], height = shapes[k][1], real = below(2);
    const uint32_t bits = 1 + (below(4) ? below(8) : 8 + below(11)); /* many make more than 64 bits of a quad */
    *block = (struct j2k_work_ht_block){.width = (uint16_t)width,
        .height = (uint16_t)height,
        .left = (uint16_t)(below(3) ? 0 : below(width)),
        .top = (uint16_t)(below(3) ? 0 : below(height)),
        .passes = (uint16_t)(1 + (k + below(2)) % 3),
        .bits = (uint16_t)bits,
        .causal = (uint16_t)below(2),
        .roi_shift = (uint16_t)(below(4) ? 0 : 5),
        .fraction = (int32_t)real,
        .factor = real ? stage_bits_of(0.3F) : 0,
        .narrow = !real && bits <= 8 && below(2),
        .picture = k % PICTURES,
        .offset = 1000 - 7 * k};
    block->right = (uint16_t)(below(3) ? width : block->left + 1 + below(width - block->left));
    block->bottom = (uint16_t)(below(3) ? height : block->top + 1 + below(height - block->top));
    block->plane = (uint16_t)(block->passes > 1 ? 1 + below(3) : below(3));
    block->pitch = block->right - block->left + below(4);
    block->to = (s->samples + 1) << block->narrow;
    s->samples += block->pitch * (uint32_t)(block->bottom - block->top) + 2;
    block->state = s->states;
    s->states += (width / 2 + 4) * ((height + 1) / 2) + width * height + 4;
    s->states -= s->states % 4;
    assert_true(s->samples <= SAMPLE_WORDS && s->states <= STATE_WORDS);
}

static void make(struct stage *s, uint32_t count)
{
    memset(s, 0, sizeof *s);
    s->count = count;
    s->scratch = calloc(1, kst_j2k_cpu_ht.decoder_length + kst_j2k_cpu_ht.encoder_length);
    assert_non_null(s->scratch);
    memset(s->damage, 0xFF, sizeof s->damage);
    memset(s->flag, STAGE_POISON, sizeof s->flag);
    memset(s->later, STAGE_POISON, sizeof s->later);
    for (uint32_t k = 0; k < count; k++) {
        choose(s, k);
        code(s, &s->block[k], &s->piece[2 * k]);
        if (k == 4)
            s->block[k].length = 1 + below(2); /* less than MEL and VLC take */
        s->block[k].broken = k == 6 || s->block[k].length == 1;
    }
    s->empty = stage_poisoned(s->samples * 4ULL);
    s->cleaned = stage_poisoned(s->samples * 4ULL);
    s->refined = stage_poisoned(s->samples * 4ULL);
    s->quads = stage_poisoned(s->states * 4ULL);
    for (uint32_t k = 0; k < count; k++)
        expect_block(s, k);
    s->kept = stage_copy(s->quads, s->states * 4ULL);
    for (uint32_t k = 0; k < count; k++)
        if (s->block[k].passes > 2 && !s->flag[OTHERS + k])
            expect_kept(s, &s->block[k]);
}

static void release(struct stage *s)
{
    free(s->scratch);
    free(s->empty);
    free(s->cleaned);
    free(s->refined);
    free(s->quads);
    free(s->kept);
}

static uint32_t *describe(struct stage *s, uint32_t lanes, uint32_t *words)
{
    const uint32_t first = sizeof(struct j2k_part_work) / 4, piece = first + sizeof s->block / 4;
    *words = piece + sizeof s->piece / 4;
    uint32_t *work = stage_poisoned(*words * 4ULL);
    *(struct j2k_part_work *)(void *)work =
        (struct j2k_part_work){.blocks = OTHERS, .ht_blocks = s->count, .ht_block = first, .ht_lanes = lanes};
    for (uint32_t k = 0; k < s->count; k++)
        s->block[k].piece = piece + k * 4;
    memcpy(work + first, s->block, sizeof s->block);
    memcpy(work + piece, s->piece, sizeof s->piece);
    return work;
}

static void run(struct gpu_runtime *runtime, struct stage *s, uint32_t lanes)
{
    uint32_t words, *work = describe(s, lanes, &words), together = J2K_QUAD_GROUP / J2K_BUNDLE * lanes;
    uint32_t *poison = stage_poisoned(s->states * 4ULL), flags[OTHERS + BLOCKS];
    uint32_t nothing[PICTURES * J2K_WORK_DAMAGE];
    const size_t length = (OTHERS + s->count) * 4ULL;
    memset(flags, STAGE_POISON, sizeof flags);
    memset(nothing, 0xFF, sizeof nothing);
    const struct stage_argument quads[] = {STAGE_IN("work", work, words * 4ULL),
        STAGE_IN("streams", s->stream, sizeof s->stream), STAGE_OUT("states", poison, s->quads, s->states * 4ULL),
        STAGE_OUT("damaged", flags, s->flag, length)};
    stage_run(runtime, &kst_j2k_gpu_decoding, J2K_KERNEL_QUADS, (s->count + together - 1) / together, quads, 4);
    const struct stage_argument samples[] = {quads[0], quads[1],
        STAGE_OUT("states", s->quads, s->kept, s->states * 4ULL), STAGE_OUT("damaged", s->flag, s->later, length),
        STAGE_OUT("samples", s->empty, s->cleaned, s->samples * 4ULL),
        STAGE_OUT("damage", nothing, s->damage, sizeof nothing)};
    stage_run(runtime, &kst_j2k_gpu_decoding, J2K_KERNEL_QUAD_SAMPLES, s->count, samples, 6);
    const struct stage_argument refinement[] = {quads[0], quads[1], STAGE_IN("states", s->kept, s->states * 4ULL),
        STAGE_IN("damaged", s->later, length), STAGE_OUT("samples", s->cleaned, s->refined, s->samples * 4ULL)};
    stage_run(runtime, &kst_j2k_gpu_decoding, J2K_KERNEL_REFINE, s->count, refinement, 5);
    free(poison);
    free(work);
}

static void test_kernels(void **state)
{
    static struct stage stage;
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++)
        for (uint32_t again = 0; again < (simulated() ? 1 : 24); again++) {
            make(&stage, simulated() ? 7 : BLOCKS);
            run(runtimes[i], &stage, 1U << again % 6);
            release(&stage);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
