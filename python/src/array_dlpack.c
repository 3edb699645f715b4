/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds arrays of other packages through DLPack. The capsule is kept unchanged: if nobody consumes it, it releases its
 * memory when it ends.
 */
#include "dlpack.h"
#include "kostka_python.h"

static bool read_device(PyObject *object, struct dl_device *device)
{
    PyObject *method = kst_py_attribute(object, "__dlpack_device__");
    PyObject *pair = method ? PyObject_CallNoArgs(method) : NULL;
    long type = 0, ordinal = 0;
    if (pair && PyTuple_Check(pair) && PyTuple_Size(pair) == 2) {
        type = PyLong_AsLong(PyTuple_GetItem(pair, 0)); /* an IntEnum is an int */
        ordinal = PyErr_Occurred() ? 0 : PyLong_AsLong(PyTuple_GetItem(pair, 1));
    } else if (pair) {
        PyErr_SetString(PyExc_TypeError, "__dlpack_device__() gave no pair");
    }
    Py_XDECREF(method);
    Py_XDECREF(pair);
    *device = (struct dl_device){(int32_t)type, (int32_t)ordinal};
    return !PyErr_Occurred();
}

/* Call __dlpack__ with keywords, of which a null `stream` is left out. */
static PyObject *call(PyObject *object, PyObject *stream, bool versioned)
{
    PyObject *method = kst_py_attribute(object, "__dlpack__");
    PyObject *keywords = PyDict_New(), *none = PyTuple_New(0), *capsule = NULL;
    PyObject *version = versioned ? Py_BuildValue("(ii)", DL_MAJOR, DL_MINOR) : NULL;
    bool fine = method && keywords && none && (version || !versioned);
    if (fine && stream)
        fine = PyDict_SetItemString(keywords, "stream", stream) == 0;
    if (fine && version)
        fine = PyDict_SetItemString(keywords, "max_version", version) == 0;
    if (fine)
        capsule = PyObject_Call(method, none, keywords);
    Py_XDECREF(method);
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    Py_XDECREF(version);
    return capsule;
}

/*
 * Call __dlpack__ with a version, or without one if the package is older than DLPack 1.0 and does not know that
 * keyword.
 */
static PyObject *call_either(PyObject *object, PyObject *stream)
{
    PyObject *capsule = call(object, stream, true);
    if (capsule || !PyErr_ExceptionMatches(PyExc_TypeError))
        return capsule;
    PyErr_Clear();
    return call(object, stream, false);
}

static const struct dl_tensor *open_capsule(PyObject *capsule, bool *read_only)
{
    *read_only = false;
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        const struct dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
        return &managed->tensor;
    }
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        const struct dl_versioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        *read_only = managed->flags & DL_FLAG_READ_ONLY;
        if (managed->major == DL_MAJOR)
            return &managed->tensor;
    }
    PyErr_SetString(PyExc_BufferError, "__dlpack__() gave no capsule of DLPack 0 or 1");
    return NULL;
}

static bool read_tensor(struct view *view, const struct dl_tensor *tensor)
{
    if (tensor->dimensions < 2 || tensor->dimensions > VIEW_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError, "the array has %d dimensions; pictures have 2 or 3, volumes 3, tensors 4",
            (int)tensor->dimensions);
        return false;
    }
    bool is_float = tensor->type_code == DL_FLOAT;
    int bits = tensor->type_bits;
    if (tensor->type_code > DL_FLOAT || tensor->type_lanes != 1 ||
        (bits != 16 && bits != 32 && (is_float || bits != 8))) {
        PyErr_Format(PyExc_TypeError,
            "the array's samples are of DLPack's type (%d, %d bits), not integers of 8, 16 or 32 bits, float16 or "
            "float32",
            (int)tensor->type_code, (int)tensor->type_bits);
        return false;
    }
    view->dimensions = tensor->dimensions;
    view->bits = tensor->type_bits;
    view->is_signed = tensor->type_code == DL_INT;
    view->is_float = is_float;
    Py_ssize_t step = view->bits / 8, compact = step;
    for (int i = view->dimensions - 1; i >= 0; i--) {
        if (tensor->shape[i] < 1 || tensor->shape[i] > INT32_MAX) {
            PyErr_SetString(PyExc_ValueError, "a side of the array is empty or too long");
            return false;
        }
        view->shape[i] = (Py_ssize_t)tensor->shape[i];
        view->stride[i] = tensor->strides ? (Py_ssize_t)tensor->strides[i] * step : compact;
        compact *= i > 0 ? view->shape[i] : 1; /* below 2^1 × 2^31 × 2^31 */
    }
    view->data = (uint8_t *)tensor->data + tensor->byte_offset;
    return true;
}

static bool place(struct view *view, struct dl_device device)
{
    bool on_device = device.type == DL_CUDA || device.type == DL_CUDA_MANAGED;
    view->memory = on_device ? KST_MEMORY_CUDA : KST_MEMORY_HOST;
    view->ordinal = on_device ? device.ordinal : -1;
    if (on_device || device.type == DL_CPU || device.type == DL_CUDA_HOST)
        return true;
    PyErr_Format(PyExc_BufferError, "the array lies on a device of DLPack's type %d, not on the host or with CUDA",
        (int)device.type);
    return false;
}

/*
 * Return the stream to pass to __dlpack__: with CUDA, the maker's work on the array precedes what is queued there
 * afterwards.
 */
static PyObject *stream_for(const struct view *view, PyObject *stream)
{
    if (view->memory != KST_MEMORY_CUDA)
        return NULL;
    void *handle;
    bool is_given;
    if (!stream || !kst_py_stream(stream, &handle, &is_given))
        return NULL;
    return is_given && handle ? PyLong_FromVoidPtr(handle) : PyLong_FromLong(1);
}

bool kst_py_array_hold_dlpack(struct array *array, PyObject *object, bool writable, PyObject *stream)
{
    struct dl_device device;
    bool read_only;
    if (!read_device(object, &device) || !place(&array->view, device))
        return false;
    PyObject *number = stream_for(&array->view, stream ? stream : Py_None);
    if (PyErr_Occurred())
        return false;
    array->keeper = call_either(object, number);
    Py_XDECREF(number);
    const struct dl_tensor *tensor = array->keeper ? open_capsule(array->keeper, &read_only) : NULL;
    if (!tensor)
        return false;
    array->view.read_only = read_only;
    if (writable && read_only)
        return true; /* the caller chose not to wait */
    return read_tensor(&array->view, tensor);
}
