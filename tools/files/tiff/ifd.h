/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes directories of TIFF files (TIFF 6.0, section 2), of BigTIFF, whose numbers are wider, and of Exif,
 * which has the same structure.
 */
#ifndef KOSTKA_TOOL_IFD_H
#define KOSTKA_TOOL_IFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ifd_type {
    IFD_BYTE = 1,
    IFD_ASCII = 2,
    IFD_SHORT = 3,
    IFD_LONG = 4,
    IFD_RATIONAL = 5,
    IFD_UNDEFINED = 7,
    IFD_OFFSET = 13, /* the offset of another directory */
    IFD_LONG8 = 16,
    IFD_OFFSET8 = 18
};

enum {
    TAG_DESCRIPTION = 0x010E,
    TAG_ORIENTATION = 0x0112,
    TAG_X_RESOLUTION = 0x011A,
    TAG_Y_RESOLUTION = 0x011B,
    TAG_RESOLUTION_UNIT = 0x0128,
    TAG_IPTC = 0x83BB,
    TAG_EXIF = 0x8769,    /* an offset, as the next two */
    TAG_GPS = 0x8825,     /* beside TAG_EXIF */
    TAG_INTEROP = 0xA005, /* in the directory of TAG_EXIF */
};

/* Holds the bytes that directories are read from. They are never changed, and may be damaged in any way. */
struct ifd_bytes {
    const uint8_t *data;
    uint64_t length;
    bool big_endian;
    bool wide; /* BigTIFF */
    /*
     * Hamamatsu's NDPI, for files beyond 4 GiB: an entry's offset has only its low 32 bits, and means the last place
     * in front of the entry's directory with these bits; the offset of the next directory has 64 bits.
     */
    bool ndpi;
};

/* Describes the entries of a directory, which lie inside the data. */
struct ifd {
    uint64_t first; /* the offset of the first entry */
    uint64_t count;
    uint64_t next; /* the offset of the next directory; 0: none */
};

struct ifd_entry {
    uint16_t tag, type;
    uint64_t count;       /* number of elements */
    const uint8_t *value; /* in the byte order of the file */
    size_t length;        /* bytes of the value */
};

/*
 * Reads the header, and sets *first to the offset of the first directory. Returns false if this is no header of TIFF.
 */
bool ifd_open(struct ifd_bytes *bytes, const void *data, uint64_t length, uint64_t *first);

/* Returns the largest offset below `end` whose low half is that of `offset`; the offset itself if there is none. */
uint64_t ifd_latest(uint64_t offset, uint64_t end);

/* Finds the directory at an offset. Returns false if none begins there. */
bool ifd_at(const struct ifd_bytes *bytes, uint64_t offset, struct ifd *ifd);

/*
 * Gets an entry. Returns false if its type is unknown, or its value is not inside the data; its tag is set in any case.
 */
bool ifd_get(const struct ifd_bytes *bytes, const struct ifd *ifd, uint64_t index, struct ifd_entry *entry);

/* Finds the entry of a tag. If there is none, returns false, and the entry has no elements. */
bool ifd_find(const struct ifd_bytes *bytes, const struct ifd *ifd, unsigned tag, struct ifd_entry *entry);

/* Gets element number `index` of an entry of unsigned integers or offsets. Returns false if there is none. */
bool ifd_element(const struct ifd_bytes *bytes, const struct ifd_entry *entry, uint64_t index, uint64_t *value);

/* Returns the only element of an entry that holds one unsigned integer or offset; 0 for any other entry. */
uint64_t ifd_number(const struct ifd_bytes *bytes, const struct ifd_entry *entry);

/* Holds bytes to which directories are appended. */
struct ifd_made {
    uint8_t *data; /* from malloc; the caller frees it */
    size_t length;
    size_t room;
    size_t limit;  /* the largest length */
    uint64_t base; /* offset in the file at which the data begin; even */
    bool big_endian;
    bool wide;
    bool failed;  /* memory or the limit was exhausted, and `data` is of no use */
    bool damaged; /* a damaged directory could not be copied */
};

/* Write a number into `bytes` bytes, in the order of `made`. */
void ifd_put(const struct ifd_made *made, uint8_t *to, unsigned bytes, uint64_t number);

/* Append bytes at an even offset. Returns their offset in the file. */
uint64_t ifd_append(struct ifd_made *made, const void *data, size_t length);

/*
 * Append a directory with these entries and their values; no other directory follows it. Returns its offset in the
 * file.
 */
uint64_t ifd_make(struct ifd_made *made, const struct ifd_entry *entries, size_t count);

/*
 * Append a copy of the directory at an offset, with the directories that TAG_EXIF, TAG_GPS and TAG_INTEROP point to.
 * Only entries for which `wanted` returns true are copied (null: all); it may change them. Both files have the same
 * byte order. Returns the copy's offset in the file; 0: there is no copy, because no entry was wanted or there is no
 * directory.
 */
typedef bool ifd_filter(void *user, struct ifd_entry *entry);
uint64_t ifd_copy(struct ifd_made *made, const struct ifd_bytes *from, uint64_t offset, ifd_filter *wanted, void *user);

#endif
