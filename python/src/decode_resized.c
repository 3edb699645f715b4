/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements decoding of pictures to one size, one behind the other in a tensor: arguments, memory and results. */
#include <stddef.h>
#include <stdlib.h>

#include "decoding.h"
#include "options.h"

/* Holds the arguments as they were passed, and the library's options and images that follow from them. */
struct resized {
    struct state *state;
    struct context *context;
    kst_decode_options decode;
    kst_resize_options resize;
    uint32_t size[2];
    int format, planar, sample, memory, filter, fit, order;
    bool draft;
    const char *errors;
    PyObject *mean, *scale, *out, *stream, *boxes, *mirror;
    kst_stream on; /* where `has_stream` */
    bool has_stream;
    /* The next arrays have an element for each stream. They are made with the GIL. */
    Py_ssize_t count;
    struct source *source;
    kst_resize_box *box;
    bool *mirrored;
    /* The elements of these are larger, so that the arrays are made without the GIL; from malloc(). */
    kst_decode_item *item;
    kst_decode_options *decoding;
    kst_resize_options *resizing;
    kst_image *image;
    /* The next members describe the tensor. */
    kst_tensor tensor;
    struct view view;
    struct storage storage;
};

static const struct name formats[] = {{"rgb", KST_FORMAT_RGB}, {"bgr", KST_FORMAT_BGR}, {"grey", KST_FORMAT_GREY},
    {"gray", KST_FORMAT_GREY}, {"rgba", KST_FORMAT_RGBA}, {"bgra", KST_FORMAT_BGRA}, {NULL, 0}};
/* All results have the wanted size, so that there is no "inside", which makes smaller ones. */
static const struct name fits[] = {{"exact", KST_RESIZE_EXACT}, {"cover", KST_RESIZE_COVER}, {NULL, 0}};
static const struct range levels = {0, 32};

#define AT(member) offsetof(struct resized, member)

