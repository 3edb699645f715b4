/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG 2000 pictures of a batch that a GPU encodes: in parts, each a group, of which some are on their way at once. */
#ifndef KOSTKA_API_J2K_ENCODE_PARTS_H
#define KOSTKA_API_J2K_ENCODE_PARTS_H

#include "api/encoding.h"

struct j2k_encode_parts {
    kst_context *context;
    struct encoding **encoding; /* begun, with `gpu` set */
    uint32_t count;
    void *owner;
    void (*close)(void *owner, struct encoding *encoding); /* called when one is ended, of any thread */
    uint64_t pixels;                                       /* that make a part, about */
    pthread_mutex_t lock;                                  /* of what follows */
    uint32_t next;                                         /* picture that no part has */
};

enum { J2K_ENCODE_PARTS_AT_ONCE = 4 };

void kst_j2k_encode_parts_begin(struct j2k_encode_parts *parts);
void kst_j2k_encode_parts_end(struct j2k_encode_parts *parts);

/* Work off parts until there is none. Up to J2K_ENCODE_PARTS_AT_ONCE threads may do that. */
void kst_j2k_encode_parts_run(struct j2k_encode_parts *parts);

#endif
