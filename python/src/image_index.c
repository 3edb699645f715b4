/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements image[…]: pixels as numbers, and parts of a picture as images that share its memory. */
#include <math.h>

#include "kostka_python.h"

/* Holds the index of a dimension: one position, or `count` of them. */
struct range {
    bool is_slice;
    Py_ssize_t start, step, count;
};

static const char advice[] = "an image's parts are image[y, x], image[y0:y1, x0:x1] and, of rows alone, with a step; "
                             "numpy.asarray(image) takes any index";

static bool read_place(PyObject *key, Py_ssize_t length, struct range *range)
{
    Py_ssize_t place = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (PyErr_Occurred())
        return false;
    *range = (struct range){.start = place < 0 ? place + length : place, .step = 1, .count = 1};
    if (range->start >= 0 && range->start < length)
        return true;
    PyErr_Format(PyExc_IndexError, "%zd is not within a side of %zd", place, length);
    return false;
}

static bool read_slice(PyObject *key, Py_ssize_t length, struct range *range)
{
    Py_ssize_t stop;
    *range = (struct range){.is_slice = true};
    if (PySlice_Unpack(key, &range->start, &stop, &range->step) < 0)
        return false;
    range->count = PySlice_AdjustIndices(length, &range->start, &stop, range->step);
    if (range->count > 0)
        return true;
    PyErr_Format(PyExc_ValueError, "%R of a side of %zd is empty, which no image is", key, length);
    return false;
}

/* Read a range for each dimension of the view; a dimension that the key leaves out is taken whole. */
static bool read_key(const struct view *view, PyObject *key, struct range range[VIEW_DIMENSIONS], Py_ssize_t *count)
{
    PyObject *keys = PyTuple_Check(key) ? Py_NewRef(key) : PyTuple_Pack(1, key);
    *count = keys ? PyTuple_Size(keys) : 0;
    bool fine = keys && *count <= view->dimensions;
    if (keys && !fine)
        PyErr_Format(PyExc_IndexError, "%zd indices for %d dimensions", *count, view->dimensions);
    for (int i = 0; fine && i < view->dimensions; i++) {
        PyObject *one = i < *count ? PyTuple_GetItem(keys, i) : NULL;
        if (!one) {
            range[i] = (struct range){.is_slice = true, .step = 1, .count = view->shape[i]};
        } else if (PySlice_Check(one)) {
            fine = read_slice(one, view->shape[i], &range[i]);
        } else if (PyIndex_Check(one)) {
            fine = read_place(one, view->shape[i], &range[i]);
        } else {
            PyErr_SetString(PyExc_TypeError, advice);
            fine = false;
        }
    }
    Py_XDECREF(keys);
    return fine;
}

/* Convert a number of IEEE 754 binary16, with five bits of exponent and ten of mantissa, to a double. */
static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(mantissa + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
}

static PyObject *number_at(const struct view *view, const char *at)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        float f32;
    } sample;
    memcpy(&sample, at, (size_t)view->bits / 8);
    if (view->is_float)
        return PyFloat_FromDouble(view->bits == 32 ? (double)sample.f32 : half(sample.u16));
    if (view->bits == 32)
        return view->is_signed ? PyLong_FromLong(sample.i32) : PyLong_FromUnsignedLong(sample.u32);
    if (view->bits == 16)
        return PyLong_FromLong(view->is_signed ? sample.i16 : sample.u16);
    return PyLong_FromLong(view->is_signed ? sample.i8 : sample.u8);
}

/* Read the samples along a dimension, or one of them. */
static PyObject *read_samples(const struct view *view, const char *at, const struct range *range, Py_ssize_t stride)
{
    at += range->start * stride;
    if (!range->is_slice)
        return number_at(view, at);
    PyObject *samples = PyTuple_New(range->count);
    for (Py_ssize_t i = 0; samples && i < range->count; i++) {
        PyObject *one = number_at(view, at + i * range->step * stride);
        if (!one || PyTuple_SetItem(samples, i, one) < 0)
            Py_CLEAR(samples);
    }
    return samples;
}

