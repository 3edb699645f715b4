/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the part of each picture that a loader takes: a random one, as in training, or the middle. Random numbers
 * depend on the seed and the picture's number alone.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "decoding.h"
#include "options.h"

enum { TRIES = 10 };

struct cropping {
    struct context *context;
    kst_decode_options decode;
    uint32_t size[2];
    uint32_t shorter; /* as if the shorter side were resized to this length before the middle is taken */
    int crop;
    double scale[2], ratio[2], flip; /* ranges of area and aspect ratio; the probability of mirroring */
    PyObject *scales, *ratios, *flips, *seed, *first;
    uint64_t seeds, number;
};

struct crop {
    kst_status status;
    kst_report *report; /* of a failure, from malloc(); or null */
    kst_resize_box box; /* all 0: the whole picture */
    bool mirror;
};

enum { CROP_NONE, CROP_CENTER, CROP_RANDOM };
static const struct name crops[] = {{"none", CROP_NONE}, {"center", CROP_CENTER}, {"random", CROP_RANDOM}, {NULL, 0}};
static const struct range lengths = {0, INT32_MAX};

#define AT(member) offsetof(struct cropping, member)

static const struct option table[] = {
    {"size", kst_py_read_size, AT(size), NULL, FOR_ALL},
    {"crop", kst_py_read_word, AT(crop), crops, FOR_ALL},
    {"shorter", kst_py_read_count, AT(shorter), &lengths, FOR_ALL},
    {"scale", kst_py_read_object, AT(scales), NULL, FOR_ALL},
    {"ratio", kst_py_read_object, AT(ratios), NULL, FOR_ALL},
    {"flip", kst_py_read_object, AT(flips), NULL, FOR_ALL},
    {"seed", kst_py_read_object, AT(seed), NULL, FOR_ALL},
    {"first", kst_py_read_object, AT(first), NULL, FOR_ALL},
    {"orient", kst_py_read_flag, AT(decode.orient), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/* ── Random numbers: SplitMix64 ── */

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Return a number from 0 up to, but not including, 1. */
static double unit(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

static double within(uint64_t *state, double low, double high)
{
    return low + (high - low) * unit(state);
}

/* ── Boxes, from the width and height of a picture ── */

static kst_resize_box box_at(double x, double y, double width, double height)
{
    return (kst_resize_box){x, y, x + width, y + height};
}

/* Return the largest box in the middle whose aspect ratio is within the range. */
static kst_resize_box fallback(const struct cropping *c, double width, double height)
{
    double w = width, h = height;
    if (width / height < c->ratio[0])
        h = fmin(height, fmax(1, rint(width / c->ratio[0])));
    else if (width / height > c->ratio[1])
        w = fmin(width, fmax(1, rint(height * c->ratio[1])));
    return box_at(floor((width - w) / 2), floor((height - h) / 2), w, h);
}

/*
 * Choose a part of whole pixels whose share of the area is uniform within a range, and whose aspect ratio is uniform in
 * its logarithm.
 */
static kst_resize_box random_box(const struct cropping *c, double width, double height, uint64_t *state)
{
    for (int i = 0; i < TRIES; i++) {
        double area = width * height * within(state, c->scale[0], c->scale[1]);
        double ratio = exp(within(state, log(c->ratio[0]), log(c->ratio[1])));
        double w = rint(sqrt(area * ratio)), h = rint(sqrt(area / ratio));
        if (w < 1 || h < 1 || w > width || h > height)
            continue;
        double x = floor(within(state, 0, width - w + 1)), y = floor(within(state, 0, height - h + 1));
        return box_at(fmin(x, width - w), fmin(y, height - h), w, h);
    }
    return fallback(c, width, height);
}

/* Return the box in the middle that becomes `size` if the shorter side of the picture is resized to `shorter`. */
static kst_resize_box center_box(const struct cropping *c, double width, double height)
{
    double scale = fmin(width, height) / c->shorter; /* pixels of the picture for each pixel of the result */
    double w = fmin(width, c->size[0] * scale), h = fmin(height, c->size[1] * scale);
    return box_at((width - w) / 2, (height - h) / 2, w, h);
}

static void choose(const struct cropping *c, double width, double height, uint64_t number, struct crop *crop)
{
    uint64_t state = c->seeds;
    state = next(&state) + number * UINT64_C(0xD1342543DE82EF95);
    state = next(&state);
    if (c->crop == CROP_RANDOM)
        crop->box = random_box(c, width, height, &state);
    else if (c->crop == CROP_CENTER && c->shorter > 0)
        crop->box = center_box(c, width, height);
    crop->mirror = unit(&state) < c->flip;
}

/* Keep a copy of a failure's report, if there is memory for it. */
static void keep_report(struct crop *crop, const kst_report *report)
{
    crop->report = malloc(sizeof *crop->report);
    if (crop->report)
        *crop->report = *report;
}

/* Choose for a single stream, which reports why it cannot be opened. */
static void choose_alone(const struct cropping *c, const struct source *source, uint64_t number, struct crop *crop)
{
    kst_decoder *decoder = NULL;
    kst_image image;
    kst_image_init(&image);
    crop->status = kst_decoder_create(c->context->handle, &decoder);
    if (crop->status)
        return;
    crop->status = kst_decoder_open(decoder, source->data, source->length);
    if (!crop->status)
        crop->status = kst_decoder_describe(decoder, &c->decode, &image);
    if (crop->status)
        keep_report(crop, kst_decoder_report(decoder));
    else
        choose(c, image.width, image.height, number, crop);
    kst_decoder_destroy(&decoder);
}

/* Describe the streams' pictures together. Returns false if there is no memory for that. */
static bool describe_all(
    const struct cropping *c, const struct source *source, size_t count, kst_decode_item *item, kst_image *image)
{
    for (size_t i = 0; item && image && i < count; i++)
        item[i] = (kst_decode_item){
            .data = source[i].data, .length = source[i].length, .options = &c->decode, .image = &image[i]};
    if (item && image)
        kst_decode_describe_batch(c->context->handle, item, count);
    return item && image;
}

/* Choose for all streams. The GIL is not needed. */
static void choose_all(const struct cropping *c, const struct source *source, Py_ssize_t count, struct crop *crop)
{
    kst_decode_item *item = calloc((size_t)count + 1, sizeof *item);
    kst_image *image = calloc((size_t)count + 1, sizeof *image);
    bool described = describe_all(c, source, (size_t)count, item, image);
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t number = c->number + (uint64_t)i;
        if (described && !item[i].report.status)
            choose(c, image[i].width, image[i].height, number, &crop[i]);
        else
            choose_alone(c, &source[i], number, &crop[i]);
    }
    free(item);
    free(image);
}

/* ── Arguments and results ── */

/* Read two positive numbers in ascending order. */
static bool read_pair(PyObject *object, const char *what, double pair[2])
{
    if (!object)
        return true;
    PyObject *tuple = PySequence_Check(object) ? PySequence_Tuple(object) : NULL;
    if (!tuple || PyTuple_Size(tuple) != 2) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, "%s is a pair of numbers, not %R", what, object);
        Py_XDECREF(tuple);
        return false;
    }
    bool fine = kst_py_positive(PyTuple_GetItem(tuple, 0), what, &pair[0]) &&
                kst_py_positive(PyTuple_GetItem(tuple, 1), what, &pair[1]);
    Py_DECREF(tuple);
    if (fine && pair[0] > pair[1])
        PyErr_Format(PyExc_ValueError, "%s is %R: the first number is the greater one", what, object);
    return fine && !PyErr_Occurred();
}

