/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kostka.Context: a context of the library, its device and its options. */
#include "kostka_python.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The limit that the library uses if kst_limits.memory is 0. */
#define DEFAULT_MEMORY_LIMIT (UINT64_C(4) << 30)

/* Holds the last line of the log while a context is created: why a device cannot be used. */
struct reason {
    pthread_mutex_t lock;
    char line[192];
};

static void note(void *user, kst_log_level level, const char *line)
{
    struct reason *reason = user;
    (void)level;
    pthread_mutex_lock(&reason->lock);
    snprintf(reason->line, sizeof reason->line, "%s", line);
    pthread_mutex_unlock(&reason->lock);
}

static bool read_limit(PyObject *limits, const char *name, uint64_t most, uint64_t *value, Py_ssize_t *known)
{
    PyObject *object = PyDict_GetItemString(limits, name);
    if (!object)
        return true;
    ++*known;
    *value = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred())
        return false;
    if (*value > most)
        PyErr_Format(PyExc_ValueError, "limits['%s'] is too large", name);
    return *value <= most;
}

static bool read_limits(PyObject *limits, kst_limits *out)
{
    const struct {
        const char *name;
        uint64_t *wide; /* this, or the next one, is set */
        uint32_t *narrow;
    } kinds[] = {
        {"pixels", &out->pixels, NULL},
        {"memory", &out->memory, NULL},
        {"metadata", &out->metadata, NULL},
        {"scans", NULL, &out->scans},
        {"markers", NULL, &out->markers},
        {"components", NULL, &out->components},
        {"tiles", NULL, &out->tiles},
        {"precincts", NULL, &out->precincts},
        {"boxes", NULL, &out->boxes},
        {"tile_parts", NULL, &out->tile_parts},
        {"layers", NULL, &out->layers},
        {"blocks", NULL, &out->blocks},
        {"work", NULL, &out->work},
    };
    Py_ssize_t known = 0;
    if (!limits)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint64_t value = kinds[i].wide ? *kinds[i].wide : *kinds[i].narrow;
        if (!read_limit(limits, kinds[i].name, kinds[i].wide ? UINT64_MAX : UINT32_MAX, &value, &known))
            return false;
        if (kinds[i].wide)
            *kinds[i].wide = value;
        else
            *kinds[i].narrow = (uint32_t)value;
    }
    if (known < PyDict_Size(limits)) {
        PyErr_SetString(PyExc_ValueError, "limits are pixels, memory, metadata, scans, markers, components, tiles, "
                                          "precincts, boxes, tile_parts, layers, blocks and work");
        return false;
    }
    return true;
}

/* Raise the error of creating a context. Only the log, not the status, says why a device failed. */
static void raise_creation(struct state *state, kst_status status, const char *line)
{
    kst_report report;
    kst_report_init(&report);
    report.status = status;
    report.offset = UINT64_MAX;
    if (line[0])
        snprintf(report.message, sizeof report.message, "%s", line);
    kst_py_raise(state, status, &report);
}

static void set_device(struct context *self, const kst_device_info *info)
{
    const char *number = strchr(info->name, ':');
    self->kind = info->kind;
    self->ordinal = number ? (int)strtol(number + 1, NULL, 10) : 0;
}

static void look_at_device(struct context *self)
{
    kst_device_info info = {.size = sizeof info};
    kst_context_device(self->handle, &info);
    set_device(self, &info);
}

struct context *kst_py_context_borrow(
    struct state *state, kst_context *handle, const kst_device_info *info, PyObject *owner)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->context, Py_tp_alloc);
    struct context *self = (struct context *)allocate(state->context, 0);
    if (!self)
        return NULL;
    self->handle = handle;
    self->process = getpid();
    self->memory_limit = DEFAULT_MEMORY_LIMIT;
    self->owner = Py_NewRef(owner);
    set_device(self, info);
    return self;
}

kst_device_kind kst_py_context_kind(struct context *context)
{
    kst_device_info info = {.size = sizeof info};
    if (context->automatic && context->kind == KST_DEVICE_CPU)
        look_at_device(context);
    if (!context->automatic || context->kind != KST_DEVICE_CPU)
        return context->kind;
    for (uint32_t i = 0; !kst_device_get(i, &info); i++)
        if (info.kind == KST_DEVICE_CUDA)
            return KST_DEVICE_CUDA;
    return KST_DEVICE_CPU;
}

