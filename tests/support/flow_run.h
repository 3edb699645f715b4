/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs flows over a set of streams, and compares their results with those of single calls. */
#ifndef KOSTKA_TESTS_SUPPORT_FLOW_RUN_H
#define KOSTKA_TESTS_SUPPORT_FLOW_RUN_H

#include <stdatomic.h>

#include <kostka/kostka_device.h>
#include <kostka/kostka_flow.h>

enum { FLOW_SET = 24 };

/* Streams: JPEG of several sizes and codings, and JPEG 2000; the last of them are damaged. */
struct flow_set {
    kst_context *context; /* the CPU's */
    kst_buffer stream[FLOW_SET];
    char *path[FLOW_SET]; /* a file with each stream */
    char *folder;
};

void flow_set_make(struct flow_set *set);
void flow_set_release(struct flow_set *set);

/* A source that gives the set's streams by turns, and a sink that checks each result. */
struct flow_run {
    const struct flow_set *set;
    kst_flow_options options;
    uint32_t items;      /* to bring */
    bool files, damaged; /* bring files; bring damaged streams, too */
    uint32_t missing;    /* each so many-th item names a file that does not exist; 0: none does */
    uint32_t stop;       /* the sink refuses the result of this number; 0: none */
    uint32_t brought;
    atomic_uint put, wrong, unread, cancelled, failed;
    uint64_t next; /* in order: the index that is due */
};

/* Set the source, the sink and the defaults. */
void flow_run_init(struct flow_run *run, const struct flow_set *set, kst_flow_work work, uint32_t items);

/* Run to the end; the test fails if the flow cannot be started, or an item gets lost. Returns the flow's status. */
kst_status flow_run(struct flow_run *run);

/* Check a result as the sink does. */
void flow_run_check(struct flow_run *run, const kst_flow_item *item);

#endif
