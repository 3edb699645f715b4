/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads coded bytes from memory, from a file by its path, or from an object with read(). */
#include "kostka_python.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 1 << 20 };

/* Holds the bytes of a file, and the reason for which reading ended. */
struct bytes {
    uint8_t *data;
    size_t length;
    int error;       /* errno; 0: no error */
    bool is_too_big; /* longer than the limit, or out of memory */
};

static bool grow(struct bytes *bytes, size_t room)
{
    uint8_t *data = realloc(bytes->data, room);
    bytes->is_too_big = data == NULL;
    if (data)
        bytes->data = data;
    return data != NULL;
}

/*
 * Read an open file to its end. A regular file gets room for one byte more than its length, so that its end is found
 * without another allocation.
 */
static void read_all(int file, uint64_t limit, struct bytes *bytes)
{
    struct stat about;
    size_t room = STEP;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        if ((uint64_t)about.st_size > limit) {
            bytes->is_too_big = true;
            return;
        }
        room = (size_t)about.st_size + 1;
    }
    if (!grow(bytes, room))
        return;
    for (;;) {
        ssize_t got = read(file, bytes->data + bytes->length, room - bytes->length);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            bytes->error = got < 0 ? errno : 0;
            return;
        }
        bytes->length += got > 0 ? (size_t)got : 0;
        bytes->is_too_big = bytes->length > limit;
        if (bytes->is_too_big)
            return;
        if (bytes->length == room && !grow(bytes, room *= 2))
            return;
    }
}

static void read_path(const char *path, uint64_t limit, struct bytes *bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        bytes->error = errno;
        return;
    }
    read_all(file, limit, bytes);
    close(file);
}

static bool open_path(struct state *state, struct source *source, PyObject *path, uint64_t limit)
{
    PyObject *name = NULL;
    struct bytes bytes = {.data = NULL};
    if (!PyUnicode_FSConverter(path, &name))
        return false;
    const char *text = PyBytes_AsString(name);
    Py_BEGIN_ALLOW_THREADS;
    read_path(text, limit, &bytes);
    Py_END_ALLOW_THREADS;
    Py_DECREF(name);
    source->owned = bytes.data;
    source->data = bytes.data;
    source->length = bytes.length;
    if (bytes.error) {
        errno = bytes.error;
        PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
    } else if (bytes.is_too_big) {
        kst_py_raise(state, KST_ERROR_LIMIT_MEMORY, NULL);
    }
    return !PyErr_Occurred();
}

static bool open_buffer(struct source *source, PyObject *object)
{
    if (PyObject_GetBuffer(object, &source->buffer, PyBUF_SIMPLE) < 0)
        return false;
    source->has_buffer = true;
    source->data = source->buffer.buf;
    source->length = (size_t)source->buffer.len;
    return true;
}

static bool open_file(struct source *source, PyObject *object)
{
    PyObject *method = kst_py_attribute(object, "read");
    PyObject *bytes = method ? PyObject_CallNoArgs(method) : NULL;
    bool fine = bytes != NULL;
    if (fine && !PyObject_CheckBuffer(bytes)) {
        PyErr_Format(PyExc_TypeError, "read() gave %R, not bytes: the file must be open in binary mode",
            (PyObject *)Py_TYPE(bytes));
        fine = false;
    }
    fine = fine && open_buffer(source, bytes); /* the buffer keeps the bytes */
    Py_XDECREF(method);
    Py_XDECREF(bytes);
    return fine;
}

/* Return whether the object has the attribute. Leaves no exception. */
static bool has(PyObject *object, const char *name)
{
    PyObject *found = kst_py_attribute(object, name);
    PyErr_Clear();
    Py_XDECREF(found);
    return found != NULL;
}

bool kst_py_source_open(struct state *state, struct source *source, PyObject *object, uint64_t limit)
{
    *source = (struct source){.data = NULL};
    if (PyObject_CheckBuffer(object))
        return open_buffer(source, object);
    if (PyUnicode_Check(object) || has(object, "__fspath__"))
        return open_path(state, source, object, limit);
    if (has(object, "read"))
        return open_file(source, object);
    PyErr_Format(PyExc_TypeError,
        "%R holds no stream: neither bytes or another buffer, nor a path, nor a file object with read()",
        (PyObject *)Py_TYPE(object));
    return false;
}

void kst_py_source_release(struct source *source)
{
    if (source->has_buffer)
        PyBuffer_Release(&source->buffer);
    free(source->owned);
    *source = (struct source){.data = NULL};
}
