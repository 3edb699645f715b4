/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds arrays through the CUDA array interface, versions 0 to 3. */
#include "kostka_python.h"

/* Return a borrowed member of the dictionary; null if it is missing or None. */
static PyObject *member(PyObject *interface, const char *name)
{
    PyObject *value = PyDict_GetItemString(interface, name);
    return value == Py_None ? NULL : value;
}

static bool refuse(const char *why)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "__cuda_array_interface__: %s", why);
    return false;
}

static bool read_numbers(PyObject *tuple, Py_ssize_t count, Py_ssize_t *numbers)
{
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count)
        return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        numbers[i] = PyLong_AsSsize_t(PyTuple_GetItem(tuple, i));
        if (PyErr_Occurred())
            return false;
    }
    return true;
}

static bool read_shape(struct view *view, PyObject *interface)
{
    PyObject *shape = member(interface, "shape"), *strides = member(interface, "strides");
    if (!shape || !PyTuple_Check(shape))
        return refuse("'shape' is no tuple");
    Py_ssize_t count = PyTuple_Size(shape);
    if (count < 2 || count > VIEW_DIMENSIONS) {
        PyErr_Format(
            PyExc_ValueError, "the array has %zd dimensions; pictures have 2 or 3, volumes 3, tensors 4", count);
        return false;
    }
    view->dimensions = (int)count;
    if (!read_numbers(shape, count, view->shape))
        return refuse("'shape' is no tuple of integers");
    Py_ssize_t step = view->bits / 8;
    for (Py_ssize_t i = count - 1; i >= 0; i--) {
        if (view->shape[i] < 1 || view->shape[i] > INT32_MAX)
            return refuse("a side of 'shape' is empty or too long");
        view->stride[i] = step;
        step *= i > 0 ? view->shape[i] : 1; /* below 2^1 × 2^31 × 2^31 */
    }
    return !strides || read_numbers(strides, count, view->stride) || refuse("'strides' are no tuple as 'shape' is");
}

static bool read_type(struct view *view, PyObject *interface)
{
    static const char *const names[] = {"|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<f2", "<f4"};
    static const int bits[] = {8, 8, 16, 16, 32, 32, 16, 32};
    PyObject *type = member(interface, "typestr");
    for (int i = 0; type && PyUnicode_Check(type) && i < 8; i++)
        if (PyUnicode_CompareWithASCIIString(type, names[i]) == 0) {
            view->bits = bits[i];
            view->is_float = i >= 6;
            view->is_signed = i < 6 && i % 2 == 1;
            return true;
        }
    if (type)
        PyErr_Format(PyExc_TypeError,
            "the array's samples are of the type %R, neither of integers of 8, 16 or 32 bits nor '<f2' or '<f4'", type);
    return refuse("no 'typestr'");
}

static bool read_data(struct view *view, PyObject *interface)
{
    PyObject *data = member(interface, "data");
    if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2)
        return refuse("'data' is no pair");
    view->data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    int read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1));
    if (PyErr_Occurred() || read_only < 0)
        return refuse("'data' is no pair of an address and a truth");
    view->read_only = read_only;
    return view->data || refuse("'data' is null");
}

/*
 * Wait for the work on the array. Versions up to 2 of the interface do not say in which stream it is: wait for the
 * default stream.
 */
static bool wait_for_maker(const struct view *view, PyObject *interface)
{
    PyObject *version = member(interface, "version"), *stream = member(interface, "stream");
    void *handle = NULL;
    bool is_given = false, fine;
    long number = version ? PyLong_AsLong(version) : 0;
    if (PyErr_Occurred() || (stream && !kst_py_stream(stream, &handle, &is_given)))
        return refuse("'version' or 'stream' is no integer");
    if (!is_given && number >= 3)
        return true;
    Py_BEGIN_ALLOW_THREADS;
    fine = kst_py_cuda_wait(view->ordinal, handle, false);
    Py_END_ALLOW_THREADS;
    if (!fine)
        PyErr_SetString(PyExc_BufferError, "CUDA's driver cannot wait for the array's stream");
    return fine;
}

bool kst_py_array_hold_cuda(struct array *array, PyObject *interface)
{
    struct view *view = &array->view;
    if (!PyDict_Check(interface))
        return refuse("no dictionary");
    if (member(interface, "mask"))
        return refuse("masks are not supported");
    view->memory = KST_MEMORY_CUDA;
    if (!read_type(view, interface) || !read_shape(view, interface) || !read_data(view, interface))
        return false;
    view->ordinal = kst_py_cuda_ordinal(view->data);
    return wait_for_maker(view, interface);
}
