/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes small JPEG 2000 files with every marker segment and box, and says where in them each stands. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_ANATOMY_H
#define KOSTKA_TESTS_SUPPORT_J2K_ANATOMY_H

#include "support/bytes.h"

enum anatomy_kind { ANATOMY_PLAIN, ANATOMY_PPM, ANATOMY_PPT, ANATOMY_FILE };

/* A marker segment by its name in the standard, or a box by its type. */
struct anatomy_part {
    const char *name;
    size_t offset, length; /* of the contents */
};

enum { ANATOMY_PARTS = 64 };

struct anatomy {
    struct bytes bytes; /* bytes_free() */
    struct anatomy_part part[ANATOMY_PARTS];
    size_t count;
};

/*
 * 16×16 samples of three components in two tiles of one level, all packets empty: 6 in each tile. Tile 0 is one
 * tile-part; all of POC, COC, QCC and RGN are of component 1. As FILE it is plain, in all boxes of T.800 Annex I.
 */
void anatomy_make(struct anatomy *anatomy, enum anatomy_kind kind);

/* The `number`-th part of this name, counted from 0. */
const struct anatomy_part *anatomy_find(const struct anatomy *anatomy, const char *name, uint32_t number);

#endif