static bool create(struct context *self, const kst_context_options *wanted)
{
    struct reason *reason = calloc(1, sizeof *reason);
    kst_context_options options = *wanted;
    kst_status status;
    if (!reason) {
        PyErr_NoMemory();
        return false;
    }
    pthread_mutex_init(&reason->lock, NULL);
    options.log = (kst_log){note, reason, KST_LOG_ERROR};
    self->reason = reason;
    Py_BEGIN_ALLOW_THREADS;
    status = kst_context_create(&options, &self->handle);
    Py_END_ALLOW_THREADS;
    if (status) {
        raise_creation(kst_py_state((PyObject *)self), status, reason->line);
        return false;
    }
    const char *name = options.device ? options.device : getenv("KOSTKA_DEVICE");
    self->automatic = !name || strcmp(name, "auto") == 0;
    look_at_device(self);
    return true;
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"device", "threads", "cpu", "limits", NULL};
    kst_context_options options;
    PyObject *threads = NULL, *limits = NULL;
    kst_context_options_init(&options);
    if (!PyArg_ParseTupleAndKeywords(
            args, keywords, "|z$OzO!:Context", names, &options.device, &threads, &options.cpu, &PyDict_Type, &limits))
        return NULL;
    unsigned long count = threads ? PyLong_AsUnsignedLong(threads) : 0;
    if (PyErr_Occurred() || !read_limits(limits, &options.limits))
        return NULL;
    if (count > 4096)
        return PyErr_Format(PyExc_ValueError, "threads is %lu, more than 4096", count);
    options.threads = (uint32_t)count;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct context *self = (struct context *)allocate(type, 0);
    if (!self)
        return NULL;
    self->process = getpid();
    self->memory_limit = options.limits.memory ? options.limits.memory : DEFAULT_MEMORY_LIMIT;
    if (!create(self, &options))
        Py_CLEAR(self);
    return (PyObject *)self;
}

/*
 * End the library's context, and its threads. A child process does not have these threads, so there the context is left
 * alone.
 */
static void end(struct context *self)
{
    kst_context *handle = self->handle;
    struct reason *reason = self->reason;
    self->handle = NULL;
    self->reason = NULL;
    if (handle && self->process != getpid())
        return;
    if (self->owner) {
        Py_CLEAR(self->owner);
        return;
    }
    Py_BEGIN_ALLOW_THREADS;
    kst_context_destroy(&handle);
    Py_END_ALLOW_THREADS;
    if (reason)
        pthread_mutex_destroy(&reason->lock);
    free(reason);
}

static void context_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    end((struct context *)object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

bool kst_py_context_enter(struct context *context)
{
    if (context->closed)
        PyErr_SetString(PyExc_ValueError, "the context is closed");
    else if (context->process != getpid())
        PyErr_SetString(PyExc_RuntimeError, "the context is another process's: make one after fork()");
    else {
        context->users++;
        return true;
    }
    return false;
}

void kst_py_context_leave(struct context *context)
{
    if (--context->users == 0 && context->closed)
        end(context);
}

static PyObject *context_close(PyObject *object, PyObject *unused)
{
    struct context *self = (struct context *)object;
    (void)unused;
    self->closed = true;
    if (self->users == 0)
        end(self);
    return Py_NewRef(Py_None);
}

static PyObject *context_begin(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!kst_py_context_enter((struct context *)self))
        return NULL;
    kst_py_context_leave((struct context *)self);
    return Py_NewRef(self);
}

static PyObject *context_finish(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *none = context_close(self, NULL);
    Py_DECREF(none);
    return Py_NewRef(Py_False);
}

static PyObject *context_device(PyObject *object, void *closure)
{
    struct context *self = (struct context *)object;
    kst_device_info info = {.size = sizeof info};
    (void)closure;
    if (!kst_py_context_enter(self))
        return NULL;
    kst_context_device(self->handle, &info);
    kst_py_context_leave(self);
    return kst_py_device(kst_py_state(object), &info);
}

static PyObject *context_is_closed(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((struct context *)self)->closed);
}

