/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the lengths of a tile's packets from PLT (T.800 A.7.3) or else PLM (A.7.2). They are trusted only as far as
 * they agree with the tile-parts and with every packet that is read.
 */
#include "j2k/packets/builder.h"
#include "j2k/syntax/marker.h"

enum { INDICES = 256, MORE = 0x80, DIGIT = 0x7F };

/* Sort the PLT segments of a tile-part by Zplt, which counts from 0 without gaps. Returns false if it does not. */
static bool sort_segments(const struct j2k_stream *stream, const struct j2k_tile_part *part,
    const struct j2k_marker_segment *by_index[INDICES], uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < part->segment_count; i++) {
        const struct j2k_marker_segment *segment = &stream->segment[part->first_segment + i];
        if (segment->marker != J2K_PLT)
            continue;
        if (segment->length < 1 || by_index[stream->data[segment->offset]])
            return false;
        by_index[stream->data[segment->offset]] = segment;
        ++*count;
    }
    for (uint32_t i = 0; i < *count; i++)
        if (!by_index[i])
            return false;
    return true;
}

/* Holds the state while lengths are read, which have seven bits per byte. */
struct lengths_reading {
    struct j2k_packet_lengths *lengths;
    uint64_t sum, value, most;
    bool open; /* the last byte read does not end a length */
};

/* Take some bytes of lengths. Returns false if a length is one that no packet can have. */
static bool read_bytes(struct lengths_reading *reading, const uint8_t *data, uint32_t length)
{
    for (uint32_t k = 0; k < length; k++) {
        reading->value = reading->value << 7 | (data[k] & DIGIT);
        reading->open = (data[k] & MORE) != 0;
        if (reading->value > reading->most || (!reading->open && reading->value == 0))
            return false;
        if (reading->open)
            continue;
        reading->lengths->length[reading->lengths->count++] = reading->value;
        reading->sum += reading->value;
        reading->value = 0;
    }
    return true;
}

/* Read the lengths of a tile-part. Returns false if they do not add up to the bytes of its packets. */
static bool read_part(
    const struct j2k_stream *stream, const struct j2k_tile_part *part, struct j2k_packet_lengths *lengths)
{
    const struct j2k_marker_segment *by_index[INDICES] = {NULL};
    struct lengths_reading reading = {.lengths = lengths, .most = part->body_length};
    uint32_t count;
    if (!sort_segments(stream, part, by_index, &count))
        return false;
    if (count == 0 && part->lengths_length > 0 &&
        !read_bytes(&reading, stream->lengths + part->lengths, part->lengths_length))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_bytes(&reading, stream->data + by_index[i]->offset + 1, by_index[i]->length - 1))
            return false;
    return !reading.open && reading.sum == part->body_length;
}

/* Return the number of bytes of PLT, or of PLM if there is none. Each length takes at least one of them. */
static size_t part_lengths(const struct j2k_stream *stream, const struct j2k_tile_part *part)
{
    size_t bytes = 0;
    for (uint32_t k = 0; k < part->segment_count; k++)
        if (stream->segment[part->first_segment + k].marker == J2K_PLT)
            bytes += stream->segment[part->first_segment + k].length;
    return bytes > 0 ? bytes : part->lengths_length;
}

/* Return the same summed over all tile-parts; 0 if one that has packets has no lengths. */
static size_t most_lengths(const struct j2k_stream *stream, uint32_t first, uint32_t end)
{
    size_t total = 0;
    for (uint32_t i = first; i < end; i++) {
        size_t here = part_lengths(stream, &stream->part[i]);
        if (here == 0 && stream->part[i].body_length > 0)
            return 0;
        total += here;
    }
    return total;
}

/* Read the lengths of all tile-parts. Returns false if they contradict the tile-parts or the number of packets. */
static bool read_parts(const struct j2k_builder *builder, struct j2k_packet_lengths *lengths)
{
    const struct j2k_stream *stream = builder->stream;
    uint32_t first = stream->tile_part[builder->tile], end = stream->tile_part[builder->tile + 1];
    bool fine = true;
    for (uint32_t i = first; i < end && fine; i++)
        fine = read_part(stream, &stream->part[i], lengths);
    return fine && lengths->count <= builder->packet_total;
}

kst_status kst_j2k_packet_lengths(struct j2k_builder *builder, struct j2k_packet_lengths *lengths)
{
    const struct j2k_stream *stream = builder->stream;
    uint32_t first = stream->tile_part[builder->tile], end = stream->tile_part[builder->tile + 1];
    size_t most = most_lengths(stream, first, end);
    kst_status status = KST_OK;
    *lengths = (struct j2k_packet_lengths){0};
    if (most == 0 || most > UINT32_MAX || builder->wanted_packets == builder->packet_total)
        return KST_OK;
    lengths->length = kst_memory_array(builder->memory, most, sizeof *lengths->length, &status);
    if (!lengths->length)
        return kst_report_error(builder->report, status, KST_NO_OFFSET, "for packet lengths");
    if (read_parts(builder, lengths))
        return KST_OK;
    kst_report_warning(builder->report, KST_WARNING_J2K_LENGTHS, stream->part[first].offset, 1, false);
    lengths->count = 0;
    return KST_OK;
}

bool kst_j2k_all_packet_lengths(const struct j2k_builder *builder, struct j2k_packet_lengths *lengths)
{
    const uint32_t *part = &builder->stream->tile_part[builder->tile];
    const size_t most = most_lengths(builder->stream, part[0], part[1]);
    *lengths = (struct j2k_packet_lengths){0};
    if (most < builder->packet_total || most > UINT32_MAX)
        return false;
    lengths->length = kst_memory_array(builder->memory, most, sizeof *lengths->length, NULL);
    if (lengths->length && read_parts(builder, lengths) && lengths->count == builder->packet_total)
        return true;
    kst_memory_release(builder->memory, lengths->length);
    *lengths = (struct j2k_packet_lengths){0};
    return false;
}
