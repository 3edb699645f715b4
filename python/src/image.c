/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kostka.Image: the memory of pixels, and who owns it. */
#include "kostka_python.h"

#include <stdlib.h>
#include <unistd.h>

enum { ROW = 1 << 20 }; /* a multiple of the alignment of rows, so that the block has no gaps */

kst_status kst_py_take_block(struct context *context, uint64_t length, kst_memory memory, kst_image *block)
{
    kst_image_init(block);
    block->memory = memory;
    block->format = KST_FORMAT_GREY;
    block->width = length < ROW ? (uint32_t)length : ROW;
    block->height = (uint32_t)((length + ROW - 1) / ROW);
    return length > (uint64_t)ROW * INT32_MAX ? KST_ERROR_LIMIT_MEMORY : kst_image_allocate(context->handle, block);
}

kst_status kst_py_storage_describe(struct storage *storage, const kst_image *image)
{
    size_t count = image->plane_count > 4 ? image->plane_count - 4 : 0;
    if (count > 0) {
        storage->more = calloc(count, sizeof *storage->more);
        if (!storage->more)
            return KST_ERROR_MEMORY;
        memcpy(storage->more, image->more, count * sizeof *storage->more);
    }
    storage->image = *image;
    storage->image.more = storage->more;
    return KST_OK;
}

kst_status kst_py_storage_allocate(struct context *context, struct storage *storage)
{
    kst_image *image = &storage->image;
    uint64_t total = 0;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = kst_image_plane(image, i);
        uint64_t length = (uint64_t)plane->pitch * plane->height;
        total = total > UINT64_MAX - length ? UINT64_MAX : total + length;
    }
    kst_status status = kst_py_take_block(context, total, KST_MEMORY_HOST, &storage->block);
    uint8_t *at = storage->block.plane[0].data;
    for (uint32_t i = 0; !status && i < image->plane_count; i++) {
        kst_plane *plane = i < 4 ? &image->plane[i] : &storage->more[i - 4];
        plane->data = at;
        at += (size_t)plane->pitch * plane->height;
    }
    return status;
}

/* Release an image's memory, but not the library's memory in a child process, where its locks may be held for ever. */
void kst_py_storage_release(struct context *context, struct storage *storage)
{
    if (context->handle && context->process == getpid()) {
        kst_image_release(context->handle, &storage->image);
        kst_image_release(context->handle, &storage->block);
    }
    free(storage->more);
    storage->image.owned = NULL;
    storage->block.owned = NULL;
    storage->more = NULL;
    kst_py_array_release(&storage->array);
}

static int ordinal_of(struct context *context, const kst_image *image)
{
    if (image->memory != KST_MEMORY_CUDA)
        return -1;
    kst_py_context_kind(context); /* "auto" has chosen a device by now */
    return context->ordinal;
}

struct image *kst_py_image_empty(PyTypeObject *type, struct context *context)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct image *self = (struct image *)allocate(type, 0);
    if (!self)
        return NULL;
    self->context = (struct context *)Py_NewRef((PyObject *)context);
    context->users++;
    return self;
}

PyObject *kst_py_image_new(
    struct state *state, struct context *context, struct storage *storage, const kst_report *report)
{
    struct image *self = kst_py_image_empty(state->image, context);
    if (!self) {
        kst_py_storage_release(context, storage);
        return NULL;
    }
    self->made = *report;
    self->storage = *storage;
    *storage = (struct storage){.array = {.has_buffer = false}};
    kst_py_view_image(&self->view, &self->storage.image, ordinal_of(context, &self->storage.image));
    return (PyObject *)self;
}

/* Wait for the streams that may still read the image's device memory, before it returns to the pool. */
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
    if (self->storage.image.memory == KST_MEMORY_CUDA && (self->storage.image.owned || self->storage.block.owned))
        wait_for_others(self);
    if (self->context) {
        kst_py_storage_release(self->context, &self->storage);
        kst_py_context_leave(self->context);
        Py_DECREF((PyObject *)self->context);
    }
    Py_XDECREF(self->owner);
    Py_XDECREF(self->report);
    Py_XDECREF(self->errors);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

