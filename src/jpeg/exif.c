/* SPDX-License-Identifier: BSD-2-Clause */
#include "jpeg/exif.h"

#include <stdbool.h>

enum {
    ENTRY_LENGTH = 12,
    TYPE_SHORT = 3,
    TYPE_LONG = 4,
    TAG_ORIENTATION = 0x0112,
    TAG_EXIF_IFD = 0x8769,
    TAG_WIDTH = 0xA002,
    TAG_HEIGHT = 0xA003
};

struct tiff {
    const uint8_t *data;
    size_t length;
    bool big_endian;
};

/* The entries of one IFD that lie inside the data. */
struct ifd {
    size_t first; /* offset of the first entry */
    uint32_t count;
    bool whole; /* all its entries lie inside */
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

static void put_long(const struct tiff *t, uint8_t *entry, uint32_t value)
{
    const uint32_t field[3] = {(uint32_t)TYPE_LONG, 1, value};
    const size_t at[3] = {2, 4, 8}, size[3] = {2, 4, 4};
    for (int f = 0; f < 3; f++)
        for (size_t i = 0; i < size[f]; i++) {
            size_t shift = 8 * (t->big_endian ? size[f] - 1 - i : i);
            entry[at[f] + i] = (uint8_t)(field[f] >> shift);
        }
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
