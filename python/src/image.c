/* SPDX-License-Identifier: BSD-2-Clause */
#include "kostka_python.h"

#include <unistd.h>

bool kst_py_storage_allocate(struct storage *storage)
{
    kst_image *image = &storage->image;
    size_t total = 0;
    for (uint32_t i = 0; i < image->plane_count; i++)
        total += (size_t)image->plane[i].pitch * image->plane[i].height;
    storage->block = total <= PY_SSIZE_T_MAX ? PyMem_Malloc(total) : NULL;
    uint8_t *at = storage->block;
    for (uint32_t i = 0; at && i < image->plane_count; i++) {
        image->plane[i].data = at;
        at += (size_t)image->plane[i].pitch * image->plane[i].height;
    }
    return at != NULL;
}

/* The library's own memory in a child process is left alone: its locks may be held for ever there. */
void kst_py_storage_release(struct context *context, struct storage *storage)
{
    if (storage->image.owned && context->handle && context->process == getpid())
        kst_image_release(context->handle, &storage->image);
    PyMem_Free(storage->block);
    storage->block = NULL;
    kst_py_array_release(&storage->array);
}

static int ordinal_of(struct context *context, const kst_image *image)
{
    if (image->memory != KST_MEMORY_CUDA)
        return -1;
    kst_py_context_kind(context); /* "auto" has decided by now */
    return context->ordinal;
}

static struct image *make(struct state *state, struct context *context)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->image, Py_tp_alloc);
    struct image *self = (struct image *)allocate(state->image, 0);
    if (!self)
        return NULL;
    self->context = (struct context *)Py_NewRef((PyObject *)context);
    context->users++;
    return self;
}

PyObject *kst_py_image_new(
    struct state *state, struct context *context, struct storage *storage, const kst_report *report)
{
    PyObject *told = report ? kst_py_report(state, report) : Py_NewRef(Py_None);
    struct image *self = told ? make(state, context) : NULL;
    if (!self) {
        kst_py_storage_release(context, storage);
        Py_XDECREF(told);
        return NULL;
    }
    self->report = told;
    self->storage = *storage;
    *storage = (struct storage){.block = NULL};
    kst_py_view_image(&self->view, &self->storage.image, ordinal_of(context, &self->storage.image));
    return (PyObject *)self;
}

/* What others have put into streams may still read from memory that goes back to the pool. */
static void wait_for_others(const struct image *self)
{
    if (!self->is_shared || self->context->process != getpid())
        return;
    Py_BEGIN_ALLOW_THREADS;
    kst_py_cuda_wait(self->context->ordinal, NULL, true);
    Py_END_ALLOW_THREADS;
}

