/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads directories of TIFF, makes new ones, and copies them to the wide ones of BigTIFF and back. */
#include "files/tiff/ifd.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 2 /* levels of directories below a copied one */, ENTRIES_MAX = UINT16_MAX };

static uint64_t get(const struct ifd_bytes *bytes, uint64_t at, unsigned count)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < count; i++)
        number |= (uint64_t)bytes->data[at + i] << 8 * (bytes->big_endian ? count - 1 - i : i);
    return number;
}

/* Return the number of bytes of a count of elements, and of an offset. */
static unsigned word_bytes(bool wide)
{
    return wide ? 8 : 4;
}

/* Return the number of bytes of a directory's number of entries. */
static unsigned count_bytes(bool wide)
{
    return wide ? 8 : 2;
}

static unsigned entry_bytes(bool wide)
{
    return 4 + 2 * word_bytes(wide);
}

bool ifd_open(struct ifd_bytes *bytes, const void *data, uint64_t length, uint64_t *first)
{
    *bytes = (struct ifd_bytes){.data = data, .length = length};
    if (length < 8 || bytes->data[0] != bytes->data[1] || (bytes->data[0] != 'I' && bytes->data[0] != 'M'))
        return false;
    bytes->big_endian = bytes->data[0] == 'M';
    uint64_t version = get(bytes, 2, 2);
    bytes->wide = version == 43;
    if (version != 42 && (version != 43 || length < 16 || get(bytes, 4, 2) != 8))
        return false;
    *first = get(bytes, bytes->wide ? 8 : 4, word_bytes(bytes->wide));
    return true;
}

uint64_t ifd_latest(uint64_t offset, uint64_t end)
{
    const uint64_t low = offset & UINT32_MAX, around = (end & ~(uint64_t)UINT32_MAX) | low;

    if (around < end)
        return around;
    return around > UINT32_MAX ? around - UINT32_MAX - 1 : low;
}

bool ifd_at(const struct ifd_bytes *bytes, uint64_t offset, struct ifd *ifd)
{
    unsigned count = count_bytes(bytes->wide), entry = entry_bytes(bytes->wide);
    unsigned word = word_bytes(bytes->wide || bytes->ndpi);

    if (offset == 0 || offset > bytes->length || bytes->length - offset < count)
        return false;
    *ifd = (struct ifd){.first = offset + count, .count = get(bytes, offset, count)};
    uint64_t fit = (bytes->length - ifd->first) / entry;
    if (ifd->count > fit)
        ifd->count = fit;
    uint64_t end = ifd->first + ifd->count * entry;
    if (bytes->length - end >= word)
        ifd->next = get(bytes, end, word);
    if (ifd->count > ENTRIES_MAX)
        ifd->count = ENTRIES_MAX;
    return true;
}

/* Return the number of bytes of an element; 0 if the type is unknown. */
static unsigned element_bytes(unsigned type)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

    return type < sizeof bytes ? bytes[type] : type == 129 /* UTF-8, of Exif 3.0 */ ? 1 : 0;
}

bool ifd_get(const struct ifd_bytes *bytes, const struct ifd *ifd, uint64_t index, struct ifd_entry *entry)
{
    unsigned word = word_bytes(bytes->wide);
    uint64_t at = ifd->first + index * entry_bytes(bytes->wide), place = at + 4 + word;

    *entry = (struct ifd_entry){
        .tag = (uint16_t)get(bytes, at, 2), .type = (uint16_t)get(bytes, at + 2, 2), .count = get(bytes, at + 4, word)};
    unsigned element = element_bytes(entry->type);
    if (element == 0 || entry->count > bytes->length / element)
        return false;
    entry->length = (size_t)entry->count * element;
    if (entry->length > word)
        place = get(bytes, place, word);
    if (entry->length > word && bytes->ndpi)
        place = ifd_latest(place, ifd->first);
    if (place > bytes->length || entry->length > bytes->length - place)
        return false;
    entry->value = bytes->data + place;
    return true;
}

bool ifd_find(const struct ifd_bytes *bytes, const struct ifd *ifd, unsigned tag, struct ifd_entry *entry)
{
    for (uint64_t i = 0; i < ifd->count; i++)
        if (ifd_get(bytes, ifd, i, entry) && entry->tag == tag)
            return true;
    *entry = (struct ifd_entry){.count = 0}; /* not the last entry that was read, which may be damaged */
    return false;
}

/* Return whether elements of a type are unsigned integers or offsets. */
static bool is_whole(unsigned type)
{
    return type == IFD_BYTE || type == IFD_SHORT || type == IFD_LONG || type == IFD_OFFSET || type == IFD_LONG8 ||
           type == IFD_OFFSET8;
}

bool ifd_element(const struct ifd_bytes *bytes, const struct ifd_entry *entry, uint64_t index, uint64_t *value)
{
    if (!is_whole(entry->type) || index >= entry->count)
        return false;
    const unsigned element = element_bytes(entry->type);
    *value = get(bytes, (uint64_t)(entry->value - bytes->data) + index * element, element);
    return true;
}

uint64_t ifd_number(const struct ifd_bytes *bytes, const struct ifd_entry *entry)
{
    uint64_t value;

    return entry->count == 1 && ifd_element(bytes, entry, 0, &value) ? value : 0;
}

