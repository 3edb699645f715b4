/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the list of the metadata of one stream or file, as the API returns them. */
#ifndef KOSTKA_IMAGE_METADATA_H
#define KOSTKA_IMAGE_METADATA_H

#include "core/memory.h"

/*
 * Holds the items in the order in which the codec lists them. Data that belong to the coding itself are not among them.
 */
struct metadata_list {
    kst_metadata *item;
    size_t count;
    /* An ICC profile that was joined from several pieces, to which one item points; null: there is none. */
    uint8_t *joined;
    int orientation; /* orientation from the first Exif item; 1 if there is none */
};

void kst_metadata_list_release(struct memory *memory, struct metadata_list *metadata);

#endif
