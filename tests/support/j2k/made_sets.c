/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes blocks of made codestreams with the models, and spreads their passes over layers. */
#include "support/j2k/made_sets.h"

#include <string.h>

#include "support/random.h"
#include "support/test.h"

static uint8_t pool[8 * MODEL_HT_BYTES];
static size_t used;

void made_sets_forget(void)
{
    used = 0;
}

/* Return room for the bytes of a set, of which keep() then keeps some. */
static uint8_t *room(void)
{
    assert_true(used + MODEL_HT_BYTES <= sizeof pool);
    return pool + used;
}

static void add_run(struct made_block *block, uint32_t layer, uint32_t passes, const uint8_t *data, uint32_t length)
{
    assert_true(block->runs < MADE_RUNS);
    block->run[block->runs++] = (struct made_run){layer, passes, length, data};
}

void made_sets_fill(struct model_ht *model, uint32_t planes, uint32_t *random)
{
    memset(model->sample, 0, sizeof model->sample);
    for (uint32_t y = 0, length = 0; y < model->height; y++)
        for (uint32_t x = 0; x < model->width; x++) {
            struct model_ht_sample *sample = model_ht_at(model, (int32_t)x, (int32_t)y);
            if (x % 13 == 0)
                length = random_below(random, 3) == 0 ? 0 : random_below(random, planes + 1);
            const uint64_t bits = (uint64_t)random_next(random) << 32 ^ random_next(random);
            sample->magnitude = bits & ((UINT64_C(1) << random_below(random, length + 1)) - 1);
            sample->negative = (uint8_t)(bits >> 63);
        }
}

/* Add the refinement passes of a set: in one layer, or each in a layer of its own. Returns the last layer. */
static uint32_t add_refinement(struct made_block *block, const uint8_t *bytes, uint32_t length, uint32_t passes,
    const uint32_t layer[2], uint32_t *random)
{
    if (passes < 2 || layer[0] == layer[1]) {
        add_run(block, layer[0], passes, bytes, length);
        return layer[0];
    }
    const uint32_t first = random_below(random, length + 1);
    add_run(block, layer[0], 1, bytes, first);
    add_run(block, layer[1], 1, bytes + first, length - first);
    return layer[1];
}

static uint32_t later(uint32_t layer, uint32_t layers, uint32_t *random)
{
    return layer + 1 < layers && random_below(random, 2) ? layer + 1 : layer;
}

void made_sets_add(
    struct made_block *block, struct model_ht *source, const struct made_sets *sets, uint32_t layers, uint32_t *random)
{
    uint32_t layer = 0, before = 3 * sets->placeholders, plane = source->planes - 1 - sets->placeholders;
    if (before > 0 && layers > 1 && random_below(random, 2)) {
        const uint32_t early = 1 + random_below(random, before);
        add_run(block, layer++, early, NULL, 0);
        before -= early;
    }
    const uint32_t first_set = layer;
    assert_true(sets->sets == 1 || first_set + 1 < layers);
    for (uint32_t s = 0; s < sets->sets; s++, plane--, before = 0) {
        const uint32_t passes = s + 1 < sets->sets ? 3 : sets->passes;
        uint8_t *cleanup = room();
        const uint32_t length = model_ht_encode(source, plane, cleanup);
        used += length;
        add_run(block, layer, before + 1, cleanup, length);
        if (passes > 1) {
            uint8_t *refinement = room();
            const uint32_t more = model_ht_encode_refinement(source, plane, passes, refinement);
            const uint32_t first = later(layer, layers, random);
            used += more;
            layer = add_refinement(
                block, refinement, more, passes - 1, (uint32_t[]){first, later(first, layers, random)}, random);
        }
        layer = s == 0 && layer == first_set ? layer + 1 : later(layer, layers, random);
    }
}

void made_codeword_add(struct made_block *block, struct model *source, uint32_t passes, uint32_t *random)
{
    for (uint32_t i = 0; i < source->width * source->height; i++) {
        source->magnitude[i] = random_below(random, 4) == 0 ? random_next(random) >> (24 - source->planes) : 0;
        source->negative[i] = (uint8_t)random_below(random, 2);
    }
    model_encode(source, passes);
    assert_int_equal(source->segment_count, 1);
    uint8_t *bytes = room();
    memcpy(bytes, source->segment[0].data, source->segment[0].length);
    used += source->segment[0].length;
    add_run(block, 0, passes, bytes, source->segment[0].length);
}

uint32_t made_sets_segments(const struct made_block *block, uint32_t layers, struct j2k_codeword segment[MADE_RUNS])
{
    uint32_t count = 0, pass = 0;
    for (uint32_t i = 0; i < block->runs && block->run[i].layer < layers; i++) {
        const struct made_run *run = &block->run[i];
        pass += run->passes;
        if (count == 0 && run->length == 0)
            continue;
        if (count > 0 && (pass - run->passes) % 3 == 2) {
            segment[count - 1].passes += run->passes;
            segment[count - 1].length += run->length;
        } else {
            segment[count] = (struct j2k_codeword){run->data, run->length, count == 0 ? pass : run->passes};
            count++;
        }
    }
    return count;
}
