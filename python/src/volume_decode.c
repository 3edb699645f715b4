/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes volumes to arrays of three dimensions, on the host or a device, and describes them. */
#include <stddef.h>

#include "decoding.h"
#include "options.h"
#include "volume.h"

/* Holds the arguments as they were passed. */
struct settings {
    kst_volume_decode_options options;
    int memory; /* a kst_memory; that of any device is KST_MEMORY_CUDA */
    PyObject *region, *out;
};

static const struct range levels = {0, 32}, most_layers = {0, 65535};

#define AT(member) offsetof(struct settings, member)

static const struct option decode_table[] = {
    {"reduce", kst_py_read_count, AT(options.reduce), &levels, FOR_ALL},
    {"reduce_z", kst_py_read_count, AT(options.reduce_z), &levels, FOR_ALL},
    {"layers", kst_py_read_count, AT(options.layers), &most_layers, FOR_ALL},
    {"strict", kst_py_read_flag, AT(options.strict), NULL, FOR_ALL},
    {"region", kst_py_read_object, AT(region), NULL, FOR_ALL},
    {"memory", kst_py_read_word, AT(memory), kst_py_memories, FOR_ALL},
    {"out", kst_py_read_object, AT(out), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

static const struct option describe_table[] = {
    {"reduce", kst_py_read_count, AT(options.reduce), &levels, FOR_ALL},
    {"reduce_z", kst_py_read_count, AT(options.reduce_z), &levels, FOR_ALL},
    {"region", kst_py_read_object, AT(region), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/* Read ((z, y, x), (depth, height, width)). */
static bool read_region(PyObject *object, kst_box *box)
{
    uint32_t *const values[] = {&box->z, &box->y, &box->x, &box->depth, &box->height, &box->width};
    PyObject *part[6];
    if (!object)
        return true;
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "region is ((z, y, x), (depth, height, width))");
        return false;
    }
    if (!PyArg_ParseTuple(object, "(OOO)(OOO);region is ((z, y, x), (depth, height, width))", &part[0], &part[1],
            &part[2], &part[3], &part[4], &part[5]))
        return false;
    for (int i = 0; i < 6; i++) {
        long long number;
        if (!kst_py_integer(part[i], "region", i >= 3, UINT32_MAX, &number))
            return false;
        *values[i] = (uint32_t)number;
    }
    return true;
}

static Py_ssize_t bytes_of_sample(const kst_volume *volume)
{
    return volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

/* Make a memoryview of three dimensions, of newly allocated bytes, for a described volume. */
static PyObject *make_view(const kst_volume *volume)
{
    static const char *const formats[5][2] = {[1] = {"B", "b"}, [2] = {"H", "h"}, [4] = {"I", "i"}};
    const Py_ssize_t size = bytes_of_sample(volume);
    PyObject *bytes = PyByteArray_FromStringAndSize(
        NULL, size * (Py_ssize_t)volume->width * (Py_ssize_t)volume->height * (Py_ssize_t)volume->depth);
    PyObject *flat = bytes ? PyMemoryView_FromObject(bytes) : NULL;
    PyObject *view = flat ? PyObject_CallMethod(flat, "cast", "s(III)", formats[size][volume->is_signed],
                                (unsigned)volume->depth, (unsigned)volume->height, (unsigned)volume->width)
                          : NULL;
    Py_XDECREF(flat);
    Py_XDECREF(bytes);
    return view;
}

/* Check that an array has the size and type of a volume, and use it as the volume's memory. */
static bool bind(const struct view *view, kst_volume *volume)
{
    kst_volume there;
    const Py_ssize_t bits = 8 * bytes_of_sample(volume);
    if (!kst_py_volume_describe(view, "out", &there))
        return false;
    if (view->is_float || there.depth != volume->depth || there.height != volume->height ||
        there.width != volume->width || there.bits != bits || there.is_signed != volume->is_signed) {
        PyErr_Format(PyExc_ValueError, "out is not (%u, %u, %u) samples of %d bits %s signs", (unsigned)volume->depth,
            (unsigned)volume->height, (unsigned)volume->width, (int)bits, volume->is_signed ? "with" : "without");
        return false;
    }
    there.bits = volume->bits;
    *volume = there;
    return true;
}

/* Holds a decoding, and where its samples go. */
struct decoded {
    struct source source;
    kst_volume volume;
    kst_report report;
    PyObject *target; /* an array, which `array` holds; null: the samples go to `storage` */
    struct array array;
    struct storage storage; /* with a block of memory without gaps */
};

/* Holds the volumes of a call. */
struct call {
    struct state *state;
    struct context *context;
    const struct settings *settings;
    kst_memory memory;
    Py_ssize_t count;
    struct decoded *one;
    kst_volume_item *item;
};

static void release(struct call *call)
{
    for (Py_ssize_t i = 0; call->one && i < call->count; i++) {
        struct decoded *d = &call->one[i];
        kst_py_source_release(&d->source);
        kst_py_array_release(&d->array);
        kst_py_storage_release(call->context, &d->storage);
        Py_XDECREF(d->target);
    }
    PyMem_Free(call->one);
    PyMem_Free(call->item);
}

/* Choose new memory that is pinned or the device's, without gaps. */
static bool take_block(struct call *call, struct decoded *d)
{
    kst_volume *volume = &d->volume;
    volume->pitch = (size_t)bytes_of_sample(volume) * volume->width;
    volume->slice_pitch = volume->pitch * volume->height;
    volume->memory = call->memory;
    d->storage.image.memory = call->memory;
    d->storage.image.plane[0].depth = volume->bits;
    const kst_status status = kst_py_take_block(
        call->context, (uint64_t)volume->slice_pitch * volume->depth, call->memory, &d->storage.block);
    if (status)
        kst_py_raise(call->state, status, NULL);
    volume->data = d->storage.block.plane[0].data;
    volume->offset = d->storage.block.plane[0].offset;
    return !status;
}

/* Open a stream and describe its volume. Returns false with an exception. */
static bool look(struct call *call, struct decoded *d, PyObject *data)
{
    kst_volume_init(&d->volume);
    kst_report_init(&d->report);
    kst_image_init(&d->storage.image);
    if (!kst_py_source_open(call->state, &d->source, data, call->context->memory_limit))
        return false;
    const kst_status status = kst_describe_volume(call->context->handle, d->source.data, d->source.length,
        &call->settings->options, &d->volume, NULL, &d->report);
    if (status)
        kst_py_raise(call->state, status, &d->report);
    return !status;
}

/* Choose where the samples go: to `out`, which may be null, or to new memory. Returns false with an exception. */
static bool aim(struct call *call, struct decoded *d, PyObject *out)
{
    if (!out && call->memory != KST_MEMORY_HOST)
        return take_block(call, d);
    d->target = out ? Py_NewRef(out) : make_view(&d->volume);
    return d->target && kst_py_volume_hold(call->state, d->target, true, &d->array) && bind(&d->array.view, &d->volume);
}

/* Prepare all volumes. An exception of one has its index as an attribute, unless it is the only one. */
static bool prepare(struct call *call, PyObject *const *data, PyObject *const *out, bool single)
{
    const size_t count = call->count > 0 ? (size_t)call->count : 1;
    call->one = PyMem_Calloc(count, sizeof *call->one);
    call->item = PyMem_Calloc(count, sizeof *call->item);
    if (!call->one || !call->item) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < call->count; i++) {
        struct decoded *d = &call->one[i];
        if (!look(call, d, data[i]) || !aim(call, d, out ? out[i] : NULL)) {
            if (!single)
                kst_py_error_index(i);
            return false;
        }
        call->item[i] = (kst_volume_item){.data = d->source.data,
            .length = d->source.length,
            .options = &call->settings->options,
            .volume = &d->volume};
    }
    return true;
}

/* Decode with the GIL released: a single volume with all threads, several beside each other. */
static void run(struct call *call)
{
    kst_volume_item *item = call->item;
    Py_BEGIN_ALLOW_THREADS;
    if (call->count == 1)
        kst_decode_volume(
            call->context->handle, item->data, item->length, item->options, item->volume, &call->one->report);
    else
        kst_decode_volumes(call->context->handle, item, (size_t)call->count);
    Py_END_ALLOW_THREADS;
    for (Py_ssize_t i = 0; call->count > 1 && i < call->count; i++)
        call->one[i].report = item[i].report;
}

/* Describe a volume without gaps as an array. */
static struct view view_of(const kst_volume *volume, int ordinal)
{
    return (struct view){.dimensions = 3,
        .shape = {(Py_ssize_t)volume->depth, (Py_ssize_t)volume->height, (Py_ssize_t)volume->width},
        .stride = {(Py_ssize_t)volume->slice_pitch, (Py_ssize_t)volume->pitch, bytes_of_sample(volume)},
        .data = volume->data,
        .offset = volume->offset,
        .memory = volume->memory,
        .ordinal = ordinal,
        .bits = (int)(8 * bytes_of_sample(volume)),
        .is_signed = volume->is_signed};
}

/* Return what a volume was decoded to; null with an exception. */
static PyObject *result_of(struct call *call, struct decoded *d)
{
    if (d->report.status)
        return kst_py_raise(call->state, d->report.status, &d->report);
    if (d->target)
        return Py_NewRef(d->target);
    kst_py_context_kind(call->context); /* "auto" has chosen a device by now */
    const struct view view = view_of(&d->volume, call->memory == KST_MEMORY_CUDA ? call->context->ordinal : -1);
    return kst_py_volume_new(call->state, call->context, &d->storage, &view, &d->report);
}

static PyObject *results_of(struct call *call)
{
    PyObject *list = PyList_New(call->count);
    for (Py_ssize_t i = 0; list && i < call->count; i++) {
        PyObject *one = result_of(call, &call->one[i]);
        if (!one)
            kst_py_error_index(i);
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Return the shape, type and bits of a volume as a dictionary. */
static PyObject *describe(const kst_volume *volume)
{
    return Py_BuildValue("{s(III)sNsi}", "shape", (unsigned)volume->depth, (unsigned)volume->height,
        (unsigned)volume->width, "dtype",
        PyUnicode_FromFormat("%s%d", volume->is_signed ? "int" : "uint", (int)(8 * bytes_of_sample(volume))), "depth",
        (int)volume->bits);
}

/* Read arguments, the options that depend on each other last. `data` receives the first of them. */
static bool read_arguments(const char *function, const struct option *table, PyObject *args, PyObject *keywords,
    PyObject **data, struct settings *settings)
{
    option_set given = 0;
    kst_volume_decode_options_init(&settings->options);
    if (!kst_py_arguments(function, "data", args, keywords, data, table, settings, &given))
        return false;
    if (!settings->out || !kst_py_option_given(table, given, "memory"))
        return read_region(settings->region, &settings->options.region);
    PyErr_SetString(PyExc_ValueError, "out has its memory: leave memory out");
    return false;
}

static struct call call_of(PyObject *self, const struct settings *settings, Py_ssize_t count)
{
    struct context *context = (struct context *)self;
    return (struct call){.state = kst_py_state(self),
        .context = context,
        .settings = settings,
        .memory = kst_py_memory_of(context, (kst_memory)settings->memory),
        .count = count};
}

PyObject *kst_py_decode_volume(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct settings settings = {.memory = KST_MEMORY_HOST};
    PyObject *data, *result = NULL;
    if (!kst_py_context_enter((struct context *)self))
        return NULL;
    if (read_arguments("decode_volume", decode_table, args, keywords, &data, &settings)) {
        struct call call = call_of(self, &settings, 1);
        if (prepare(&call, &data, settings.out ? &settings.out : NULL, true)) {
            run(&call);
            result = result_of(&call, call.one);
        }
        release(&call);
    }
    kst_py_context_leave((struct context *)self);
    return result;
}

/* Decode all streams, each to its array if there are arrays. */
static PyObject *decode_all(PyObject *self, const struct settings *settings, const struct sequence *data)
{
    struct sequence out = {.item = NULL};
    struct call call = call_of(self, settings, data->count);
    PyObject *result = NULL;
    bool fine = !settings->out || kst_py_sequence_read(&out, settings->out, "out");
    if (fine && settings->out && out.count != data->count) {
        PyErr_Format(PyExc_ValueError, "out has %zd arrays for %zd streams", out.count, data->count);
        fine = false;
    }
    if (fine && prepare(&call, data->item, settings->out ? out.item : NULL, false)) {
        run(&call);
        result = results_of(&call);
    }
    release(&call);
    kst_py_sequence_release(&out);
    return result;
}

PyObject *kst_py_decode_volumes(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct settings settings = {.memory = KST_MEMORY_HOST};
    struct sequence data = {.item = NULL};
    PyObject *list, *result = NULL;
    if (!kst_py_context_enter((struct context *)self))
        return NULL;
    if (read_arguments("decode_volumes", decode_table, args, keywords, &list, &settings) &&
        kst_py_sequence_read(&data, list, "data"))
        result = decode_all(self, &settings, &data);
    kst_py_sequence_release(&data);
    kst_py_context_leave((struct context *)self);
    return result;
}

PyObject *kst_py_describe_volume(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct settings settings = {.memory = KST_MEMORY_HOST};
    struct decoded one = {.target = NULL};
    PyObject *data, *result = NULL;
    if (!kst_py_context_enter((struct context *)self))
        return NULL;
    if (read_arguments("describe_volume", describe_table, args, keywords, &data, &settings)) {
        struct call call = call_of(self, &settings, 1);
        if (look(&call, &one, data))
            result = describe(&one.volume);
        kst_py_source_release(&one.source);
    }
    kst_py_context_leave((struct context *)self);
    return result;
}
