/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes bytes from the caller's source, up to EOI and no further. */
#include <stdlib.h>
#include <string.h>

#include "taken.h"

enum { CHUNK = 1 << 16, FIRST_ROOM = 1 << 14 };

bool libjpeg_append(struct libjpeg_taken *taken, const uint8_t *bytes, size_t length)
{
    if (length > taken->capacity - taken->length) {
        size_t capacity = taken->capacity ? taken->capacity : FIRST_ROOM;
        while (capacity - taken->length < length)
            capacity *= 2;
        uint8_t *grown = realloc(taken->bytes, capacity);
        if (!grown)
            return false;
        taken->bytes = grown;
        taken->capacity = capacity;
    }
    memcpy(taken->bytes + taken->length, bytes, length);
    taken->length += length;
    return true;
}

bool libjpeg_add_border(struct libjpeg_taken *taken)
{
    if (taken->border_count == taken->border_room) {
        size_t room = taken->border_room ? 2 * taken->border_room : 16;
        size_t *grown = realloc(taken->border, room * sizeof *grown);
        if (!grown)
            return false;
        taken->border = grown;
        taken->border_room = room;
    }
    taken->border[taken->border_count++] = taken->length;
    return true;
}

bool libjpeg_take_bytes(struct libjpeg_taken *taken, struct jpeg_source_mgr *source, size_t length)
{
    if (!libjpeg_append(taken, source->next_input_byte, length))
        return false;
    taken->run = source->next_input_byte == taken->run_end ? taken->run + length : length;
    source->next_input_byte += length;
    source->bytes_in_buffer -= length;
    taken->run_end = source->next_input_byte;
    return true;
}

void libjpeg_give_back(struct libjpeg_taken *taken, struct jpeg_source_mgr *source, size_t length)
{
    source->next_input_byte -= length;
    source->bytes_in_buffer += length;
    taken->run_end -= length;
    taken->run -= length;
}

/* Return the offset of the next marker that is neither RST nor a stuffed zero; `length` if there is none yet. */
static size_t find_marker(struct libjpeg_taken *taken)
{
    size_t at = taken->searched;
    while (at + 1 < taken->length) {
        const uint8_t *hit = memchr(taken->bytes + at, 0xFF, taken->length - 1 - at);
        if (!hit)
            break;
        at = (size_t)(hit - taken->bytes);
        uint8_t code = hit[1];
        if (code != 0 && code != 0xFF && (code < 0xD0 || code > 0xD7))
            return taken->searched = at;
        at += code == 0xFF ? 1 : 2;
    }
    if (at + 1 < taken->length)
        at = taken->length - (taken->bytes[taken->length - 1] == 0xFF);
    taken->searched = at;
    return taken->length;
}

/*
 * Return whether a marker may stand between scans. These are DHT, DQT, DRI and SOS; anything else is left to the
 * system's library.
 */
static bool may_pass(uint8_t code)
{
    return code == 0xC4 || code == 0xDB || code == 0xDD || code == 0xDA;
}

/*
 * Search the appended bytes for the end. Once it is found, return how many bytes follow it, which are returned to the
 * source.
 */
static size_t search(struct libjpeg_taken *taken)
{
    for (;;) {
        size_t at = find_marker(taken);
        if (at == taken->length)
            return 0;
        uint8_t code = taken->bytes[at + 1];
        if (code == 0xD9 || !taken->many_scans || !may_pass(code)) {
            taken->ended = true;
            taken->odd = code != 0xD9;
            return taken->odd ? 0 : taken->length - at - 2;
        }
        if (taken->length - at < 4)
            return 0;
        size_t end = at + 2 + ((size_t)taken->bytes[at + 2] << 8 | taken->bytes[at + 3]);
        if (end > taken->length)
            return 0;
        taken->searched = end;
    }
}

/* End input for lack of memory. The system's library may go on with the kept bytes. */
static enum libjpeg_input give_up(struct libjpeg_taken *taken)
{
    taken->ended = taken->odd = true;
    return LIBJPEG_ENDED;
}

enum libjpeg_input libjpeg_fetch(struct libjpeg_taken *taken, j_decompress_ptr cinfo)
{
    if (taken->ended)
        return LIBJPEG_ENDED;
    struct jpeg_source_mgr *source = cinfo->src;
    if (source->bytes_in_buffer == 0) {
        if (!(*source->fill_input_buffer)(cinfo) || source->bytes_in_buffer == 0)
            return LIBJPEG_SUSPENDED;
        if (!libjpeg_add_border(taken))
            return give_up(taken);
    }
    size_t length = source->bytes_in_buffer < CHUNK ? source->bytes_in_buffer : CHUNK;
    if (!libjpeg_take_bytes(taken, source, length))
        return give_up(taken);
    size_t back = search(taken);
    taken->length -= back;
    libjpeg_give_back(taken, source, back);
    kst_lines_extend(taken->lines, taken->bytes, taken->length, taken->ended);
    return LIBJPEG_MORE;
}