void ifd_put(const struct ifd_made *made, uint8_t *to, unsigned bytes, uint64_t number)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(number >> 8 * (made->big_endian ? bytes - 1 - i : i));
}

/* Append `length` zero bytes at an even offset, which is returned. */
static size_t extend(struct ifd_made *made, size_t length)
{
    size_t at = made->length + made->length % 2;

    if (made->failed || length > made->limit || at > made->limit - length) {
        made->failed = true;
        return 0;
    }
    if (at + length > made->room) {
        size_t room = 2 * (at + length);
        uint8_t *grown = realloc(made->data, room);
        made->failed = grown == NULL;
        if (made->failed)
            return 0;
        memset(grown + made->length, 0, room - made->length);
        made->data = grown;
        made->room = room;
    }
    made->length = at + length;
    return at;
}

uint64_t ifd_append(struct ifd_made *made, const void *data, size_t length)
{
    size_t at = extend(made, length);

    if (!made->failed && length > 0)
        memcpy(made->data + at, data, length);
    return made->base + at;
}

uint64_t ifd_make(struct ifd_made *made, const struct ifd_entry *entries, size_t count)
{
    unsigned word = word_bytes(made->wide), entry = entry_bytes(made->wide), head = count_bytes(made->wide);
    size_t start = extend(made, head + count * entry + word);

    if (made->failed)
        return 0;
    ifd_put(made, made->data + start, head, count);
    for (size_t i = 0; i < count; i++) {
        const struct ifd_entry *from = &entries[i];
        size_t at = start + head + i * entry;
        bool outside = from->length > word;
        uint64_t place = outside ? ifd_append(made, from->value, from->length) : 0;
        if (made->failed)
            return 0;
        ifd_put(made, made->data + at, 2, from->tag);
        ifd_put(made, made->data + at + 2, 2, from->type);
        ifd_put(made, made->data + at + 4, word, from->count);
        if (outside)
            ifd_put(made, made->data + at + 4 + word, word, place);
        else if (from->length > 0)
            memcpy(made->data + at + 4 + word, from->value, from->length);
    }
    return made->base + start;
}

/* Holds the state of copying directories; `depth` is the level of the current one below the first. */
struct copying {
    struct ifd_made *made;
    const struct ifd_bytes *from;
    unsigned depth;
};

static uint64_t copy_entries(
    struct copying *copying, const struct ifd *ifd, struct ifd_entry *entries, ifd_filter *wanted, void *user);

static uint64_t copy_directory(struct copying *copying, uint64_t offset, ifd_filter *wanted, void *user)
{
    struct ifd ifd;

    if (!ifd_at(copying->from, offset, &ifd) || ifd.count == 0) {
        copying->made->damaged = true;
        return 0;
    }
    struct ifd_entry *entries = calloc((size_t)ifd.count, sizeof *entries);
    copying->made->failed |= entries == NULL;
    uint64_t place = entries != NULL ? copy_entries(copying, &ifd, entries, wanted, user) : 0;
    free(entries);
    return place;
}

/*
 * Copy the directory that an entry points to. The entry's value becomes `offset`, the offset of the copy; these bytes
 * must exist as long as the entry.
 */
static bool follow(struct copying *copying, struct ifd_entry *entry, uint8_t offset[4])
{
    if (copying->depth == DEPTH_MAX)
        return false;
    copying->depth++;
    uint64_t place = copy_directory(copying, ifd_number(copying->from, entry), NULL, NULL);
    copying->depth--;
    ifd_put(copying->made, offset, 4, place);
    *entry = (struct ifd_entry){.tag = entry->tag, .type = IFD_LONG, .count = 1, .value = offset, .length = 4};
    return place != 0;
}

/* Return whether the file may contain such an entry: only BigTIFF has 64-bit numbers. */
static bool made_for(const struct ifd_made *made, const struct ifd_entry *entry)
{
    return made->wide || entry->type < IFD_LONG8 || entry->type > IFD_OFFSET8;
}

static bool is_pointer(unsigned tag)
{
    return tag == TAG_EXIF || tag == TAG_GPS || tag == TAG_INTEROP;
}

static uint64_t copy_entries(
    struct copying *copying, const struct ifd *ifd, struct ifd_entry *entries, ifd_filter *wanted, void *user)
{
    uint8_t offsets[3][4]; /* one for each directory that a directory can point to */
    size_t kept = 0, pointers = 0;

    for (uint64_t i = 0; i < ifd->count && !copying->made->failed; i++) {
        struct ifd_entry *entry = &entries[kept];
        bool good = ifd_get(copying->from, ifd, i, entry);
        if (good && wanted != NULL && !wanted(user, entry))
            continue;
        if (good && is_pointer(entry->tag))
            good = pointers < 3 && follow(copying, entry, offsets[pointers++]);
        else if (good)
            good = made_for(copying->made, entry);
        kept += good;
        copying->made->damaged |= !good;
    }
    return kept > 0 ? ifd_make(copying->made, entries, kept) : 0;
}

uint64_t ifd_copy(struct ifd_made *made, const struct ifd_bytes *from, uint64_t offset, ifd_filter *wanted, void *user)
{
    struct copying copying = {.made = made, .from = from};

    return copy_directory(&copying, offset, wanted, user);
}
