/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements resizing. */
#include <stddef.h>

#include "options.h"

/* Holds the arguments as they were passed, and the array that is resized. */
struct resizing {
    struct state *state;
    struct context *context;
    kst_resize_options options;
    uint32_t size[2];
    int filter, fit, order, format;
    PyObject *box;
    struct array array;
    kst_image from;
    kst_plane *more;
    struct storage storage;
};

const struct name kst_py_filters[] = {{"bicubic", KST_RESIZE_BICUBIC}, {"box", KST_RESIZE_BOX},
    {"bilinear", KST_RESIZE_BILINEAR}, {"hamming", KST_RESIZE_HAMMING}, {"lanczos", KST_RESIZE_LANCZOS}, {NULL, 0}};
static const struct name fits[] = {
    {"exact", KST_RESIZE_EXACT}, {"inside", KST_RESIZE_INSIDE}, {"cover", KST_RESIZE_COVER}, {NULL, 0}};
const struct name kst_py_orders[] = {
    {"auto", KST_RESIZE_ORDER_AUTO}, {"horizontal", KST_RESIZE_ORDER_HORIZONTAL}, {NULL, 0}};

#define AT(member) offsetof(struct resizing, member)

static const struct option table[] = {
    {"size", kst_py_read_size, AT(size), NULL, FOR_ALL},
    {"filter", kst_py_read_word, AT(filter), kst_py_filters, FOR_ALL},
    {"box", kst_py_read_object, AT(box), NULL, FOR_ALL},
    {"fit", kst_py_read_word, AT(fit), fits, FOR_ALL},
    {"mirror", kst_py_read_flag, AT(options.mirror), NULL, FOR_ALL},
    {"order", kst_py_read_word, AT(order), kst_py_orders, FOR_ALL},
    {"format", kst_py_read_word, AT(format), kst_py_formats, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

bool kst_py_read_box(PyObject *object, kst_resize_box *box)
{
    double *const edges[] = {&box->left, &box->top, &box->right, &box->bottom};
    PyObject *tuple = PySequence_Check(object) ? PySequence_Tuple(object) : NULL;
    if (!tuple && PyErr_Occurred())
        return false;
    bool fine = tuple && PyTuple_Size(tuple) == 4;
    if (!fine)
        PyErr_Format(tuple ? PyExc_ValueError : PyExc_TypeError, "box is (left, top, right, bottom), not %R", object);
    for (int i = 0; fine && i < 4; i++) {
        *edges[i] = PyFloat_AsDouble(PyTuple_GetItem(tuple, i));
        fine = !PyErr_Occurred();
    }
    Py_XDECREF(tuple);
    /* Four zeros, which are an empty box, stand for the whole image in the library's options. */
    if (fine && box->left == 0 && box->top == 0 && box->right == 0 && box->bottom == 0) {
        PyErr_SetString(PyExc_ValueError, "box is empty");
        fine = false;
    }
    return fine;
}

/* Derive the library's options and the result's layout from the arguments. */
static bool finish(struct resizing *r, option_set given)
{
    if (!kst_py_option_given(table, given, "size")) {
        PyErr_SetString(PyExc_TypeError, "resize() needs a size, (width, height)");
        return false;
    }
    r->options.width = r->size[0];
    r->options.height = r->size[1];
    r->options.filter = (kst_resize_filter)r->filter;
    r->options.fit = (kst_resize_fit)r->fit;
    r->options.order = (kst_resize_order)r->order;
    return !r->box || kst_py_read_box(r->box, &r->options.box);
}

static bool read_options(struct resizing *r, PyObject *args, PyObject *keywords, PyObject **image)
{
    option_set given = 0;
    kst_resize_options_init(&r->options);
    return kst_py_arguments("resize", "image", args, keywords, image, table, r, &given) && finish(r, given);
}

bool kst_py_resize_read(PyObject *object, kst_resize_options *options)
{
    struct resizing r = {.box = NULL};
    option_set given = PyDict_Check(object) ? 0 : 1; /* 1: the option "size", the first in the table */
    kst_resize_options_init(&r.options);
    bool fine = PyDict_Check(object) ? kst_py_options("resize", object, table, &r, &given)
                                     : kst_py_read_size(&table[0], object, r.size);
    fine = fine && finish(&r, given);
    if (fine && r.format) {
        PyErr_SetString(PyExc_ValueError, "resize has no format here: it is that of the decoded image");
        fine = false;
    }
    *options = r.options;
    return fine;
}

/* Hold the object. An image of this package is used as it is, unless another format is wanted. */
static bool hold(struct resizing *r, PyObject *object)
{
    struct target target = {.codec = KST_CODEC_JPEG2000, .format = (kst_format)r->format};
    bool is_image;
    if (!kst_py_array_hold(r->state, &r->array, object, false, NULL, &is_image))
        return false;
    if (is_image) {
        r->from = ((struct image *)object)->storage.image;
        target.depth = r->from.plane[0].depth;
        if (target.format == KST_FORMAT_AUTO || target.format == r->from.format)
            return true;
    }
    if (r->array.view.is_float || r->array.view.is_signed || r->array.view.bits > 16) {
        PyErr_Format(PyExc_TypeError, "the array's samples are %s%d: resize() takes uint8 and uint16",
            kst_py_view_kind(&r->array.view), r->array.view.bits);
        return false;
    }
    return kst_py_view_describe(&r->array.view, &target, &r->from, &r->more) &&
           kst_py_view_bind(&r->array.view, &r->from, r->more);
}

/* Return whether the array, and so its result, lies in a device's memory. */
static bool is_on_device(const struct resizing *r)
{
    return r->from.memory != KST_MEMORY_HOST && r->from.memory != KST_MEMORY_PINNED;
}

/*
 * Describe the result, without gaps between rows, and allocate it if it lies in host memory; the library allocates
 * device memory later.
 */
static kst_status prepare(struct resizing *r)
{
    kst_image described;
    r->storage.image.memory = r->from.memory;
    if (is_on_device(r))
        return KST_OK;
    kst_status status = kst_resize_describe(&r->from, &r->options, &described);
    if (!status)
        status = kst_py_storage_describe(&r->storage, &described);
    if (!status)
        status = kst_py_storage_allocate(r->context, &r->storage);
    return status;
}

/* Resize the image. The GIL is not needed. */
static kst_status run(struct resizing *r, kst_report *report)
{
    kst_resize_item item = {.from = &r->from, .options = &r->options, .to = &r->storage.image};
    kst_status status = prepare(r);
    if (status)
        return status;
    status = kst_resize_batch(r->context->handle, &item, 1);
    *report = item.report;
    return status;
}

static PyObject *resize(struct resizing *r)
{
    kst_report report;
    kst_status status;
    kst_report_init(&report);
    Py_BEGIN_ALLOW_THREADS;
    status = run(r, &report);
    Py_END_ALLOW_THREADS;
    if (!status)
        return kst_py_image_new(r->state, r->context, &r->storage, &report);
    kst_py_storage_release(r->context, &r->storage);
    return kst_py_raise(r->state, status, NULL);
}

PyObject *kst_py_resize(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct resizing r = {.state = kst_py_state(self), .context = (struct context *)self};
    PyObject *object, *result = NULL;
    if (!read_options(&r, args, keywords, &object) || !kst_py_context_enter(r.context))
        return NULL;
    kst_image_init(&r.storage.image);
    if (hold(&r, object))
        result = resize(&r);
    kst_py_array_release(&r.array);
    PyMem_Free(r.more);
    kst_py_context_leave(r.context);
    return result;
}
