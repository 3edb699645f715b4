/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements decoding, of one picture and of a batch, and reading what a stream holds. */
#include "decoding.h"

static bool prepare(struct decoding *decoding, PyObject *const *data, PyObject *const *outs)
{
    if (!kst_py_decoding_begin(decoding, data))
        return false;
    kst_py_decoding_describe(decoding);
    return kst_py_decoding_place(decoding, outs);
}

static PyObject *result_of(struct decoding *decoding, struct piece *piece)
{
    if (piece->status)
        return kst_py_raise(decoding->state, piece->status, &piece->report);
    return kst_py_image_new(decoding->state, decoding->context, &piece->storage, &piece->report);
}

PyObject *kst_py_decode(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct decoding decoding = {.state = kst_py_state(self), .context = (struct context *)self, .count = 1};
    PyObject *data, *image = NULL;
    if (!kst_py_context_enter(decoding.context))
        return NULL;
    if (kst_py_decoding_read(&decoding, args, keywords, &data, NULL)) {
        if (prepare(&decoding, &data, decoding.out ? &decoding.out : NULL) && kst_py_decoding_run(&decoding))
            image = result_of(&decoding, &decoding.piece[0]);
    }
    kst_py_decoding_end(&decoding);
    kst_py_context_leave(decoding.context);
    return image;
}

PyObject *kst_py_decoding_results(struct decoding *decoding, bool raise)
{
    PyObject *list = PyList_New(decoding->count);
    for (Py_ssize_t i = 0; list && i < decoding->count; i++) {
        struct piece *piece = &decoding->piece[i];
        PyObject *one = piece->status && !raise ? kst_py_error(decoding->state, piece->status, &piece->report)
                                                : result_of(decoding, piece);
        if (!one && piece->status)
            kst_py_error_index(i);
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static bool prepare_all(struct decoding *decoding, const struct sequence *data, PyObject *outs)
{
    struct sequence out = {.item = NULL};
    bool fine = false;
    if (outs && !kst_py_sequence_read(&out, outs, "out"))
        return false;
    decoding->count = data->count;
    if (outs && out.count != data->count)
        PyErr_Format(PyExc_ValueError, "out holds %zd arrays for %zd streams", out.count, data->count);
    else
        fine = prepare(decoding, data->item, outs ? out.item : NULL);
    kst_py_sequence_release(&out);
    return fine;
}

bool kst_py_decoding_prepare(struct decoding *decoding, PyObject *args, PyObject *keywords, bool *raise)
{
    struct sequence sequence = {.item = NULL};
    PyObject *data;
    const char *errors = "raise";
    decoding->is_batch = true;
    bool fine = kst_py_decoding_read(decoding, args, keywords, &data, &errors) && kst_py_errors(errors, raise) &&
                kst_py_sequence_read(&sequence, data, "data") && prepare_all(decoding, &sequence, decoding->out);
    kst_py_sequence_release(&sequence);
    return fine;
}

PyObject *kst_py_decode_batch(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct decoding decoding = {.state = kst_py_state(self), .context = (struct context *)self};
    PyObject *list = NULL;
    bool raise;
    if (!kst_py_context_enter(decoding.context))
        return NULL;
    if (kst_py_decoding_prepare(&decoding, args, keywords, &raise) && kst_py_decoding_run(&decoding))
        list = kst_py_decoding_results(&decoding, raise);
    kst_py_decoding_end(&decoding);
    kst_py_context_leave(decoding.context);
    return list;
}

static PyObject *read_info(struct state *state, struct context *context, const struct source *source)
{
    kst_decoder *decoder = NULL;
    kst_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = kst_decoder_create(context->handle, &decoder);
    if (!status)
        status = kst_decoder_open(decoder, source->data, source->length);
    Py_END_ALLOW_THREADS;
    PyObject *info = status ? kst_py_raise(state, status, decoder ? kst_decoder_report(decoder) : NULL)
                            : kst_py_info(state, decoder);
    kst_decoder_destroy(&decoder);
    return info;
}

PyObject *kst_py_read_info(PyObject *self, PyObject *data)
{
    struct state *state = kst_py_state(self);
    struct context *context = (struct context *)self;
    struct source source;
    PyObject *info = NULL;
    if (!kst_py_context_enter(context))
        return NULL;
    if (kst_py_source_open(state, &source, data, context->memory_limit))
        info = read_info(state, context, &source);
    kst_py_source_release(&source);
    kst_py_context_leave(context);
    return info;
}
