/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding one stream or many: what is asked for, and the steps that a call takes. */
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
    kst_memory memory; /* of images that the call makes */
    PyObject *out;     /* borrowed; null or None: none */
    PyObject *stream;  /* borrowed; null or None: none */
    kst_stream on;     /* where `has_stream` */
    bool has_stream;
    bool is_batch;
    Py_ssize_t count;
    struct piece *piece;
    kst_decode_item *item; /* of those pieces that can be decoded, in turn */
    kst_job *job;          /* under way; null: none */
    uint32_t *components;  /* those of the options, to be freed */
};

/* decode_arguments.c: false with an exception. `errors` is null for a single stream. */
bool kst_py_decoding_read(
    struct decoding *decoding, PyObject *args, PyObject *keywords, PyObject **data, const char **errors);

/* decode_steps.c: with the GIL; all in turn. False with an exception. */
bool kst_py_decoding_begin(struct decoding *decoding, PyObject *const *data);
void kst_py_decoding_describe(struct decoding *decoding);
bool kst_py_decoding_place(struct decoding *decoding, PyObject *const *outs);
bool kst_py_decoding_run(struct decoding *decoding);
void kst_py_decoding_end(struct decoding *decoding);

/* Instead of a run: begun, and waited for later. */
bool kst_py_decoding_submit(struct decoding *decoding);
void kst_py_decoding_wait(struct decoding *decoding);

/* decode.c: all steps before a run, of many streams, from the arguments on; and what became of it, as a list. */
bool kst_py_decoding_prepare(struct decoding *decoding, PyObject *args, PyObject *keywords, bool *raise);
PyObject *kst_py_decoding_results(struct decoding *decoding, bool raise);

#endif