static bool read_probability(PyObject *object, double *flip)
{
    *flip = object ? PyFloat_AsDouble(object) : 0;
    if (!PyErr_Occurred() && !(*flip >= 0 && *flip <= 1))
        PyErr_Format(PyExc_ValueError, "flip is %R, not a probability from 0 to 1", object);
    return !PyErr_Occurred();
}

static bool read_number(PyObject *object, uint64_t *number)
{
    *number = object ? PyLong_AsUnsignedLongLongMask(object) : 0;
    return !PyErr_Occurred();
}

static bool read_options(struct cropping *c, PyObject *args, PyObject *keywords, PyObject **data)
{
    option_set given = 0;
    kst_decode_options_init(&c->decode);
    c->scale[0] = 0.08;
    c->scale[1] = 1;
    c->ratio[0] = 3.0 / 4;
    c->ratio[1] = 4.0 / 3;
    if (!kst_py_arguments("_crops", "data", args, keywords, data, table, c, &given) ||
        !read_pair(c->scales, "scale", c->scale) || !read_pair(c->ratios, "ratio", c->ratio) ||
        !read_probability(c->flips, &c->flip) || !read_number(c->seed, &c->seeds) || !read_number(c->first, &c->number))
        return false;
    if (c->scale[1] > 1)
        PyErr_Format(PyExc_ValueError, "scale is %R: a part has at most the whole area, 1", c->scales);
    return !PyErr_Occurred();
}

