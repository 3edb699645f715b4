/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and changes a few entries of an Exif structure. */
#include "image/exif.h"

#include <string.h>

enum {
    ENTRY_LENGTH = 12,
    TYPE_SHORT = 3,
    TYPE_LONG = 4,
    TAG_STRIP_OFFSET = 0x0111,
    TAG_ORIENTATION = 0x0112,
    TAG_STRIP_LENGTH = 0x0117,
    TAG_JPEG_OFFSET = 0x0201,
    TAG_JPEG_LENGTH = 0x0202,
    TAG_EXIF_IFD = 0x8769,
    TAG_WIDTH = 0xA002,
    TAG_HEIGHT = 0xA003
};

struct tiff {
    const uint8_t *data;
    size_t length;
    bool big_endian;
};

/* Holds the entries of one IFD that lie inside the data. */
struct ifd {
    size_t first; /* offset of the first entry */
    uint32_t count;
    bool whole; /* all of its entries lie inside the data */
};

static uint32_t get16(const struct tiff *t, size_t at)
{
    const uint8_t *p = t->data + at;
    return t->big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t get32(const struct tiff *t, size_t at)
{
    return t->big_endian ? get16(t, at) << 16 | get16(t, at + 2) : get16(t, at + 2) << 16 | get16(t, at);
}

static bool open_tiff(struct tiff *t, const uint8_t *data, size_t length)
{
    *t = (struct tiff){.data = data, .length = length};
    if (length < ENTRY_LENGTH || data[0] != data[1] || (data[0] != 'I' && data[0] != 'M'))
        return false;
    t->big_endian = data[0] == 'M';
    return get16(t, 2) == 42;
}

static bool open_ifd(const struct tiff *t, uint32_t offset, struct ifd *ifd)
{
    if (offset > t->length - 2)
        return false;
    ifd->first = (size_t)offset + 2;
    ifd->count = get16(t, offset);
    size_t fit = (t->length - ifd->first) / ENTRY_LENGTH;
    ifd->whole = ifd->count <= fit;
    if (!ifd->whole)
        ifd->count = (uint32_t)fit;
    return true;
}

static bool find(const struct tiff *t, const struct ifd *ifd, uint32_t tag, size_t *entry)
{
    for (uint32_t i = 0; i < ifd->count; i++) {
        *entry = ifd->first + (size_t)i * ENTRY_LENGTH;
        if (get16(t, *entry) == tag)
            return true;
    }
    return false;
}

int kst_exif_orientation(const uint8_t *tiff, size_t length)
{
    struct tiff t;
    struct ifd ifd;
    size_t entry;
    if (!open_tiff(&t, tiff, length) || !open_ifd(&t, get32(&t, 4), &ifd) || !find(&t, &ifd, TAG_ORIENTATION, &entry))
        return 1;
    uint32_t type = get16(&t, entry + 2);
    if ((type != TYPE_SHORT && type != TYPE_LONG) || get32(&t, entry + 4) != 1)
        return 1;
    uint32_t value = type == TYPE_SHORT ? get16(&t, entry + 8) : get32(&t, entry + 8);
    return value >= 1 && value <= 8 ? (int)value : 1;
}

static void put(const struct tiff *t, uint8_t *to, size_t size, uint32_t value)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> 8 * (t->big_endian ? size - 1 - i : i));
}

static void put_long(const struct tiff *t, uint8_t *entry, uint32_t value)
{
    put(t, entry + 2, 2, TYPE_LONG);
    put(t, entry + 4, 4, 1);
    put(t, entry + 8, 4, value);
}

void kst_exif_set_size(uint8_t *tiff, size_t length, uint32_t width, uint32_t height)
{
    struct tiff t;
    struct ifd ifd;
    size_t entry;
    if (!open_tiff(&t, tiff, length) || !open_ifd(&t, get32(&t, 4), &ifd) || !find(&t, &ifd, TAG_EXIF_IFD, &entry) ||
        !open_ifd(&t, get32(&t, entry + 8), &ifd))
        return;
    if (ifd.whole && ifd.count < 2)
        return;
    for (uint32_t i = 0; i < ifd.count; i++) {
        entry = ifd.first + (size_t)i * ENTRY_LENGTH;
        uint32_t tag = get16(&t, entry);
        if (tag == TAG_WIDTH || tag == TAG_HEIGHT)
            put_long(&t, tiff + entry, tag == TAG_WIDTH ? width : height);
    }
}

void kst_exif_set_orientation(uint8_t *tiff, size_t length, int orientation)
{
    struct tiff t;
    struct ifd ifd;
    size_t entry;
    if (!open_tiff(&t, tiff, length) || !open_ifd(&t, get32(&t, 4), &ifd) || !find(&t, &ifd, TAG_ORIENTATION, &entry))
        return;
    const uint32_t type = get16(&t, entry + 2);
    if (type == TYPE_SHORT || type == TYPE_LONG)
        put(&t, tiff + entry + 8, type == TYPE_SHORT ? 2 : 4, (uint32_t)orientation);
}

/* Return the number in an entry of one element; 0 if there is none. */
static uint32_t number_of(const struct tiff *t, const struct ifd *ifd, uint32_t tag)
{
    size_t entry;
    if (!find(t, ifd, tag, &entry) || get32(t, entry + 4) != 1)
        return 0;
    const uint32_t type = get16(t, entry + 2);
    return type == TYPE_SHORT ? get16(t, entry + 8) : type == TYPE_LONG ? get32(t, entry + 8) : 0;
}

/*
 * Clear the bytes whose offset and length are in two entries of IFD1. Returns the new length of the structure, which is
 * shorter if these bytes were its end.
 */
static size_t clear(
    const struct tiff *t, const struct ifd *ifd, uint8_t *tiff, uint32_t offset_tag, uint32_t length_tag)
{
    const size_t offset = number_of(t, ifd, offset_tag), length = number_of(t, ifd, length_tag);
    if (offset < ifd->first || offset >= t->length || length > t->length - offset)
        return t->length;
    memset(tiff + offset, 0, length);
    return offset + length == t->length ? offset : t->length;
}

size_t kst_exif_drop_thumbnail(uint8_t *tiff, size_t length)
{
    struct tiff t;
    struct ifd ifd;
    if (!open_tiff(&t, tiff, length) || !open_ifd(&t, get32(&t, 4), &ifd) || !ifd.whole)
        return length;
    const size_t link = ifd.first + (size_t)ifd.count * ENTRY_LENGTH;
    if (length - link < 4 || get32(&t, link) == 0)
        return length;
    const uint32_t next = get32(&t, link);
    put(&t, tiff + link, 4, 0);
    if (next <= link || !open_ifd(&t, next, &ifd))
        return length;
    t.length = clear(&t, &ifd, tiff, TAG_STRIP_OFFSET, TAG_STRIP_LENGTH);
    return clear(&t, &ifd, tiff, TAG_JPEG_OFFSET, TAG_JPEG_LENGTH);
}
