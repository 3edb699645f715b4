/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements encoding, of one picture and of a batch. */
#include "encoding.h"

static bool allocate(struct encoding *encoding)
{
    size_t count = (size_t)encoding->count;
    encoding->array = PyMem_Calloc(count, sizeof *encoding->array);
    encoding->image = PyMem_Calloc(count, sizeof *encoding->image);
    encoding->more = PyMem_Calloc(count, sizeof *encoding->more);
    encoding->is_image = PyMem_Calloc(count, sizeof *encoding->is_image);
    if (encoding->array && encoding->image && encoding->more && encoding->is_image)
        encoding->item = PyMem_Calloc(count, sizeof *encoding->item);
    if (!encoding->item)
        PyErr_NoMemory();
    return encoding->item != NULL;
}

/* Choose the depth: an image of this package states that of its samples. */
static bool choose_depth(const kst_image *image, struct target *target)
{
    uint32_t depth = image->plane[0].depth ? image->plane[0].depth : 8;
    if (target->depth && target->depth != depth) {
        PyErr_Format(PyExc_ValueError, "depth is %u; the image's samples have %u bits that count",
            (unsigned)target->depth, (unsigned)depth);
        return false;
    }
    target->depth = target->codec == KST_CODEC_JPEG2000 ? depth : 0;
    return true;
}

/* Hold the object. An image of this package is used as it is, unless another format is wanted. */
static bool hold(struct encoding *encoding, Py_ssize_t index, PyObject *object)
{
    struct array *array = &encoding->array[index];
    kst_image *image = &encoding->image[index];
    struct target target = encoding->target;
    if (!kst_py_array_hold(encoding->state, array, object, false, encoding->stream, &encoding->is_image[index]))
        return false;
    encoding->item[index] = (kst_encode_item){.image = image, .options = &encoding->options};
    if (encoding->is_image[index]) {
        const kst_image *from = &((struct image *)object)->storage.image;
        if (!choose_depth(from, &target))
            return false;
        *image = *from;
        if (target.format == KST_FORMAT_AUTO || target.format == from->format)
            return true;
    }
    return kst_py_view_describe(&array->view, &target, image, &encoding->more[index]) &&
           kst_py_view_bind(&array->view, image, encoding->more[index]);
}

/* Wait until no stream writes to the arrays any more: the library assumes that their samples are complete. */
static bool wait_for_makers(const struct encoding *encoding)
{
    bool fine = true;
    for (Py_ssize_t i = 0; i < encoding->count && fine; i++)
        if (encoding->array[i].view.memory == KST_MEMORY_CUDA && !encoding->is_image[i])
            fine = kst_py_cuda_wait(encoding->array[i].view.ordinal, encoding->handle, false);
    return fine;
}

/* Encode. A single image gets all threads. */
static void run(struct encoding *encoding)
{
    kst_context *context = encoding->context->handle;
    kst_encode_item *item = encoding->item;
    if (encoding->count != 1) {
        kst_encode_batch(context, item, (size_t)encoding->count);
        return;
    }
    kst_report_init(&item->report);
    kst_encode(context, item->image, item->options, &item->output, &item->report);
}

static bool encode(struct encoding *encoding, PyObject *const *objects)
{
    bool fine;
    if (!allocate(encoding))
        return false;
    for (Py_ssize_t i = 0; i < encoding->count; i++)
        if (!hold(encoding, i, objects[i])) {
            if (encoding->is_batch)
                kst_py_error_index(i);
            return false;
        }
    Py_BEGIN_ALLOW_THREADS;
    fine = wait_for_makers(encoding);
    if (fine)
        run(encoding);
    Py_END_ALLOW_THREADS;
    if (!fine)
        PyErr_SetString(PyExc_BufferError, "CUDA's driver cannot wait for the array's stream");
    return fine;
}

static PyObject *result_of(const struct encoding *encoding, Py_ssize_t index, bool raise)
{
    const kst_encode_item *item = &encoding->item[index];
    if (item->report.status) {
        PyObject *error = kst_py_encode_error(encoding->state, item->report.status, &item->report);
        return raise ? kst_py_throw(error) : error;
    }
    return PyBytes_FromStringAndSize((const char *)item->output.data, (Py_ssize_t)item->output.length);
}

PyObject *kst_py_encode(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct encoding encoding = {.state = kst_py_state(self), .context = (struct context *)self, .count = 1};
    PyObject *image, *bytes = NULL;
    bool fine = kst_py_encoding_read(&encoding, args, keywords, &image, NULL);
    if (fine && kst_py_context_enter(encoding.context)) {
        if (encode(&encoding, &image))
            bytes = result_of(&encoding, 0, true);
        kst_py_encoding_end(&encoding);
        kst_py_context_leave(encoding.context);
        return bytes;
    }
    kst_py_encoding_end(&encoding);
    return NULL;
}

static PyObject *encode_all(struct encoding *encoding, const struct sequence *images, bool raise)
{
    encoding->count = images->count;
    PyObject *list = encode(encoding, images->item) ? PyList_New(images->count) : NULL;
    for (Py_ssize_t i = 0; list && i < images->count; i++) {
        PyObject *one = result_of(encoding, i, raise);
        if (!one && encoding->item[i].report.status)
            kst_py_error_index(i);
        if (!one || PyList_SetItem(list, i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *kst_py_encode_batch(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct encoding encoding = {.state = kst_py_state(self), .context = (struct context *)self, .is_batch = true};
    struct sequence sequence = {.item = NULL};
    PyObject *images, *list = NULL;
    const char *errors = "raise";
    bool raise, entered;
    bool fine = kst_py_encoding_read(&encoding, args, keywords, &images, &errors) && kst_py_errors(errors, &raise) &&
                kst_py_sequence_read(&sequence, images, "images");
    entered = fine && kst_py_context_enter(encoding.context);
    if (entered)
        list = encode_all(&encoding, &sequence, raise);
    kst_py_encoding_end(&encoding);
    if (entered)
        kst_py_context_leave(encoding.context);
    kst_py_sequence_release(&sequence);
    return list;
}
