/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the headers of a stream from what jpeg_read_header() has left in cinfo, so that the source's next bytes are the
 * data of the first scan (T.81 B.2).
 */
#include <string.h>

#include "taken.h"

enum { SEGMENT_MAX = 1200 };

/* Maps a zig-zag index to a raster index (T.81 figure A.6). */
static const uint8_t natural_order[DCTSIZE2] = {0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33,
    40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58,
    59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/* Describes a marker segment that is being made. */
struct segment {
    uint8_t bytes[2 + SEGMENT_MAX];
    size_t length;
};

static void put(struct segment *segment, unsigned value)
{
    segment->bytes[segment->length++] = (uint8_t)value;
}

static void put2(struct segment *segment, unsigned value)
{
    put(segment, value >> 8);
    put(segment, value);
}

static struct segment start(unsigned marker)
{
    struct segment segment = {.length = 0};
    put2(&segment, 0xFF00 | marker);
    put2(&segment, 0);
    return segment;
}

static bool finish(struct libjpeg_taken *taken, struct segment *segment)
{
    size_t length = segment->length - 2;
    segment->bytes[2] = (uint8_t)(length >> 8);
    segment->bytes[3] = (uint8_t)length;
    return libjpeg_append(taken, segment->bytes, segment->length);
}

/* Put an Adobe marker that states the colour space of the components, or that they are not to be converted. */
static bool put_colour(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    struct segment segment = start(0xEE);
    J_COLOR_SPACE space = libjpeg_is_as_coded(cinfo) ? JCS_UNKNOWN : cinfo->jpeg_color_space;
    memcpy(segment.bytes + segment.length, "Adobe", 5);
    segment.length += 5;
    put2(&segment, 100);
    put2(&segment, 0);
    put2(&segment, 0);
    put(&segment, space == JCS_YCbCr ? 1 : space == JCS_YCCK ? 2 : 0);
    return finish(taken, &segment);
}

static bool put_quantizer(struct libjpeg_taken *taken, unsigned index, const JQUANT_TBL *table)
{
    struct segment segment = start(0xDB);
    bool wide = false;
    for (int i = 0; i < DCTSIZE2; i++)
        wide = wide || table->quantval[i] > 255;
    put(&segment, (wide ? 0x10U : 0U) | index);
    for (int i = 0; i < DCTSIZE2; i++) {
        unsigned value = table->quantval[natural_order[i]];
        if (wide)
            put(&segment, value >> 8);
        put(&segment, value);
    }
    return finish(taken, &segment);
}

static bool put_codes(struct libjpeg_taken *taken, unsigned index, const JHUFF_TBL *table)
{
    struct segment segment = start(0xC4);
    unsigned count = 0;
    put(&segment, index);
    for (int i = 1; i <= 16; i++) {
        put(&segment, table->bits[i]);
        count += table->bits[i];
    }
    for (unsigned i = 0; i < count && i < 256; i++)
        put(&segment, table->huffval[i]);
    return finish(taken, &segment);
}

static bool put_tables(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    bool fine = true;
    for (unsigned i = 0; fine && i < NUM_QUANT_TBLS; i++)
        if (cinfo->quant_tbl_ptrs[i])
            fine = put_quantizer(taken, i, cinfo->quant_tbl_ptrs[i]);
    for (unsigned i = 0; fine && i < NUM_HUFF_TBLS; i++) {
        if (cinfo->dc_huff_tbl_ptrs[i])
            fine = put_codes(taken, i, cinfo->dc_huff_tbl_ptrs[i]);
        if (fine && cinfo->ac_huff_tbl_ptrs[i])
            fine = put_codes(taken, 0x10 | i, cinfo->ac_huff_tbl_ptrs[i]);
    }
    return fine;
}

static bool put_frame(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    struct segment segment = start(cinfo->progressive_mode ? 0xC2 : 0xC1);
    put(&segment, 8);
    put2(&segment, cinfo->image_height);
    put2(&segment, cinfo->image_width);
    put(&segment, (unsigned)cinfo->num_components);
    for (int i = 0; i < cinfo->num_components; i++) {
        const jpeg_component_info *c = &cinfo->comp_info[i];
        put(&segment, (unsigned)c->component_id);
        put(&segment, (unsigned)(c->h_samp_factor << 4 | c->v_samp_factor));
        put(&segment, (unsigned)c->quant_tbl_no);
    }
    return finish(taken, &segment);
}

static bool put_restart(struct libjpeg_taken *taken, unsigned interval)
{
    struct segment segment = start(0xDD);
    put2(&segment, interval);
    return finish(taken, &segment);
}

static bool put_scan(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    struct segment segment = start(0xDA);
    put(&segment, (unsigned)cinfo->comps_in_scan);
    for (int i = 0; i < cinfo->comps_in_scan; i++) {
        const jpeg_component_info *c = cinfo->cur_comp_info[i];
        put(&segment, (unsigned)c->component_id);
        put(&segment, (unsigned)(c->dc_tbl_no << 4 | c->ac_tbl_no));
    }
    put(&segment, (unsigned)cinfo->Ss);
    put(&segment, (unsigned)cinfo->Se);
    put(&segment, (unsigned)(cinfo->Ah << 4 | cinfo->Al));
    return finish(taken, &segment);
}

bool libjpeg_make_header(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    static const uint8_t soi[] = {0xFF, 0xD8};
    bool fine = libjpeg_append(taken, soi, sizeof soi) && put_colour(taken, cinfo) && put_tables(taken, cinfo) &&
                put_frame(taken, cinfo) &&
                (cinfo->restart_interval == 0 || put_restart(taken, cinfo->restart_interval)) && put_scan(taken, cinfo);
    taken->header = taken->searched = taken->length;
    return fine;
}
