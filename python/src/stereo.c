/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements stereo matching for images and arrays in host memory and on devices. */
#include <stddef.h>

#include <kostka/kostka_filter.h>

#include "held.h"
#include "options.h"

enum { PAIR = 2 };

struct matching {
    struct state *state;
    struct context *context;
    PyObject *right;
    int format, tolerance;
    kst_stereo_options options;
    struct held held[PAIR];
    struct storage made[PAIR]; /* disparities, and their confidence */
    kst_report report;
};

#define AT(member) offsetof(struct matching, member)

static const struct range byte_range = {0, 255}, count_range = {2, 256}, path_range = {4, 8}, cent_range = {0, 99};

static const struct option table[] = {
    {"right", kst_py_read_object, AT(right), NULL, FOR_ALL},
    {"format", kst_py_read_word, AT(format), kst_py_formats, FOR_ALL},
    {"disparities", kst_py_read_count, AT(options.disparities), &count_range, FOR_ALL},
    {"least", kst_py_read_count, AT(options.least), &byte_range, FOR_ALL},
    {"paths", kst_py_read_count, AT(options.paths), &path_range, FOR_ALL},
    {"p1", kst_py_read_count, AT(options.p1), &byte_range, FOR_ALL},
    {"p2", kst_py_read_count, AT(options.p2), &byte_range, FOR_ALL},
    {"uniqueness", kst_py_read_count, AT(options.uniqueness), &cent_range, FOR_ALL},
    {"tolerance", kst_py_read_int, AT(tolerance), NULL, FOR_ALL},
    {NULL, NULL, 0, NULL, 0},
};

/* Describe the results, in the same kind of memory as the left image, and allocate them. The GIL is not needed. */
static kst_status place(struct matching *m)
{
    kst_status status = KST_OK;
    for (int i = 0; i < PAIR && !status; i++) {
        kst_image described;
        kst_image_init(&described);
        described.format = KST_FORMAT_GREY;
        described.colour = KST_COLOUR_GREY;
        described.width = m->held[0].image.width;
        described.height = m->held[0].image.height;
        described.plane_count = 1;
        described.plane[0] =
            (kst_plane){.width = described.width, .height = described.height, .depth = i == 0 ? 16 : 8};
        described.plane[0].pitch = (ptrdiff_t)described.width * (i == 0 ? 2 : 1);
        described.memory = m->held[0].image.memory;
        status = kst_py_storage_describe(&m->made[i], &described);
        bool on_host = described.memory == KST_MEMORY_HOST || described.memory == KST_MEMORY_PINNED;
        if (!status)
            status = on_host ? kst_py_storage_allocate(m->context, &m->made[i])
                             : kst_image_allocate(m->context->handle, &m->made[i].image);
    }
    return status;
}

static PyObject *match_held(struct matching *m)
{
    kst_status status = KST_OK;
    bool waited;
    Py_BEGIN_ALLOW_THREADS;
    waited = kst_py_held_wait(&m->held[0]) && kst_py_held_wait(&m->held[1]);
    if (waited)
        status = place(m);
    if (waited && !status)
        status = kst_filter_stereo(m->context->handle, &m->held[0].image, &m->held[1].image, &m->options,
            &m->made[0].image, &m->made[1].image, &m->report);
    Py_END_ALLOW_THREADS;
    if (!waited) {
        PyErr_SetString(PyExc_BufferError, "CUDA's driver cannot wait for the array's stream");
        return NULL;
    }
    if (status)
        return kst_py_raise(m->state, status, &m->report);
    PyObject *disparity = kst_py_image_new(m->state, m->context, &m->made[0], &m->report);
    PyObject *confidence = disparity ? kst_py_image_new(m->state, m->context, &m->made[1], &m->report) : NULL;
    PyObject *both = confidence ? PyTuple_Pack(PAIR, disparity, confidence) : NULL;
    Py_XDECREF(disparity);
    Py_XDECREF(confidence);
    return both;
}

PyObject *kst_py_stereo(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct matching m = {.state = kst_py_state(self), .context = (struct context *)self};
    PyObject *left, *result = NULL;
    option_set given = 0;
    kst_filter_stereo_options_init(&m.options);
    m.tolerance = m.options.tolerance;
    if (!kst_py_arguments("stereo", "left", args, keywords, &left, table, &m, &given))
        return NULL;
    if (!m.right) {
        PyErr_SetString(PyExc_TypeError, "stereo() needs a right image, too");
        return NULL;
    }
    if (!kst_py_context_enter(m.context))
        return NULL;
    m.options.tolerance = m.tolerance;
    kst_image_init(&m.made[0].image);
    kst_image_init(&m.made[1].image);
    kst_report_init(&m.report);
    if (kst_py_hold(m.state, left, (kst_format)m.format, NULL, &m.held[0]) &&
        kst_py_hold(m.state, m.right, (kst_format)m.format, NULL, &m.held[1]))
        result = match_held(&m);
    for (int i = 0; i < PAIR; i++) {
        if (!result)
            kst_py_storage_release(m.context, &m.made[i]);
        kst_py_held_release(&m.held[i]);
    }
    kst_py_context_leave(m.context);
    return result;
}
