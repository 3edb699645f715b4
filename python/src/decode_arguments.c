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

/* A number for all channels, or a sequence of up to four. */
static bool read_channels(PyObject *object, const char *what, float values[4])
{
    if (!object || object == Py_None)
        return true;
    if (!PySequence_Check(object)) {
        double value = PyFloat_AsDouble(object);
        for (int i = 0; i < 4; i++)
            values[i] = (float)value;
        return !PyErr_Occurred();
    }
    PyObject *tuple = PySequence_Tuple(object);
    Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
    if (tuple && (count < 1 || count > 4))
        PyErr_Format(PyExc_ValueError, "%s is a number, or one to four of them", what);
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++)
        values[i] = (float)PyFloat_AsDouble(PyTuple_GetItem(tuple, i));
    Py_XDECREF(tuple);
    return !PyErr_Occurred();
}

/* What decides on the samples and how they lie. */
struct form {
    const char *format, *layout, *dtype;
    PyObject *mean, *scale;
};

static bool read_form(const struct form *form, kst_decode_options *options)
{
    static const struct name layouts[] = {{"HWC", 0}, {"NHWC", 0}, {"CHW", 1}, {"NCHW", 1}, {NULL, 0}};
    int format, planar, sample;
    if (!kst_py_value_of(kst_py_formats, "format", form->format, &format) ||
        !kst_py_value_of(layouts, "layout", form->layout, &planar) ||
        !kst_py_value_of(kst_py_samples, "dtype", form->dtype, &sample) ||
        !read_channels(form->mean, "mean", options->mean) || !read_channels(form->scale, "scale", options->scale))
        return false;
    if (planar && format != KST_FORMAT_AUTO && format != KST_FORMAT_PLANAR) {
        PyErr_Format(PyExc_ValueError, "the format '%s' has its channels last: leave it to the layout", form->format);
        return false;
    }
    options->format = planar ? KST_FORMAT_PLANAR : (kst_format)format;
    options->sample = (kst_sample)sample;
    if (sample == KST_SAMPLE_INTEGER &&
        ((form->mean && form->mean != Py_None) || (form->scale && form->scale != Py_None)))
        PyErr_SetString(PyExc_ValueError, "mean and scale go with the dtypes 'float16' and 'float32'");
    return !PyErr_Occurred();
}

static bool read_numbers(int reduce, int alpha, int layers, kst_decode_options *options)
{
    if (reduce < 0 || layers < 0 || alpha < 0 || alpha > 255) {
        PyErr_SetString(PyExc_ValueError, reduce < 0   ? "reduce is negative"
                                          : layers < 0 ? "layers is negative"
                                                       : "alpha is not within 0 to 255");
        return false;
    }
    options->reduce = (uint32_t)reduce;
    options->layers = (uint32_t)layers;
    options->alpha = (uint8_t)alpha;
    return true;
}

bool kst_py_decoding_read(
    struct decoding *decoding, PyObject *args, PyObject *keywords, PyObject **data, const char **errors)
{
    static char *names[] = {"data", "format", "reduce", "region", "strict", "orient", "alpha", "layers", "memory",
        "out", "stream", "dtype", "layout", "mean", "scale", "errors", NULL};
    static char *names_of_one[] = {"data", "format", "reduce", "region", "strict", "orient", "alpha", "layers",
        "memory", "out", "stream", "dtype", "layout", "mean", "scale", NULL};
    const char *memory = "host";
    struct form form = {"auto", "HWC", "uint8", NULL, NULL};
    PyObject *region = NULL;
    int reduce = 0, strict = 0, orient = 0, alpha = 255, layers = 0;
    kst_decode_options *options = &decoding->options;
    kst_decode_options_init(options);
    if (!PyArg_ParseTupleAndKeywords(args, keywords,
            errors ? "O|$siOppiisOOssOOs:decode_batch" : "O|$siOppiisOOssOO:decode", errors ? names : names_of_one,
            data, &form.format, &reduce, &region, &strict, &orient, &alpha, &layers, &memory, &decoding->out,
            &decoding->stream, &form.dtype, &form.layout, &form.mean, &form.scale, errors))
        return false;
    options->strict = strict;
    options->orient = orient;
    return read_form(&form, options) && read_numbers(reduce, alpha, layers, options) &&
           kst_py_region(region, "region", &options->region) &&
           read_memory(decoding->context, memory, &decoding->memory) && read_stream(decoding);
}
