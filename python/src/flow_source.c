/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the streams of a Python iterator to a flow. */
#include <stdlib.h>

#include "flow.h"

/* Holds what an item borrows from: a buffer, or a path as bytes. */
struct given {
    Py_buffer buffer;
    bool has_buffer;
    PyObject *path;
};

static bool take_buffer(struct given *given, PyObject *object, kst_flow_item *item)
{
    if (PyObject_GetBuffer(object, &given->buffer, PyBUF_SIMPLE) < 0)
        return false;
    given->has_buffer = true;
    item->data = given->buffer.buf;
    item->length = (size_t)given->buffer.len;
    return true;
}

static bool take(struct given *given, PyObject *object, kst_flow_item *item)
{
    if (PyObject_CheckBuffer(object))
        return take_buffer(given, object, item);
    PyObject *attribute = PyUnicode_Check(object) ? Py_NewRef(object) : kst_py_attribute(object, "__fspath__");
    PyErr_Clear();
    if (!attribute) {
        PyErr_Format(PyExc_TypeError, "%R holds no stream: a flow takes bytes or another buffer, and paths",
            (PyObject *)Py_TYPE(object));
        return false;
    }
    Py_DECREF(attribute);
    if (!PyUnicode_FSConverter(object, &given->path))
        return false;
    item->path = PyBytes_AsString(given->path);
    return true;
}

void kst_py_flow_forget(kst_flow_item *item)
{
    struct given *given = item->user;
    if (!given)
        return;
    if (given->has_buffer)
        PyBuffer_Release(&given->buffer);
    Py_XDECREF(given->path);
    free(given);
    item->user = NULL;
}

/* Get the next item of the iterator. Returns false at its end, or with an exception. */
static bool advance(struct flow *flow, kst_flow_item *item)
{
    PyObject *object = flow->iterator ? PyIter_Next(flow->iterator) : NULL;
    if (!object)
        return false;
    struct given *given = calloc(1, sizeof *given);
    item->user = given;
    item->image.memory = flow->decoding.memory;
    bool fine = given && take(given, object, item);
    if (!given)
        PyErr_NoMemory();
    if (!fine)
        kst_py_flow_forget(item);
    Py_DECREF(object);
    return fine;
}

bool kst_py_flow_next(void *user, kst_flow_item *item)
{
    struct flow *flow = user;
    PyGILState_STATE state = PyGILState_Ensure();
    bool more = advance(flow, item);
    if (!more) {
        PyErr_Fetch(&flow->error[0], &flow->error[1], &flow->error[2]);
        Py_CLEAR(flow->iterator);
    }
    PyGILState_Release(state);
    return more;
}
