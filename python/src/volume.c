/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes arrays of three dimensions as volumes, on the host or a device, and encodes them. */
#include "volume.h"

#include <stddef.h>

#include "encoding.h"

/* Holds the arguments as they were passed. */
struct settings {
    kst_volume_options encode;
    struct jpeg2000 jpeg2000;
    uint32_t z_levels, bits;
    float scale, offset, error;
    bool ht;
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

static const struct range levels = {0, 32}, layers = {1, 1024}, depths = {1, 28};
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

/* Return the distance in bytes of two neighbours along an axis of an array; if there is one alone, `usual`. */
static Py_ssize_t pitch_of(const struct view *view, int axis, Py_ssize_t usual)
{
    return view->shape[axis] > 1 ? view->stride[axis] : usual;
}

bool kst_py_volume_describe(const struct view *view, const char *what, kst_volume *volume)
{
    const Py_ssize_t bytes = view->bits / 8, *shape = view->shape;
    kst_volume_init(volume);
    bool fine = view->dimensions == 3 && !(view->is_float && view->bits == 16);
    for (int i = 0; fine && i < 3; i++)
        fine = shape[i] >= 1 && shape[i] <= INT32_MAX;
    if (!fine) {
        PyErr_Format(PyExc_TypeError,
            "%s is an array of three dimensions (z, y, x), each at least 1 long, of 8, 16 or 32 bit integers or single "
            "precision",
            what);
        return false;
    }
    const Py_ssize_t pitch = pitch_of(view, 1, shape[2] * bytes), slice = pitch_of(view, 0, pitch * shape[1]);
    if (pitch_of(view, 2, bytes) != bytes || pitch <= 0 || slice <= 0) {
        PyErr_Format(PyExc_ValueError, "%s has samples of a row that are not adjacent, or rows in reverse", what);
        return false;
    }
    volume->data = view->data;
    volume->offset = view->offset;
    volume->memory = view->memory;
    volume->pitch = (size_t)pitch;
    volume->slice_pitch = (size_t)slice;
    volume->depth = (uint32_t)shape[0];
    volume->height = (uint32_t)shape[1];
    volume->width = (uint32_t)shape[2];
    volume->bits = (uint8_t)view->bits;
    volume->is_signed = view->is_signed || view->is_float;
    volume->sample = view->is_float ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
    return true;
}

/* Describe a volume to encode. Returns false with an exception. */
static bool describe_volume(const struct view *view, const struct settings *settings, kst_volume *volume)
{
    if (!kst_py_volume_describe(view, "volume", volume))
        return false;
    if (view->is_float && settings->bits == 0) {
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
    return true;
}

bool kst_py_volume_hold(struct state *state, PyObject *object, bool writable, struct array *array)
{
    bool is_image, fine;
    if (!kst_py_array_hold(state, array, object, writable, NULL, &is_image))
        return false;
    if (is_image || Py_TYPE(object) == state->volume || array->view.memory != KST_MEMORY_CUDA)
        return true;
    Py_BEGIN_ALLOW_THREADS;
    fine = kst_py_cuda_wait(array->view.ordinal, NULL, false);
    Py_END_ALLOW_THREADS;
    if (!fine)
        PyErr_SetString(PyExc_BufferError, "CUDA's driver cannot wait for the array's stream");
    return fine;
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
    struct array *array;
    kst_volume *volume;
    kst_volume_encode_item *item;
};

static void release_batch(struct batch *batch, kst_context *context)
{
    for (Py_ssize_t i = 0; i < batch->count && batch->array && batch->item; i++) {
        kst_py_array_release(&batch->array[i]);
        kst_buffer_release(context, &batch->item[i].output);
    }
    PyMem_Free(batch->array);
    PyMem_Free(batch->volume);
    PyMem_Free(batch->item);
}

/* Describe all volumes. Returns false with an exception. */
static bool fill_batch(
    struct state *state, struct batch *batch, PyObject *const *objects, const struct settings *settings)
{
    const size_t count = batch->count > 0 ? (size_t)batch->count : 1;
    batch->array = PyMem_Calloc(count, sizeof *batch->array);
    batch->volume = PyMem_Calloc(count, sizeof *batch->volume);
    batch->item = PyMem_Calloc(count, sizeof *batch->item);
    if (!batch->array || !batch->volume || !batch->item) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < batch->count; i++) {
        if (!kst_py_volume_hold(state, objects[i], false, &batch->array[i]) ||
            !describe_volume(&batch->array[i].view, settings, &batch->volume[i]))
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
    if (fill_batch(kst_py_state(self), &batch, objects, settings)) {
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
