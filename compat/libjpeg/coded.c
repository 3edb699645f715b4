/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the headers of an encoded stream with what cinfo asks for. */
#include "encode.h"

#include <string.h>

static bool same_frame(const uint8_t *at, size_t length, j_compress_ptr cinfo)
{
    if (length != 6 + 3 * (size_t)cinfo->num_components || at[5] != cinfo->num_components)
        return false;
    for (int i = 0; i < cinfo->num_components; i++) {
        const jpeg_component_info *c = &cinfo->comp_info[i];
        const uint8_t *coded = at + 6 + 3 * (size_t)i;
        if (coded[0] != c->component_id || coded[1] != (c->h_samp_factor << 4 | c->v_samp_factor) ||
            coded[2] != c->quant_tbl_no)
            return false;
    }
    return true;
}

/* Return whether a scan uses the tables of cinfo. Only components of cinfo's that the scan has are compared. */
static bool same_scan(const uint8_t *at, size_t length, j_compress_ptr cinfo)
{
    for (size_t i = 0; i < at[0] && 2 * i + 2 < length; i++)
        for (int c = 0; c < cinfo->num_components; c++) {
            const jpeg_component_info *info = &cinfo->comp_info[c];
            if (info->component_id == at[1 + 2 * i] && at[2 + 2 * i] != (info->dc_tbl_no << 4 | info->ac_tbl_no))
                return false;
        }
    return true;
}

/*
 * Return whether the Huffman codes of a DHT segment are those of cinfo. The segment has one or more tables, each of
 * which begins with 16 numbers of codes (T.81 B.2.4.2).
 */
static bool same_codes(const uint8_t *at, size_t length, j_compress_ptr cinfo)
{
    while (length > 16) {
        size_t count = 0;
        unsigned index = at[0] & 15U;
        if (index >= NUM_HUFF_TBLS)
            return false;
        const JHUFF_TBL *table = at[0] >> 4 ? cinfo->ac_huff_tbl_ptrs[index] : cinfo->dc_huff_tbl_ptrs[index];
        for (int i = 1; i <= 16; i++)
            count += at[i];
        if (!table || length < 17 + count || memcmp(at + 1, table->bits + 1, 16) != 0 ||
            memcmp(at + 17, table->huffval, count) != 0)
            return false;
        at += 17 + count;
        length -= 17 + count;
    }
    return length == 0;
}

size_t libjpeg_coded_start(const kst_buffer *coded, j_compress_ptr cinfo)
{
    size_t start = 0, at = 2;
    while (at + 4 <= coded->length) {
        const uint8_t *segment = coded->data + at;
        uint8_t marker = segment[1];
        size_t length = (size_t)segment[2] << 8 | segment[3];
        bool application = marker >= 0xE0 && marker <= 0xEF;
        if (!application && start == 0)
            start = at;
        if (marker >= 0xC0 && marker <= 0xC2 && !same_frame(segment + 4, length - 2, cinfo))
            return 0;
        if (marker == 0xC4 && !cinfo->optimize_coding && !same_codes(segment + 4, length - 2, cinfo))
            return 0;
        if (marker == 0xDA)
            return cinfo->progressive_mode || same_scan(segment + 4, length - 2, cinfo) ? start : 0;
        at += 2 + length;
    }
    return 0;
}
