/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the images and arrays are held that filters read. */
#ifndef KOSTKA_PYTHON_HELD_H
#define KOSTKA_PYTHON_HELD_H

#include "kostka_python.h"

/* Holds an image or an array, and its description as an image. */
struct held {
    struct array array;
    kst_image image;
    kst_plane *more;
    bool is_image; /* it is an image of this package */
};

/*
 * Hold an object. An image of this package is used as it is, unless `format` is another format; KST_FORMAT_AUTO accepts
 * any. Returns false with an exception. Release it in any case.
 */
bool kst_py_hold(struct state *state, PyObject *object, kst_format format, PyObject *stream, struct held *held);
void kst_py_held_release(struct held *held);

/*
 * Wait for the work on an array that came without a stream: the library assumes that it is done. Returns false if
 * CUDA's driver cannot wait. The GIL is not needed.
 */
bool kst_py_held_wait(const struct held *held);

#endif
