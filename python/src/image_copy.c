/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares images, and makes images from bytes, for pickling and copying. */
#include <stdlib.h>

#include "kostka_python.h"

static bool is_on_host(const kst_image *image)
{
    return image->memory == KST_MEMORY_HOST || image->memory == KST_MEMORY_PINNED;
}

static size_t row_length(const kst_image *image, const kst_plane *plane)
{
    uint32_t channels = kst_format_channels(image->format);
    size_t bytes = plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
    if (plane->sample != KST_SAMPLE_INTEGER)
        bytes = plane->sample == KST_SAMPLE_FLOAT32 ? 4 : 2;
    return plane->width * bytes * (channels ? channels : 1);
}

static int depth_of(const kst_plane *plane)
{
    return plane->sample != KST_SAMPLE_INTEGER ? 0 : plane->depth ? plane->depth : 8;
}

static bool same_plane(const kst_image *image, const kst_plane *a, const kst_plane *b)
{
    if (a->width != b->width || a->height != b->height || depth_of(a) != depth_of(b) || a->is_signed != b->is_signed ||
        a->sample != b->sample)
        return false;
    const char *left = a->data, *right = b->data;
    size_t length = row_length(image, a);
    for (uint32_t y = 0; y < a->height; y++, left += a->pitch, right += b->pitch)
        if (memcmp(left, right, length) != 0)
            return false;
    return true;
}

static bool same_samples(const kst_image *a, const kst_image *b)
{
    if (a->format != b->format || a->colour != b->colour || a->plane_count != b->plane_count)
        return false;
    for (uint32_t i = 0; i < a->plane_count; i++)
        if (!same_plane(a, kst_image_plane(a, i), kst_image_plane(b, i)))
            return false;
    return true;
}

PyObject *kst_py_image_compare(PyObject *left, PyObject *right, int operation)
{
    if (Py_TYPE(left) != Py_TYPE(right) || (operation != Py_EQ && operation != Py_NE))
        return Py_NewRef(Py_NotImplemented);
    const kst_image *a = &((struct image *)left)->storage.image, *b = &((struct image *)right)->storage.image;
    bool same = left == right;
    if (!same) {
        if (!is_on_host(a) || !is_on_host(b))
            return PyErr_Format(PyExc_TypeError, "images on a device are compared by way of arrays");
        Py_BEGIN_ALLOW_THREADS;
        same = same_samples(a, b);
        Py_END_ALLOW_THREADS;
    }
    return PyBool_FromLong(same == (operation == Py_EQ));
}

static const struct {
    const char *name;
    int bits;
    bool is_signed;
    kst_sample sample;
} types[] = {{"uint8", 8, false, KST_SAMPLE_INTEGER}, {"int8", 8, true, KST_SAMPLE_INTEGER},
    {"uint16", 16, false, KST_SAMPLE_INTEGER}, {"int16", 16, true, KST_SAMPLE_INTEGER},
    {"uint32", 32, false, KST_SAMPLE_INTEGER}, {"int32", 32, true, KST_SAMPLE_INTEGER},
    {"float16", 16, false, KST_SAMPLE_FLOAT16}, {"float32", 32, false, KST_SAMPLE_FLOAT32}};

static bool refuse(void)
{
    PyErr_SetString(PyExc_ValueError, "these parts are not those of an image");
    return false;
}

/* Read (width, height, depth, dtype, samples): a plane without gaps; `samples` is borrowed. */
static bool read_plane(PyObject *tuple, const kst_image *image, kst_plane *plane, PyObject **samples)
{
    unsigned width, height, depth;
    const char *type;
    size_t i = 0, count = sizeof types / sizeof *types;
    if (!PyTuple_Check(tuple) || !PyArg_ParseTuple(tuple, "IIIsO", &width, &height, &depth, &type, samples))
        return PyErr_Occurred() ? false : refuse();
    while (i < count && strcmp(types[i].name, type) != 0)
        i++;
    if (i == count || width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX)
        return refuse();
    bool is_integer = types[i].sample == KST_SAMPLE_INTEGER;
    if (is_integer &&
        (depth < (types[i].bits == 8 ? 1u : (unsigned)types[i].bits / 2 + 1) || depth > (unsigned)types[i].bits))
        return refuse();
    *plane = (kst_plane){.width = width,
        .height = height,
        .depth = is_integer ? (uint8_t)depth : 0,
        .is_signed = types[i].is_signed,
        .sample = (uint8_t)types[i].sample};
    plane->pitch = (ptrdiff_t)row_length(image, plane);
    return true;
}

