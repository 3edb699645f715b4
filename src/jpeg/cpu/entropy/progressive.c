/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up the tables and the parameters for decoding one scan of a progressive file. */
#include "jpeg/cpu/entropy/progressive.h"

static bool needs_tables(const struct jpeg_scan *scan)
{
    return scan->ss > 0 || scan->ah == 0;
}

static kst_status derive_tables(struct memory *memory, struct jpeg_entropy *entropy)
{
    const struct jpeg_scan *scan = entropy->scan;
    kst_status status = KST_OK;
    if (!needs_tables(scan))
        return KST_OK;
    struct jpeg_lookup *lookup = kst_memory_array(memory, scan->component_count, sizeof *lookup, &status);
    if (!lookup)
        return status;
    entropy->tables = lookup;
    bool dc = scan->ss == 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint16_t table = dc ? scan->dc_table[i] : scan->ac_table[i];
        kst_jpeg_cpu_lookup_init(
            &lookup[i], &entropy->plan->huffman[table], dc ? JPEG_LOOKUP_DC : JPEG_LOOKUP_PROGRESSIVE_AC);
    }
    return KST_OK;
}

static void assign_blocks(struct jpeg_entropy *entropy)
{
    const struct jpeg_scan *scan = entropy->scan;
    const struct jpeg_lookup *lookup = entropy->tables;
    uint32_t block = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        const struct jpeg_component *c = &entropy->plan->frame.component[scan->component[i]];
        uint32_t count = scan->component_count == 1 ? 1 : (uint32_t)c->h * c->v;
        for (uint32_t j = 0; j < count; j++, block++) {
            entropy->block_component[block] = (uint8_t)i;
            entropy->dc[block] = lookup ? &lookup[i] : NULL;
        }
    }
}

/*
 * Return whether a value may vanish. A value of s bits, shifted by Al, loses its lowest bit, which may be its only one,
 * if s + Al > 16.
 */
static bool may_vanish(const struct jpeg_plan *plan, const struct jpeg_scan *scan)
{
    const struct jpeg_huffman *huffman = &plan->huffman[scan->ac_table[0]];
    uint32_t count = 0;
    for (uint32_t i = 1; i <= 16; i++)
        count += huffman->bits[i];
    for (uint32_t i = 0; i < count; i++)
        if ((huffman->values[i] & 15) + scan->al > 16)
            return true;
    return false;
}

kst_status kst_jpeg_cpu_progressive_init(struct memory *memory, struct jpeg_progressive *progressive,
    struct jpeg_entropy *entropy, const struct jpeg_plan *plan, const struct jpeg_scan *scan, enum cpu_tier tier)
{
    *entropy = (struct jpeg_entropy){.plan = plan,
        .scan = scan,
        .mcu_blocks = scan->geometry.mcu_blocks,
        .mcus = scan->geometry.mcus_w * scan->geometry.mcus_h};
    kst_status status = derive_tables(memory, entropy);
    if (status)
        return status;
    assign_blocks(entropy);
    *progressive = (struct jpeg_progressive){.read = kst_jpeg_cpu_progressive_tier(scan, tier),
        .entropy = entropy,
        .ac = entropy->tables,
        .ss = scan->ss,
        .se = scan->se,
        .al = scan->al,
        .vanishing = scan->ss > 0 && scan->ah == 0 && may_vanish(plan, scan)};
    return KST_OK;
}
