/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the arguments of decoding. */
#include <stddef.h>

#include "decoding.h"
#include "options.h"

/* Holds the arguments as they were passed. */
struct settings {
    kst_decode_options options;
    int format, planar, sample, memory;
    PyObject *mean, *scale, *out, *stream;
    struct numbers components;
    const char *errors;
};

const struct name kst_py_memories[] = {
    {"host", KST_MEMORY_HOST}, {"pinned", KST_MEMORY_PINNED}, {"device", KST_MEMORY_CUDA}, {NULL, 0}};
const struct name kst_py_layouts[] = {{"HWC", 0}, {"NHWC", 0}, {"CHW", 1}, {"NCHW", 1}, {NULL, 0}};
static const struct name upsamplings[] = {
    {"fancy", KST_UPSAMPLING_FANCY}, {"nearest", KST_UPSAMPLING_NEAREST}, {NULL, 0}};
static const struct range levels = {0, 32}, sizes = {1, 16}, layers = {0, 65535}, tiles = {0, 65534};

#define AT(member) offsetof(struct settings, member)

/* `errors` comes first: a single stream has none. */
static const struct option options_of_many[] = {
    {"errors", kst_py_read_text, AT(errors), NULL, FOR_ALL},
    {"format", kst_py_read_word, AT(format), kst_py_formats, FOR_ALL},
    {"reduce", kst_py_read_count, AT(options.reduce), &levels, FOR_ALL},
    {"eighths", kst_py_read_count, AT(options.eighths), &sizes, FOR_JPEG},
    {"dct", kst_py_read_word, AT(options.dct), kst_py_dcts, FOR_JPEG},
    {"upsampling", kst_py_read_word, AT(options.upsampling), upsamplings, FOR_JPEG},
    {"region", kst_py_read_region, AT(options.region), NULL, FOR_ALL},
    {"strict", kst_py_read_flag, AT(options.strict), NULL, FOR_ALL},
    {"orient", kst_py_read_flag, AT(options.orient), NULL, FOR_ALL},
    {"alpha", kst_py_read_byte, AT(options.alpha), NULL, FOR_ALL},
    {"layers", kst_py_read_count, AT(options.layers), &layers, FOR_JPEG2000},
    {"components", kst_py_read_numbers, AT(components), NULL, FOR_JPEG2000},
    {"tile", kst_py_read_count, AT(options.tile), &tiles, FOR_JPEG2000},
    {"memory", kst_py_read_word, AT(memory), kst_py_memories, FOR_ALL},
    {"out", kst_py_read_object, AT(out), NULL, FOR_ALL},
    {"stream", kst_py_read_object, AT(stream), NULL, FOR_ALL},
    {"dtype", kst_py_read_word, AT(sample), kst_py_samples, FOR_ALL},
    {"layout", kst_py_read_word, AT(planar), kst_py_layouts, FOR_ALL},
    {"mean", kst_py_read_object, AT(mean), NULL, FOR_ALL},
    {"scale", kst_py_read_object, AT(scale), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

kst_memory kst_py_memory_of(struct context *context, kst_memory memory)
{
    if (memory != KST_MEMORY_CUDA || !context)
        return memory;
    kst_device_kind kind = kst_py_context_kind(context);
    return kind == KST_DEVICE_CUDA ? KST_MEMORY_CUDA : kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL : KST_MEMORY_HOST;
}

static bool read_stream(struct decoding *decoding)
{
    void *handle;
    if (!kst_py_stream(decoding->stream, &handle, &decoding->has_stream))
        return false;
    if (decoding->has_stream && decoding->context)
        decoding->on = (kst_stream){kst_py_context_kind(decoding->context), handle};
    return true;
}

bool kst_py_read_channels(PyObject *object, const char *what, float values[4])
{
    if (!object)
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

/* Read the options that decide on the samples and their layout. */
static bool read_form(const struct settings *settings, kst_decode_options *options)
{
    kst_format format = (kst_format)settings->format;
    if (!kst_py_read_channels(settings->mean, "mean", options->mean) ||
        !kst_py_read_channels(settings->scale, "scale", options->scale))
        return false;
    if (settings->planar && format != KST_FORMAT_AUTO && format != KST_FORMAT_PLANAR)
        PyErr_Format(PyExc_ValueError, "the format '%s' has its channels last: leave it to the layout",
            kst_py_name_of(kst_py_formats, settings->format));
    options->format = settings->planar ? KST_FORMAT_PLANAR : format;
    options->sample = (kst_sample)settings->sample;
    if (settings->sample == KST_SAMPLE_INTEGER && (settings->mean || settings->scale))
        PyErr_SetString(PyExc_ValueError, "mean and scale go with the dtypes 'float16' and 'float32'");
    return !PyErr_Occurred();
}

bool kst_py_decoding_read(
    struct decoding *decoding, PyObject *args, PyObject *keywords, PyObject **data, const char **errors)
{
    struct settings settings = {.memory = KST_MEMORY_HOST};
    option_set given = 0;
    kst_decode_options_init(&settings.options);
    bool fine = kst_py_arguments(errors ? "decode_batch" : "decode", "data", args, keywords, data,
                    errors ? options_of_many : options_of_many + 1, &settings, &given) &&
                read_form(&settings, &settings.options);
    decoding->components = settings.components.number; /* the caller frees it in any case */
    if (!fine)
        return false;
    if (errors && settings.errors)
        *errors = settings.errors;
    decoding->options = settings.options;
    decoding->options.components = settings.components.number;
    decoding->options.component_count = settings.components.count;
    decoding->memory = kst_py_memory_of(decoding->context, (kst_memory)settings.memory);
    decoding->out = settings.out;
    decoding->stream = settings.stream;
    return read_stream(decoding);
}