/* Return whether a plane fits the image: all planes of an interleaved or planar image have its size. */
static bool fits(const kst_image *image, const kst_plane *plane)
{
    return image->format == KST_FORMAT_RAW || (plane->width == image->width && plane->height == image->height);
}

static bool copy_samples(PyObject *object, const kst_plane *plane)
{
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_FULL_RO) < 0)
        return false;
    Py_ssize_t length = (Py_ssize_t)plane->pitch * (Py_ssize_t)plane->height;
    bool fine = buffer.len == length ? PyBuffer_ToContiguous(plane->data, &buffer, length, 'C') == 0 : refuse();
    PyBuffer_Release(&buffer);
    return fine;
}

struct assembly {
    struct storage storage;
    PyObject **samples; /* the samples of each plane, borrowed */
};

static bool read_planes(struct assembly *assembly, PyObject *parts)
{
    kst_image *image = &assembly->storage.image;
    uint32_t count = image->plane_count;
    assembly->samples = PyMem_Calloc(count, sizeof *assembly->samples);
    assembly->storage.more = count > 4 ? calloc(count - 4, sizeof *assembly->storage.more) : NULL;
    if (!assembly->samples || (count > 4 && !assembly->storage.more)) {
        PyErr_NoMemory();
        return false;
    }
    image->more = assembly->storage.more;
    for (uint32_t i = 0; i < count; i++) {
        kst_plane *plane = i < 4 ? &image->plane[i] : &assembly->storage.more[i - 4];
        if (!read_plane(PyTuple_GetItem(parts, (Py_ssize_t)i), image, plane, &assembly->samples[i]))
            return false;
        if (!fits(image, plane))
            return refuse();
    }
    return true;
}

static bool fill(struct context *context, struct assembly *assembly)
{
    kst_image *image = &assembly->storage.image;
    kst_status status = kst_py_storage_allocate(context, &assembly->storage);
    if (status) {
        kst_py_raise(kst_py_state((PyObject *)context), status, NULL);
        return false;
    }
    for (uint32_t i = 0; i < image->plane_count; i++)
        if (!copy_samples(assembly->samples[i], kst_image_plane(image, i)))
            return false;
    return true;
}

static bool read_image(PyObject *args, kst_image *image, PyObject **parts, PyObject **report)
{
    const char *format, *colour;
    unsigned width, height;
    int value;
    kst_image_init(image);
    if (!PyArg_ParseTuple(args, "ssIIO!O:_assemble", &format, &colour, &width, &height, &PyTuple_Type, parts, report) ||
        !kst_py_value_of(kst_py_formats, "format", format, &value))
        return false;
    image->format = (kst_format)value;
    if (!kst_py_value_of(kst_py_colours, "colour", colour, &value))
        return false;
    image->colour = (kst_colour)value;
    image->width = width;
    image->height = height;
    Py_ssize_t count = PyTuple_Size(*parts);
    bool several = image->format == KST_FORMAT_PLANAR || image->format == KST_FORMAT_RAW;
    if (image->format == KST_FORMAT_AUTO || count < 1 || count > (several ? 16384 : 1) ||
        (image->format == KST_FORMAT_PLANAR && count > 4))
        return refuse();
    image->plane_count = (uint32_t)count;
    return true;
}

PyObject *kst_py_assemble(PyObject *self, PyObject *args)
{
    struct context *context = (struct context *)self;
    struct state *state = kst_py_state(self);
    struct assembly assembly = {.samples = NULL};
    PyObject *parts, *report, *result = NULL;
    if (!read_image(args, &assembly.storage.image, &parts, &report) || !kst_py_context_enter(context))
        return NULL;
    if (report != Py_None && Py_TYPE(report) != state->report)
        PyErr_SetString(PyExc_TypeError, "the report is no Report");
    else if (read_planes(&assembly, parts) && fill(context, &assembly))
        result = kst_py_image_new(state, context, &assembly.storage, &(kst_report){.offset = UINT64_MAX});
    if (result && report != Py_None)
        ((struct image *)result)->report = Py_NewRef(report);
    if (!result)
        kst_py_storage_release(context, &assembly.storage);
    PyMem_Free(assembly.samples);
    kst_py_context_leave(context);
    return result;
}
