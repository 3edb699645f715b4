/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares decoding of one stream or many: the arguments, and the steps of a call. */
#ifndef KOSTKA_PYTHON_DECODING_H
#define KOSTKA_PYTHON_DECODING_H

#include "kostka_python.h"

struct piece {
    struct source source;
    kst_decoder *decoder; /* holds the stream between description and decoding */
    struct storage storage;
    kst_status status;
    kst_report report;
};

struct decoding {
    struct state *state;
    struct context *context;
    kst_decode_options options;
    kst_memory memory; /* where to allocate images */
    PyObject *out;     /* borrowed; null or None: none */
    PyObject *stream;  /* borrowed; null or None: none */
    kst_stream on;     /* where `has_stream` */
    bool has_stream;
    bool is_batch;
    Py_ssize_t count;
    struct piece *piece;
    kst_decode_item *item; /* for the pieces that can be decoded, in order */
    kst_job *job;          /* in flight; null: none */
    uint32_t *components;  /* the components in the options; they are freed at the end */
};

/* decode_arguments.c: Read the arguments. Returns false with an exception. `errors` is null for a single stream. */
bool kst_py_decoding_read(
    struct decoding *decoding, PyObject *args, PyObject *keywords, PyObject **data, const char **errors);

/*
 * Read one number for all channels, or a sequence of up to four; null leaves the values unchanged. Returns false with
 * an exception.
 */
bool kst_py_read_channels(PyObject *object, const char *what, float values[4]);

extern const struct name kst_py_memories[], kst_py_layouts[];

/* Return the kind of memory; "device" means that of the context's device, if there is a context. */
kst_memory kst_py_memory_of(struct context *context, kst_memory memory);

/* decode_steps.c: the steps, which are called in this order, with the GIL. They return false with an exception. */
bool kst_py_decoding_begin(struct decoding *decoding, PyObject *const *data);
void kst_py_decoding_describe(struct decoding *decoding);
bool kst_py_decoding_place(struct decoding *decoding, PyObject *const *outs);
bool kst_py_decoding_run(struct decoding *decoding);
void kst_py_decoding_end(struct decoding *decoding);

/* Submit the decoding instead of running it; it is waited for later. */
bool kst_py_decoding_submit(struct decoding *decoding);
void kst_py_decoding_wait(struct decoding *decoding);

/*
 * decode.c: Carry out all steps for many streams, from the arguments to the end of the run; and return the results as a
 * list.
 */
bool kst_py_decoding_prepare(struct decoding *decoding, PyObject *args, PyObject *keywords, bool *raise);
PyObject *kst_py_decoding_results(struct decoding *decoding, bool raise);

#endif
