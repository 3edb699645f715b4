/* SPDX-License-Identifier: BSD-2-Clause */
#include "decoding.h"

static bool read_memory(struct context *context, const char *text, kst_memory *memory)
{
    static const struct name memories[] = {
        {"host", KST_MEMORY_HOST}, {"pinned", KST_MEMORY_PINNED}, {"device", KST_MEMORY_CUDA}, {NULL, 0}};
    int value;
    if (!kst_py_value_of(memories, "memory", text, &value))
        return false;
    *memory = (kst_memory)value;
    if (*memory != KST_MEMORY_CUDA)
        return true;
    kst_device_kind kind = kst_py_context_kind(context);
    *memory = kind == KST_DEVICE_CUDA     ? KST_MEMORY_CUDA
              : kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL
                                          : KST_MEMORY_HOST;
    return true;
}

static bool read_stream(struct decoding *decoding)
{
    void *handle;
    if (!kst_py_stream(decoding->stream, &handle, &decoding->has_stream))
        return false;
    if (decoding->has_stream)
        decoding->on = (kst_stream){kst_py_context_kind(decoding->context), handle};
    return true;
}

static bool read_numbers(int reduce, int alpha, kst_decode_options *options)
{
    if (reduce < 0 || alpha < 0 || alpha > 255) {
        PyErr_SetString(PyExc_ValueError, reduce < 0 ? "reduce is negative" : "alpha is not within 0 to 255");
        return false;
    }
    options->reduce = (uint32_t)reduce;
    options->alpha = (uint8_t)alpha;
    return true;
}

bool kst_py_decoding_read(
    struct decoding *decoding, PyObject *args, PyObject *keywords, PyObject **data, const char **errors)
{
    static char *names[] = {
        "data", "format", "reduce", "region", "strict", "orient", "alpha", "memory", "out", "stream", "errors", NULL};
    static char *names_of_one[] = {
        "data", "format", "reduce", "region", "strict", "orient", "alpha", "memory", "out", "stream", NULL};
    const char *format = "auto", *memory = "host";
    PyObject *region = NULL;
    int reduce = 0, strict = 0, orient = 0, alpha = 255, value;
    kst_decode_options *options = &decoding->options;
    kst_decode_options_init(options);
    if (!PyArg_ParseTupleAndKeywords(args, keywords, errors ? "O|$siOppisOOs:decode_batch" : "O|$siOppisOO:decode",
            errors ? names : names_of_one, data, &format, &reduce, &region, &strict, &orient, &alpha, &memory,
            &decoding->out, &decoding->stream, errors))
        return false;
    options->strict = strict;
    options->orient = orient;
    if (!kst_py_value_of(kst_py_formats, "format", format, &value) || !read_numbers(reduce, alpha, options) ||
        !kst_py_region(region, "region", &options->region) ||
        !read_memory(decoding->context, memory, &decoding->memory))
        return false;
    options->format = (kst_format)value;
    return read_stream(decoding);
}
