/* SPDX-License-Identifier: BSD-2-Clause */
/* Exports an image as a buffer, and through NumPy's and CUDA's array interfaces. */
#include "kostka_python.h"

static bool is_on_host(const struct view *view)
{
    return view->memory == KST_MEMORY_HOST || view->memory == KST_MEMORY_PINNED;
}

static const char *refusal(const struct view *view, int flags)
{
    if (view->dimensions == 0)
        return "raw components are no array: see planes";
    if (!is_on_host(view))
        return "the image lies on a device: use DLPack or __cuda_array_interface__";
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS)
        return "the image is not in Fortran's order";
    bool needs_whole = (flags & PyBUF_STRIDES) != PyBUF_STRIDES || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                       (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS;
    if (needs_whole && !kst_py_view_is_contiguous(view))
        return "the image's rows have gaps between them";
    if ((flags & PyBUF_WRITABLE) && view->read_only)
        return "the image is read-only";
    return NULL;
}

/*
 * Return the struct module's code of a sample, which memoryview and NumPy read; 'i' and 'I' have four bytes on all
 * supported platforms.
 */
static char *format_of(const struct view *view)
{
    static char floats[2][2] = {"e", "f"}, integers[3][2][2] = {{"B", "b"}, {"H", "h"}, {"I", "i"}};
    if (view->is_float)
        return floats[view->bits == 32];
    return integers[view->bits / 16][view->is_signed];
}

int kst_py_image_get_buffer(PyObject *object, Py_buffer *buffer, int flags)
{
    struct view *view = &((struct image *)object)->view;
    const char *why = refusal(view, flags);
    buffer->obj = NULL;
    if (why) {
        PyErr_SetString(PyExc_BufferError, why);
        return -1;
    }
    Py_ssize_t length = view->bits / 8;
    for (int i = 0; i < view->dimensions; i++)
        length *= view->shape[i];
    *buffer = (Py_buffer){.buf = view->data,
        .obj = Py_NewRef(object),
        .len = length,
        .itemsize = view->bits / 8,
        .readonly = view->read_only,
        .ndim = flags & PyBUF_ND ? view->dimensions : 1,
        .format = flags & PyBUF_FORMAT ? format_of(view) : NULL,
        .shape = flags & PyBUF_ND ? view->shape : NULL,
        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? view->stride : NULL};
    return 0;
}

/* Put a value into a dictionary. Takes ownership of the reference to the value. */
static bool put(PyObject *dictionary, const char *key, PyObject *value)
{
    bool fine = value && PyDict_SetItemString(dictionary, key, value) == 0;
    Py_XDECREF(value);
    return fine;
}

static PyObject *interface(const struct view *view, bool cuda)
{
    PyObject *result = PyDict_New(), *address = PyLong_FromVoidPtr(view->data);
    bool fine = result && address;
    fine = fine && put(result, "shape", kst_py_view_shape(view)) && put(result, "typestr", kst_py_view_type(view)) &&
           put(result, "data", Py_BuildValue("(OO)", address, view->read_only ? Py_True : Py_False)) &&
           put(result, "strides", kst_py_view_is_contiguous(view) ? Py_NewRef(Py_None) : kst_py_view_strides(view)) &&
           put(result, "version", PyLong_FromLong(3));
    if (fine && cuda) /* the work on it is done */
        fine = put(result, "stream", Py_NewRef(Py_None));
    Py_XDECREF(address);
    if (!fine)
        Py_CLEAR(result);
    return result;
}

PyObject *kst_py_image_array_interface(PyObject *object, void *closure)
{
    const struct view *view = &((struct image *)object)->view;
    (void)closure;
    if (view->dimensions > 0 && is_on_host(view))
        return interface(view, false);
    PyErr_SetString(PyExc_AttributeError, "__array_interface__: the image is no array in host memory");
    return NULL;
}

static void mark_shared(struct image *image)
{
    for (; image; image = (struct image *)image->owner)
        image->is_shared = true;
}

PyObject *kst_py_image_cuda_interface(PyObject *object, void *closure)
{
    struct image *self = (struct image *)object;
    (void)closure;
    if (self->view.dimensions > 0 && self->view.memory == KST_MEMORY_CUDA) {
        mark_shared(self);
        return interface(&self->view, true);
    }
    PyErr_SetString(PyExc_AttributeError, "__cuda_array_interface__: the image is no array in CUDA's memory");
    return NULL;
}
