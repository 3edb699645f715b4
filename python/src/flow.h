/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares kostka.Flow, an iterator over the results of many streams, on which the library's threads work. */
#ifndef KOSTKA_PYTHON_FLOW_H
#define KOSTKA_PYTHON_FLOW_H

#include <kostka/kostka_filter.h>

#include "decoding.h"
#include "encoding.h"

enum { FLOW_CONTEXTS = 128 };

struct flow {
    PyObject_HEAD struct state *state;
    kst_flow *handle; /* null: it has ended */
    kst_flow_options options;
    struct decoding decoding; /* only its options, and what they point to */
    struct encoding encoding; /* only its options, and what they point to */
    kst_resize_options resize;
    kst_context *reader; /* the context in which `filter` was opened; null without filters */
    kst_filter *filter;
    kst_flow_stage stage;
    char *devices; /* a copy, from malloc() */
    bool raise;
    bool is_waiting;    /* a thread waits for a result */
    pid_t process;      /* the process that has the flow's threads */
    PyObject *iterator; /* the caller's source; null once it is exhausted */
    PyObject *error[3]; /* the exception that `iterator` ended with */
    /* The infos of the library's contexts, which images need. */
    struct {
        kst_context *handle;
        kst_device_info info;
    } known[FLOW_CONTEXTS];
    size_t known_count;
};

/* flow_source.c: Get the next item. The library calls this function on threads that do not hold the GIL. */
bool kst_py_flow_next(void *flow, kst_flow_item *item);

/* Release what an item of that function holds. The caller holds the GIL. */
void kst_py_flow_forget(kst_flow_item *item);

/* flow_arguments.c: read the arguments. Returns false with an exception. */
bool kst_py_flow_read(struct flow *flow, PyObject *args, PyObject *keywords, PyObject **sources);

#endif
