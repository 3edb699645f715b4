/* SPDX-License-Identifier: BSD-2-Clause */
#include "kostka_python.h"

struct words {
    const char *coding, *transform, *edge, *strip;
};

static bool read_words(const struct words *words, kst_transcode_options *options)
{
    int coding, transform, edge, strip;
    if (!kst_py_value_of(kst_py_codings, "coding", words->coding, &coding) ||
        !kst_py_value_of(kst_py_transforms, "transform", words->transform, &transform) ||
        !kst_py_value_of(kst_py_edges, "edge", words->edge, &edge) ||
        !kst_py_value_of(kst_py_strips, "strip", words->strip, &strip))
        return false;
    options->coding = (kst_coding)coding;
    options->transform = (kst_transform)transform;
    options->edge = (kst_edge)edge;
    options->strip = (kst_strip)strip;
    return true;
}

static bool read_options(PyObject *args, PyObject *keywords, PyObject **data, kst_transcode_options *options)
{
    static char *names[] = {"data", "coding", "restart", "transform", "edge", "crop", "strip", "grey", "strict", NULL};
    struct words words = {"baseline", "none", "keep", "nothing"};
    PyObject *restart = NULL, *crop = NULL;
    int grey = 0, strict = 0;
    kst_transcode_options_init(options);
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$sOssOspp:transcode", names, data, &words.coding, &restart,
            &words.transform, &words.edge, &crop, &words.strip, &grey, &strict))
        return false;
    options->grey = grey;
    options->strict = strict;
    return read_words(&words, options) && kst_py_restart(restart, true, &options->restart) &&
           kst_py_region(crop, "crop", &options->crop);
}

static PyObject *transcode(
    struct state *state, struct context *context, const Py_buffer *data, const kst_transcode_options *options)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_status status;
    PyObject *bytes = NULL;
    kst_report_init(&report);
    Py_BEGIN_ALLOW_THREADS;
    status = kst_transcode(context->handle, data->buf, (size_t)data->len, options, &output, &report);
    Py_END_ALLOW_THREADS;
    if (status)
        kst_py_raise(state, status, &report);
    else
        bytes = PyBytes_FromStringAndSize((const char *)output.data, (Py_ssize_t)output.length);
    kst_buffer_release(context->handle, &output);
    return bytes;
}

PyObject *kst_py_transcode(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct context *context = (struct context *)self;
    kst_transcode_options options;
    PyObject *object, *bytes = NULL;
    Py_buffer data;
    if (!read_options(args, keywords, &object, &options) || PyObject_GetBuffer(object, &data, PyBUF_SIMPLE) < 0)
        return NULL;
    if (kst_py_context_enter(context)) {
        bytes = transcode(kst_py_state(self), context, &data, &options);
        kst_py_context_leave(context);
    }
    PyBuffer_Release(&data);
    return bytes;
}
