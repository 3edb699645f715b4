/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares flows over a set of streams, whose results are compared with those of single calls. */
#ifndef KOSTKA_TESTS_SUPPORT_FLOW_RUN_H
#define KOSTKA_TESTS_SUPPORT_FLOW_RUN_H

#include <stdatomic.h>

#include <kostka/kostka_device.h>
#include <kostka/kostka_flow.h>

enum { FLOW_SET = 24 };

/* Holds the streams: JPEG of several sizes and codings, and JPEG 2000; the last ones are damaged. */
struct flow_set {
    kst_context *context; /* a context of the CPU */
    kst_buffer stream[FLOW_SET];
    char *path[FLOW_SET]; /* a file with each stream */
    char *folder;
};

void flow_set_make(struct flow_set *set);
void flow_set_release(struct flow_set *set);

/* Describes a flow, whose source passes the set's streams again and again, and whose sink checks each result. */
struct flow_run {
    const struct flow_set *set;
    kst_flow_options options;
    uint32_t items;      /* number of items */
    bool files, damaged; /* pass paths of files; pass damaged streams, too */
    uint32_t missing;    /* every `missing`-th item names a file that does not exist; 0: none does */
    uint32_t stop;       /* the number of the result that the sink refuses; 0: none */
    uint32_t brought;
    atomic_uint put, wrong, unread, cancelled, failed;
    uint64_t next; /* in order: the index of the next result */
};

/* Set the source, the sink and the defaults. */
void flow_run_init(struct flow_run *run, const struct flow_set *set, kst_flow_work work, uint32_t items);

/* Run a flow to its end; the test fails if it cannot be started, or an item is lost. Returns the flow's status. */
kst_status flow_run(struct flow_run *run);

/* Check a result as the sink does. */
void flow_run_check(struct flow_run *run, const kst_flow_item *item);

#endif