static PyObject *box_of(const kst_resize_box *box)
{
    const double edges[] = {box->left, box->top, box->right, box->bottom};
    if (box->right == 0)
        return Py_NewRef(Py_None);
    PyObject *tuple = PyTuple_New(4);
    for (Py_ssize_t i = 0; tuple && i < 4; i++) {
        PyObject *edge = PyFloat_FromDouble(edges[i]);
        if (!edge || PyTuple_SetItem(tuple, i, edge) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static bool add_error(struct state *state, PyObject *errors, Py_ssize_t index, const struct crop *crop)
{
    PyObject *error = kst_py_error(state, crop->status, crop->report), *number = PyLong_FromSsize_t(index);
    bool fine = error && number && PyDict_SetItem(errors, number, error) == 0;
    Py_XDECREF(error);
    Py_XDECREF(number);
    return fine;
}

/* Return lists of the boxes and of whether pictures are mirrored, and a dictionary of errors. */
static PyObject *results_of(struct state *state, const struct crop *crop, Py_ssize_t count)
{
    PyObject *boxes = PyList_New(count), *mirror = PyList_New(count), *errors = PyDict_New(), *result = NULL;
    bool fine = boxes && mirror && errors;
    for (Py_ssize_t i = 0; fine && i < count; i++) {
        PyObject *box = box_of(&crop[i].box);
        PyList_SetItem(mirror, i, Py_NewRef(crop[i].mirror ? Py_True : Py_False));
        fine = box && PyList_SetItem(boxes, i, box) == 0 && (!crop[i].status || add_error(state, errors, i, &crop[i]));
    }
    if (fine)
        result = PyTuple_Pack(3, boxes, mirror, errors);
    Py_XDECREF(boxes);
    Py_XDECREF(mirror);
    Py_XDECREF(errors);
    return result;
}

static PyObject *crop_all(struct state *state, const struct cropping *c, const struct sequence *data)
{
    struct source *source = PyMem_Calloc((size_t)data->count + 1, sizeof *source);
    struct crop *crop = PyMem_Calloc((size_t)data->count + 1, sizeof *crop);
    PyObject *result = source && crop ? NULL : PyErr_NoMemory();
    Py_ssize_t opened = 0;
    while (source && crop && opened < data->count) {
        if (!kst_py_source_open(state, &source[opened], data->item[opened], c->context->memory_limit)) {
            kst_py_source_release(&source[opened]);
            kst_py_error_index(opened);
            break;
        }
        opened++;
    }
    if (source && crop && opened == data->count) {
        Py_BEGIN_ALLOW_THREADS;
        choose_all(c, source, data->count, crop);
        Py_END_ALLOW_THREADS;
        result = results_of(state, crop, data->count);
    }
    for (Py_ssize_t i = 0; i < opened; i++)
        kst_py_source_release(&source[i]);
    for (Py_ssize_t i = 0; crop && i < data->count; i++)
        free(crop[i].report);
    PyMem_Free(source);
    PyMem_Free(crop);
    return result;
}

PyObject *kst_py_crops(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct cropping c = {.context = (struct context *)self};
    struct sequence sequence = {.item = NULL};
    PyObject *data, *result = NULL;
    if (!kst_py_context_enter(c.context))
        return NULL;
    if (read_options(&c, args, keywords, &data) && kst_py_sequence_read(&sequence, data, "data"))
        result = crop_all(kst_py_state(self), &c, &sequence);
    kst_py_sequence_release(&sequence);
    kst_py_context_leave(c.context);
    return result;
}
