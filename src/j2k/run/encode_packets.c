/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides whether the device writes a picture's packets, so that the host gets only their bytes and nothing else of the
 * code-blocks, and lists the packets.
 */
#include "core/report.h"
#include "j2k/run/encode.h"
#include "j2k/syntax/marker.h"
#include "j2k/write/sequence.h"

bool kst_j2k_run_encode_has_only_ht(const struct j2k_encoder *encoder)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        if ((plan->tile_component[i].style & J2K_STYLE_HT) == 0)
            return false;
    return true;
}

/* Return whether the kernels can write the packets, and nothing else needs the lengths of blocks. */
static bool suits(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    const struct j2k_writing *writing = &encoder->writing;
    const struct j2k_coded *coded = &encoder->coded;
    return encoder->on_gpu && o->layers == 1 && o->passes == 1 && o->interest.width == 0 && !coded->tile &&
           coded->plan.tile_count == 1 && !coded->headers.main.sop && !coded->headers.main.eph &&
           !writing->packet_lengths && !writing->packed && encoder->limits.component_bytes == UINT64_MAX &&
           (encoder->request.count || kst_j2k_run_encode_takes_all(encoder)) && kst_j2k_run_encode_has_only_ht(encoder);
}

static void take_packets(struct j2k_encoder *encoder, const struct j2k_sequence *sequence)
{
    encoder->packets = sequence->packet_count;
    for (uint32_t i = 0; i < sequence->packet_count; i++) {
        const struct j2k_coded_precinct *precinct = &encoder->coded.precinct[sequence->packet[i].precinct];
        struct j2k_packet_blocks *packet = &encoder->packet[i];
        for (uint32_t b = 0; b < 3; b++) {
            packet->first_block[b] = precinct->first_block[b];
            packet->columns[b] = precinct->columns[b];
            packet->rows[b] = precinct->rows[b];
        }
    }
}

kst_status kst_j2k_run_encode_list_packets(struct j2k_encoder *encoder)
{
    const struct operation op = kst_encoding_operation(encoder->e);
    struct j2k_sequence sequence;
    if (!suits(encoder))
        return KST_OK;
    kst_status status = kst_j2k_sequence_make(&op, &encoder->coded, &encoder->writing, NULL, NULL, &sequence);
    if (!status && sequence.part_count == 1 && sequence.packet_count > 0) {
        encoder->packet =
            kst_memory_array(&encoder->e->memory, sequence.packet_count, sizeof *encoder->packet, &status);
        if (encoder->packet)
            take_packets(encoder, &sequence);
        else
            status = kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL);
    }
    kst_j2k_sequence_release(&encoder->e->memory, &sequence);
    return status;
}

bool kst_j2k_run_encode_places(const struct j2k_encoder *encoder)
{
    return encoder->part && encoder->part->item[encoder->member].packet;
}

bool kst_j2k_run_encode_place(struct j2k_encoder *encoder, uint32_t bytes)
{
    encoder->placed = bytes;
    if (bytes == 0)
        encoder->part->item[encoder->member].packet = NULL;
    return bytes > 0;
}

kst_status kst_j2k_run_encode_make(struct j2k_encoder *encoder, struct j2k_codestream **stream)
{
    const struct operation op = kst_encoding_operation(encoder->e);
    return encoder->placed > 0
               ? kst_j2k_codestream_around(&op, &encoder->coded, &encoder->writing, encoder->placed, stream)
               : kst_j2k_codestream_make(&op, &encoder->coded, &encoder->writing, stream);
}
