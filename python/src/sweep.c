/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements plane sweeping, which finds depths from calibrated views, for images and arrays in host memory and on
 * devices.
 */
#include <stddef.h>

#include <kostka/kostka_filter.h>

#include "held.h"
#include "options.h"

enum { VIEWS = 32, RESULTS = 2, MATRIX = 9, SHIFT = 3 };

struct sweeping {
    struct state *state;
    struct context *context;
    PyObject *cameras;
    int format, measure;
    uint32_t reference, count;
    kst_sweep_options options;
    kst_camera camera[VIEWS];
    struct held held[VIEWS];
    struct storage made[RESULTS]; /* depths, and their confidence */
    kst_report report;
};

#define AT(member) offsetof(struct sweeping, member)

static const struct name measures[] = {{"ncc", KST_SWEEP_NCC}, {"sad", KST_SWEEP_SAD}, {NULL, 0}};
static const struct range view_range = {0, VIEWS - 1}, plane_range = {2, 256}, radius_range = {1, 4},
                          similar_range = {1, 255}, agreeing_range = {1, VIEWS - 1};

static const struct option table[] = {
    {"cameras", kst_py_read_object, AT(cameras), NULL, FOR_ALL},
    {"nearest", kst_py_read_positive, AT(options.nearest), NULL, FOR_ALL},
    {"farthest", kst_py_read_positive, AT(options.farthest), NULL, FOR_ALL},
    {"unit", kst_py_read_positive, AT(options.unit), NULL, FOR_ALL},
    {"reference", kst_py_read_count, AT(reference), &view_range, FOR_ALL},
    {"format", kst_py_read_word, AT(format), kst_py_formats, FOR_ALL},
    {"planes", kst_py_read_count, AT(options.planes), &plane_range, FOR_ALL},
    {"radius", kst_py_read_count, AT(options.radius), &radius_range, FOR_ALL},
    {"measure", kst_py_read_word, AT(measure), measures, FOR_ALL},
    {"similar", kst_py_read_count, AT(options.similar), &similar_range, FOR_ALL},
    {"agreeing", kst_py_read_count, AT(options.agreeing), &agreeing_range, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/*
 * Read `count` numbers from a sequence. If `outer` is true, its items may be sequences of numbers. Returns false with
 * an exception.
 */
static bool read_numbers(PyObject *object, double *to, int count, bool outer)
{
    PyObject *items = PySequence_Fast(object, "a camera is (k, r, t): 9, 9 and 3 numbers");
    int found = 0;
    bool fine = items != NULL;
    for (Py_ssize_t i = 0; fine && i < PySequence_Size(items); i++) {
        PyObject *item = PySequence_GetItem(items, i);
        Py_ssize_t within = outer && item && PySequence_Check(item) ? PySequence_Size(item) : 0;
        if (within > 0 && within <= count - found) {
            fine = read_numbers(item, to + found, (int)within, false);
            found += (int)within;
        } else if (item && within == 0 && found < count) {
            to[found] = PyFloat_AsDouble(item);
            fine = !(to[found++] == -1.0 && PyErr_Occurred());
        } else
            found = count + 1;
        Py_XDECREF(item);
    }
    Py_XDECREF(items);
    if (fine && found != count)
        PyErr_SetString(PyExc_ValueError, "a camera is (k, r, t): 9, 9 and 3 numbers");
    return fine && found == count;
}

static bool read_camera(PyObject *object, kst_camera *camera)
{
    static const struct {
        size_t at;
        int count;
    } parts[] = {
        {offsetof(kst_camera, k), MATRIX}, {offsetof(kst_camera, r), MATRIX}, {offsetof(kst_camera, t), SHIFT}};
    bool fine = object && PySequence_Check(object) && PySequence_Size(object) == SHIFT;
    if (object && !fine && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a camera is (k, r, t): 9, 9 and 3 numbers");
    for (int i = 0; fine && i < SHIFT; i++) {
        PyObject *part = PySequence_GetItem(object, i);
        fine = part && read_numbers(part, (double *)(void *)((char *)camera + parts[i].at), parts[i].count, true);
        Py_XDECREF(part);
    }
    return fine;
}

/* Hold all views, and read their cameras. Returns false with an exception. */
static bool hold_views(struct sweeping *s, PyObject *views)
{
    Py_ssize_t count = PySequence_Size(views);
    if (count < 0)
        return false;
    if (count < 2 || count > VIEWS || PySequence_Size(s->cameras) != count) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "sweep() takes 2 to 32 views, and as many cameras");
        return false;
    }
    for (; s->count < (uint32_t)count; s->count++) {
        PyObject *view = PySequence_GetItem(views, (Py_ssize_t)s->count);
        PyObject *camera = PySequence_GetItem(s->cameras, (Py_ssize_t)s->count);
        bool fine = view && camera && read_camera(camera, &s->camera[s->count]) &&
                    kst_py_hold(s->state, view, (kst_format)s->format, NULL, &s->held[s->count]);
        Py_XDECREF(view);
        Py_XDECREF(camera);
        if (!fine)
            return false;
    }
    return true;
}

/* Describe the results, in the same kind of memory as the reference, and allocate them. The GIL is not needed. */
static kst_status place(struct sweeping *s)
{
    const kst_image *like = &s->held[s->reference].image;
    kst_status status = KST_OK;
    for (int i = 0; i < RESULTS && !status; i++) {
        kst_image described;
        kst_image_init(&described);
        described.format = KST_FORMAT_GREY;
        described.colour = KST_COLOUR_GREY;
        described.width = like->width;
        described.height = like->height;
        described.plane_count = 1;
        described.plane[0] =
            (kst_plane){.width = described.width, .height = described.height, .depth = i == 0 ? 16 : 8};
        described.plane[0].pitch = (ptrdiff_t)described.width * (i == 0 ? 2 : 1);
        described.memory = like->memory;
        status = kst_py_storage_describe(&s->made[i], &described);
        bool on_host = described.memory == KST_MEMORY_HOST || described.memory == KST_MEMORY_PINNED;
        if (!status)
            status = on_host ? kst_py_storage_allocate(s->context, &s->made[i])
                             : kst_image_allocate(s->context->handle, &s->made[i].image);
    }
    return status;
}

/* Wait for the work on the views, and sweep. The GIL is not needed. */
static bool run(struct sweeping *s, kst_status *status)
{
    const kst_image *view[VIEWS];
    for (uint32_t i = 0; i < s->count; i++) {
        if (!kst_py_held_wait(&s->held[i]))
            return false;
        view[i] = &s->held[i].image;
    }
    *status = place(s);
    if (!*status)
        *status = kst_filter_sweep(s->context->handle, view, s->camera, s->count, s->reference, &s->options,
            &s->made[0].image, &s->made[1].image, &s->report);
    return true;
}

static PyObject *sweep_held(struct sweeping *s)
{
    kst_status status = KST_OK;
    bool waited;
    if (s->reference >= s->count) {
        PyErr_SetString(PyExc_ValueError, "the reference is the index of a view");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    waited = run(s, &status);
    Py_END_ALLOW_THREADS;
    if (!waited) {
        PyErr_SetString(PyExc_BufferError, "CUDA's driver cannot wait for the array's stream");
        return NULL;
    }
    if (status)
        return kst_py_raise(s->state, status, &s->report);
    PyObject *depth = kst_py_image_new(s->state, s->context, &s->made[0], &s->report);
    PyObject *confidence = depth ? kst_py_image_new(s->state, s->context, &s->made[1], &s->report) : NULL;
    PyObject *both = confidence ? PyTuple_Pack(RESULTS, depth, confidence) : NULL;
    Py_XDECREF(depth);
    Py_XDECREF(confidence);
    return both;
}

static PyObject *sweep_entered(struct sweeping *s, PyObject *views)
{
    PyObject *result = hold_views(s, views) ? sweep_held(s) : NULL;
    for (int i = 0; i < RESULTS && !result; i++)
        kst_py_storage_release(s->context, &s->made[i]);
    for (uint32_t i = 0; i < VIEWS; i++)
        kst_py_held_release(&s->held[i]);
    return result;
}

PyObject *kst_py_sweep(PyObject *self, PyObject *args, PyObject *keywords)
{
    PyObject *views, *result = NULL;
    option_set given = 0;
    struct sweeping *s = PyMem_Calloc(1, sizeof *s);
    if (!s)
        return PyErr_NoMemory();
    s->state = kst_py_state(self);
    s->context = (struct context *)self;
    kst_filter_sweep_options_init(&s->options);
    kst_image_init(&s->made[0].image);
    kst_image_init(&s->made[1].image);
    kst_report_init(&s->report);
    bool fine = kst_py_arguments("sweep", "views", args, keywords, &views, table, s, &given);
    if (fine && !s->cameras) {
        PyErr_SetString(PyExc_TypeError, "sweep() needs cameras, nearest and farthest");
        fine = false;
    }
    if (fine && kst_py_context_enter(s->context)) {
        s->options.measure = (kst_sweep_measure)s->measure;
        result = sweep_entered(s, views);
        kst_py_context_leave(s->context);
    }
    PyMem_Free(s);
    return result;
}
