/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the marker segments DQT, DHT and DRI (T.81 B.2.4). */
#include <string.h>

#include "jpeg/syntax/parser.h"

kst_status kst_jpeg_parse_quant(struct jpeg_parser *parser, struct jpeg_segment_reader segment)
{
    size_t at = 0;
    while (at < segment.length) {
        uint8_t wide = segment.data[at] >> 4;
        uint8_t destination = segment.data[at] & 15;
        size_t need = wide ? 129 : 65;
        if (destination >= JPEG_TABLES)
            return kst_report_error(parser->op->report, KST_ERROR_JPEG_QUANT_TABLE, segment.offset + at,
                "destination %u, the standard has 0 to 3", destination);
        if (segment.length - at < need)
            return kst_report_error(
                parser->op->report, KST_ERROR_JPEG_LENGTH, segment.offset + at, "the quantisation table is cut off");
        const uint8_t *value = segment.data + at + 1;
        for (uint32_t k = 0; k < 64; k++)
            parser->quant[destination][kst_jpeg_natural[k]] =
                (uint16_t)(wide ? value[2 * k] << 8 | value[2 * k + 1] : value[k]);
        parser->quant_defined[destination] = true;
        at += need;
    }
    return KST_OK;
}

kst_status kst_jpeg_parse_huffman(struct jpeg_parser *parser, struct jpeg_segment_reader segment)
{
    size_t at = 0;
    while (segment.length - at >= 17) {
        uint8_t table_class = segment.data[at] >> 4;
        uint8_t destination = segment.data[at] & 15;
        if (table_class > 1 || destination >= JPEG_TABLES)
            return kst_report_error(parser->op->report, KST_ERROR_JPEG_HUFFMAN_TABLE, segment.offset + at,
                "class %u, destination %u", table_class, destination);
        struct jpeg_huffman_slot *slot = &parser->huffman[table_class][destination];
        uint32_t count = 0;
        memset(slot, 0, sizeof *slot);
        slot->index = NOT_IN_PLAN;
        for (uint32_t i = 1; i <= 16; i++) {
            slot->table.bits[i] = segment.data[at + i];
            count += slot->table.bits[i];
        }
        if (count > 256 || count > segment.length - at - 17)
            return kst_report_error(parser->op->report, KST_ERROR_JPEG_HUFFMAN_TABLE, segment.offset + at,
                "%u codes do not fit the segment", count);
        memcpy(slot->table.values, segment.data + at + 17, count);
        slot->defined = true;
        at += 17 + count;
    }
    if (at != segment.length)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_LENGTH, segment.offset + at,
            "bytes left over behind the Huffman tables");
    return KST_OK;
}

kst_status kst_jpeg_parse_restart_interval(struct jpeg_parser *parser, struct jpeg_segment_reader segment)
{
    if (segment.length != 2)
        return kst_report_error(parser->op->report, KST_ERROR_JPEG_RESTART_INTERVAL, segment.offset, NULL);
    parser->restart_interval = (uint32_t)segment.data[0] << 8 | segment.data[1];
    return KST_OK;
}
