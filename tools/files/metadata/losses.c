/* SPDX-License-Identifier: BSD-2-Clause */
/* Warns of metadata that the target's format cannot hold. */
#include "files/metadata/losses.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "files/metadata/photoshop.h"

static unsigned part_of(const kst_metadata *metadata)
{
    switch (metadata->kind) {
    case KST_METADATA_ICC:
        return PART_ICC;
    case KST_METADATA_EXIF:
        return PART_EXIF;
    case KST_METADATA_XMP:
        return PART_XMP;
    case KST_METADATA_COMMENT:
        return PART_COMMENT;
    default:
        return photoshop_is(metadata) ? PART_IPTC : PART_LATER_XMP;
    }
}

static unsigned parts_of(const struct picture *picture)
{
    unsigned parts = (picture->icc.data != NULL ? PART_ICC : 0) | (picture->exif.data != NULL ? PART_EXIF : 0);

    for (size_t i = 0; i < picture->extra_count; i++)
        parts |= part_of(&picture->extra[i]);
    return parts;
}

void loss_tell(const char *path, const char *part, const char *reason)
{
    complain(path != NULL ? path : "standard output", "warning: dropped %s, for %s", part, reason);
}

/* List parts in words. */
static void list_parts(unsigned parts, char list[128])
{
    static const char *const names[] = {"ICC profile", "Exif", "XMP", "IPTC", "comment", "more XMP"};
    size_t used = 0;

    list[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((parts & 1u << i) != 0)
            used += (size_t)snprintf(list + used, 128 - used, "%s%s", used > 0 ? ", " : "", names[i]);
}

static void tell_lost(unsigned lost, const char *format, const char *path)
{
    char list[128], reason[64];

    if (lost == 0)
        return;
    list_parts(lost, list);
    snprintf(reason, sizeof reason, "%s has no place for %s", format, (lost & (lost - 1)) == 0 ? "it" : "them");
    loss_tell(path, list, reason);
}

void losses_tell(const struct picture *picture, unsigned held, const char *format, const char *path)
{
    tell_lost(parts_of(picture) & ~held, format, path);
}

void losses_tell_stream(kst_decoder *decoder, unsigned held, const char *format, const char *path)
{
    const kst_metadata *metadata;
    unsigned parts = 0;

    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL; i++)
        parts |= part_of(metadata);
    tell_lost(parts & ~held, format, path);
}

void losses_note(const struct picture *picture, const char *path)
{
    static atomic_flag noted = ATOMIC_FLAG_INIT;
    unsigned lost = parts_of(picture);
    char list[128];

    if (lost == 0 || atomic_flag_test_and_set(&noted))
        return;
    list_parts(lost, list);
    complain(path != NULL && strcmp(path, "-") != 0 ? path : "standard output",
        "note: dropped %s, for PNM, PAM, PGX and raw samples hold pixels alone; other files are not mentioned", list);
}
