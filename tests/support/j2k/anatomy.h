/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes small JPEG 2000 files with every marker segment and box, and returns the place of each. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_ANATOMY_H
#define KOSTKA_TESTS_SUPPORT_J2K_ANATOMY_H

#include "support/bytes.h"

enum anatomy_kind { ANATOMY_PLAIN, ANATOMY_PPM, ANATOMY_PPT, ANATOMY_FILE };

/* Names a marker segment as the standard does, or a box by its type, and gives its place. */
struct anatomy_part {
    const char *name;
    size_t offset, length; /* of the contents */
};

enum { ANATOMY_PARTS = 64 };

struct anatomy {
    struct bytes bytes; /* released by bytes_free() */
    struct anatomy_part part[ANATOMY_PARTS];
    size_t count;
};

/*
 * Make a file: 16×16 samples of three components in two tiles of one decomposition level, whose packets, 6 in each
 * tile, are all empty. Tile 0 has one tile-part; all of POC, COC, QCC and RGN concern component 1. ANATOMY_FILE is the
 * plain stream in a file with all boxes of T.800 Annex I.
 */
void anatomy_make(struct anatomy *anatomy, enum anatomy_kind kind);

/* Return the part of this name with the given number, counted from 0. */
const struct anatomy_part *anatomy_find(const struct anatomy *anatomy, const char *name, uint32_t number);

#endif
