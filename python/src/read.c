/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads many ranges of open files in one call, during which other Python threads run. */
#include "kostka_python.h"

#include <errno.h>
#include <unistd.h>

struct place {
    int file;
    uint64_t offset;
    char *data;
    size_t length, done;
    int error; /* errno; 0: none */
};

static void read_place(struct place *place)
{
    while (place->done < place->length && !place->error) {
        ssize_t got = pread(
            place->file, place->data + place->done, place->length - place->done, (off_t)(place->offset + place->done));
        if (got == 0)
            return;
        if (got > 0)
            place->done += (size_t)got;
        else if (errno != EINTR)
            place->error = errno;
    }
}

/* Read (file, offset, length), and allocate the bytes. Returns null with an exception. */
static PyObject *prepare(PyObject *request, struct place *place)
{
    unsigned long long offset;
    Py_ssize_t length;
    if (!PyTuple_Check(request)) {
        PyErr_SetString(PyExc_TypeError, "a place is (file, offset, length)");
        return NULL;
    }
    if (!PyArg_ParseTuple(request, "iKn:read_places", &place->file, &offset, &length))
        return NULL;
    if (length < 0 || offset > INT64_MAX - (uint64_t)length)
        return PyErr_Format(PyExc_ValueError, "a place begins before the file, or ends behind 2^63");
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, length);
    place->offset = offset;
    place->length = (size_t)length;
    place->data = bytes ? PyBytes_AsString(bytes) : NULL;
    return bytes;
}

/* Return the exception of a range that could not be read. */
static PyObject *error_of(const struct place *place)
{
    if (place->error)
        return PyObject_CallFunction(PyExc_OSError, "is", place->error, strerror(place->error));
    return PyObject_CallFunction(
        PyExc_EOFError, "N", PyUnicode_FromFormat("the file ends %zu bytes too early", place->length - place->done));
}

/* Replace the bytes that are not complete by exceptions. */
static bool report(PyObject *list, const struct place *place)
{
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        if (place[i].done == place[i].length)
            continue;
        PyObject *error = error_of(&place[i]);
        if (!error || PyList_SetItem(list, i, error) < 0)
            return false;
    }
    return true;
}

/* Read all ranges; `place` has room for them. */
static PyObject *read_all(const struct sequence *requests, struct place *place)
{
    PyObject *list = PyList_New(requests->count);
    for (Py_ssize_t i = 0; list && i < requests->count; i++) {
        PyObject *bytes = prepare(requests->item[i], &place[i]);
        if (!bytes || PyList_SetItem(list, i, bytes) < 0)
            Py_CLEAR(list);
    }
    if (!list)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    for (Py_ssize_t i = 0; i < requests->count; i++)
        read_place(&place[i]);
    Py_END_ALLOW_THREADS;
    if (!report(list, place))
        Py_CLEAR(list);
    return list;
}

PyObject *kst_py_read_places(PyObject *module, PyObject *requests)
{
    struct sequence sequence;
    (void)module;
    if (!kst_py_sequence_read(&sequence, requests, "requests"))
        return NULL;
    PyObject *list = NULL;
    struct place *place = PyMem_Calloc((size_t)sequence.count + 1, sizeof *place);
    if (place)
        list = read_all(&sequence, place);
    else
        PyErr_NoMemory();
    kst_py_sequence_release(&sequence);
    PyMem_Free(place);
    return list;
}