PyObject *kst_py_image_part(struct state *state, struct image *owner, const kst_image *part)
{
    struct image *self = kst_py_image_empty(state->image, owner->context);
    if (!self)
        return NULL;
    self->storage.image = *part;
    self->storage.image.owned = NULL;
    self->owner = Py_NewRef((PyObject *)owner);
    self->made = owner->made;
    self->report = Py_XNewRef(owner->report);
    kst_py_view_image(&self->view, &self->storage.image, owner->view.ordinal);
    return (PyObject *)self;
}

static PyObject *plane_image(struct state *state, struct image *owner, const kst_plane *plane)
{
    const kst_image *from = &owner->storage.image;
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_GREY;
    image.colour = from->plane_count == 1 ? from->colour : KST_COLOUR_UNKNOWN;
    image.memory = from->memory;
    image.width = plane->width;
    image.height = plane->height;
    image.plane_count = 1;
    image.plane[0] = *plane;
    return kst_py_image_part(state, owner, &image);
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

/* Make the report on the first request only: decoding a small picture takes less time than making it. */
static PyObject *image_report(PyObject *object, void *closure)
{
    struct image *self = (struct image *)object;
    (void)closure;
    if (!self->report)
        self->report = kst_py_report(kst_py_state(object), &self->made);
    return Py_XNewRef(self->report);
}

static PyObject *image_depth(PyObject *self, void *closure)
{
    uint8_t depth = image_of(self)->plane[0].depth;
    (void)closure;
    if (((struct image *)self)->view.is_float)
        return PyLong_FromLong(((struct image *)self)->view.bits);
    return PyLong_FromLong(depth ? depth : 8);
}

static PyObject *image_dtype(PyObject *self, void *closure)
{
    const struct view *view = &((struct image *)self)->view;
    (void)closure;
    return PyUnicode_FromFormat("%s%d", kst_py_view_kind(view), view->bits);
}

static PyObject *image_context(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((struct image *)self)->context);
}

static PyObject *image_repr(PyObject *object)
{
    const kst_image *image = image_of(object);
    PyObject *memory = image_memory(object, NULL), *type = image_dtype(object, NULL);
    PyObject *text = NULL;
    if (memory && type)
        text = PyUnicode_FromFormat("<kostka.Image %s %ux%u %U in %U memory>",
            kst_py_name_of(kst_py_formats, (int)image->format), image->width, image->height, type, memory);
    Py_XDECREF(memory);
    Py_XDECREF(type);
    return text;
}

/*
 * Call a function that is written in Python: it is in the package's module _images, and takes the image as its first
 * argument.
 */
static PyObject *call_python(const char *function, PyObject *self, PyObject *args, PyObject *keywords)
{
    PyObject *module = PyImport_ImportModule("kostka._images");
    PyObject *called = module ? kst_py_attribute(module, function) : NULL;
    PyObject *first = called ? PyTuple_Pack(1, self) : NULL;
    PyObject *all = first && args ? PySequence_Concat(first, args) : Py_XNewRef(first);
    PyObject *result = all ? PyObject_Call(called, all, keywords) : NULL;
    Py_XDECREF(module);
    Py_XDECREF(called);
    Py_XDECREF(first);
    Py_XDECREF(all);
    return result;
}

static PyObject *image_copy(PyObject *self, PyObject *unused)
{
    (void)unused;
    return call_python("copy", self, NULL, NULL);
}

static PyObject *image_deep_copy(PyObject *self, PyObject *memo)
{
    (void)memo;
    return call_python("copy", self, NULL, NULL);
}

static PyObject *image_reduce(PyObject *self, PyObject *protocol)
{
    PyObject *args = PyTuple_Pack(1, protocol);
    PyObject *result = args ? call_python("reduce", self, args, NULL) : NULL;
    Py_XDECREF(args);
    return result;
}

static PyObject *image_to_pil(PyObject *self, PyObject *unused)
{
    (void)unused;
    return call_python("to_pil", self, NULL, NULL);
}

static PyObject *image_save(PyObject *self, PyObject *args, PyObject *keywords)
{
    return call_python("save", self, args, keywords);
}

