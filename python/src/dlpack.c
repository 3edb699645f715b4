/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports an image as a DLPack capsule, which keeps the image alive. All work on the image is done, so no stream has to
 * wait for it.
 */
#include "dlpack.h"
#include "kostka_python.h"

#include <stdlib.h>

struct export
{
    union {
        struct dl_managed plain;
        struct dl_versioned versioned;
    } capsule;
    PyObject *image;
    int64_t shape[VIEW_DIMENSIONS], strides[VIEW_DIMENSIONS];
};

/* End an export. Any thread may call this, with or without the GIL, but not after the interpreter has ended. */
static void end(struct export *export)
{
    if (Py_IsInitialized()) {
        PyGILState_STATE gil = PyGILState_Ensure();
        Py_DECREF(export->image);
        PyGILState_Release(gil);
    }
    free(export);
}

static void end_plain(struct dl_managed *managed)
{
    end(managed->context);
}

static void end_versioned(struct dl_versioned *managed)
{
    end(managed->context);
}

/* End a capsule that nobody has consumed; consumed ones have been renamed. */
static void end_capsule(PyObject *capsule)
{
    static const char *const names[] = {"dltensor", "dltensor_versioned"};
    for (int i = 0; i < 2; i++)
        if (PyCapsule_IsValid(capsule, names[i]))
            end(PyCapsule_GetContext(capsule));
}

static struct dl_device device_of(const struct view *view)
{
    switch (view->memory) {
    case KST_MEMORY_CUDA:
        return (struct dl_device){DL_CUDA, view->ordinal};
    case KST_MEMORY_OPENCL:
        return (struct dl_device){DL_OPENCL, 0};
    default:
        return (struct dl_device){DL_CPU, 0};
    }
}

static void fill(struct export *export, struct dl_tensor *tensor, const struct view *view)
{
    for (int i = 0; i < view->dimensions; i++) {
        export->shape[i] = view->shape[i];
        export->strides[i] = view->stride[i] / (view->bits / 8);
    }
    *tensor = (struct dl_tensor){.data = view->data,
        .device = device_of(view),
        .dimensions = view->dimensions,
        .type_code = view->is_float    ? DL_FLOAT
                     : view->is_signed ? DL_INT
                                       : DL_UINT,
        .type_bits = (uint8_t)view->bits,
        .type_lanes = 1,
        .shape = export->shape,
        .strides = export->strides,
        .byte_offset = view->offset};
}

static void fill_either(struct export *export, const struct view *view, bool versioned)
{
    if (versioned) {
        export->capsule.versioned = (struct dl_versioned){.major = DL_MAJOR,
            .minor = DL_MINOR,
            .context = export,
            .deleter = end_versioned,
            .flags = view->read_only ? DL_FLAG_READ_ONLY : 0};
        fill(export, &export->capsule.versioned.tensor, view);
    } else {
        export->capsule.plain = (struct dl_managed){.context = export, .deleter = end_plain};
        fill(export, &export->capsule.plain.tensor, view);
    }
}

static PyObject *make(PyObject *image, const struct view *view, bool versioned)
{
    struct export *export = calloc(1, sizeof *export);
    if (!export)
        return PyErr_NoMemory();
    fill_either(export, view, versioned);
    export->image = Py_NewRef(image);
    PyObject *capsule = PyCapsule_New(&export->capsule, versioned ? "dltensor_versioned" : "dltensor", NULL);
    if (!capsule) {
        end(export);
        return NULL;
    }
    PyCapsule_SetContext(capsule, export);
    PyCapsule_SetDestructor(capsule, end_capsule);
    return capsule;
}

static bool check_stream(const struct view *view, PyObject *stream)
{
    bool on_device = view->memory == KST_MEMORY_CUDA;
    if (!stream || stream == Py_None || !PyLong_Check(stream))
        return true;
    long long number = PyLong_AsLongLong(stream);
    if (!PyErr_Occurred() && on_device && number == 0)
        PyErr_SetString(PyExc_ValueError, "stream 0 is ambiguous: 1 is the default stream, 2 the thread's");
    else if (!PyErr_Occurred() && !on_device && number != -1)
        PyErr_SetString(PyExc_BufferError, "memory that is not CUDA's has no streams");
    return !PyErr_Occurred();
}

static bool check_device(const struct view *view, PyObject *pair)
{
    int type, ordinal;
    struct dl_device device = device_of(view);
    if (!pair || pair == Py_None)
        return true;
    if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "ii:__dlpack__", &type, &ordinal))
        return false;
    if (type != device.type || ordinal != device.ordinal)
        PyErr_SetString(PyExc_BufferError, "the image lies on another device, and is not copied");
    return !PyErr_Occurred();
}

PyObject *kst_py_image_dlpack(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    struct image *self = (struct image *)object;
    PyObject *stream = NULL, *version = NULL, *device = NULL, *copy = NULL;
    int major = 0, minor = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
        return NULL;
    if (version && version != Py_None &&
        !PyArg_Parse(version, "(ii);max_version is a pair of integers", &major, &minor))
        return NULL;
    if (self->view.dimensions == 0)
        return PyErr_Format(PyExc_BufferError, "raw components are no array: see planes");
    if (copy == Py_True)
        return PyErr_Format(PyExc_BufferError, "the image is not copied");
    if (!check_stream(&self->view, stream) || !check_device(&self->view, device))
        return NULL;
    if (self->view.read_only && major < DL_MAJOR)
        return PyErr_Format(PyExc_BufferError, "the image is read-only, which DLPack before 1.0 cannot say");
    if (self->view.memory == KST_MEMORY_CUDA)
        for (struct image *image = self; image; image = (struct image *)image->owner)
            image->is_shared = true;
    return make(object, &self->view, major >= DL_MAJOR);
}

PyObject *kst_py_image_dlpack_device(PyObject *object, PyObject *unused)
{
    struct dl_device device = device_of(&((struct image *)object)->view);
    (void)unused;
    return Py_BuildValue("(ii)", (int)device.type, (int)device.ordinal);
}
