/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements chains of filters and histograms of samples, for images and arrays in host memory and on devices. */
#include <stddef.h>

#include <kostka/kostka_filter.h>

#include "held.h"
#include "options.h"

/* Holds the arguments as they were passed, the array that is filtered, and the result. */
struct filtering {
    struct state *state;
    struct context *context;
    const char *chain;
    int format;
    PyObject *out, *stream;
    kst_stream on; /* where `has_stream` */
    bool has_stream;
    struct held held;
    kst_filter *filter;
    struct storage storage;
    kst_report report;
};

#define AT(member) offsetof(struct filtering, member)

static const struct option table[] = {
    {"chain", kst_py_read_text, AT(chain), NULL, FOR_ALL},
    {"format", kst_py_read_word, AT(format), kst_py_formats, FOR_ALL},
    {"out", kst_py_read_object, AT(out), NULL, FOR_ALL},
    {"stream", kst_py_read_object, AT(stream), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

static bool read_arguments(struct filtering *f, PyObject *args, PyObject *keywords, PyObject **image)
{
    option_set given = 0;
    void *handle;
    if (!kst_py_arguments("filter", "image", args, keywords, image, table, f, &given))
        return false;
    if (!f->chain) {
        PyErr_SetString(PyExc_TypeError, "filter() needs a chain of filters, such as 'gaussian=2,canny=50:150'");
        return false;
    }
    if (!kst_py_stream(f->stream, &handle, &f->has_stream))
        return false;
    if (f->has_stream)
        f->on = (kst_stream){kst_py_context_kind(f->context), handle};
    return true;
}

static bool is_device(kst_memory memory)
{
    return memory != KST_MEMORY_HOST && memory != KST_MEMORY_PINNED;
}

/* Open the chain, and describe the result, in the same kind of memory as the source. The GIL is not needed. */
static kst_status describe(struct filtering *f)
{
    kst_image described;
    kst_status status = kst_filter_open(f->context->handle, f->chain, &f->filter, &f->report);
    if (!status)
        status = kst_filter_describe(f->filter, &f->held.image, &described, &f->report);
    if (status)
        return status;
    described.memory = f->held.image.memory;
    return kst_py_storage_describe(&f->storage, &described);
}

/* Provide the result's memory: the caller's array, or a block of the library's. */
static bool place(struct filtering *f, kst_status *status)
{
    bool is_image;
    if (f->out)
        return kst_py_array_hold(f->state, &f->storage.array, f->out, true, f->stream, &is_image) &&
               kst_py_view_bind(&f->storage.array.view, &f->storage.image, f->storage.more);
    Py_BEGIN_ALLOW_THREADS;
    *status = is_device(f->held.image.memory) ? kst_image_allocate(f->context->handle, &f->storage.image)
                                              : kst_py_storage_allocate(f->context, &f->storage);
    Py_END_ALLOW_THREADS;
    return true;
}

/* Wait for the work on arrays that came without a stream: the library assumes that it is done. */
static bool wait_for_makers(const struct filtering *f)
{
    const struct view *to = &f->storage.array.view;
    if (f->has_stream)
        return true;
    return kst_py_held_wait(&f->held) &&
           !(f->out && to->memory == KST_MEMORY_CUDA && !kst_py_cuda_wait(to->ordinal, NULL, false));
}

/* Mark images of this package that a stream works on: they return their memory only when that work is done. */
static void share(struct filtering *f, PyObject *source, PyObject *result)
{
    if (!result || !f->has_stream)
        return;
    ((struct image *)result)->is_shared = true;
    if (f->held.is_image)
        ((struct image *)source)->is_shared = true;
}

/* Filter the image, or queue that in the stream. The GIL is not needed. */
static kst_status run(struct filtering *f)
{
    kst_filter_item item = {.from = &f->held.image, .to = &f->storage.image};
    kst_report_init(&item.report);
    kst_status status = f->has_stream ? kst_filter_queue(f->filter, &item, 1, &f->on)
                                      : kst_filter_run(f->filter, &f->held.image, &f->storage.image, &item.report);
    f->report = item.report;
    return status;
}

static PyObject *filter_held(struct filtering *f)
{
    kst_status status;
    bool waited = true;
    Py_BEGIN_ALLOW_THREADS;
    status = describe(f);
    Py_END_ALLOW_THREADS;
    if (!status && !place(f, &status))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    waited = status || wait_for_makers(f);
    if (!status && waited)
        status = run(f);
    Py_END_ALLOW_THREADS;
    if (!waited) {
        PyErr_SetString(PyExc_BufferError, "CUDA's driver cannot wait for the array's stream");
        return NULL;
    }
    if (status)
        return kst_py_raise(f->state, status, &f->report);
    return kst_py_image_new(f->state, f->context, &f->storage, &f->report);
}

PyObject *kst_py_filter(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct filtering f = {.state = kst_py_state(self), .context = (struct context *)self};
    PyObject *object, *result = NULL;
    if (!read_arguments(&f, args, keywords, &object) || !kst_py_context_enter(f.context))
        return NULL;
    kst_image_init(&f.storage.image);
    kst_report_init(&f.report);
    if (kst_py_hold(f.state, object, (kst_format)f.format, f.stream, &f.held))
        result = filter_held(&f);
    share(&f, object, result);
    if (!result)
        kst_py_storage_release(f.context, &f.storage);
    kst_filter_close(&f.filter);
    kst_py_held_release(&f.held);
    kst_py_context_leave(f.context);
    return result;
}

/* ── Histograms ── */

static const struct option counting[] = {
    {"format", kst_py_read_word, AT(format), kst_py_formats, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/* Return a list of numbers; null with an exception. */
static PyObject *list_of(const uint32_t *count, size_t bins)
{
    PyObject *list = PyList_New((Py_ssize_t)bins);
    for (size_t i = 0; list && i < bins; i++) {
        PyObject *number = PyLong_FromUnsignedLong(count[i]);
        if (!number || PyList_SetItem(list, (Py_ssize_t)i, number) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Return a dict with a list for each channel, in the order of the channels in memory. */
static PyObject *dict_of(const kst_image *image, const uint32_t *count, size_t bins)
{
    static const char *const names[] = {"red", "green", "blue", "alpha"};
    bool planes = image->format == KST_FORMAT_PLANAR || image->format == KST_FORMAT_RAW;
    uint32_t channels = planes ? image->plane_count : kst_format_channels(image->format);
    bool reversed = image->format == KST_FORMAT_BGR || image->format == KST_FORMAT_BGRA;
    PyObject *dict = PyDict_New();
    for (uint32_t c = 0; dict && c < channels; c++) {
        const char *name = channels == 1 ? "grey" : names[reversed && c < 3 ? 2 - c : c];
        PyObject *list = list_of(count + c * bins, bins);
        if (!list || PyDict_SetItemString(dict, name, list) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(list);
    }
    return dict;
}

static PyObject *count_held(struct filtering *f)
{
    enum { CHANNELS = 4 };
    uint32_t depth = f->held.image.plane[0].depth ? f->held.image.plane[0].depth : 8;
    size_t bins = (size_t)1 << (depth < 16 ? depth : 16); /* the library refuses deeper samples */
    uint32_t *count = PyMem_Calloc(CHANNELS * bins, sizeof *count);
    kst_status status;
    bool waited;
    if (!count)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS;
    waited = wait_for_makers(f);
    status =
        waited ? kst_filter_histogram(f->context->handle, &f->held.image, count, CHANNELS * bins, &f->report) : KST_OK;
    Py_END_ALLOW_THREADS;
    PyObject *result = NULL;
    if (!waited)
        PyErr_SetString(PyExc_BufferError, "CUDA's driver cannot wait for the array's stream");
    else if (status)
        kst_py_raise(f->state, status, &f->report);
    else
        result = dict_of(&f->held.image, count, bins);
    PyMem_Free(count);
    return result;
}

PyObject *kst_py_histogram(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct filtering f = {.state = kst_py_state(self), .context = (struct context *)self};
    PyObject *object, *result = NULL;
    option_set given = 0;
    if (!kst_py_arguments("histogram", "image", args, keywords, &object, counting, &f, &given) ||
        !kst_py_context_enter(f.context))
        return NULL;
    kst_report_init(&f.report);
    if (kst_py_hold(f.state, object, (kst_format)f.format, f.stream, &f.held))
        result = count_held(&f);
    kst_py_held_release(&f.held);
    kst_py_context_leave(f.context);
    return result;
}
