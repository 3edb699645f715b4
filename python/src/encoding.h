/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding one image or many: what is asked for, and the images. */
#ifndef KOSTKA_PYTHON_ENCODING_H
#define KOSTKA_PYTHON_ENCODING_H

#include "kostka_python.h"

enum { METADATA_KINDS = 4 };

struct encoding {
    struct state *state;
    struct context *context;
    kst_encode_options options;
    kst_metadata metadata[METADATA_KINDS];
    Py_buffer buffer[METADATA_KINDS];
    kst_format format;
    PyObject *stream; /* borrowed; null or None: none */
    void *handle;     /* its */
    Py_ssize_t count;
    struct array *array;
    kst_image *image;
    bool *is_image; /* made by this package: the work on it is done */
    kst_encode_item *item;
};

/* encode_arguments.c: false with an exception. `errors` is null for a single image. */
bool kst_py_encoding_read(
    struct encoding *encoding, PyObject *args, PyObject *keywords, PyObject **images, const char **errors);
void kst_py_encoding_end(struct encoding *encoding);

#endif
