/* SPDX-License-Identifier: BSD-2-Clause */
/* Goes through the marker segments and boxes of an open JPEG 2000 stream, one after the other. */
#include "j2k/syntax/elements.h"

#include <string.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/fields.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/text.h"

enum { MARKER = 2, SEGMENT = 4, BOX = 8, WIDE_BOX = 16, IN_CODESTREAM = 1 };

static void name_marker(kst_element *element, uint8_t marker)
{
    static const char names[256][4] = {[J2K_SOC] = "SOC",
        [J2K_CAP] = "CAP",
        [J2K_SIZ] = "SIZ",
        [J2K_COD] = "COD",
        [J2K_COC] = "COC",
        [J2K_TLM] = "TLM",
        [J2K_PRF] = "PRF",
        [J2K_CPF] = "CPF",
        [J2K_PLM] = "PLM",
        [J2K_PLT] = "PLT",
        [J2K_QCD] = "QCD",
        [J2K_QCC] = "QCC",
        [J2K_RGN] = "RGN",
        [J2K_POC] = "POC",
        [J2K_PPM] = "PPM",
        [J2K_PPT] = "PPT",
        [J2K_CRG] = "CRG",
        [J2K_COM] = "COM",
        [J2K_MCT] = "MCT",
        [J2K_MCC] = "MCC",
        [J2K_MCO] = "MCO",
        [J2K_CBD] = "CBD",
        [J2K_SOT] = "SOT",
        [J2K_SOD] = "SOD",
        [J2K_EOC] = "EOC"};
    struct j2k_text unknown = {element->name, sizeof element->name, 0};
    element->code = 0xFF00U | marker;
    if (names[marker][0])
        memcpy(element->name, names[marker], sizeof names[marker]);
    else
        kst_j2k_text_add(&unknown, "0xFF%02X", (unsigned)marker);
}

static void name_box(kst_element *element, uint32_t type)
{
    element->code = type;
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t letter = (uint8_t)(type >> (24 - 8 * i));
        element->name[i] = (char)(letter >= ' ' && letter < 127 ? letter : '?');
    }
    element->name[4] = '\0';
}

/*
 * Return the tile-part whose SOD is at `at`. Both elements and parts are met in the order of the codestream;
 * element->part is the index, plus 1, of the next part to be met, and 0 before the first one.
 */
static const struct j2k_tile_part *part_at(const struct j2k_stream *stream, uint64_t at, kst_element *element)
{
    uint32_t index = element->part > 0 ? element->part - 1 : stream->first_in_order;
    while (index < stream->part_count && stream->part[index].body < at + MARKER)
        index = stream->part[index].next;
    element->part = index + 1;
    if (index >= stream->part_count || stream->part[index].body != at + MARKER || stream->part[index].body_length == 0)
        return NULL;
    return &stream->part[index];
}

static bool next_marker(const struct j2k_stream *stream, kst_element *element)
{
    uint64_t at = element->at, left = stream->end - at;
    const uint8_t *data = stream->data + at;
    if (left < MARKER || data[0] != 0xFF || data[1] < J2K_ALONE_FIRST)
        return false;
    bool alone = (data[1] >= J2K_ALONE_FIRST && data[1] <= J2K_ALONE_LAST) || data[1] == J2K_SOC ||
                 data[1] == J2K_SOD || data[1] == J2K_EOC || data[1] == J2K_EPH;
    const struct j2k_tile_part *part = data[1] == J2K_SOD ? part_at(stream, at, element) : NULL;
    uint64_t length = alone || left < SEGMENT ? MARKER : MARKER + (uint64_t)j2k_get16(data + MARKER);
    if (part)
        length += part->body_length;
    if (length > left)
        length = left;
    element->offset = at;
    element->length = length;
    element->at = at + length;
    element->depth = stream->file.present;
    name_marker(element, data[1]);
    kst_j2k_segment_fields(stream, data[1], data + (alone ? MARKER : SEGMENT),
        length < SEGMENT ? 0 : (size_t)(length - (alone ? MARKER : SEGMENT)), element->text, sizeof element->text);
    return true;
}

static bool next_box(const struct j2k_stream *stream, kst_element *element)
{
    const struct j2k_file *file = &stream->file;
    if (element->box >= file->box_count)
        return false;
    const struct j2k_box *box = &file->box[element->box++];
    bool wide = j2k_get32(stream->data + box->offset - 4) != box->type; /* then the length is behind the type */
    uint64_t header = wide ? WIDE_BOX : BOX;
    element->offset = box->offset - header;
    element->length = box->length + header;
    element->depth = box->depth;
    name_box(element, box->type);
    kst_j2k_box_fields(stream, box, element->text, sizeof element->text);
    if (box->offset == file->codestream && box->type == J2K_BOX('j', 'p', '2', 'c')) {
        element->state = IN_CODESTREAM;
        element->at = stream->start;
    }
    return true;
}

bool kst_j2k_next_element(const struct j2k_stream *stream, kst_element *element)
{
    element->text[0] = '\0';
    if (!stream->file.present && element->state != IN_CODESTREAM) {
        element->state = IN_CODESTREAM;
        element->at = stream->start;
    }
    if (element->state == IN_CODESTREAM) {
        if (next_marker(stream, element))
            return true;
        element->state = 0;
        if (!stream->file.present)
            element->state = IN_CODESTREAM;
    }
    return stream->file.present && next_box(stream, element);
}