static void image_dealloc(PyObject *object)
{
    struct image *self = (struct image *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->storage.image.memory == KST_MEMORY_CUDA && self->storage.image.owned)
        wait_for_others(self);
    if (self->context) {
        kst_py_storage_release(self->context, &self->storage);
        kst_py_context_leave(self->context);
        Py_DECREF((PyObject *)self->context);
    }
    Py_XDECREF(self->owner);
    Py_XDECREF(self->report);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *plane_image(struct state *state, struct image *owner, const kst_plane *plane)
{
    struct image *self = make(state, owner->context);
    if (!self)
        return NULL;
    kst_image *image = &self->storage.image;
    kst_image_init(image);
    image->format = KST_FORMAT_GREY;
    image->colour = owner->storage.image.plane_count == 1 ? owner->storage.image.colour : KST_COLOUR_UNKNOWN;
    image->memory = owner->storage.image.memory;
    image->width = plane->width;
    image->height = plane->height;
    image->plane_count = 1;
    image->plane[0] = *plane;
    self->owner = Py_NewRef((PyObject *)owner);
    self->report = Py_NewRef(owner->report);
    kst_py_view_image(&self->view, image, owner->view.ordinal);
    return (PyObject *)self;
}

static PyObject *image_planes(PyObject *object, void *closure)
{
    struct image *self = (struct image *)object;
    const kst_image *image = &self->storage.image;
    (void)closure;
    if (kst_format_channels(image->format) > 1)
        return Py_BuildValue("(O)", object);
    PyObject *planes = PyTuple_New(image->plane_count);
    for (uint32_t i = 0; planes && i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        PyObject *one = plane_image(kst_py_state(object), self, plane);
        if (!one || PyTuple_SetItem(planes, i, one) < 0)
            Py_CLEAR(planes);
    }
    return planes;
}

static const kst_image *image_of(PyObject *object)
{
    return &((struct image *)object)->storage.image;
}

static PyObject *image_width(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(image_of(self)->width);
}

static PyObject *image_height(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(image_of(self)->height);
}

static PyObject *image_format(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(kst_py_name_of(kst_py_formats, (int)image_of(self)->format));
}

static PyObject *image_colour(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(kst_py_name_of(kst_py_colours, (int)image_of(self)->colour));
}

static PyObject *image_memory(PyObject *self, void *closure)
{
    static const char *const names[] = {"host", "pinned", "cuda", "opencl"};
    (void)closure;
    return PyUnicode_FromString(names[image_of(self)->memory & 3]);
}

static bool is_array(const struct image *self)
{
    if (self->view.dimensions == 0)
        PyErr_SetString(PyExc_AttributeError, "raw components are no array: see planes");
    return self->view.dimensions > 0;
}

static PyObject *image_shape(PyObject *self, void *closure)
{
    (void)closure;
    return is_array((struct image *)self) ? kst_py_view_shape(&((struct image *)self)->view) : NULL;
}

static PyObject *image_strides(PyObject *self, void *closure)
{
    (void)closure;
    return is_array((struct image *)self) ? kst_py_view_strides(&((struct image *)self)->view) : NULL;
}

static PyObject *image_report(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef(((struct image *)self)->report);
}

static PyObject *image_context(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((struct image *)self)->context);
}

static PyObject *image_repr(PyObject *object)
{
    const kst_image *image = image_of(object);
    PyObject *memory = image_memory(object, NULL);
    PyObject *text = memory
                         ? PyUnicode_FromFormat("<kostka.Image %s %ux%u in %U memory>",
                               kst_py_name_of(kst_py_formats, (int)image->format), image->width, image->height, memory)
                         : NULL;
    Py_XDECREF(memory);
    return text;
}

PyDoc_STRVAR(image_doc,
    "A decoded picture. On the host it has the buffer protocol and __array_interface__, so that numpy.asarray(image)\n"
    "copies nothing; in CUDA's memory __cuda_array_interface__; and DLPack in both. Its shape is (height, width),\n"
    "(height, width, channels) or, planar, (channels, height, width).");

#define FUNCTION(function) (PyCFunction)(void (*)(void))(function)

static PyMethodDef methods[] = {
    {"__dlpack__", FUNCTION(kst_py_image_dlpack), METH_VARARGS | METH_KEYWORDS,
        "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
        "A DLPack capsule of the samples."},
    {"__dlpack_device__", kst_py_image_dlpack_device, METH_NOARGS, "__dlpack_device__($self)\n--\n\nDLPack's device."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef members[] = {{"width", image_width, NULL, "Pixels.", NULL},
    {"height", image_height, NULL, "Pixels.", NULL}, {"format", image_format, NULL, "How samples are arranged.", NULL},
    {"colour", image_colour, NULL, "What they mean.", NULL},
    {"memory", image_memory, NULL, "Where they lie: 'host', 'pinned', 'cuda' or 'opencl'.", NULL},
    {"shape", image_shape, NULL, "As an array's.", NULL},
    {"strides", image_strides, NULL, "Bytes, as an array's.", NULL},
    {"planes", image_planes, NULL, "Its planes as images of their own, without a copy.", NULL},
    {"context", image_context, NULL, "The Context that made it.", NULL},
    {"report", image_report, NULL, "The Report of the decoding.", NULL},
    {"__array_interface__", kst_py_image_array_interface, NULL, NULL, NULL},
    {"__cuda_array_interface__", kst_py_image_cuda_interface, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc, (void *)image_doc}, {Py_tp_dealloc, image_dealloc}, {Py_tp_repr, image_repr},
    {Py_tp_methods, methods}, {Py_tp_getset, members}, {Py_bf_getbuffer, kst_py_image_get_buffer}, {0, NULL}};

PyType_Spec kst_py_image_spec = {
    "kostka.Image", sizeof(struct image), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