PyDoc_STRVAR(image_doc,
    "A picture in memory, as decoding makes it. On the host it has the buffer protocol and __array_interface__, so "
    "that\n"
    "numpy.asarray(image) copies nothing; in CUDA's memory __cuda_array_interface__; and DLPack in both. Its shape is\n"
    "(height, width), (height, width, channels) or, planar, (channels, height, width).\n\n"
    "image[y, x] is a pixel: a number, or a tuple of them. image[10:20, 5:50] is an Image of that part, of the same\n"
    "memory; rows may be taken with a step. Two images are equal where format, type, shape and all samples are. "
    "Images\n"
    "on the host can be pickled and copied.");
PyDoc_STRVAR(copy_doc, "copy($self)\n--\n\nAn image of its own with the same samples, both on the host.");
PyDoc_STRVAR(to_pil_doc, "to_pil($self)\n--\n\n"
                         "A PIL.Image.Image with the same pixels; of grey, RGBA and CMYK it may share the memory.\n"
                         "Pillow must be installed. ValueError where it has no mode for such samples.");
PyDoc_STRVAR(save_doc, "save($self, file, **options)\n--\n\nEncode to a file; see kostka.save().");

#define FUNCTION(function) (PyCFunction)(void (*)(void))(function)

#define DLPACK_METHODS                                                                                                 \
    {"__dlpack__", FUNCTION(kst_py_image_dlpack), METH_VARARGS | METH_KEYWORDS,                                        \
        "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"                       \
        "A DLPack capsule of the samples."},                                                                           \
    {                                                                                                                  \
        "__dlpack_device__", kst_py_image_dlpack_device, METH_NOARGS,                                                  \
            "__dlpack_device__($self)\n--\n\nDLPack's device."                                                         \
    }

static PyMethodDef methods[] = {DLPACK_METHODS,
    {"__copy__", image_copy, METH_NOARGS, "__copy__($self)\n--\n\nAs copy()."},
    {"__deepcopy__", image_deep_copy, METH_O, "__deepcopy__($self, memo, /)\n--\n\nAs copy()."},
    {"__reduce_ex__", image_reduce, METH_O, "__reduce_ex__($self, protocol, /)\n--\n\nFor pickling."},
    {"copy", image_copy, METH_NOARGS, copy_doc}, {"to_pil", image_to_pil, METH_NOARGS, to_pil_doc},
    {"save", FUNCTION(image_save), METH_VARARGS | METH_KEYWORDS, save_doc}, {NULL, NULL, 0, NULL}};

/* The members that pictures, tensors and volumes have alike, and the end of the list. */
#define ARRAY_MEMBERS                                                                                                  \
    {"shape", image_shape, NULL, "As an array's.", NULL},                                                              \
        {"strides", image_strides, NULL, "Bytes, as an array's.", NULL},                                               \
        {"context", image_context, NULL, "The Context that made it.", NULL},                                           \
        {"__array_interface__", kst_py_image_array_interface, NULL, NULL, NULL},                                       \
        {"__cuda_array_interface__", kst_py_image_cuda_interface, NULL, NULL, NULL},                                   \
    {                                                                                                                  \
        NULL, NULL, NULL, NULL, NULL                                                                                   \
    }

static PyGetSetDef members[] = {{"width", image_width, NULL, "Pixels.", NULL},
    {"height", image_height, NULL, "Pixels.", NULL}, {"format", image_format, NULL, "How samples are arranged.", NULL},
    {"colour", image_colour, NULL, "What they mean.", NULL},
    {"depth", image_depth, NULL, "Bits of a sample that count; of planes that differ those of the first.", NULL},
    {"dtype", image_dtype, NULL, "What a sample is, as NumPy calls it: 'uint8', 'int32', 'float16' …", NULL},
    {"memory", image_memory, NULL, "Where they lie: 'host', 'pinned', 'cuda' or 'opencl'.", NULL},
    {"planes", image_planes, NULL, "Its planes as images of their own, without a copy.", NULL},
    {"report", image_report, NULL, "The Report of the decoding.", NULL}, ARRAY_MEMBERS};

static PyType_Slot slots[] = {{Py_tp_doc, (void *)image_doc}, {Py_tp_dealloc, image_dealloc}, {Py_tp_repr, image_repr},
    {Py_tp_methods, methods}, {Py_tp_getset, members}, {Py_bf_getbuffer, kst_py_image_get_buffer},
    {Py_mp_subscript, kst_py_image_subscript}, {Py_mp_length, kst_py_image_length},
    {Py_tp_richcompare, kst_py_image_compare}, {Py_tp_hash, PyObject_HashNotImplemented}, {0, NULL}};

