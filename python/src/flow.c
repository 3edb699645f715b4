/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kostka.Flow: an iterator over the results of many streams. */
#include "flow.h"

#include <stdlib.h>
#include <unistd.h>

/* Wait for the next result. kst_py_flow_forget() must release its item. Returns false at the end. */
static bool take(struct flow *self, kst_flow_item *item)
{
    bool came;
    Py_BEGIN_ALLOW_THREADS;
    came = kst_flow_take(self->handle, item);
    Py_END_ALLOW_THREADS;
    return came;
}

/* Cancel the flow, drop the results that nobody took, and end its threads, which may need the GIL until then. */
static void end(struct flow *self)
{
    kst_flow *handle = self->handle;
    kst_flow_item item;
    if (!handle)
        return;
    kst_flow_cancel(handle);
    while (take(self, &item)) {
        kst_flow_release(handle, &item);
        kst_py_flow_forget(&item);
    }
    self->handle = NULL;
    Py_BEGIN_ALLOW_THREADS;
    kst_flow_end(&handle);
    Py_END_ALLOW_THREADS;
}

/* In a child of fork() nothing is ended: the child does not have the threads of its parent's flows. */
static void flow_dealloc(PyObject *object)
{
    struct flow *self = (struct flow *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject *error_type, *error, *traceback;
    PyErr_Fetch(&error_type, &error, &traceback);
    if (self->process == getpid())
        end(self);
    Py_XDECREF(self->iterator);
    for (int i = 0; i < 3; i++)
        Py_XDECREF(self->error[i]);
    kst_filter_close(&self->filter);
    kst_context_destroy(&self->reader);
    kst_py_encoding_end(&self->encoding);
    PyMem_Free(self->decoding.components);
    free(self->devices);
    PyErr_Restore(error_type, error, traceback);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static bool start(struct flow *self)
{
    kst_status status;
    self->options.next = kst_py_flow_next;
    self->options.user = self;
    Py_BEGIN_ALLOW_THREADS;
    status = kst_flow_start(&self->options, &self->handle);
    Py_END_ALLOW_THREADS;
    if (status)
        kst_py_raise(self->state, status, NULL);
    return !status;
}

PyObject *kst_py_flow(PyObject *module, PyObject *args, PyObject *keywords)
{
    struct state *state = PyModule_GetState(module);
    allocfunc allocate = (allocfunc)PyType_GetSlot(state->flow, Py_tp_alloc);
    struct flow *self = (struct flow *)allocate(state->flow, 0);
    PyObject *sources;
    if (!self)
        return NULL;
    self->state = state;
    self->process = getpid();
    bool fine = kst_py_flow_read(self, args, keywords, &sources);
    self->iterator = fine ? PyObject_GetIter(sources) : NULL;
    if (!self->iterator || !start(self))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static const kst_device_info *look_at(struct flow *self, kst_context *handle)
{
    size_t i = 0;
    while (i < self->known_count && self->known[i].handle != handle)
        i++;
    if (i == self->known_count && i + 1 < FLOW_CONTEXTS)
        self->known_count++;
    if (self->known[i].handle != handle) {
        self->known[i].handle = handle;
        self->known[i].info.size = sizeof self->known[i].info;
        kst_context_device(handle, &self->known[i].info);
    }
    return &self->known[i].info;
}

/* Make the image of a result, which keeps the flow alive and with it the library's context. */
static PyObject *image_of(struct flow *self, const kst_flow_item *item)
{
    struct storage storage = {.array = {.has_buffer = false}};
    struct context *context =
        kst_py_context_borrow(self->state, item->context, look_at(self, item->context), (PyObject *)self);
    if (!context)
        return NULL;
    kst_status status = kst_py_storage_describe(&storage, &item->image);
    PyObject *image = status ? kst_py_raise(self->state, status, NULL)
                             : kst_py_image_new(self->state, context, &storage, &item->report);
    Py_DECREF((PyObject *)context);
    return image;
}

/*
 * Return what the caller receives for an item. *made becomes whether an image has taken ownership of the item's memory.
 */
static PyObject *result_of(struct flow *self, const kst_flow_item *item, bool *made)
{
    *made = false;
    if (item->report.status) {
        PyObject *error = self->options.work == KST_FLOW_CONVERT
                              ? kst_py_encode_error(self->state, item->report.status, &item->report)
                              : kst_py_error(self->state, item->report.status, &item->report);
        return self->raise ? kst_py_throw(error) : error;
    }
    if (self->options.work == KST_FLOW_CONVERT)
        return PyBytes_FromStringAndSize((const char *)item->output.data, (Py_ssize_t)item->output.length);
    *made = true;
    return image_of(self, item);
}

/* Pair a result with its source's index, if results come in another order than their sources. */
static PyObject *number(const struct flow *self, const kst_flow_item *item, PyObject *result)
{
    if (!result || self->options.in_order)
        return result;
    return Py_BuildValue("(KN)", (unsigned long long)item->index, result);
}

/* End the iteration after the last result, with the source's exception if it ended with one. */
static PyObject *finish(struct flow *self)
{
    PyErr_Restore(self->error[0], self->error[1], self->error[2]);
    self->error[0] = self->error[1] = self->error[2] = NULL;
    return NULL;
}

static bool check(const struct flow *self)
{
    if (self->process != getpid())
        PyErr_SetString(PyExc_RuntimeError, "the flow is another process's");
    else if (self->is_waiting)
        PyErr_SetString(PyExc_RuntimeError, "another thread waits for the flow");
    return !PyErr_Occurred();
}

static PyObject *flow_next(PyObject *object)
{
    struct flow *self = (struct flow *)object;
    kst_flow_item item;
    bool made;
    if (!check(self))
        return NULL;
    self->is_waiting = true;
    bool came = self->handle && take(self, &item);
    self->is_waiting = false;
    if (!came)
        return finish(self);
    PyObject *result = result_of(self, &item, &made);
    if (!made)
        kst_flow_release(self->handle, &item);
    kst_py_flow_forget(&item);
    if (!result && item.report.status)
        kst_py_error_index((Py_ssize_t)item.index);
    return number(self, &item, result);
}

static PyObject *flow_close(PyObject *object, PyObject *unused)
{
    struct flow *self = (struct flow *)object;
    (void)unused;
    if (!check(self))
        return NULL;
    if (self->handle)
        kst_flow_cancel(self->handle);
    kst_flow_item item;
    while (self->handle && take(self, &item)) {
        kst_flow_release(self->handle, &item);
        kst_py_flow_forget(&item);
    }
    return Py_NewRef(Py_None);
}

static PyObject *flow_counts(PyObject *object, PyObject *unused)
{
    struct flow *self = (struct flow *)object;
    kst_flow_counts counts = {.size = sizeof counts};
    (void)unused;
    if (!check(self))
        return NULL;
    kst_flow_count(self->handle, &counts);
    return Py_BuildValue("{s:K,s:K,s:K,s:K}", "items", (unsigned long long)counts.items, "done",
        (unsigned long long)counts.done, "failed", (unsigned long long)counts.failed, "moved",
        (unsigned long long)counts.moved);
}

PyDoc_STRVAR(flow_doc, "The results of flow(), in the order of its sources unless in_order=False.");
PyDoc_STRVAR(close_doc, "close($self)\n--\n\nTake no more streams, and drop the results that are still to come.");
PyDoc_STRVAR(counts_doc, "counts($self)\n--\n\nHow many streams came, are done, have failed, and were moved from a "
                         "device that failed to another, as a dict.");

static PyMethodDef methods[] = {{"close", flow_close, METH_NOARGS, close_doc},
    {"counts", flow_counts, METH_NOARGS, counts_doc}, {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc, (void *)flow_doc}, {Py_tp_dealloc, flow_dealloc},
    {Py_tp_iter, PyObject_SelfIter}, {Py_tp_iternext, flow_next}, {Py_tp_methods, methods}, {0, NULL}};

PyType_Spec kst_py_flow_spec = {
    "kostka._kostka.Flow", sizeof(struct flow), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
