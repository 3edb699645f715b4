/* SPDX-License-Identifier: BSD-2-Clause */
#include "kostka_python.h"

static Py_ssize_t sample_bytes(const struct view *view)
{
    return view->bits / 8;
}

static Py_ssize_t distance(const kst_image *image, uint32_t index)
{
    const kst_plane *to = kst_image_plane(image, index), *from = kst_image_plane(image, index - 1);
    if (image->memory == KST_MEMORY_OPENCL)
        return (Py_ssize_t)to->offset - (Py_ssize_t)from->offset;
    return (Py_ssize_t)((intptr_t)to->data - (intptr_t)from->data);
}

/* Planes that lie at equal distances, with equal pitches, are an array. Without memory they will. */
static bool is_regular(const kst_image *image)
{
    for (uint32_t i = 1; i < image->plane_count; i++)
        if (kst_image_plane(image, i)->pitch != image->plane[0].pitch || distance(image, i) != distance(image, 1))
            return false;
    return true;
}

void kst_py_view_image(struct view *view, const kst_image *image, int ordinal)
{
    const kst_plane *first = &image->plane[0];
    Py_ssize_t channels = kst_format_channels(image->format), width = image->width, height = image->height;
    bool is_float = first->sample != KST_SAMPLE_INTEGER;
    Py_ssize_t bytes = first->depth > 16 ? 4 : first->depth > 8 ? 2 : 1;
    if (is_float)
        bytes = first->sample == KST_SAMPLE_FLOAT32 ? 4 : 2;
    *view = (struct view){.data = first->data, .offset = image->memory == KST_MEMORY_OPENCL ? first->offset : 0};
    view->memory = image->memory;
    view->ordinal = ordinal;
    view->bits = (int)bytes * 8;
    view->is_signed = first->is_signed;
    view->is_float = is_float;
    if (image->format == KST_FORMAT_RAW || !is_regular(image))
        return;
    bool planes = image->format == KST_FORMAT_PLANAR, plain = channels == 1;
    Py_ssize_t between = image->plane_count > 1 ? distance(image, 1) : first->pitch * height;
    *view = (struct view){
        .dimensions = plain ? 2 : VIEW_DIMENSIONS,
        .shape = {planes ? (Py_ssize_t)image->plane_count : height, planes ? height : width, planes ? width : channels},
        .stride = {planes ? between : first->pitch, planes ? first->pitch : channels * bytes, bytes},
        .data = view->data,
        .offset = view->offset,
        .memory = view->memory,
        .ordinal = ordinal,
        .bits = view->bits,
        .is_signed = view->is_signed,
        .is_float = is_float,
    };
    if (plain)
        view->stride[1] = bytes;
}

PyObject *kst_py_view_shape(const struct view *view)
{
    PyObject *shape = PyTuple_New(view->dimensions);
    for (int i = 0; shape && i < view->dimensions; i++) {
        PyObject *value = PyLong_FromSsize_t(view->shape[i]);
        if (!value || PyTuple_SetItem(shape, i, value) < 0)
            Py_CLEAR(shape);
    }
    return shape;
}

PyObject *kst_py_view_strides(const struct view *view)
{
    struct view strides = *view;
    memcpy(strides.shape, view->stride, sizeof strides.shape);
    return kst_py_view_shape(&strides);
}

PyObject *kst_py_view_type(const struct view *view)
{
    const union {
        uint16_t number;
        uint8_t first;
    } order = {1};
    char sign = view->is_float ? 'f' : view->is_signed ? 'i' : 'u', endian = order.first ? '<' : '>';
    return PyUnicode_FromFormat("%c%c%d", view->bits == 8 ? '|' : endian, sign, view->bits / 8);
}

bool kst_py_view_is_contiguous(const struct view *view)
{
    Py_ssize_t step = sample_bytes(view);
    for (int i = view->dimensions - 1; i >= 0; i--) {
        if (view->shape[i] > 1 && view->stride[i] != step)
            return false;
        step *= view->shape[i];
    }
    return true;
}

/* A view of (H, W, 1) where (H, W) is wanted. */
static struct view without_channel(const struct view *view, int dimensions)
{
    struct view result = *view;
    if (dimensions == 2 && view->dimensions == 3 && view->shape[2] == 1)
        result.dimensions = 2;
    return result;
}