PyDoc_STRVAR(context_doc,
    "Context(device=None, *, threads=0, cpu=None, limits=None)\n--\n\n"
    "A device and threads to work with. May be used from any threads at once.\n\n"
    "device: 'auto', 'cpu', 'cuda', 'cuda:1', 'opencl:0' …; None: KOSTKA_DEVICE, else 'auto'\n"
    "threads: to work on, the caller's among them; 0: KOSTKA_THREADS, else one per processor\n"
    "cpu: the highest instruction tier, 'c', 'sse2', 'avx2', 'avx512', 'neon'\n"
    "limits: a dict of what one operation may come to: 'pixels', 'memory', 'metadata' (bytes), 'scans', 'markers'; of\n"
    "JPEG 2000 'components', 'tiles', 'precincts', 'boxes', 'tile_parts', 'layers', 'blocks' and 'work' for a byte");
PyDoc_STRVAR(close_doc, "close($self)\n--\n\nEnd it, once calls under way and images on its device have ended.");
PyDoc_STRVAR(decode_doc, "decode($self, data, **options)\n--\n\nDecode one stream to an Image; see kostka.decode().");
PyDoc_STRVAR(decode_batch_doc, "decode_batch($self, data, **options)\n--\n\n"
                               "Decode a sequence of streams to a list of images; see kostka.decode_batch().");
PyDoc_STRVAR(decode_resized_doc, "decode_resized($self, data, *, size, **options)\n--\n\n"
                                 "Decode streams to pictures of one size, as a Tensor; see kostka.decode_resized().");
PyDoc_STRVAR(crops_doc, "_crops($self, data, **options)\n--\n\n"
                        "Lists of the streams' boxes and of whether they are mirrored, and a dict of a KostkaError by\n"
                        "the index of each one whose headers cannot be read.");
PyDoc_STRVAR(read_groups_doc,
    "_read_groups($self, items, names, has_label, limit, most, parse, /)\n--\n\n"
    "Read members of groups: lists of the keys, of the pictures' bytes, and of the labels; a list of\n"
    "such a list for each further name; a dict of exceptions by the index of the item; and a list of\n"
    "the indices of items that are no groups.\n\n"
    "names, has_label: as for tar_groups(); whether the first one is the label's\n"
    "limit, most: the most bytes of a member, for people and as a number\n"
    "parse: called with a name and bytes. It returns a value or an exception");
PyDoc_STRVAR(submit_doc, "submit($self, data, **options)\n--\n\n"
                         "Begin to decode a sequence of streams, as a Job; see kostka.submit().");
PyDoc_STRVAR(encode_doc, "encode($self, image, **options)\n--\n\nEncode one image to bytes; see kostka.encode().");
PyDoc_STRVAR(encode_batch_doc, "encode_batch($self, images, **options)\n--\n\n"
                               "Encode a sequence of images to a list of bytes; see kostka.encode_batch().");
PyDoc_STRVAR(filter_doc, "filter($self, image, *, chain, **options)\n--\n\n"
                         "Apply a chain of filters to an image; see kostka.filter().");
PyDoc_STRVAR(histogram_doc, "histogram($self, image, **options)\n--\n\n"
                            "Count the samples of each channel; see kostka.histogram().");
PyDoc_STRVAR(stereo_doc, "stereo($self, left, *, right, **options)\n--\n\n"
                         "Find the disparities of two rectified images; see kostka.stereo().");
PyDoc_STRVAR(sweep_doc, "sweep($self, views, *, cameras, nearest, farthest, **options)\n--\n\n"
                        "Find the depths of a view among calibrated ones; see kostka.sweep().");
PyDoc_STRVAR(
    resize_doc, "resize($self, image, *, size, **options)\n--\n\nMake an Image of another size; see kostka.resize().");
PyDoc_STRVAR(transcode_doc, "transcode($self, data, **options)\n--\n\n"
                            "Write a stream anew without loss; see kostka.transcode().");
PyDoc_STRVAR(transcode_batch_doc, "transcode_batch($self, data, **options)\n--\n\n"
                                  "Write many streams anew without loss; see kostka.transcode_batch().");
PyDoc_STRVAR(encode_volumes_doc,
    "encode_volumes($self, volumes, **options)\n--\n\n"
    "Encode a sequence of arrays (z, y, x) to a list of bytes; see kostka.encode_volumes().");
