/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the arrays of other packages as images, and checks them. */
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

static bool same_samples(const kst_plane *a, const kst_plane *b)
{
    return a->width == b->width && a->height == b->height && a->depth == b->depth && a->is_signed == b->is_signed &&
           a->sample == b->sample;
}

/*
 * Return whether an image's planes form an array: equal planes at equal distances, with equal pitches. Planes without
 * memory count, because they will be allocated that way.
 */
static bool is_regular(const kst_image *image)
{
    for (uint32_t i = 1; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        if (plane->pitch != image->plane[0].pitch || !same_samples(plane, &image->plane[0]) ||
            distance(image, i) != distance(image, 1))
            return false;
    }
    return true;
}

/* Return whether the first dimension of an array counts planes. */
static bool has_planes_first(const kst_image *image)
{
    return image->format == KST_FORMAT_PLANAR || (image->format == KST_FORMAT_RAW && image->plane_count > 1);
}

static Py_ssize_t sample_length(const kst_plane *plane)
{
    if (plane->sample != KST_SAMPLE_INTEGER)
        return plane->sample == KST_SAMPLE_FLOAT32 ? 4 : 2;
    return plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
}

void kst_py_view_image(struct view *view, const kst_image *image, int ordinal)
{
    const kst_plane *first = &image->plane[0];
    Py_ssize_t channels = kst_format_channels(image->format), width = first->width, height = first->height;
    Py_ssize_t bytes = sample_length(first), count = image->plane_count;
    *view = (struct view){.data = first->data, .offset = image->memory == KST_MEMORY_OPENCL ? first->offset : 0};
    view->memory = image->memory;
    view->ordinal = ordinal;
    view->bits = (int)bytes * 8;
    view->is_signed = first->is_signed;
    view->is_float = first->sample != KST_SAMPLE_INTEGER;
    if (image->plane_count == 0 || !is_regular(image))
        return;
    if (has_planes_first(image)) {
        Py_ssize_t between = count > 1 ? distance(image, 1) : first->pitch * height;
        view->dimensions = PICTURE_DIMENSIONS;
        memcpy(view->shape, (Py_ssize_t[VIEW_DIMENSIONS]){count, height, width}, sizeof view->shape);
        memcpy(view->stride, (Py_ssize_t[VIEW_DIMENSIONS]){between, first->pitch, bytes}, sizeof view->stride);
        return;
    }
    channels = channels > 0 ? channels : 1;
    view->dimensions = channels > 1 ? PICTURE_DIMENSIONS : 2;
    memcpy(view->shape, (Py_ssize_t[VIEW_DIMENSIONS]){height, width, channels}, sizeof view->shape);
    memcpy(view->stride, (Py_ssize_t[VIEW_DIMENSIONS]){first->pitch, channels * bytes, bytes}, sizeof view->stride);
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

/* Return a view without its channel dimension, (H, W) for (H, W, 1), if fewer dimensions are wanted. */
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

/* Return whether the samples of each row are consecutive; rows and planes may lie anywhere. */
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

/* Set the planes of an image, which points to `more` for planes 4 and up. */
static void place(const struct view *view, kst_image *image, kst_plane *more, bool planes)
{
    int row = planes ? 1 : 0;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = i < 4 ? &image->plane[i] : &more[i - 4];
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

const char *kst_py_view_kind(const struct view *view)
{
    return view->is_float ? "float" : view->is_signed ? "int" : "uint";
}

bool kst_py_view_bind(const struct view *given, kst_image *image, kst_plane *more)
{
    struct view wanted;
    bool planes = has_planes_first(image);
    kst_py_view_image(&wanted, image, 0);
    if (wanted.dimensions == 0) {
        PyErr_SetString(PyExc_ValueError, "raw components whose sizes or depths differ are no array: see planes");
        return false;
    }
    struct view view = without_channel(given, wanted.dimensions);
    if (view.bits != wanted.bits || view.is_signed != wanted.is_signed || view.is_float != wanted.is_float) {
        PyErr_Format(PyExc_TypeError, "the array's samples are %s%d, the picture's %s%d", kst_py_view_kind(&view),
            view.bits, kst_py_view_kind(&wanted), wanted.bits);
        return false;
    }
    if (!same_shape(&view, &wanted))
        return refuse_shape(given, &wanted);
    if (!rows_are_whole(&view, &wanted, planes)) {
        PyErr_SetString(PyExc_ValueError, "the array's rows have gaps between samples: make a contiguous copy of it");
        return false;
    }
    place(&view, image, more, planes);
    return true;
}

static kst_format format_of(const struct view *view)
{
    Py_ssize_t channels = view->dimensions == 3 ? view->shape[2] : 1;
    if (view->format != KST_FORMAT_AUTO)
        return view->format;
    return channels == 1   ? KST_FORMAT_GREY
           : channels == 3 ? KST_FORMAT_RGB
           : channels == 4 ? KST_FORMAT_RGBA
                           : KST_FORMAT_AUTO;
}

static bool refuse_view(const struct view *view)
{
    PyObject *shape = kst_py_view_shape(view);
    if (shape)
        PyErr_Format(PyExc_ValueError,
            "an array of the shape %R is no image: (height, width), (height, width, channels) or, planar, "
            "(channels, height, width)",
            shape);
    Py_XDECREF(shape);
    return false;
}

/* Return the depth to code samples with; 0 with an exception. */
static uint8_t depth_of(const struct view *view, const struct target *target)
{
    int low = view->bits == 8 ? 1 : view->bits == 16 ? 9 : 17, high = view->bits == 32 ? 31 : view->bits;
    if (target->codec == KST_CODEC_JPEG) {
        if (view->bits == 8 && !view->is_signed && !view->is_float)
            return 8;
        PyErr_Format(
            PyExc_TypeError, "the array's samples are %s%d: JPEG codes uint8", kst_py_view_kind(view), view->bits);
        return 0;
    }
    if (view->is_float)
        PyErr_Format(PyExc_TypeError, "the array's samples are float%d: JPEG 2000 codes integers", view->bits);
    else if (target->depth == 0 && view->bits == 32)
        PyErr_SetString(PyExc_ValueError, "samples of 32 bits need depth=, the bits that count, 17 to 31");
    else if (target->depth != 0 && ((int)target->depth < low || (int)target->depth > high))
        PyErr_Format(PyExc_ValueError, "depth is %u; samples of %s%d have %d to %d bits that count",
            (unsigned)target->depth, kst_py_view_kind(view), view->bits, low, high);
    if (PyErr_Occurred())
        return 0;
    return (uint8_t)(target->depth ? target->depth : (uint32_t)view->bits);
}

/*
 * Return whether samples must become RAW planes, which JPEG 2000 requires for signed samples and for more than four
 * components.
 */
static bool is_raw(const struct view *view, const struct target *target, bool planes)
{
    return target->codec == KST_CODEC_JPEG2000 &&
           (planes ? view->is_signed || view->shape[0] > 4 : view->is_signed && view->dimensions == 2);
}

bool kst_py_view_describe(const struct view *view, const struct target *target, kst_image *image, kst_plane **more)
{
    kst_format format = target->format == KST_FORMAT_AUTO ? format_of(view) : target->format;
    bool planes = format == KST_FORMAT_PLANAR && view->dimensions == 3;
    Py_ssize_t height = view->shape[planes ? 1 : 0], width = view->shape[planes ? 2 : 1];
    Py_ssize_t count = planes ? view->shape[0] : kst_format_channels(format);
    Py_ssize_t most = planes && target->codec == KST_CODEC_JPEG2000 ? 16384 : 4;
    if (view->dimensions > PICTURE_DIMENSIONS || count < 1 || count > most || width < 1 || height < 1 ||
        width > INT32_MAX || height > INT32_MAX)
        return refuse_view(view);
    uint8_t depth = depth_of(view, target);
    if (!depth)
        return false;
    if (view->is_signed && !is_raw(view, target, planes)) {
        PyErr_SetString(PyExc_ValueError,
            "signed samples of several components are taken as (components, height, width) with format='planar'");
        return false;
    }
    kst_image_init(image);
    image->format = is_raw(view, target, planes) ? KST_FORMAT_RAW : format;
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    image->plane_count = planes ? (uint32_t)count : 1;
    image->colour = image->plane_count == 1 && image->format == KST_FORMAT_RAW ? KST_COLOUR_GREY : KST_COLOUR_UNKNOWN;
    *more = count > 4 ? PyMem_Calloc((size_t)count - 4, sizeof **more) : NULL;
    image->more = *more;
    for (uint32_t i = 0; i < image->plane_count && (i < 4 || *more); i++)
        *(i < 4 ? &image->plane[i] : &(*more)[i - 4]) = (kst_plane){
            .pitch = (planes ? 1 : count) * width * (view->bits / 8),
            .width = image->width,
            .height = image->height,
            .depth = depth,
            .is_signed = view->is_signed,
        };
    if (count > 4 && !*more)
        PyErr_NoMemory();
    return count <= 4 || *more;
}
