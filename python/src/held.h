/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds images and arrays that filters read. */
#ifndef KOSTKA_PYTHON_HELD_H
#define KOSTKA_PYTHON_HELD_H

#include "kostka_python.h"

/* An image or an array, and its description as an image. */
struct held {
    struct array array;
    kst_image image;
    kst_plane *more;
    bool is_image; /* it is an image of this package */
};

/*
 * Hold an object. An image of this package is used unchanged, unless another format is wanted; KST_FORMAT_AUTO stands
 * for none. Returns false with an exception. Release it in any case.
 */
bool kst_py_hold(struct state *state, PyObject *object, kst_format format, PyObject *stream, struct held *held);
void kst_py_held_release(struct held *held);

/*
 * Wait until nothing works on an array any more that came without a stream, as the library assumes. Returns false if
 * CUDA's driver cannot. The GIL is not needed.
 */
bool kst_py_held_wait(const struct held *held);

#endif
