/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares kostka.Flow: many streams on their way through the library's threads. */
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
    struct decoding decoding; /* only the options, and what they point to */
    struct encoding encoding; /* likewise */
    kst_resize_options resize;
    kst_context *reader; /* in which `filter` was read; null without filters */
    kst_filter *filter;
    kst_flow_stage stage;
    char *devices; /* a copy, from malloc() */
    bool raise;
    bool is_waiting;    /* a thread waits for a result */
    pid_t process;      /* the process whose threads work for it */
    PyObject *iterator; /* the caller's source; null once it is exhausted */
    PyObject *error[3]; /* the exception that it ended with */
    /* Holds what is known of the library's contexts, which images need. */
    struct {
        kst_context *handle;
        kst_device_info info;
    } known[FLOW_CONTEXTS];
    size_t known_count;
};

/* flow_source.c: the library's function for the next item, which a thread without the GIL calls. */
bool kst_py_flow_next(void *flow, kst_flow_item *item);

/* Release what an item of that function holds; with the GIL. */
void kst_py_flow_forget(kst_flow_item *item);

/* flow_arguments.c: read the arguments. Returns false with an exception. */
bool kst_py_flow_read(struct flow *flow, PyObject *args, PyObject *keywords, PyObject **sources);

#endif
