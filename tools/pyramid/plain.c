/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads an associated picture whose compression is neither JPEG nor JPEG 2000, such as a label with LZW: its directory
 * and strips become a TIFF file of their own, in memory, which the general reader of TIFF files reads.
 */
#include <stdlib.h>

#include "pyramid/pyramid.h"

enum {
    TAG_STRIP_OFFSETS = 273,
    TAG_STRIP_LENGTHS = 279,
    TAG_TILE_OFFSETS = 324,
    TAG_TILE_LENGTHS = 325,
    TAG_SUBIFDS = 330,
    STRIPS_MAX = 1 << 16
};

bool pyramid_is_plain(const struct pyramid_image *image)
{
    static const uint32_t compressions[] = {1, 5, 8, 32773, 32946}; /* none, LZW, Deflate, PackBits, Deflate */

    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++)
        if (image->role > ROLE_LEVEL && image->compression == compressions[i])
            return true;
    return false;
}

/* Append the strips, and write their offsets to `places`, as numbers of `word` bytes. */
static bool copy_strips(const struct pyramid *pyramid, const struct pyramid_image *image, struct ifd_made *made,
    uint8_t *places, unsigned word, struct problem *problem)
{
    for (uint64_t i = 0; i < image->offsets.count; i++) {
        uint64_t at, length;
        if (!pyramid_bytes(pyramid, image, i, &at, &length) || at > pyramid->bytes.length ||
            length > pyramid->bytes.length - at)
            return problem_set(problem, "its strips are not in the file");
        ifd_put(made, places + i * word, word, ifd_append(made, pyramid->bytes.data + at, (size_t)length));
    }
    return true;
}

/* Append the directory's entries, with the strips' new offsets and without pointers to other directories. */
static uint64_t copy_entries(
    const struct pyramid *pyramid, const struct pyramid_image *image, struct ifd_made *made, struct ifd_entry places)
{
    struct ifd ifd;
    uint64_t at = 0;

    if (!ifd_at(&pyramid->bytes, image->at, &ifd))
        return 0;
    struct ifd_entry *entries = calloc((size_t)ifd.count + 1, sizeof *entries);
    size_t count = 0;
    for (uint64_t i = 0; i < ifd.count && entries != NULL; i++) {
        struct ifd_entry *entry = &entries[count];
        const bool good = ifd_get(&pyramid->bytes, &ifd, i, entry);
        if (!good || entry->tag == TAG_SUBIFDS || entry->tag == TAG_EXIF || entry->tag == TAG_GPS)
            continue;
        if (entry->tag == TAG_STRIP_OFFSETS || entry->tag == TAG_TILE_OFFSETS) {
            places.tag = entry->tag;
            *entry = places;
        }
        count++;
    }
    if (count > 0)
        at = ifd_make(made, entries, count);
    free(entries);
    return at;
}

static bool make_file(const struct pyramid *pyramid, const struct pyramid_image *image, struct ifd_made *made,
    uint8_t *places, struct problem *problem)
{
    const unsigned word = made->wide ? 8 : 4;
    const struct ifd_entry entry = {.type = made->wide ? IFD_LONG8 : IFD_LONG,
        .count = image->offsets.count,
        .value = places,
        .length = (size_t)image->offsets.count * word};

    /* The header is that of the whole file, with another offset of the first directory. */
    ifd_append(made, pyramid->bytes.data, made->wide ? 16 : 8);
    if (!copy_strips(pyramid, image, made, places, word, problem))
        return false;
    const uint64_t at = copy_entries(pyramid, image, made, entry);
    if (made->failed)
        return problem_set_kind(problem, PROBLEM_LIMIT,
            "%zu bytes do not hold this picture; raise the limit with --max-memory", made->limit);
    if (at == 0)
        return problem_set(problem, "its directory is damaged");
    ifd_put(made, made->data + (made->wide ? 8 : 4), word, at);
    return true;
}

bool pyramid_read_plain(const struct pyramid *pyramid, const struct pyramid_image *image,
    const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct ifd_made made = {.limit = settings->max_memory < SIZE_MAX / 2 ? (size_t)settings->max_memory : SIZE_MAX / 2,
        .big_endian = pyramid->bytes.big_endian,
        .wide = pyramid->bytes.wide};

    if (image->offsets.count == 0 || image->offsets.count > STRIPS_MAX || image->lengths.count < image->offsets.count)
        return problem_set(problem, "its strips' offsets are missing, or too many");
    uint8_t *places = calloc((size_t)image->offsets.count, 8);
    bool good =
        places != NULL ? make_file(pyramid, image, &made, places, problem) : problem_set(problem, "out of memory");
    const struct source source = {
        .name = pyramid->source.name, .data = made.data, .length = made.length, .borrowed = true, .descriptor = -1};
    good = good && picture_permitted(settings, image->width, image->height, image->samples, problem) &&
           file_tiff.read(&source, settings, picture, problem);
    free(made.data);
    free(places);
    return good;
}
