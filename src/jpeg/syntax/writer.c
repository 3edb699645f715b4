/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the marker segments of a JPEG stream. */
#include "jpeg/syntax/writer.h"

#include "jpeg/syntax/marker.h"
#include "jpeg/syntax/metadata.h"

enum { SEGMENT_MAX = 65533, ICC_CHUNK = SEGMENT_MAX - JPEG_ICC_HEADER, ICC_CHUNKS_MAX = 255 };

static const char exif_header[JPEG_EXIF_HEADER] = "Exif\0";
static const char xmp_header[JPEG_XMP_HEADER] = "http://ns.adobe.com/xap/1.0/";
static const char icc_header[12] = "ICC_PROFILE";

/* Return the longest payload of a kind, in bytes, without its identifier. */
static size_t longest(kst_metadata_kind kind)
{
    switch (kind) {
    case KST_METADATA_ICC:
        return (size_t)ICC_CHUNK * ICC_CHUNKS_MAX;
    case KST_METADATA_EXIF:
        return SEGMENT_MAX - JPEG_EXIF_HEADER;
    case KST_METADATA_XMP:
        return SEGMENT_MAX - JPEG_XMP_HEADER;
    default:
        return SEGMENT_MAX;
    }
}

static bool app_marker(uint8_t marker)
{
    return (marker >= JPEG_APP0 && marker <= JPEG_APP15) || marker == JPEG_COM;
}

kst_status kst_jpeg_metadata_check(const kst_metadata *metadata, size_t count, size_t *item)
{
    for (*item = 0; *item < count; ++*item) {
        const kst_metadata *m = &metadata[*item];
        if (m->kind < KST_METADATA_ICC || m->kind > KST_METADATA_APP || (!m->data && m->length > 0) ||
            (m->kind == KST_METADATA_ICC && m->length == 0) || (m->kind == KST_METADATA_APP && !app_marker(m->marker)))
            return KST_ERROR_ARGUMENT;
        if (m->length > longest(m->kind))
            return KST_ERROR_JPEG_METADATA_SIZE;
    }
    return KST_OK;
}

static void write_marker(struct sink *sink, uint8_t marker)
{
    kst_sink_u8(sink, 0xFF);
    kst_sink_u8(sink, marker);
}

/* Write the marker and the length field of a segment with `length` bytes of contents. */
static void write_segment_start(struct sink *sink, uint8_t marker, size_t length)
{
    write_marker(sink, marker);
    kst_sink_u16(sink, (uint16_t)(length + 2));
}

static void write_jfif(struct sink *sink, const struct jpeg_header *header)
{
    write_segment_start(sink, JPEG_APP0, 14);
    kst_sink_bytes(sink, "JFIF", 5);
    kst_sink_u16(sink, header->jfif_version);
    kst_sink_u8(sink, (uint8_t)header->density_unit);
    kst_sink_u16(sink, header->density_x);
    kst_sink_u16(sink, header->density_y);
    kst_sink_u16(sink, 0); /* no thumbnail */
}

static void write_adobe(struct sink *sink, const struct jpeg_header *header)
{
    write_segment_start(sink, JPEG_APP14, 12);
    kst_sink_bytes(sink, "Adobe", 5);
    kst_sink_u16(sink, 100); /* version */
    kst_sink_u16(sink, 0);   /* flags 0 */
    kst_sink_u16(sink, 0);   /* flags 1 */
    kst_sink_u8(sink, header->adobe_transform);
}

void kst_jpeg_write_start(struct sink *sink, const struct jpeg_header *header)
{
    write_marker(sink, JPEG_SOI);
    if (header->jfif)
        write_jfif(sink, header);
    if (header->adobe)
        write_adobe(sink, header);
}

/* Write one APPn or COM segment; `length` is at most 65,533. */
static void write_segment(struct sink *sink, uint8_t marker, const void *data, size_t length)
{
    write_segment_start(sink, marker, length);
    kst_sink_bytes(sink, data, length);
}

static void write_identified(struct sink *sink, const kst_metadata *item, const char *header, size_t header_length)
{
    write_segment_start(sink, JPEG_APP1, header_length + item->length);
    kst_sink_bytes(sink, header, header_length);
    kst_sink_bytes(sink, item->data, item->length);
}

static void write_icc(struct sink *sink, const kst_metadata *item)
{
    size_t chunks = (item->length + ICC_CHUNK - 1) / ICC_CHUNK;
    for (size_t i = 0; i < chunks; i++) {
        size_t start = i * ICC_CHUNK;
        size_t length = item->length - start < ICC_CHUNK ? item->length - start : ICC_CHUNK;
        write_segment_start(sink, JPEG_APP2, JPEG_ICC_HEADER + length);
        kst_sink_bytes(sink, icc_header, sizeof icc_header);
        kst_sink_u8(sink, (uint8_t)(i + 1));
        kst_sink_u8(sink, (uint8_t)chunks);
        kst_sink_bytes(sink, item->data + start, length);
    }
}