static bool same_shape(const struct view *a, const struct view *b)
{
    return a->dimensions == b->dimensions &&
           memcmp(a->shape, b->shape, (size_t)a->dimensions * sizeof a->shape[0]) == 0;
}

static bool refuse_shape(const struct view *view, const struct view *wanted)
{
    PyObject *is = kst_py_view_shape(view), *want = kst_py_view_shape(wanted);
    if (is && want)
        PyErr_Format(PyExc_ValueError, "the array's shape is %R, the picture's %R", is, want);
    Py_XDECREF(is);
    Py_XDECREF(want);
    return false;
}

/* Samples of a row follow each other; rows and planes may be anywhere. */
static bool rows_are_whole(const struct view *view, const struct view *wanted, bool planes)
{
    Py_ssize_t step = sample_bytes(view);
    for (int i = view->dimensions - 1; i > (planes ? 1 : 0); i--) {
        if (view->shape[i] > 1 && view->stride[i] != step)
            return false;
        step *= wanted->shape[i];
    }
    return true;
}

static void place(const struct view *view, kst_image *image, bool planes)
{
    int row = planes ? 1 : 0;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        Py_ssize_t at = planes ? (Py_ssize_t)i * view->stride[0] : 0;
        if (view->shape[row] > 1)
            plane->pitch = view->stride[row];
        plane->data = view->data;
        if (view->memory == KST_MEMORY_OPENCL)
            plane->offset = (size_t)((Py_ssize_t)view->offset + at);
        else
            plane->data = (void *)((uintptr_t)view->data + (uintptr_t)at);
    }
    image->memory = view->memory;
}

static const char *kind_of(const struct view *view)
{
    return view->is_float ? "float" : view->is_signed ? "int" : "uint";
}

bool kst_py_view_bind(const struct view *given, kst_image *image)
{
    struct view wanted;
    bool planes = image->format == KST_FORMAT_PLANAR;
    if (image->format == KST_FORMAT_RAW || image->plane_count > 4) {
        PyErr_SetString(PyExc_ValueError, "raw components are no array: their sizes differ");
        return false;
    }
    kst_py_view_image(&wanted, image, 0);
    struct view view = without_channel(given, wanted.dimensions);
    if (view.bits != wanted.bits || view.is_signed != wanted.is_signed || view.is_float != wanted.is_float) {
        PyErr_Format(PyExc_TypeError, "the array's samples are %s%d, the picture's %s%d", kind_of(&view), view.bits,
            kind_of(&wanted), wanted.bits);
        return false;
    }
    if (!same_shape(&view, &wanted))
        return refuse_shape(given, &wanted);
    if (!rows_are_whole(&view, &wanted, planes)) {
        PyErr_SetString(PyExc_ValueError, "the array's rows have gaps between samples: make a contiguous copy of it");
        return false;
    }
    place(&view, image, planes);
    return true;
}

static kst_format format_of(const struct view *view)
{
    Py_ssize_t channels = view->dimensions == 3 ? view->shape[2] : 1;
    return channels == 1   ? KST_FORMAT_GREY
           : channels == 3 ? KST_FORMAT_RGB
           : channels == 4 ? KST_FORMAT_RGBA
                           : KST_FORMAT_AUTO;
}

bool kst_py_view_describe(const struct view *view, kst_format format, kst_image *image)
{
    bool planes = format == KST_FORMAT_PLANAR;
    if (format == KST_FORMAT_AUTO)
        format = format_of(view);
    Py_ssize_t count = kst_format_channels(format), height = view->shape[planes ? 1 : 0];
    Py_ssize_t width = view->shape[planes ? 2 : 1];
    if (planes)
        count = view->dimensions == 3 ? view->shape[0] : 0;
    if (count < 1 || count > 4 || width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX) {
        PyObject *shape = kst_py_view_shape(view);
        if (shape)
            PyErr_Format(PyExc_ValueError,
                "an array of the shape %R is no image: (height, width), (height, width, channels) or, planar, "
                "(channels, height, width)",
                shape);
        Py_XDECREF(shape);
        return false;
    }
    kst_image_init(image);
    image->format = format;
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    image->plane_count = planes ? (uint32_t)count : 1;
    for (uint32_t i = 0; i < image->plane_count; i++)
        image->plane[i] = (kst_plane){
            .pitch = (planes ? 1 : count) * width, .width = image->width, .height = image->height, .depth = 8};
    return true;
}