static PyObject *pixel(const struct view *view, const struct range *range, int row)
{
    int channel = row == 1 ? 0 : 2;
    if (view->memory != KST_MEMORY_HOST && view->memory != KST_MEMORY_PINNED) {
        PyErr_SetString(PyExc_TypeError, "the image lies on a device: its pixels are read by way of an array");
        return NULL;
    }
    const char *at = view->data;
    at += range[row].start * view->stride[row] + range[row + 1].start * view->stride[row + 1];
    if (view->dimensions == 2)
        return number_at(view, at);
    return read_samples(view, at, &range[channel], view->stride[channel]);
}

static void move(kst_image *image, kst_plane *plane, Py_ssize_t bytes)
{
    if (image->memory == KST_MEMORY_OPENCL)
        plane->offset = (size_t)((Py_ssize_t)plane->offset + bytes);
    else
        plane->data = (void *)((uintptr_t)plane->data + (uintptr_t)bytes);
}

static PyObject *part(struct image *self, const struct range *range, int row)
{
    const struct view *view = &self->view;
    const struct range *rows = &range[row], *columns = &range[row + 1];
    const struct range *channels = view->dimensions == 3 ? &range[row == 1 ? 0 : 2] : NULL;
    kst_image image = self->storage.image;
    if (columns->step != 1 || (channels && (channels->step != 1 || channels->count != view->shape[row == 1 ? 0 : 2])) ||
        image.plane_count > 4) {
        PyErr_SetString(PyExc_TypeError, advice);
        return NULL;
    }
    image.width = (uint32_t)columns->count;
    image.height = (uint32_t)rows->count;
    for (uint32_t i = 0; i < image.plane_count; i++) {
        kst_plane *plane = &image.plane[i];
        move(&image, plane, rows->start * view->stride[row] + columns->start * view->stride[row + 1]);
        plane->width = image.width;
        plane->height = image.height;
        plane->pitch = view->stride[row] * rows->step;
    }
    return kst_py_image_part(kst_py_state((PyObject *)self), self, &image);
}

/* Return a plane by its number, or the part of it that further indices select. */
static PyObject *plane_of(PyObject *object, const struct range *range, PyObject *key, Py_ssize_t count)
{
    PyObject *planes = kst_py_attribute(object, "planes");
    PyObject *plane = planes ? Py_XNewRef(PyTuple_GetItem(planes, range[0].start)) : NULL;
    Py_XDECREF(planes);
    if (!plane || count == 1)
        return plane;
    PyObject *rest = PySequence_GetSlice(key, 1, count);
    PyObject *result = rest ? PyObject_GetItem(plane, rest) : NULL;
    Py_XDECREF(rest);
    Py_DECREF(plane);
    return result;
}

PyObject *kst_py_image_subscript(PyObject *object, PyObject *key)
{
    struct image *self = (struct image *)object;
    const kst_image *image = &self->storage.image;
    struct range range[VIEW_DIMENSIONS];
    Py_ssize_t count;
    if (self->view.dimensions == 0)
        return PyErr_Format(PyExc_TypeError, "raw components are no array: see planes");
    if (!read_key(&self->view, key, range, &count))
        return NULL;
    bool planes = image->format == KST_FORMAT_PLANAR || (image->format == KST_FORMAT_RAW && image->plane_count > 1);
    int row = planes ? 1 : 0;
    if (planes && !range[0].is_slice)
        return plane_of(object, range, key, count);
    if (!range[row].is_slice && !range[row + 1].is_slice)
        return pixel(&self->view, range, row);
    if (range[row].is_slice && range[row + 1].is_slice)
        return part(self, range, row);
    PyErr_SetString(PyExc_TypeError, advice);
    return NULL;
}

Py_ssize_t kst_py_image_length(PyObject *object)
{
    const struct image *self = (struct image *)object;
    if (self->view.dimensions > 0)
        return self->view.shape[0];
    PyErr_SetString(PyExc_TypeError, "raw components are no array: see planes");
    return -1;
}
