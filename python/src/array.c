/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises arrays of other packages, and holds those in host memory. */
#include "kostka_python.h"

void kst_py_array_release(struct array *array)
{
    if (array->has_buffer)
        PyBuffer_Release(&array->buffer);
    array->has_buffer = false;
    Py_CLEAR(array->keeper);
}

/*
 * Read the struct module's codes for integers of 8, 16 and 32 bits and floats of 16 and 32, in the machine's byte
 * order.
 */
static bool read_format(struct view *view, const char *format)
{
    static const char known[] = "BbHhIief";
    const char *code = format ? format : "B";
    const union {
        uint16_t number;
        uint8_t first;
    } order = {1};
    bool native = strchr(order.first ? "@=<|" : "@=>!|", code[0]) && code[0];
    bool is_order = code[0] && strchr("@=<>!|", code[0]);
    if (is_order)
        code++;
    const char *at = code[0] ? strchr(known, code[0]) : NULL;
    if (!at || code[1] != '\0' || (is_order && !native && at - known >= 2)) {
        PyErr_Format(PyExc_TypeError,
            "the array's samples are of the type '%.20s', not integers of 8, 16 or 32 bits, float16 or float32",
            format ? format : "");
        return false;
    }
    view->bits = (int[]){8, 8, 16, 16, 32, 32, 16, 32}[at - known];
    view->is_signed = strchr("bhi", code[0]) != NULL;
    view->is_float = strchr("ef", code[0]) != NULL;
    return true;
}

static bool hold_buffer(struct array *array, PyObject *object, bool writable)
{
    struct view *view = &array->view;
    if (PyObject_GetBuffer(object, &array->buffer, PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) < 0)
        return false;
    array->has_buffer = true;
    const Py_buffer *buffer = &array->buffer;
    if (buffer->ndim < 2 || buffer->ndim > VIEW_DIMENSIONS) {
        PyErr_Format(
            PyExc_ValueError, "the array has %d dimensions; pictures have 2 or 3, volumes 3, tensors 4", buffer->ndim);
        return false;
    }
    view->dimensions = buffer->ndim;
    for (int i = 0; i < buffer->ndim; i++) {
        view->shape[i] = buffer->shape[i];
        view->stride[i] = buffer->strides[i];
    }
    view->data = buffer->buf;
    view->memory = KST_MEMORY_HOST;
    view->read_only = buffer->readonly;
    return read_format(view, buffer->format);
}

PyObject *kst_py_attribute(PyObject *object, const char *name)
{
    PyObject *string = PyUnicode_InternFromString(name);
    PyObject *value = string ? PyObject_GetAttr(object, string) : NULL;
    Py_XDECREF(string);
    return value;
}

/* Return an attribute; null, without an exception, if there is none. */
static PyObject *optional_attribute(PyObject *object, const char *name)
{
    PyObject *value = kst_py_attribute(object, name);
    if (!value && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    return value;
}

/* Return whether the object is one of Pillow's, which no object is if Pillow has not been imported. */
static bool is_pillow(PyObject *object)
{
    PyObject *name = PyUnicode_InternFromString("PIL.Image");
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    PyObject *type = module ? kst_py_attribute(module, "Image") : NULL;
    bool is = type && PyObject_IsInstance(object, type) == 1;
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(module);
    Py_XDECREF(type);
    return is;
}

/*
 * Hold an image of Pillow's. The package's Python code converts it to an array with the buffer protocol, and returns
 * the format of its channels.
 */
static bool hold_pillow(struct array *array, PyObject *object, bool writable)
{
    PyObject *pixels;
    const char *format;
    int value = KST_FORMAT_AUTO;
    if (writable) {
        PyErr_SetString(PyExc_TypeError, "an image of Pillow's cannot be decoded into");
        return false;
    }
    PyObject *module = PyImport_ImportModule("kostka._images");
    PyObject *pair = module ? PyObject_CallMethod(module, "from_pil", "O", object) : NULL;
    bool fine = pair && PyArg_ParseTuple(pair, "Os", &pixels, &format) && hold_buffer(array, pixels, false) &&
                kst_py_value_of(kst_py_formats, "format", format, &value);
    array->view.format = (kst_format)value;
    Py_XDECREF(pair);
    Py_XDECREF(module);
    return fine;
}

static bool hold_foreign(struct array *array, PyObject *object, bool writable, PyObject *stream)
{
    PyObject *found = optional_attribute(object, "__dlpack__");
    bool fine = false;
    if (found) {
        fine = kst_py_array_hold_dlpack(array, object, writable, stream);
    } else if (!PyErr_Occurred()) {
        found = optional_attribute(object, "__cuda_array_interface__");
        if (found) {
            array->keeper = Py_NewRef(object);
            fine = kst_py_array_hold_cuda(array, found);
        } else if (!PyErr_Occurred() && is_pillow(object)) {
            fine = hold_pillow(array, object, writable);
        } else if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_TypeError,
                "%R is no array: it has neither the buffer protocol nor __dlpack__ nor __cuda_array_interface__, and "
                "is no image of Pillow's",
                (PyObject *)Py_TYPE(object));
        }
    }
    Py_XDECREF(found);
    return fine;
}

/*
 * Return whether an object is an array on CUDA. CuPy's arrays have a buffer protocol as well, which raises. Attributes
 * that raise count as missing here: they will raise again.
 */
static bool is_on_cuda(PyObject *object)
{
    PyObject *found = kst_py_attribute(object, "__cuda_array_interface__");
    bool is = found != NULL;
    PyErr_Clear();
    Py_XDECREF(found);
    return is;
}

bool kst_py_array_hold(
    struct state *state, struct array *array, PyObject *object, bool writable, PyObject *stream, bool *is_image)
{
    bool fine = true;
    *array = (struct array){.view = {.ordinal = -1}};
    *is_image = Py_TYPE(object) == state->image;
    if (*is_image || Py_TYPE(object) == state->volume) {
        array->keeper = Py_NewRef(object);
        array->view = ((struct image *)object)->view;
    } else if (PyObject_CheckBuffer(object) && !is_on_cuda(object)) {
        fine = hold_buffer(array, object, writable);
    } else {
        fine = hold_foreign(array, object, writable, stream);
    }
    if (fine && writable && array->view.read_only) {
        PyErr_SetString(PyExc_ValueError, "the array is read-only");
        fine = false;
    }
    if (!fine)
        kst_py_array_release(array);
    return fine;
}
