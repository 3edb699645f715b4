/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides how code-blocks are coded with the other coder, and which passes their layers have afterwards. */
#include "j2k/rate/recoding.h"

#include <string.h>

#include "j2k/plan/block_coder.h"

/* Stands in for the array of passes' lengths, which is missing where no code-block has a pass. */
static const uint32_t no_pass;

struct j2k_recode_source kst_j2k_recode_source(const struct j2k_recoded *recoded, uint32_t index)
{
    const struct j2k_coded *coded = &recoded->coded;
    struct j2k_recode_source source = {.place = &coded->plan.block[index],
        .code = &coded->block[index],
        .origin = &recoded->origin[index],
        .layers = coded->layers};
    source.band = &coded->plan.band[source.place->band];
    source.layer_passes = recoded->layer_passes + (size_t)index * coded->layers;
    source.length = recoded->pass_length ? recoded->pass_length + source.code->first_pass : &no_pass;
    source.planes = (uint32_t)source.band->planes - source.code->missing;
    source.style = coded->plan.tile_component[source.band->tile_component].style;
    return source;
}

bool kst_j2k_recode_changes(const struct j2k_recode_source *source)
{
    return source->code->passes > 0 && source->origin->coder != (uint8_t)kst_j2k_block_coder(source->style)->kind;
}

/* Return whether a block that becomes one of T.814 needs passes without bytes, because a layer ends among them. */
static bool needs_idle(const struct j2k_recode_source *source, uint32_t idle)
{
    for (uint32_t l = 0; l < source->layers; l++)
        if (source->layer_passes[l] > 0 && source->layer_passes[l] <= idle)
            return true;
    return false;
}

struct j2k_recode_choice kst_j2k_recode_choose(
    const struct j2k_recode_source *source, uint32_t known, uint32_t planes, struct j2k_recode_result *result)
{
    struct j2k_recode_choice choice = {0, 0, 0};
    if ((source->style & J2K_STYLE_HT) != 0) {
        choice.plane = source->planes - 1 - (known - 1) / 3;
        choice.refinements = (known - 1) % 3;
        if (!needs_idle(source, known - 1 - choice.refinements)) {
            result->fewer = (int8_t)(known - 1 - choice.refinements);
            result->missing = (uint8_t)(result->missing + result->fewer / 3);
        }
        return choice;
    }
    result->fewer = (int8_t)(3 * ((int32_t)source->planes - (int32_t)planes));
    result->missing = (uint8_t)(source->band->planes - planes);
    choice.most = (uint32_t)((int32_t)known - result->fewer);
    return choice;
}

uint32_t kst_j2k_recode_idle(const struct j2k_recode_source *source, const struct j2k_recode_result *result)
{
    return (source->style & J2K_STYLE_HT) != 0 && result->fewer == 0 ? (result->known - 1U) / 3 * 3 : 0;
}

/* Adapt the layers of a block: each keeps those of its passes that are known and that the block still has. */
static void shift_layers(struct j2k_recoded *recoded, uint32_t index, const struct j2k_recode_result *result)
{
    const uint32_t layers = recoded->coded.layers;
    uint8_t *passes = recoded->layer_passes + (size_t)index * layers;
    for (uint32_t l = 0; l < layers; l++) {
        int32_t now = passes[l] < result->known ? passes[l] : result->known;
        now -= now > 0 ? result->fewer : 0;
        passes[l] = (uint8_t)(now < 0 ? 0 : now < result->passes ? now : result->passes);
    }
}

static uint32_t passes_after(const struct j2k_recoded *recoded, uint32_t index, const struct j2k_recode_result *result)
{
    return result->changed ? result->passes : recoded->coded.block[index].passes;
}

/* Fill the table of the lengths of all passes, and replace the blocks that changed by their outcomes. */
static void take_results(struct j2k_recoded *recoded, const struct j2k_recode_result *results, uint32_t *pass_length)
{
    struct j2k_coded *coded = &recoded->coded;
    uint32_t at = 0;
    for (uint32_t i = 0; i < coded->plan.block_count; i++) {
        const struct j2k_recode_result *result = &results[i];
        struct j2k_block_code *code = &coded->block[i];
        uint32_t passes = passes_after(recoded, i, result);
        const uint32_t *from =
            result->changed || passes == 0 ? result->length : recoded->pass_length + code->first_pass;
        if (passes > 0)
            memcpy(pass_length + at, from, passes * sizeof *pass_length);
        if (result->changed) {
            *code = (struct j2k_block_code){.data = result->data, .passes = result->passes, .missing = result->missing};
            shift_layers(recoded, i, result);
        }
        code->first_pass = at;
        at += passes;
    }
}

kst_status kst_j2k_recode_take(
    struct memory *memory, struct j2k_recoded *recoded, const struct j2k_recode_result *results)
{
    uint64_t sum = 0;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < recoded->coded.plan.block_count; i++)
        sum += passes_after(recoded, i, &results[i]);
    if (sum > UINT32_MAX)
        return KST_ERROR_LIMIT_WORK;
    uint32_t *pass_length = kst_memory_array(memory, (size_t)sum, sizeof *pass_length, &status);
    if (!pass_length)
        return status;
    take_results(recoded, results, pass_length);
    kst_memory_release(memory, recoded->pass_length);
    recoded->coded.pass_length = recoded->pass_length = pass_length;
    recoded->pass_count = recoded->pass_capacity = (uint32_t)sum;
    return KST_OK;
}