void kst_jpeg_write_metadata(struct sink *sink, const kst_metadata *metadata, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const kst_metadata *item = &metadata[i];
        switch (item->kind) {
        case KST_METADATA_ICC:
            write_icc(sink, item);
            break;
        case KST_METADATA_EXIF:
            write_identified(sink, item, exif_header, sizeof exif_header);
            break;
        case KST_METADATA_XMP:
            write_identified(sink, item, xmp_header, sizeof xmp_header);
            break;
        case KST_METADATA_COMMENT:
            write_segment(sink, JPEG_COM, item->data, item->length);
            break;
        default:
            write_segment(sink, item->marker, item->data, item->length);
            break;
        }
    }
}

static bool is_wide(const uint16_t quant[64])
{
    unsigned bits = 0;
    for (uint32_t i = 0; i < 64; i++)
        bits |= quant[i];
    return bits > 255;
}

static void write_quant_table(struct sink *sink, const struct jpeg_component *component)
{
    bool wide = is_wide(component->quant);
    size_t length = wide ? 128 : 64;
    write_segment_start(sink, JPEG_DQT, 1 + length);
    kst_sink_u8(sink, (uint8_t)(component->tq | (wide ? 0x10 : 0)));
    uint8_t *to = kst_sink_reserve(sink, length);
    for (uint32_t k = 0; to && k < 64; k++) {
        uint16_t value = component->quant[kst_jpeg_natural[k]];
        if (wide)
            to[2 * k] = (uint8_t)(value >> 8);
        to[wide ? 2 * k + 1 : k] = (uint8_t)value;
    }
    sink->length += to ? length : 0;
}

static bool table_written(const struct jpeg_frame *frame, uint32_t component)
{
    for (uint32_t c = 0; c < component; c++) {
        if (frame->component[c].tq == frame->component[component].tq)
            return true;
    }
    return false;
}

void kst_jpeg_write_frame(struct sink *sink, const struct jpeg_frame *frame, bool progressive)
{
    bool wide = frame->precision == JPEG_DEEP;
    for (uint32_t c = 0; c < frame->component_count; c++) {
        wide |= is_wide(frame->component[c].quant);
        if (!table_written(frame, c))
            write_quant_table(sink, &frame->component[c]);
    }
    uint8_t marker = progressive ? JPEG_SOF2 : wide ? JPEG_SOF1 : JPEG_SOF0;
    write_segment_start(sink, marker, 6 + 3 * (size_t)frame->component_count);
    kst_sink_u8(sink, frame->precision == JPEG_DEEP ? JPEG_DEEP : 8);
    kst_sink_u16(sink, (uint16_t)frame->height);
    kst_sink_u16(sink, (uint16_t)frame->width);
    kst_sink_u8(sink, frame->component_count);
    for (uint32_t c = 0; c < frame->component_count; c++) {
        const struct jpeg_component *component = &frame->component[c];
        kst_sink_u8(sink, component->id);
        kst_sink_u8(sink, (uint8_t)(component->h << 4 | component->v));
        kst_sink_u8(sink, component->tq);
    }
}

static void write_huffman(struct sink *sink, struct jpeg_scan_state *state, const struct jpeg_table_set *tables,
    enum jpeg_table_class table_class, uint8_t destination)
{
    const struct jpeg_huffman *table = tables->table[table_class][destination];
    if (!table || table == state->written[table_class][destination])
        return;
    state->written[table_class][destination] = table;
    size_t count = 0;
    for (uint32_t i = 1; i <= 16; i++)
        count += table->bits[i];
    write_segment_start(sink, JPEG_DHT, 17 + count);
    kst_sink_u8(sink, (uint8_t)(table_class << 4 | destination));
    kst_sink_bytes(sink, table->bits + 1, 16);
    kst_sink_bytes(sink, table->values, count);
}

void kst_jpeg_write_scan(struct sink *sink, struct jpeg_scan_state *state, const struct jpeg_encoding *encoding,
    const kst_scan *scan, const struct jpeg_table_set *tables, uint32_t restart_interval)
{
    /* A refinement pass of DC bits needs no table, and DC alone needs no AC table. */
    bool dc = scan->ss == 0 && scan->ah == 0, ac = scan->se > 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint8_t destination = encoding->huffman[scan->component[i]];
        if (dc)
            write_huffman(sink, state, tables, JPEG_DC, destination);
        if (ac)
            write_huffman(sink, state, tables, JPEG_AC, destination);
    }
    if (restart_interval != state->restart_interval) {
        write_segment_start(sink, JPEG_DRI, 2);
        kst_sink_u16(sink, (uint16_t)restart_interval);
        state->restart_interval = restart_interval;
    }
    write_segment_start(sink, JPEG_SOS, 4 + 2 * (size_t)scan->component_count);
    kst_sink_u8(sink, scan->component_count);
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint8_t destination = encoding->huffman[scan->component[i]];
        kst_sink_u8(sink, encoding->frame.component[scan->component[i]].id);
        kst_sink_u8(sink, (uint8_t)((dc ? destination << 4 : 0) | (ac ? destination : 0)));
    }
    kst_sink_u8(sink, scan->ss);
    kst_sink_u8(sink, scan->se);
    kst_sink_u8(sink, (uint8_t)(scan->ah << 4 | scan->al));
}

void kst_jpeg_write_end(struct sink *sink)
{
    write_marker(sink, JPEG_EOI);
}
