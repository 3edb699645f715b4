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
    float scale, offset, error;
    bool ht;
    PyObject *region, *out;
};

/* Read a number that fits single precision. */
static bool read_number(const struct option *option, PyObject *value, void *to)
{
    const double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred())
        return false;
    if (!(number >= -3e38 && number <= 3e38)) {
        PyErr_Format(PyExc_ValueError, "%s: %R is not a number of single precision", option->name, value);
        return false;
    }
    *(float *)to = (float)number;
    return true;
}

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
    {"scale", read_number, AT(scale), NULL, FOR_ALL},
    {"offset", read_number, AT(offset), NULL, FOR_ALL},
    {"error", read_number, AT(error), NULL, FOR_ALL},
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

/* The types of samples: the letter of struct's native formats for each size and sign. */
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

/* Describe a volume to encode: one of integers, or of single precision. Returns false with an exception. */
static bool describe_volume(const Py_buffer *buffer, const struct settings *settings, kst_volume *volume)
{
    Py_buffer words = *buffer;
    const char *format =
        buffer->format && (buffer->format[0] == '@' || buffer->format[0] == '=') ? buffer->format + 1 : buffer->format;
    const bool numbers = format && format[0] == 'f' && format[1] == '\0';
    char integers[] = "i";
    if (numbers)
        words.format = integers;
    if (!describe_buffer(&words, "volume", volume))
        return false;
    if (numbers && settings->bits == 0) {
        PyErr_SetString(PyExc_ValueError, "bits: of the integers that samples of single precision are coded as");
        return false;
    }
    if (settings->bits > volume->bits) {
        PyErr_Format(
            PyExc_ValueError, "bits: samples of %d bits have no %u", (int)volume->bits, (unsigned)settings->bits);
        return false;
    }
    if (settings->bits > 0)
        volume->bits = (uint8_t)settings->bits;
    if (numbers)
        volume->sample = KST_SAMPLE_FLOAT32;
    return true;
}

static bool read_encoding(const char *function, const char *first, PyObject *args, PyObject *keywords,
    PyObject **object, struct settings *settings)
{
    option_set given = 0;
    kst_volume_options_init(&settings->encode);
    settings->jpeg2000.options = settings->encode.jpeg2000;
    settings->z_levels = settings->encode.z_levels;
    settings->scale = 1;
    if (!kst_py_arguments(function, first, args, keywords, object, encode_table, settings, &given) ||
        !kst_py_jpeg2000_finish(&settings->jpeg2000))
        return false;
    settings->encode.jpeg2000 = settings->jpeg2000.options;
    settings->encode.z_levels = settings->z_levels;
    settings->encode.scale = settings->scale;
    settings->encode.offset = settings->offset;
    settings->encode.error = settings->error;
    if (settings->ht)
        settings->encode.jpeg2000.style |= KST_J2K_HT;
    return true;
}

/* Holds volumes that are encoded together. */
struct batch {
    Py_ssize_t count;
    Py_buffer *buffer;
    kst_volume *volume;
    kst_volume_encode_item *item;
};

static void release_batch(struct batch *batch, kst_context *context)
{
    for (Py_ssize_t i = 0; i < batch->count && batch->buffer && batch->item; i++) {
        if (batch->buffer[i].obj)
            PyBuffer_Release(&batch->buffer[i]);
        kst_buffer_release(context, &batch->item[i].output);
    }
    PyMem_Free(batch->buffer);
    PyMem_Free(batch->volume);
    PyMem_Free(batch->item);
}

/* Describe all volumes. Returns false with an exception. */
static bool fill_batch(struct batch *batch, PyObject *const *objects, const struct settings *settings)
{
    const size_t count = batch->count > 0 ? (size_t)batch->count : 1;
    batch->buffer = PyMem_Calloc(count, sizeof *batch->buffer);
    batch->volume = PyMem_Calloc(count, sizeof *batch->volume);
    batch->item = PyMem_Calloc(count, sizeof *batch->item);
    if (!batch->buffer || !batch->volume || !batch->item) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < batch->count; i++) {
        if (PyObject_GetBuffer(objects[i], &batch->buffer[i], PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) < 0 ||
            !describe_volume(&batch->buffer[i], settings, &batch->volume[i]))
            return false;
        batch->item[i] = (kst_volume_encode_item){.volume = &batch->volume[i], .options = &settings->encode};
    }
    return true;
}

/* Return the coded bytes of a volume; null with an exception. */
static PyObject *bytes_of(struct state *state, const kst_volume_encode_item *item)
{
    if (!item->report.status)
        return PyBytes_FromStringAndSize((const char *)item->output.data, (Py_ssize_t)item->output.length);
    kst_py_throw(kst_py_encode_error(state, item->report.status, &item->report));
    return NULL;
}

static PyObject *list_of(struct state *state, const struct batch *batch)
{
    PyObject *list = PyList_New(batch->count);
    for (Py_ssize_t i = 0; list && i < batch->count; i++) {
        PyObject *one = bytes_of(state, &batch->item[i]);
        if (!one && batch->item[i].report.status)
            kst_py_error_index(i);
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Encode volumes to a list of bytes objects or, if `single` is true, one volume to bytes. */
static PyObject *encode(
    PyObject *self, PyObject *const *objects, Py_ssize_t count, bool single, const struct settings *settings)
{
    struct context *context = (struct context *)self;
    struct batch batch = {.count = count};
    PyObject *result = NULL;
    if (!kst_py_context_enter(context))
        return NULL;
    if (fill_batch(&batch, objects, settings)) {
        Py_BEGIN_ALLOW_THREADS;
        kst_encode_volumes(context->handle, batch.item, (size_t)count);
        Py_END_ALLOW_THREADS;
        result = single ? bytes_of(kst_py_state(self), batch.item) : list_of(kst_py_state(self), &batch);
    }
    release_batch(&batch, context->handle);
    kst_py_context_leave(context);
    return result;
}

PyObject *kst_py_encode_volume(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct settings settings = {.ht = false};
    PyObject *object, *bytes = NULL;
    if (read_encoding("encode_volume", "volume", args, keywords, &object, &settings))
        bytes = encode(self, &object, 1, true, &settings);
    kst_py_jpeg2000_end(&settings.jpeg2000);
    return bytes;
}

PyObject *kst_py_encode_volumes(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct settings settings = {.ht = false};
    struct sequence sequence = {.item = NULL};
    PyObject *object, *list = NULL;
    if (read_encoding("encode_volumes", "volumes", args, keywords, &object, &settings) &&
        kst_py_sequence_read(&sequence, object, "volumes"))
        list = encode(self, sequence.item, sequence.count, false, &settings);
    kst_py_sequence_release(&sequence);
    kst_py_jpeg2000_end(&settings.jpeg2000);
    return list;
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

/* Make a memoryview of three dimensions, of newly allocated bytes, for a described volume. */
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

/* Check that an array has the size and type of a volume, and use it as the volume's memory. */
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
