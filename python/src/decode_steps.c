/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries out the steps of decoding. A stream is described first, so that its picture is known before memory is
 * allocated: images on the host get no gaps between rows, and the caller's arrays are compared with the picture before
 * work begins. On a device the library allocates the images.
 */
#include <stdio.h>

#include "decoding.h"

bool kst_py_decoding_begin(struct decoding *decoding, PyObject *const *data)
{
    decoding->piece = PyMem_Calloc((size_t)decoding->count, sizeof *decoding->piece);
    if (!decoding->piece && decoding->count > 0) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < decoding->count; i++) {
        struct piece *piece = &decoding->piece[i];
        if (!kst_py_source_open(decoding->state, &piece->source, data[i], decoding->context->memory_limit)) {
            if (decoding->is_batch)
                kst_py_error_index(i);
            return false;
        }
        kst_report_init(&piece->report);
        kst_image_init(&piece->storage.image);
        piece->storage.image.memory = decoding->memory;
    }
    return true;
}

void kst_py_decoding_end(struct decoding *decoding)
{
    for (Py_ssize_t i = 0; decoding->piece && i < decoding->count; i++) {
        struct piece *piece = &decoding->piece[i];
        kst_decoder_destroy(&piece->decoder);
        kst_py_storage_release(decoding->context, &piece->storage);
        kst_py_source_release(&piece->source);
    }
    PyMem_Free(decoding->components);
    decoding->components = NULL;
    PyMem_Free(decoding->item);
    PyMem_Free(decoding->piece);
    decoding->item = NULL;
    decoding->piece = NULL;
}

/* Return an option that a JPEG stream cannot honour; null if there is none. */
static const char *surplus_option(const kst_decoder *decoder, const kst_decode_options *options)
{
    if (kst_decoder_info(decoder)->codec != KST_CODEC_JPEG)
        return NULL;
    return options->layers                  ? "layers"
           : options->components            ? "components"
           : options->tile != KST_ALL_TILES ? "tile"
                                            : NULL;
}

static void describe_piece(const struct decoding *decoding, struct piece *piece)
{
    kst_image described;
    kst_image_init(&described);
    piece->status = kst_decoder_create(decoding->context->handle, &piece->decoder);
    if (piece->status) {
        piece->report.status = piece->status;
        piece->report.offset = UINT64_MAX;
        return;
    }
    piece->status = kst_decoder_open(piece->decoder, piece->source.data, piece->source.length);
    if (!piece->status)
        piece->status = kst_decoder_describe(piece->decoder, &decoding->options, &described);
    piece->report = *kst_decoder_report(piece->decoder);
    const char *surplus = kst_decoder_info(piece->decoder) ? surplus_option(piece->decoder, &decoding->options) : NULL;
    if (surplus) {
        piece->status = piece->report.status = KST_ERROR_OPTIONS;
        snprintf(
            piece->report.message, sizeof piece->report.message, "%s is an option of JPEG 2000, not of JPEG", surplus);
    }
    if (!piece->status) {
        described.memory = decoding->memory;
        piece->status = kst_py_storage_describe(&piece->storage, &described);
    }
    if (piece->status || decoding->is_batch || decoding->has_stream)
        kst_decoder_destroy(&piece->decoder);
}

static bool has_out(const struct decoding *decoding)
{
    return decoding->out != NULL;
}

/*
 * Return whether the streams are described in one call. A single one is opened once and stays open for its decoding,
 * except where the decoding follows the work in a stream.
 */
static bool is_described_together(const struct decoding *decoding)
{
    const kst_decode_options *options = &decoding->options;
    bool streamed = has_out(decoding) && kst_py_context_kind(decoding->context) == KST_DEVICE_CUDA;
    return (decoding->is_batch || streamed) && !options->layers && !options->components &&
           options->tile == KST_ALL_TILES;
}

/* Describe all streams together. Those that fail are described once more, one by one, to learn why. */
static void describe_together(struct decoding *decoding, kst_decode_item *item, kst_image *image)
{
    size_t count = (size_t)decoding->count;
    for (size_t i = 0; i < count; i++) {
        const struct source *source = &decoding->piece[i].source;
        item[i] = (kst_decode_item){
            .data = source->data, .length = source->length, .options = &decoding->options, .image = &image[i]};
    }
    kst_decode_describe_batch(decoding->context->handle, item, count);
    for (size_t i = 0; i < count; i++) {
        struct piece *piece = &decoding->piece[i];
        image[i].memory = decoding->memory;
        if (item[i].report.status || kst_py_storage_describe(&piece->storage, &image[i]))
            describe_piece(decoding, piece);
    }
}