PyDoc_STRVAR(encode_volume_doc, "encode_volume($self, volume, **options)\n--\n\n"
                                "Encode an array (z, y, x) to bytes; see kostka.encode_volume().");
PyDoc_STRVAR(decode_volume_doc, "decode_volume($self, data, **options)\n--\n\n"
                                "Decode a volume to an array (z, y, x); see kostka.decode_volume().");
PyDoc_STRVAR(decode_volumes_doc, "decode_volumes($self, data, **options)\n--\n\n"
                                 "Decode a sequence of volumes; see kostka.decode_volumes().");
PyDoc_STRVAR(describe_volume_doc, "describe_volume($self, data, **options)\n--\n\n"
                                  "Describe the array that decode_volume() makes; see kostka.describe_volume().");
PyDoc_STRVAR(assemble_doc, "_assemble($self, format, colour, width, height, parts, report, /)\n--\n\n"
                           "An image of planes (width, height, depth, dtype, samples), whose samples are copied.");
PyDoc_STRVAR(info_doc, "info($self, data, /)\n--\n\nWhat a stream holds, as Info.");

#define FUNCTION(function) (PyCFunction)(void (*)(void))(function)
#define WITH_KEYWORDS (METH_VARARGS | METH_KEYWORDS)

static PyMethodDef methods[] = {{"decode", FUNCTION(kst_py_decode), WITH_KEYWORDS, decode_doc},
    {"decode_batch", FUNCTION(kst_py_decode_batch), WITH_KEYWORDS, decode_batch_doc},
    {"decode_resized", FUNCTION(kst_py_decode_resized), WITH_KEYWORDS, decode_resized_doc},
    {"_crops", FUNCTION(kst_py_crops), WITH_KEYWORDS, crops_doc},
    {"_read_groups", kst_py_read_groups, METH_VARARGS, read_groups_doc},
    {"submit", FUNCTION(kst_py_submit), WITH_KEYWORDS, submit_doc},
    {"encode", FUNCTION(kst_py_encode), WITH_KEYWORDS, encode_doc},
    {"encode_batch", FUNCTION(kst_py_encode_batch), WITH_KEYWORDS, encode_batch_doc},
    {"filter", FUNCTION(kst_py_filter), WITH_KEYWORDS, filter_doc},
    {"histogram", FUNCTION(kst_py_histogram), WITH_KEYWORDS, histogram_doc},
    {"stereo", FUNCTION(kst_py_stereo), WITH_KEYWORDS, stereo_doc},
    {"sweep", FUNCTION(kst_py_sweep), WITH_KEYWORDS, sweep_doc},
    {"resize", FUNCTION(kst_py_resize), WITH_KEYWORDS, resize_doc},
    {"transcode", FUNCTION(kst_py_transcode), WITH_KEYWORDS, transcode_doc},
    {"transcode_batch", FUNCTION(kst_py_transcode_batch), WITH_KEYWORDS, transcode_batch_doc},
    {"encode_volume", FUNCTION(kst_py_encode_volume), WITH_KEYWORDS, encode_volume_doc},
    {"encode_volumes", FUNCTION(kst_py_encode_volumes), WITH_KEYWORDS, encode_volumes_doc},
    {"decode_volume", FUNCTION(kst_py_decode_volume), WITH_KEYWORDS, decode_volume_doc},
    {"decode_volumes", FUNCTION(kst_py_decode_volumes), WITH_KEYWORDS, decode_volumes_doc},
    {"describe_volume", FUNCTION(kst_py_describe_volume), WITH_KEYWORDS, describe_volume_doc},
    {"info", kst_py_read_info, METH_O, info_doc}, {"_assemble", kst_py_assemble, METH_VARARGS, assemble_doc},
    {"close", context_close, METH_NOARGS, close_doc}, {"__enter__", context_begin, METH_NOARGS, NULL},
    {"__exit__", context_finish, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyGetSetDef members[] = {{"device", context_device, NULL, "The Device that it works on.", NULL},
    {"closed", context_is_closed, NULL, "Whether close() was called.", NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc, (void *)context_doc}, {Py_tp_new, context_new},
    {Py_tp_dealloc, context_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, members}, {0, NULL}};

PyType_Spec kst_py_context_spec = {"kostka.Context", sizeof(struct context), 0, Py_TPFLAGS_DEFAULT, slots};
