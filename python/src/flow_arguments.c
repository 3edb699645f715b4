/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the arguments of a flow. */
#include <stddef.h>
#include <stdlib.h>

#include "flow.h"

/* Holds the arguments as they were passed. */
struct settings {
    PyObject *decode, *resize, *encode, *memory;
    const char *filters, *devices, *errors;
    uint32_t threads, readers, batch;
    bool in_order, keep;
};

static const struct range threads = {0, 1024}, readers = {1, 1024}, batches = {1, 1024};

#define AT(member) offsetof(struct settings, member)

static const struct option table[] = {
    {"decode", kst_py_read_object, AT(decode), NULL, FOR_ALL},
    {"resize", kst_py_read_object, AT(resize), NULL, FOR_ALL},
    {"filters", kst_py_read_text, AT(filters), NULL, FOR_ALL},
    {"encode", kst_py_read_object, AT(encode), NULL, FOR_ALL},
    {"devices", kst_py_read_text, AT(devices), NULL, FOR_ALL},
    {"threads", kst_py_read_count, AT(threads), &threads, FOR_ALL},
    {"readers", kst_py_read_count, AT(readers), &readers, FOR_ALL},
    {"batch", kst_py_read_count, AT(batch), &batches, FOR_ALL},
    {"memory", kst_py_read_object, AT(memory), NULL, FOR_ALL},
    {"in_order", kst_py_read_flag, AT(in_order), NULL, FOR_ALL},
    {"keep", kst_py_read_flag, AT(keep), NULL, FOR_ALL},
    {"errors", kst_py_read_text, AT(errors), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/* Return the dictionary of options, or null after a TypeError. */
static PyObject *options_of(const char *name, PyObject *object)
{
    if (!object)
        return PyDict_New();
    if (PyDict_Check(object))
        return Py_NewRef(object);
    PyErr_Format(PyExc_TypeError, "%s is a dict of options, not %R", name, (PyObject *)Py_TYPE(object));
    return NULL;
}

/* Return what "device" memory means: OpenCL's if the first of the devices is one of OpenCL, otherwise CUDA's. */
static kst_memory device_memory(const char *devices)
{
    kst_device_info info = {.size = sizeof info};
    if (devices && strncmp(devices, "auto", 4) != 0 && strncmp(devices, "all", 3) != 0)
        return strncmp(devices, "opencl", 6) == 0 ? KST_MEMORY_OPENCL : KST_MEMORY_CUDA;
    return !kst_device_get(1, &info) && info.kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL : KST_MEMORY_CUDA;
}

static bool read_decode(struct flow *flow, PyObject *object)
{
    PyObject *options = options_of("decode", object), *args = PyTuple_Pack(1, Py_None), *data;
    bool fine = options && args && kst_py_decoding_read(&flow->decoding, args, options, &data, NULL);
    if (fine && (flow->decoding.out || flow->decoding.stream)) {
        PyErr_SetString(PyExc_ValueError, "a flow has no out and no stream: it makes the images");
        fine = false;
    }
    if (flow->decoding.memory == KST_MEMORY_CUDA)
        flow->decoding.memory = device_memory(flow->devices);
    Py_XDECREF(options);
    Py_XDECREF(args);
    return fine;
}

static bool read_encode(struct flow *flow, PyObject *object)
{
    PyObject *options = options_of("encode", object), *args = PyTuple_Pack(1, Py_None), *image;
    bool fine = options && args && kst_py_encoding_read(&flow->encoding, args, options, &image, NULL);
    if (fine && (flow->encoding.stream || flow->encoding.target.format || flow->encoding.target.depth)) {
        PyErr_SetString(PyExc_ValueError, "a flow encodes what it has decoded: no stream, format or depth");
        fine = false;
    }
    if (fine && flow->decoding.memory != KST_MEMORY_HOST) {
        PyErr_SetString(PyExc_ValueError, "memory is for images, and this flow gives bytes");
        fine = false;
    }
    Py_XDECREF(options);
    Py_XDECREF(args);
    return fine;
}

static bool read_resize(struct flow *flow, PyObject *object)
{
    if (!kst_py_resize_read(object, &flow->resize))
        return false;
    flow->options.resize = &flow->resize;
    return true;
}

/* Open a chain in a context of its own, since the flow's contexts do not exist yet; all of them may use the chain. */
static bool read_filters(struct flow *flow, const char *chain)
{
    kst_context_options options;
    kst_report report;
    kst_context_options_init(&options);
    kst_report_init(&report);
    options.device = "cpu";
    options.threads = 1;
    flow->stage.size = sizeof flow->stage;
    kst_status status = kst_context_create(&options, &flow->reader);
    if (!status)
        status = kst_filter_open(flow->reader, chain, &flow->filter, &report);
    if (!status)
        status = kst_filter_stage(flow->filter, &flow->stage);
    if (status)
        kst_py_raise(flow->state, status, &report);
    flow->options.stage = &flow->stage;
    return !status;
}

static bool read_memory(PyObject *object, uint64_t *memory)
{
    if (object)
        *memory = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred())
        return false;
    if (*memory == 0)
        PyErr_SetString(PyExc_ValueError, "memory is a number of bytes above 0");
    return *memory > 0;
}

bool kst_py_flow_read(struct flow *flow, PyObject *args, PyObject *keywords, PyObject **sources)
{
    kst_flow_options *options = &flow->options;
    kst_flow_options_init(options);
    struct settings settings = {
        .readers = options->readers, .batch = options->most, .in_order = true, .errors = "raise"};
    option_set given = 0;
    if (!kst_py_arguments("flow", "sources", args, keywords, sources, table, &settings, &given) ||
        !kst_py_errors(settings.errors, &flow->raise) || !read_memory(settings.memory, &options->memory))
        return false;
    flow->devices = settings.devices ? strdup(settings.devices) : NULL;
    if (!read_decode(flow, settings.decode) || (settings.resize && !read_resize(flow, settings.resize)) ||
        (settings.filters && !read_filters(flow, settings.filters)) ||
        (settings.encode && !read_encode(flow, settings.encode)))
        return false;
    if (settings.keep && !settings.encode) {
        PyErr_SetString(PyExc_ValueError, "keep is for streams that are encoded");
        return false;
    }
    options->work = settings.encode ? KST_FLOW_CONVERT : KST_FLOW_DECODE;
    options->devices = flow->devices;
    options->threads = settings.threads;
    options->readers = settings.readers;
    options->most = settings.batch;
    options->in_order = settings.in_order;
    options->keep = settings.keep;
    options->decode = &flow->decoding.options;
    options->encode = &flow->encoding.options;
    return true;
}