void kst_py_decoding_describe(struct decoding *decoding)
{
    bool together = is_described_together(decoding);
    if (decoding->memory != KST_MEMORY_HOST && !has_out(decoding))
        return; /* the library will report the error */
    kst_decode_item *item = together ? PyMem_Calloc((size_t)decoding->count, sizeof *item) : NULL;
    kst_image *image = together ? PyMem_Calloc((size_t)decoding->count, sizeof *image) : NULL;
    Py_BEGIN_ALLOW_THREADS;
    if (item && image)
        describe_together(decoding, item, image);
    for (Py_ssize_t i = 0; !(item && image) && i < decoding->count; i++)
        describe_piece(decoding, &decoding->piece[i]);
    Py_END_ALLOW_THREADS;
    PyMem_Free(item);
    PyMem_Free(image);
}

/* Bind the caller's array. Without a stream, the work on arrays follows the work in the default stream. */
static bool place_out(struct decoding *decoding, struct piece *piece, PyObject *out)
{
    bool is_image;
    struct array *array = &piece->storage.array;
    if (!kst_py_array_hold(decoding->state, array, out, true, decoding->stream, &is_image) ||
        !kst_py_view_bind(&array->view, &piece->storage.image, piece->storage.more))
        return false;
    if (array->view.memory != KST_MEMORY_CUDA || kst_py_context_kind(decoding->context) != KST_DEVICE_CUDA)
        return true; /* the library will refuse what does not fit */
    if (array->view.ordinal >= 0 && !decoding->context->automatic &&
        array->view.ordinal != decoding->context->ordinal) {
        PyErr_Format(PyExc_ValueError, "the array lies on cuda:%d, the context's device is cuda:%d",
            array->view.ordinal, decoding->context->ordinal);
        return false;
    }
    if (!decoding->has_stream)
        decoding->on = (kst_stream){KST_DEVICE_CUDA, NULL};
    decoding->has_stream = true;
    kst_decoder_destroy(&piece->decoder);
    return true;
}

bool kst_py_decoding_place(struct decoding *decoding, PyObject *const *outs)
{
    for (Py_ssize_t i = 0; i < decoding->count; i++) {
        struct piece *piece = &decoding->piece[i];
        if (piece->status)
            continue;
        if (outs) {
            if (!place_out(decoding, piece, outs[i]))
                return false;
        } else if (decoding->memory == KST_MEMORY_HOST) {
            piece->status = kst_py_storage_allocate(decoding->context, &piece->storage);
            piece->report.status = piece->status;
        }
    }
    return true;
}

static void run_one(struct decoding *decoding)
{
    struct piece *piece = &decoding->piece[0];
    if (piece->decoder) {
        piece->status = kst_decoder_decode(piece->decoder, &decoding->options, &piece->storage.image);
        piece->report = *kst_decoder_report(piece->decoder);
    } else {
        piece->status = kst_decode(decoding->context->handle, piece->source.data, piece->source.length,
            &decoding->options, &piece->storage.image, &piece->report);
    }
}

/* Submit the streams that can be decoded. The status is that of the call as a whole. */
static kst_status submit(struct decoding *decoding)
{
    size_t count = 0;
    for (Py_ssize_t i = 0; i < decoding->count; i++) {
        struct piece *piece = &decoding->piece[i];
        if (!piece->status)
            decoding->item[count++] = (kst_decode_item){.data = piece->source.data,
                .length = piece->source.length,
                .options = &decoding->options,
                .image = &piece->storage.image};
    }
    return kst_decode_submit(
        decoding->context->handle, decoding->item, count, decoding->has_stream ? &decoding->on : NULL, &decoding->job);
}

static void wait_for(struct decoding *decoding)
{
    kst_job_wait(&decoding->job);
    for (Py_ssize_t i = 0, at = 0; i < decoding->count; i++) {
        struct piece *piece = &decoding->piece[i];
        if (piece->status)
            continue;
        piece->report = decoding->item[at++].report;
        piece->status = piece->report.status;
    }
}

static bool make_items(struct decoding *decoding)
{
    decoding->item = PyMem_Calloc((size_t)decoding->count, sizeof *decoding->item);
    if (!decoding->item)
        PyErr_NoMemory();
    return decoding->item != NULL;
}

bool kst_py_decoding_submit(struct decoding *decoding)
{
    kst_status status;
    if (decoding->count == 0)
        return true;
    if (!make_items(decoding))
        return false;
    Py_BEGIN_ALLOW_THREADS;
    status = submit(decoding);
    Py_END_ALLOW_THREADS;
    if (status)
        kst_py_raise(decoding->state, status, NULL);
    return !status;
}

void kst_py_decoding_wait(struct decoding *decoding)
{
    Py_BEGIN_ALLOW_THREADS;
    wait_for(decoding);
    Py_END_ALLOW_THREADS;
}

bool kst_py_decoding_run(struct decoding *decoding)
{
    if (decoding->count == 0)
        return true;
    if (decoding->is_batch || decoding->has_stream) {
        if (!kst_py_decoding_submit(decoding))
            return false;
        kst_py_decoding_wait(decoding);
        return true;
    }
    if (decoding->piece[0].status)
        return true;
    Py_BEGIN_ALLOW_THREADS;
    run_one(decoding);
    Py_END_ALLOW_THREADS;
    return true;
}
