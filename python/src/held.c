/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the images and arrays that filters read. */
#include "held.h"

bool kst_py_hold(struct state *state, PyObject *object, kst_format format, PyObject *stream, struct held *held)
{
    struct target target = {.codec = KST_CODEC_JPEG2000, .format = format};
    const struct view *view = &held->array.view;
    if (!kst_py_array_hold(state, &held->array, object, false, stream, &held->is_image))
        return false;
    if (held->is_image) {
        held->image = ((struct image *)object)->storage.image;
        target.depth = held->image.plane[0].depth;
        if (target.format == KST_FORMAT_AUTO || target.format == held->image.format)
            return true;
    }
    if (view->is_float || view->is_signed || view->bits > 16) {
        PyErr_Format(PyExc_TypeError, "the array's samples are %s%d: filters take uint8 and uint16",
            kst_py_view_kind(view), view->bits);
        return false;
    }
    return kst_py_view_describe(view, &target, &held->image, &held->more) &&
           kst_py_view_bind(view, &held->image, held->more);
}

void kst_py_held_release(struct held *held)
{
    kst_py_array_release(&held->array);
    PyMem_Free(held->more);
}

bool kst_py_held_wait(const struct held *held)
{
    const struct view *view = &held->array.view;
    return held->is_image || view->memory != KST_MEMORY_CUDA || kst_py_cuda_wait(view->ordinal, NULL, false);
}
