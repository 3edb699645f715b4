/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads all scans of a picture row by row into coefficients of one MCU row. */
#include "jpeg/cpu/row_decoder.h"

#include <string.h>

kst_status kst_jpeg_cpu_row_decoder_open(
    const struct operation *op, const struct jpeg_plan *plan, struct jpeg_row_decoder *decoder)
{
    *decoder = (struct jpeg_row_decoder){.memory = op->memory};
    kst_status status =
        kst_jpeg_coefficients_create_part(op->memory, &plan->frame, plan->frame.mcus_w, 1, &decoder->row.coefficients);
    if (status)
        return status;
    status = kst_jpeg_cpu_scans_open(op, plan, 1, &decoder->scans);
    decoder->scans.target.coefficients = &decoder->row.coefficients;
    if (status)
        kst_jpeg_cpu_row_decoder_close(decoder);
    return status;
}

void kst_jpeg_cpu_row_decoder_close(struct jpeg_row_decoder *decoder)
{
    kst_jpeg_cpu_scans_close(decoder->memory, &decoder->scans);
    kst_jpeg_coefficients_release(decoder->memory, &decoder->row.coefficients);
}

/* Return the number of a component's blocks in an MCU row. */
static size_t blocks_in_row(const struct jpeg_row_decoder *decoder, uint32_t component)
{
    const struct jpeg_component *c = &decoder->scans.plan->frame.component[component];
    return (size_t)c->padded_w * c->v;
}

static void clear_row(struct jpeg_row_decoder *decoder)
{
    struct jpeg_scan_target *target = &decoder->scans.target;
    for (uint32_t i = 0; i < decoder->scans.plan->frame.component_count; i++) {
        const size_t blocks = blocks_in_row(decoder, i);
        memset(decoder->row.coefficients.blocks[i], 0, blocks * 64 * sizeof(int16_t));
        if (target->history[i])
            memset(target->history[i], 0, blocks * sizeof(jpeg_history));
    }
}

/* Add blocks to a sum that depends on their order. Four sums at once do not wait for each other's products. */
static uint64_t sum_blocks(uint64_t sum, const int16_t *block, size_t count)
{
    static const uint64_t factor = 0x9E3779B97F4A7C15;
    uint64_t part[4] = {sum, sum + 1, sum + 2, sum + 3};
    for (size_t i = 0; i < count * 64; i += 16) {
        uint64_t word[4];
        memcpy(word, block + i, sizeof word);
        for (uint32_t j = 0; j < 4; j++)
            part[j] = (part[j] ^ word[j]) * factor;
    }
    return part[0] ^ (part[1] >> 1) ^ (part[2] >> 2) ^ (part[3] >> 3);
}

void kst_jpeg_cpu_row_decoder_next(struct jpeg_row_decoder *decoder)
{
    clear_row(decoder);
    decoder->row.first_y = decoder->scans.target.first_row = decoder->rows;
    kst_jpeg_cpu_scans_read_row(&decoder->scans, decoder->rows++);
    for (uint32_t i = 0; decoder->summed && i < decoder->scans.plan->frame.component_count; i++)
        decoder->sum = sum_blocks(decoder->sum, decoder->row.coefficients.blocks[i], blocks_in_row(decoder, i));
}

void kst_jpeg_cpu_row_decoder_finish(struct jpeg_row_decoder *decoder)
{
    if (decoder->finished)
        return;
    while (decoder->rows < decoder->scans.plan->frame.mcus_h)
        kst_jpeg_cpu_row_decoder_next(decoder);
    decoder->finished = true;
    decoder->damage = kst_jpeg_cpu_scans_damage(&decoder->scans);
}

void kst_jpeg_cpu_row_decoder_again(struct jpeg_row_decoder *decoder)
{
    kst_jpeg_cpu_row_decoder_finish(decoder);
    for (uint32_t i = 0; i < decoder->scans.opened; i++) {
        struct jpeg_scan_reader *reader = &decoder->scans.reader[i];
        kst_jpeg_cpu_cursor_start(&reader->entropy, &reader->cursor, 0);
        reader->rows = 0;
        reader->good_rows = 1;
    }
    decoder->rows = 0;
    decoder->sum = 0;
}
