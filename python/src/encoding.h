/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares encoding of one image or many: the arguments, and the images. */
#ifndef KOSTKA_PYTHON_ENCODING_H
#define KOSTKA_PYTHON_ENCODING_H

#include "options.h"

enum { METADATA_KINDS = 4 };

/* Holds the options of JPEG 2000, and what they point to. */
struct jpeg2000 {
    kst_j2k_options options;
    const char *target;  /* the name of the option that gave the target; null: none */
    bool is_lossy;       /* the caller passed lossless=False */
    double *layer_value; /* this and the next two members are freed at the end */
    size_t value_count;
    kst_j2k_change *change;
    kst_j2k_component *component;
};

struct encoding {
    struct state *state;
    struct context *context;
    kst_encode_options options;
    struct jpeg2000 jpeg2000;
    kst_metadata metadata[METADATA_KINDS];
    Py_buffer buffer[METADATA_KINDS];
    uint16_t table[4][64]; /* the quantisation tables */
    struct target target;
    PyObject *stream; /* borrowed; null: none */
    void *handle;     /* the handle of `stream` */
    Py_ssize_t count;
    bool is_batch;
    struct array *array;
    kst_image *image;
    kst_plane **more; /* each image's planes 4 and up */
    bool *is_image;   /* whether it is an image of this package, on which all work is done */
    kst_encode_item *item;
};

/* encode_arguments.c: Read the arguments. Returns false with an exception. `errors` is null for a single image. */
bool kst_py_encoding_read(
    struct encoding *encoding, PyObject *args, PyObject *keywords, PyObject **images, const char **errors);
void kst_py_encoding_end(struct encoding *encoding);

/* encode_jpeg2000.c: readers of options that are more than a number; `to` is a struct jpeg2000. */
bool kst_py_read_target(const struct option *option, PyObject *value, void *to); /* kst_j2k_target */
bool kst_py_read_lossless(const struct option *option, PyObject *value, void *to);
bool kst_py_read_changes(const struct option *option, PyObject *value, void *to);
bool kst_py_read_precincts(const struct option *option, PyObject *value, void *to);
bool kst_py_read_own(const struct option *option, PyObject *value, void *to);

/* Set all options to those of the profile, before the other options are read. */
bool kst_py_jpeg2000_profile(struct jpeg2000 *jpeg2000, PyObject *profile);

/* Check and complete what depends on several options. */
bool kst_py_jpeg2000_finish(struct jpeg2000 *jpeg2000);
void kst_py_jpeg2000_end(struct jpeg2000 *jpeg2000);

#endif