PyType_Spec kst_py_image_spec = {
    "kostka.Image", sizeof(struct image), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

static PyObject *tensor_errors(PyObject *object, void *closure)
{
    (void)closure;
    return Py_NewRef(((struct image *)object)->errors);
}

static PyObject *array_repr(PyObject *object, const char *name)
{
    PyObject *memory = image_memory(object, NULL), *type = image_dtype(object, NULL),
             *shape = image_shape(object, NULL);
    PyObject *text = NULL;
    if (memory && type && shape)
        text = PyUnicode_FromFormat("<kostka.%s %R %U in %U memory>", name, shape, type, memory);
    Py_XDECREF(memory);
    Py_XDECREF(type);
    Py_XDECREF(shape);
    return text;
}

static PyObject *tensor_repr(PyObject *object)
{
    return array_repr(object, "Tensor");
}

PyDoc_STRVAR(tensor_doc,
    "Pictures of one size as one array, as decode_resized() makes it: (count, channels, height, width) or (count, "
    "height,\n"
    "width, channels). It has the interfaces of an Image, to which numpy.asarray() and torch.from_dlpack() go without "
    "a\n"
    "copy. tensor[i] is an Image, tensor[a:b] a Tensor; both share its memory.");

static PyGetSetDef tensor_members[] = {
    {"dtype", image_dtype, NULL, "What a sample is, as NumPy calls it: 'uint8', 'float16' or 'float32'.", NULL},
    {"memory", image_memory, NULL, "Where they lie: 'host', 'pinned', 'cuda' or 'opencl'.", NULL},
    {"errors", tensor_errors, NULL, "The KostkaError of each picture that failed, by its index: a dict.", NULL},
    ARRAY_MEMBERS};

static PyMethodDef tensor_methods[] = {DLPACK_METHODS, {NULL, NULL, 0, NULL}};

static PyType_Slot tensor_slots[] = {{Py_tp_doc, (void *)tensor_doc}, {Py_tp_dealloc, image_dealloc},
    {Py_tp_repr, tensor_repr}, {Py_tp_methods, tensor_methods}, {Py_tp_getset, tensor_members},
    {Py_bf_getbuffer, kst_py_image_get_buffer}, {Py_mp_subscript, kst_py_tensor_subscript},
    {Py_mp_length, kst_py_image_length}, {0, NULL}};

PyType_Spec kst_py_tensor_spec = {
    "kostka.Tensor", sizeof(struct image), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, tensor_slots};

static PyObject *volume_repr(PyObject *object)
{
    return array_repr(object, "Volume");
}

PyDoc_STRVAR(volume_doc,
    "A volume in pinned memory or a device's, as decode_volume() makes it there: (z, y, x), without gaps. In CUDA's "
    "memory\n"
    "it has __cuda_array_interface__, in pinned memory the buffer protocol, and DLPack in all, so that "
    "cupy.asarray(volume),\n"
    "torch.from_dlpack(volume) and numpy.asarray(volume) copy nothing. encode_volume() takes it.");

static PyGetSetDef volume_members[] = {
    {"dtype", image_dtype, NULL, "What a sample is, as NumPy calls it: 'uint8', 'int16' …", NULL},
    {"depth", image_depth, NULL, "Bits of a sample that count.", NULL},
    {"memory", image_memory, NULL, "Where they lie: 'pinned', 'cuda' or 'opencl'.", NULL},
    {"report", image_report, NULL, "The Report of the decoding.", NULL}, ARRAY_MEMBERS};

static PyType_Slot volume_slots[] = {{Py_tp_doc, (void *)volume_doc}, {Py_tp_dealloc, image_dealloc},
    {Py_tp_repr, volume_repr}, {Py_tp_methods, tensor_methods}, {Py_tp_getset, volume_members},
    {Py_bf_getbuffer, kst_py_image_get_buffer}, {Py_mp_length, kst_py_image_length}, {0, NULL}};

PyType_Spec kst_py_volume_spec = {
    "kostka.Volume", sizeof(struct image), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, volume_slots};
