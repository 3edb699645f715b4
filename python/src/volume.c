/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements encoding and decoding of volumes, from and to buffers of three dimensions in host memory. */
#include <kostka/kostka_volume.h>
#include <stddef.h>

#include "encoding.h"

/* Holds the arguments of both directions as they were passed. */
struct settings {
    kst_volume_options encode;
    struct jpeg2000 jpeg2000;
    kst_volume_decode_options decode;
    uint32_t z_levels, bits;
    bool ht;
    PyObject *region, *out;
};

static const struct range levels = {0, 32}, layers = {1, 1024}, most_layers = {0, 65535}, depths = {1, 28};
static const kst_j2k_target rate = KST_J2K_RATE, ratio = KST_J2K_RATIO, psnr = KST_J2K_PSNR, step = KST_J2K_STEP;

#define AT(member) offsetof(struct settings, member)
#define J2K(member) offsetof(struct settings, jpeg2000.options.member)

static const struct option encode_table[] = {
    {"bits", kst_py_read_count, AT(bits), &depths, FOR_ALL},
    {"z_levels", kst_py_read_count, AT(z_levels), &levels, FOR_ALL},
    {"lossless", kst_py_read_lossless, AT(jpeg2000), NULL, FOR_ALL},
    {"rate", kst_py_read_target, AT(jpeg2000), &rate, FOR_ALL},
    {"ratio", kst_py_read_target, AT(jpeg2000), &ratio, FOR_ALL},
    {"psnr", kst_py_read_target, AT(jpeg2000), &psnr, FOR_ALL},
    {"step", kst_py_read_target, AT(jpeg2000), &step, FOR_ALL},
    {"layers", kst_py_read_count, J2K(layers), &layers, FOR_ALL},
    {"levels", kst_py_read_count, J2K(levels), &levels, FOR_ALL},
    {"reversible", kst_py_read_flag, J2K(reversible), NULL, FOR_ALL},
    {"codeblock", kst_py_read_size, J2K(block_width), NULL, FOR_ALL},
    {"ht", kst_py_read_flag, AT(ht), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

static const struct option decode_table[] = {
    {"reduce", kst_py_read_count, AT(decode.reduce), &levels, FOR_ALL},
    {"reduce_z", kst_py_read_count, AT(decode.reduce_z), &levels, FOR_ALL},
    {"layers", kst_py_read_count, AT(decode.layers), &most_layers, FOR_ALL},
    {"strict", kst_py_read_flag, AT(decode.strict), NULL, FOR_ALL},
    {"region", kst_py_read_object, AT(region), NULL, FOR_ALL},
    {"out", kst_py_read_object, AT(out), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/* The types of samples: a letter of struct's native formats, by their size and sign. */
static const struct {
    char letter;
    uint8_t bits;
    bool is_signed;
} types[] = {{'B', 8, false}, {'b', 8, true}, {'H', 16, false}, {'h', 16, true}, {'I', 32, false}, {'i', 32, true},
    {'L', 32, false}, {'l', 32, true}};

/* Describe the samples of a buffer. Returns false with an exception. */
static bool describe_buffer(const Py_buffer *buffer, const char *what, kst_volume *volume)
{
    const char *format = buffer->format ? buffer->format : "B";
    kst_volume_init(volume);
    if (format[0] == '@' || format[0] == '=')
        format++;
    for (size_t i = 0; i < sizeof types / sizeof *types && buffer->ndim == 3; i++)
        if (format[0] == types[i].letter && format[1] == '\0' && buffer->itemsize == types[i].bits / 8) {
            volume->bits = types[i].bits;
            volume->is_signed = types[i].is_signed;
        }
    for (int i = 0; i < buffer->ndim && i < 3; i++)
        if (buffer->shape[i] < 1 || buffer->shape[i] > INT32_MAX)
            volume->bits = 0;
    if (volume->bits == 0) {
        PyErr_Format(PyExc_TypeError,
            "%s is an array of three dimensions (z, y, x) of 8, 16 or 32 bit integers in the machine's byte order, "
            "each at least 1 long",
            what);
        return false;
    }
    volume->data = buffer->buf;
    volume->depth = (uint32_t)buffer->shape[0];
    volume->height = (uint32_t)buffer->shape[1];
    volume->width = (uint32_t)buffer->shape[2];
    return true;
}

static bool read_encoding(PyObject *args, PyObject *keywords, PyObject **object, struct settings *settings,
    Py_buffer *buffer, kst_volume *volume)
{
    option_set given = 0;
    kst_volume_options_init(&settings->encode);
    settings->jpeg2000.options = settings->encode.jpeg2000;
    settings->z_levels = settings->encode.z_levels;
    if (!kst_py_arguments("encode_volume", "volume", args, keywords, object, encode_table, settings, &given) ||
        !kst_py_jpeg2000_finish(&settings->jpeg2000) ||
        PyObject_GetBuffer(*object, buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0 ||
        !describe_buffer(buffer, "volume", volume))
        return false;
    if (settings->bits > volume->bits) {
        PyErr_Format(
            PyExc_ValueError, "bits: samples of %d bits have no %u", (int)volume->bits, (unsigned)settings->bits);
        return false;
    }
    if (settings->bits > 0)
        volume->bits = (uint8_t)settings->bits;
    settings->encode.jpeg2000 = settings->jpeg2000.options;
    settings->encode.z_levels = settings->z_levels;
    if (settings->ht)
        settings->encode.jpeg2000.style |= KST_J2K_HT;
    return true;
}

static PyObject *encode(
    struct state *state, struct context *context, const kst_volume *volume, const struct settings *settings)
{
    kst_buffer output = {.data = NULL};
    PyObject *bytes = NULL;
    kst_report report;
    kst_status status;
    kst_report_init(&report);
    Py_BEGIN_ALLOW_THREADS;
    status = kst_encode_volume(context->handle, volume, &settings->encode, &output, &report);
    Py_END_ALLOW_THREADS;
    if (status)
        kst_py_throw(kst_py_encode_error(state, status, &report));
    else
        bytes = PyBytes_FromStringAndSize((const char *)output.data, (Py_ssize_t)output.length);
    kst_buffer_release(context->handle, &output);
    return bytes;
}

PyObject *kst_py_encode_volume(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct context *context = (struct context *)self;
    struct settings settings = {.ht = false};
    Py_buffer buffer = {.obj = NULL};
    PyObject *object, *bytes = NULL;
    kst_volume volume;
    if (!kst_py_context_enter(context))
        return NULL;
    if (read_encoding(args, keywords, &object, &settings, &buffer, &volume))
        bytes = encode(kst_py_state(self), context, &volume, &settings);
    if (buffer.obj)
        PyBuffer_Release(&buffer);
    kst_py_jpeg2000_end(&settings.jpeg2000);
    kst_py_context_leave(context);
    return bytes;
}

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

/* Make a memoryview of three dimensions of bytes that nobody else has, for a volume that is described. */
static PyObject *make_view(const kst_volume *volume)
{
    const Py_ssize_t size = volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
    char format[] = "B";
    for (size_t i = 0; i < 6; i++)
        if (types[i].bits == 8 * size && types[i].is_signed == volume->is_signed)
            format[0] = types[i].letter;
    PyObject *bytes = PyByteArray_FromStringAndSize(
        NULL, size * (Py_ssize_t)volume->width * (Py_ssize_t)volume->height * (Py_ssize_t)volume->depth);
    PyObject *flat = bytes ? PyMemoryView_FromObject(bytes) : NULL;
    PyObject *view = flat ? PyObject_CallMethod(flat, "cast", "s(III)", format, (unsigned)volume->depth,
                                (unsigned)volume->height, (unsigned)volume->width)
                          : NULL;
    Py_XDECREF(flat);
    Py_XDECREF(bytes);
    return view;
}

/* Check that an array has the size and the type of a volume, and let the volume lie in it. */
static bool bind(const Py_buffer *buffer, kst_volume *volume)
{
    kst_volume there;
    const uint8_t bytes = volume->bits > 16 ? 32 : volume->bits > 8 ? 16 : 8;
    if (!describe_buffer(buffer, "out", &there))
        return false;
    if (there.depth != volume->depth || there.height != volume->height || there.width != volume->width ||
        there.bits != bytes || there.is_signed != volume->is_signed) {
        PyErr_Format(PyExc_ValueError, "out is not (%u, %u, %u) samples of %d bits %s signs", (unsigned)volume->depth,
            (unsigned)volume->height, (unsigned)volume->width, (int)bytes, volume->is_signed ? "with" : "without");
        return false;
    }
    volume->data = there.data;
    return true;
}

static PyObject *decode(
    struct state *state, struct context *context, const struct source *source, const struct settings *settings)
{
    Py_buffer buffer = {.obj = NULL};
    kst_volume volume;
    kst_report report;
    kst_volume_init(&volume);
    kst_report_init(&report);
    kst_status status =
        kst_describe_volume(context->handle, source->data, source->length, &settings->decode, &volume, NULL, &report);
    if (status)
        return kst_py_raise(state, status, &report);
    PyObject *view = settings->out ? Py_NewRef(settings->out) : make_view(&volume);
    if (!view || PyObject_GetBuffer(view, &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0 ||
        !bind(&buffer, &volume)) {
        if (buffer.obj)
            PyBuffer_Release(&buffer);
        Py_XDECREF(view);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = kst_decode_volume(context->handle, source->data, source->length, &settings->decode, &volume, &report);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&buffer);
    if (!status)
        return view;
    Py_DECREF(view);
    return kst_py_raise(state, status, &report);
}

PyObject *kst_py_decode_volume(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct context *context = (struct context *)self;
    struct state *state = kst_py_state(self);
    struct settings settings = {.ht = false};
    struct source source = {.data = NULL};
    PyObject *data, *view = NULL;
    option_set given = 0;
    if (!kst_py_context_enter(context))
        return NULL;
    kst_volume_decode_options_init(&settings.decode);
    if (kst_py_arguments("decode_volume", "data", args, keywords, &data, decode_table, &settings, &given) &&
        read_region(settings.region, &settings.decode.region) &&
        kst_py_source_open(state, &source, data, context->memory_limit))
        view = decode(state, context, &source, &settings);
    kst_py_source_release(&source);
    kst_py_context_leave(context);
    return view;
}
