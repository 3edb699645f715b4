/* SPDX-License-Identifier: BSD-2-Clause */
/* Many pictures of JPEG 2000 on the GPU: in parts, of which a few are on their way at the same time. */
#ifndef KOSTKA_API_J2K_PARTS_H
#define KOSTKA_API_J2K_PARTS_H

#include "api/decoding.h"

struct j2k_part {
    struct j2k_job *job; /* null: ended, or never begun */
    uint32_t first, count;
    struct j2k_gpu_need need; /* of all */
    uint64_t stream;          /* bytes that go to the device */
};

struct j2k_parts {
    kst_context *context;
    uint32_t most; /* pictures that there will be */
    struct gpu_executor *gpu;
    struct decoding **decoding; /* in turn; each with `j2k` */
    struct j2k_gpu_item *item;  /* likewise */
    struct j2k_part *part;
    uint32_t count, part_count, begun, ended;
    void (*close)(struct decoding *decoding); /* is called when one has ended */
};

/* Room for so many pictures. False where there is no memory; it is to be released in any case. */
bool kst_j2k_parts_make(
    struct j2k_parts *parts, kst_context *context, uint32_t most, void (*close)(struct decoding *decoding));
void kst_j2k_parts_release(struct j2k_parts *parts); /* all have ended */

void kst_j2k_parts_add(struct j2k_parts *parts, struct decoding *decoding);

/* Begin all parts, but for one that more pictures may come to, as `more` tells. */
void kst_j2k_parts_run(struct j2k_parts *parts, bool more);

void kst_j2k_parts_follow(struct j2k_parts *parts, struct gpu_queue *queue);
bool kst_j2k_parts_done(const struct j2k_parts *parts);

/* Wait for all that have begun. */
void kst_j2k_parts_end(struct j2k_parts *parts);

#endif