static const struct option table[] = {
    {"size", kst_py_read_size, AT(size), NULL, FOR_ALL},
    {"boxes", kst_py_read_object, AT(boxes), NULL, FOR_ALL},
    {"mirror", kst_py_read_object, AT(mirror), NULL, FOR_ALL},
    {"fit", kst_py_read_word, AT(fit), fits, FOR_ALL},
    {"filter", kst_py_read_word, AT(filter), kst_py_filters, FOR_ALL},
    {"order", kst_py_read_word, AT(order), kst_py_orders, FOR_ALL},
    {"draft", kst_py_read_flag, AT(draft), NULL, FOR_ALL},
    {"reduce", kst_py_read_count, AT(decode.reduce), &levels, FOR_ALL},
    {"strict", kst_py_read_flag, AT(decode.strict), NULL, FOR_ALL},
    {"orient", kst_py_read_flag, AT(decode.orient), NULL, FOR_ALL},
    {"alpha", kst_py_read_byte, AT(decode.alpha), NULL, FOR_ALL},
    {"format", kst_py_read_word, AT(format), formats, FOR_ALL},
    {"layout", kst_py_read_word, AT(planar), kst_py_layouts, FOR_ALL},
    {"dtype", kst_py_read_word, AT(sample), kst_py_samples, FOR_ALL},
    {"mean", kst_py_read_object, AT(mean), NULL, FOR_ALL},
    {"scale", kst_py_read_object, AT(scale), NULL, FOR_ALL},
    {"memory", kst_py_read_word, AT(memory), kst_py_memories, FOR_ALL},
    {"out", kst_py_read_object, AT(out), NULL, FOR_ALL},
    {"stream", kst_py_read_object, AT(stream), NULL, FOR_ALL},
    {"errors", kst_py_read_text, AT(errors), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/* ── Arguments ── */

static bool settle(struct resized *r, option_set given)
{
    r->decode.format = (kst_format)r->format;
    r->resize.filter = (kst_resize_filter)r->filter;
    r->resize.fit = (kst_resize_fit)r->fit;
    r->resize.order = (kst_resize_order)r->order;
    r->resize.width = r->size[0];
    r->resize.height = r->size[1];
    r->resize.sample = (kst_sample)r->sample;
    r->resize.format = r->planar ? KST_FORMAT_PLANAR : KST_FORMAT_AUTO;
    if (r->size[0] == 0 || r->size[1] == 0)
        PyErr_SetString(PyExc_TypeError, "decode_resized() needs a size, (width, height)");
    else if (r->sample == KST_SAMPLE_INTEGER && (r->mean || r->scale))
        PyErr_SetString(PyExc_ValueError, "mean and scale go with the dtypes 'float16' and 'float32'");
    else if (r->draft && kst_py_option_given(table, given, "reduce"))
        PyErr_SetString(PyExc_ValueError, "draft chooses the reduction itself: leave reduce out");
    else if (r->out && kst_py_option_given(table, given, "memory"))
        PyErr_SetString(PyExc_ValueError, "out has its memory: leave memory out");
    return !PyErr_Occurred() && kst_py_read_channels(r->mean, "mean", r->resize.mean) &&
           kst_py_read_channels(r->scale, "scale", r->resize.scale);
}

static bool read_arguments(struct resized *r, PyObject *args, PyObject *keywords, PyObject **data)
{
    option_set given = 0;
    kst_decode_options_init(&r->decode);
    kst_resize_options_init(&r->resize);
    r->format = KST_FORMAT_RGB;
    r->planar = true;
    r->memory = KST_MEMORY_HOST;
    r->errors = "raise";
    if (!kst_py_arguments("decode_resized", "data", args, keywords, data, table, r, &given) || !settle(r, given))
        return false;
    r->memory = (int)kst_py_memory_of(r->context, (kst_memory)r->memory);
    void *handle;
    if (!kst_py_stream(r->stream, &handle, &r->has_stream))
        return false;
    if (r->has_stream)
        r->on = (kst_stream){kst_py_context_kind(r->context), handle};
    return true;
}

static bool read_boxes(struct resized *r)
{
    struct sequence boxes = {.item = NULL};
    if (!r->boxes)
        return true;
    bool fine = kst_py_sequence_read(&boxes, r->boxes, "boxes");
    if (fine && boxes.count != r->count) {
        PyErr_Format(PyExc_ValueError, "there are %zd boxes for %zd streams", boxes.count, r->count);
        fine = false;
    }
    for (Py_ssize_t i = 0; fine && i < r->count; i++)
        fine = boxes.item[i] == Py_None || kst_py_read_box(boxes.item[i], &r->box[i]);
    kst_py_sequence_release(&boxes);
    return fine;
}

/* Read whether a stream's picture is mirrored. */
static bool read_truth(struct resized *r, Py_ssize_t index, PyObject *truth)
{
    int value = PyObject_IsTrue(truth);
    r->mirrored[index] = value > 0;
    return value >= 0;
}

static bool read_truths(struct resized *r)
{
    struct sequence each = {.item = NULL};
    bool fine = kst_py_sequence_read(&each, r->mirror, "mirror");
    if (fine && each.count != r->count) {
        PyErr_Format(PyExc_ValueError, "mirror has %zd truths for %zd streams", each.count, r->count);
        fine = false;
    }
    for (Py_ssize_t i = 0; fine && i < r->count; i++)
        fine = read_truth(r, i, each.item[i]);
    kst_py_sequence_release(&each);
    return fine;
}

/* Read a truth for all streams, or one for each. */
static bool read_mirror(struct resized *r)
{
    bool fine = true;
    if (!r->mirror)
        return true;
    if (PySequence_Check(r->mirror))
        return read_truths(r);
    for (Py_ssize_t i = 0; fine && i < r->count; i++)
        fine = read_truth(r, i, r->mirror);
    return fine;
}

static bool open_sources(struct resized *r, PyObject *const *data)
{
    r->source = PyMem_Calloc((size_t)r->count, sizeof *r->source);
    r->box = PyMem_Calloc((size_t)r->count, sizeof *r->box);
    r->mirrored = PyMem_Calloc((size_t)r->count, sizeof *r->mirrored);
    if (!r->source || !r->box || !r->mirrored) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < r->count; i++) {
        if (!kst_py_source_open(r->state, &r->source[i], data[i], r->context->memory_limit)) {
            kst_py_error_index(i);
            return false;
        }
    }
    return true;
}

/* ── The tensor ── */

/* Describe the tensor's array without gaps. Returns its length in bytes. */
static uint64_t describe(struct resized *r)
{
    struct view *view = &r->view;
    Py_ssize_t channels = kst_format_channels(r->decode.format), width = r->size[0], height = r->size[1];
    view->bits = r->sample == KST_SAMPLE_INTEGER ? 8 : r->sample == KST_SAMPLE_FLOAT16 ? 16 : 32;
    view->is_float = r->sample != KST_SAMPLE_INTEGER;
    view->dimensions = VIEW_DIMENSIONS;
    view->ordinal = -1;
    Py_ssize_t planar[] = {r->count, channels, height, width}, last[] = {r->count, height, width, channels};
    memcpy(view->shape, r->planar ? planar : last, sizeof view->shape);
    uint64_t bytes = (uint64_t)view->bits / 8;
    for (int i = VIEW_DIMENSIONS - 1; i >= 0; i--) {
        view->stride[i] = (Py_ssize_t)bytes;
        /* Sides are below 2^32, but the product of three of them may exceed 2^64. */
        bytes = bytes > ((uint64_t)1 << 40) ? UINT64_MAX >> 1 : bytes * (uint64_t)view->shape[i];
    }
    return bytes;
}

/* Return whether samples of a row follow each other, and rows, planes and pictures are in ascending order. */
static bool is_regular(const struct view *view, bool planar)
{
    Py_ssize_t step = view->bits / 8;
    for (int i = VIEW_DIMENSIONS - 1; i >= (planar ? 3 : 2); i--) {
        if (view->shape[i] > 1 && view->stride[i] != step)
            return false;
        step *= view->shape[i];
    }
    for (int i = 0; i < VIEW_DIMENSIONS; i++)
        if (view->shape[i] > 1 && view->stride[i] <= 0)
            return false;
    return true;
}

static bool refuse_out(const struct view *is, const struct view *wanted)
{
    PyObject *shape = kst_py_view_shape(is), *want = kst_py_view_shape(wanted);
    if (shape && want && memcmp(is->shape, wanted->shape, sizeof is->shape) != 0)
        PyErr_Format(PyExc_ValueError, "out has the shape %R, not %R", shape, want);
    else if (shape && want)
        PyErr_Format(PyExc_TypeError, "out has samples of %s%d, not %s%d", kst_py_view_kind(is), is->bits,
            kst_py_view_kind(wanted), wanted->bits);
    Py_XDECREF(shape);
    Py_XDECREF(want);
    return false;
}

/*
 * Hold the caller's array, and compare it with the tensor. Without a stream, the work follows the work in the default
 * stream.
 */
static bool hold_out(struct resized *r)
{
    bool is_image;
    struct array *array = &r->storage.array;
    const struct view wanted = r->view;
    if (!kst_py_array_hold(r->state, array, r->out, true, r->stream, &is_image))
        return false;
    struct view *view = &array->view;
    if (view->dimensions != VIEW_DIMENSIONS || memcmp(view->shape, wanted.shape, sizeof wanted.shape) != 0 ||
        view->bits != wanted.bits || view->is_signed || view->is_float != wanted.is_float)
        return refuse_out(view, &wanted);
    if (!is_regular(view, r->planar)) {
        PyErr_SetString(PyExc_ValueError, "out has gaps between samples of a row, or is not in ascending order");
        return false;
    }
    r->view = *view;
    if (view->memory != KST_MEMORY_CUDA || kst_py_context_kind(r->context) != KST_DEVICE_CUDA)
        return true; /* the library will refuse what does not fit */
    if (view->ordinal >= 0 && !r->context->automatic && view->ordinal != r->context->ordinal) {
        PyErr_Format(PyExc_ValueError, "out lies on cuda:%d, the context's device is cuda:%d", view->ordinal,
            r->context->ordinal);
        return false;
    }
    if (!r->has_stream)
        r->on = (kst_stream){KST_DEVICE_CUDA, NULL};
    r->has_stream = true;
    return true;
}

static bool take_memory(struct resized *r, uint64_t bytes)
{
    kst_image *block = &r->storage.block;
    kst_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = kst_py_take_block(r->context, bytes, (kst_memory)r->memory, block);
    Py_END_ALLOW_THREADS;
    if (status) {
        kst_py_raise(r->state, status, NULL);
        return false;
    }
    r->view.data = block->plane[0].data;
    r->view.offset = block->plane[0].offset;
    r->view.memory = block->memory;
    if (block->memory == KST_MEMORY_CUDA) {
        kst_py_context_kind(r->context); /* "auto" has chosen a device by now */
        r->view.ordinal = r->context->ordinal;
    }
    return true;
}

/* Describe the tensor to the library. */
static void place(struct resized *r)
{
    const struct view *view = &r->view;
    kst_tensor_init(&r->tensor);
    r->tensor.data = view->data;
    r->tensor.offset = view->offset;
    r->tensor.memory = view->memory;
    r->tensor.format = r->planar ? KST_FORMAT_PLANAR : r->decode.format;
    r->tensor.sample = (kst_sample)r->sample;
    r->tensor.count = (uint32_t)r->count;
    r->tensor.channels = r->planar ? kst_format_channels(r->decode.format) : 0;
    r->tensor.width = r->size[0];
    r->tensor.height = r->size[1];
    r->tensor.picture_step = view->shape[0] > 1 ? (size_t)view->stride[0] : 0;
    r->tensor.plane_step = r->planar && view->shape[1] > 1 ? (size_t)view->stride[1] : 0;
    int row = r->planar ? 2 : 1;
    r->tensor.pitch = view->shape[row] > 1 ? (size_t)view->stride[row] : 0;
}

static bool make_tensor(struct resized *r)
{
    uint64_t bytes = describe(r);
    if (r->out ? !hold_out(r) : !take_memory(r, bytes))
        return false;
    place(r);
    return true;
}

/* ── Decoding. The GIL is not needed up to run(). ── */

static void free_arrays(struct resized *r)
{
    free(r->item);
    free(r->decoding);
    free(r->resizing);
    free(r->image);
    r->item = NULL;
    r->decoding = NULL;
    r->resizing = NULL;
    r->image = NULL;
}

/* Describe each stream and its picture to the library. */
static kst_status make_items(struct resized *r)
{
    size_t count = (size_t)r->count;
    kst_status status = KST_OK;
    r->item = calloc(count, sizeof *r->item);
    r->decoding = calloc(count, sizeof *r->decoding);
    r->resizing = calloc(count, sizeof *r->resizing);
    r->image = calloc(count, sizeof *r->image);
    if (!r->item || !r->decoding || !r->resizing || !r->image)
        return KST_ERROR_MEMORY;
    for (size_t i = 0; i < count && !status; i++) {
        r->decoding[i] = r->decode;
        r->resizing[i] = r->resize;
        r->resizing[i].box = r->box[i];
        r->resizing[i].mirror = r->mirrored[i];
        r->item[i] = (kst_decode_item){.data = r->source[i].data,
            .length = r->source[i].length,
            .options = &r->decoding[i],
            .image = &r->image[i]};
        status = kst_tensor_image(&r->tensor, (uint32_t)i, &r->image[i]);
    }
    return status;
}

/* Decode at the smallest size that has as many pixels as the result in both directions. */
static void choose_reduction(kst_decoder *decoder, struct resized *r, Py_ssize_t index)
{
    kst_image whole;
    kst_decode_options *options = &r->decoding[index];
    kst_resize_box *box = &r->resizing[index].box;
    kst_image_init(&whole);
    if (kst_decoder_open(decoder, r->source[index].data, r->source[index].length) ||
        kst_decoder_describe(decoder, options, &whole))
        return; /* decoding reports the error */
    const kst_info *info = kst_decoder_info(decoder);
    uint32_t most = info->codec == KST_CODEC_JPEG ? 3 : info->levels, reduce = 0;
    if (info->process == KST_PROCESS_LOSSLESS)
        most = 0;
    bool has_box = box->left != 0 || box->top != 0 || box->right != 0 || box->bottom != 0;
    double width = has_box ? box->right - box->left : whole.width;
    double height = has_box ? box->bottom - box->top : whole.height;
    while (reduce < most && width / 2 >= r->size[0] && height / 2 >= r->size[1]) {
        reduce++;
        width /= 2;
        height /= 2;
        *box = (kst_resize_box){box->left / 2, box->top / 2, box->right / 2, box->bottom / 2};
    }
    options->reduce = reduce;
}

static void choose_reductions(struct resized *r)
{
    kst_decoder *decoder = NULL;
    if (!r->draft || kst_decoder_create(r->context->handle, &decoder))
        return;
    for (Py_ssize_t i = 0; i < r->count; i++)
        choose_reduction(decoder, r, i);
    kst_decoder_destroy(&decoder);
}

/* Zero a picture in host memory that could not be decoded, so that it does not show older pixels. */
static void clear(const kst_image *image)
{
    if (image->memory != KST_MEMORY_HOST && image->memory != KST_MEMORY_PINNED)
        return;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        size_t channels = image->plane_count > 1 ? 1 : kst_format_channels(image->format);
        size_t sample = plane->sample == KST_SAMPLE_INTEGER ? 1 : plane->sample == KST_SAMPLE_FLOAT16 ? 2 : 4;
        for (uint32_t y = 0; y < plane->height; y++)
            memset((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, 0,
                plane->width * (channels ? channels : 1) * sample);
    }
}

/* Decode all streams. Returns the status of the call as a whole. Without failures nothing reads the items later. */
static kst_status run(struct resized *r)
{
    bool has_failed = false;
    kst_status status = make_items(r);
    if (status)
        return status;
    r->storage.image = r->image[0];
    choose_reductions(r);
    status =
        kst_decode_resized(r->context->handle, r->item, r->resizing, (size_t)r->count, r->has_stream ? &r->on : NULL);
    for (Py_ssize_t i = 0; i < r->count; i++)
        if (r->item[i].report.status) {
            clear(&r->image[i]);
            status = KST_OK; /* each item has its own status */
            has_failed = true;
        }
    if (!has_failed)
        free_arrays(r);
    return status;
}

/*
 * Return a dictionary of the errors of failed pictures by their index; null with an exception if one is to be raised.
 */
static PyObject *collect_errors(struct resized *r, bool raise)
{
    PyObject *errors = PyDict_New();
    for (Py_ssize_t i = 0; errors && r->item && i < r->count; i++) {
        const kst_report *report = &r->item[i].report;
        if (!report->status)
            continue;
        if (raise) {
            kst_py_raise(r->state, report->status, report);
            kst_py_error_index(i);
            Py_CLEAR(errors);
            break;
        }
        PyObject *error = kst_py_error(r->state, report->status, report), *index = PyLong_FromSsize_t(i);
        if (!error || !index || PyDict_SetItem(errors, index, error) < 0)
            Py_CLEAR(errors);
        Py_XDECREF(error);
        Py_XDECREF(index);
    }
    return errors;
}

static PyObject *decode(struct resized *r)
{
    kst_status status;
    bool raise;
    if (!kst_py_errors(r->errors, &raise))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = run(r);
    Py_END_ALLOW_THREADS;
    if (status)
        return kst_py_raise(r->state, status, NULL);
    PyObject *errors = collect_errors(r, raise);
    PyObject *tensor = errors ? kst_py_tensor_new(r->state, r->context, &r->storage, &r->view, errors) : NULL;
    Py_XDECREF(errors);
    return tensor;
}

static PyObject *decode_all(struct resized *r, const struct sequence *data)
{
    r->count = data->count;
    if (r->count < 1 || r->count > INT32_MAX)
        return PyErr_Format(PyExc_ValueError, "data has no stream: a tensor has one picture at least");
    bool fine = open_sources(r, data->item) && read_boxes(r) && read_mirror(r) && make_tensor(r);
    return fine ? decode(r) : NULL;
}

static void release(struct resized *r)
{
    for (Py_ssize_t i = 0; r->source && i < r->count; i++)
        kst_py_source_release(&r->source[i]);
    kst_py_storage_release(r->context, &r->storage);
    free_arrays(r);
    PyMem_Free(r->source);
    PyMem_Free(r->box);
    PyMem_Free(r->mirrored);
}

PyObject *kst_py_decode_resized(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct resized r = {.state = kst_py_state(self), .context = (struct context *)self};
    struct sequence sequence = {.item = NULL};
    PyObject *data, *tensor = NULL;
    if (!kst_py_context_enter(r.context))
        return NULL;
    kst_image_init(&r.storage.image);
    kst_image_init(&r.storage.block);
    if (read_arguments(&r, args, keywords, &data) && kst_py_sequence_read(&sequence, data, "data"))
        tensor = decode_all(&r, &sequence);
    kst_py_sequence_release(&sequence);
    release(&r);
    kst_py_context_leave(r.context);
    return tensor;
}
