/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements tensors: creating them, and access to their pictures as images; and creating volumes. */
#include "kostka_python.h"

PyObject *kst_py_tensor_new(
    struct state *state, struct context *context, struct storage *storage, const struct view *view, PyObject *errors)
{
    struct image *self = kst_py_image_empty(state->tensor, context);
    if (!self) {
        kst_py_storage_release(context, storage);
        return NULL;
    }
    self->errors = Py_NewRef(errors);
    self->storage = *storage;
    self->view = *view;
    *storage = (struct storage){.array = {.has_buffer = false}};
    return (PyObject *)self;
}

PyObject *kst_py_volume_new(struct state *state, struct context *context, struct storage *storage,
    const struct view *view, const kst_report *report)
{
    struct image *self = kst_py_image_empty(state->volume, context);
    if (!self) {
        kst_py_storage_release(context, storage);
        return NULL;
    }
    self->made = *report;
    self->storage = *storage;
    self->view = *view;
    *storage = (struct storage){.array = {.has_buffer = false}};
    return (PyObject *)self;
}

static void move(kst_image *image, Py_ssize_t bytes)
{
    for (uint32_t i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        if (image->memory == KST_MEMORY_OPENCL)
            plane->offset = (size_t)((Py_ssize_t)plane->offset + bytes);
        else
            plane->data = (void *)((uintptr_t)plane->data + (uintptr_t)bytes);
    }
}

static PyObject *picture(struct image *self, PyObject *key)
{
    Py_ssize_t length = self->view.shape[0], index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred())
        return NULL;
    if (index < -length || index >= length)
        return PyErr_Format(PyExc_IndexError, "there is no picture %zd of %zd", index, length);
    kst_image image = self->storage.image;
    move(&image, (index < 0 ? index + length : index) * self->view.stride[0]);
    return kst_py_image_part(kst_py_state((PyObject *)self), self, &image);
}

/* Return the errors of the pictures of a slice, by their indices in the slice. */
static PyObject *errors_within(PyObject *errors, Py_ssize_t start, Py_ssize_t count)
{
    PyObject *found = PyDict_New(), *key, *value;
    Py_ssize_t at = 0;
    while (found && PyDict_Next(errors, &at, &key, &value)) {
        Py_ssize_t index = PyLong_AsSsize_t(key) - start;
        PyObject *number = PyLong_FromSsize_t(index);
        if (!number || (index >= 0 && index < count && PyDict_SetItem(found, number, value) < 0))
            Py_CLEAR(found);
        Py_XDECREF(number);
    }
    return found;
}

static PyObject *slice(struct image *self, PyObject *key)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t count = PySlice_AdjustIndices(self->view.shape[0], &start, &stop, step);
    if (step != 1 || count < 1)
        return PyErr_Format(PyExc_ValueError, "%R is no slice of one or more pictures without a step", key);
    struct view view = self->view;
    struct storage storage = {.image = self->storage.image};
    view.shape[0] = count;
    if (view.memory == KST_MEMORY_OPENCL)
        view.offset = (size_t)((Py_ssize_t)view.offset + start * view.stride[0]);
    else
        view.data = (void *)((uintptr_t)view.data + (uintptr_t)(start * view.stride[0]));
    move(&storage.image, start * view.stride[0]);
    PyObject *errors = errors_within(self->errors, start, count);
    PyObject *part =
        errors ? kst_py_tensor_new(kst_py_state((PyObject *)self), self->context, &storage, &view, errors) : NULL;
    Py_XDECREF(errors);
    if (part)
        ((struct image *)part)->owner = Py_NewRef((PyObject *)self);
    return part;
}

PyObject *kst_py_tensor_subscript(PyObject *object, PyObject *key)
{
    struct image *self = (struct image *)object;
    if (PySlice_Check(key))
        return slice(self, key);
    if (PyIndex_Check(key))
        return picture(self, key);
    return PyErr_Format(
        PyExc_TypeError, "a tensor's parts are tensor[i] and tensor[a:b]; numpy.asarray(tensor) takes any index");
}
