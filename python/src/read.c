/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the members of many groups of archives in one call, during which other Python threads run, and makes columns of
 * their contents.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "groups.h"
#include "part.h"

enum {
    DIGITS = 18,         /* numbers of so many digits fit into 64 bits */
    ALIGNMENT = 64,      /* of pictures in a block */
    SHARED = 1 << 20,    /* the longest picture that lies in a block beside others */
    BLOCK_MOST = 1 << 28 /* the longest block */
};

/* Holds a member that is read. */
struct range {
    int file;
    bool is_wanted; /* whether the group has it */
    bool is_short;  /* whether its bytes go to `digits` */
    bool is_shared; /* whether they go to the block, `in_block` bytes behind its beginning */
    size_t in_block;
    uint64_t offset;
    char *data;
    size_t length, done;
    int error;       /* errno; 0: none */
    PyObject *bytes; /* has the memory of `data`; null: it is none of its own */
    char digits[DIGITS];
};

/* Holds the arguments, the ranges, and the columns that become of them. */
struct reading {
    struct state *state;
    struct context *context;
    struct sequence items;
    PyObject *names; /* of the members beside the picture; the label, if there is one, is the first */
    int has_label;
    PyObject *limit;     /* as the caller has set it, for messages */
    Py_ssize_t most;     /* the same as a number of bytes */
    PyObject *parse;     /* a function of a name and bytes. It returns the value, or an exception */
    size_t count;        /* of names */
    bool *is_number;     /* for each name, whether it is that of whole numbers */
    struct range *range; /* for each item that of the picture, then those of the others */
    struct block *block; /* of pictures that are not long */
    size_t block_length;
    PyObject *keys, *data, *labels, *columns, *failures, *others;
};

/* ── Reading. The GIL is not needed. ── */

static void read_range(struct range *range)
{
    while (range->done < range->length && !range->error) {
        ssize_t got = pread(
            range->file, range->data + range->done, range->length - range->done, (off_t)(range->offset + range->done));
        if (got == 0)
            return;
        if (got > 0)
            range->done += (size_t)got;
        else if (errno != EINTR)
            range->error = errno;
    }
}

/* ── Before reading ── */

/*
 * Keep the exception that says what is wrong with an item, and take ownership of it. Returns false if it could not be
 * made or kept, with the exception that says why.
 */
static bool keep_failure(struct reading *r, Py_ssize_t index, PyObject *error)
{
    PyObject *number = error ? PyLong_FromSsize_t(index) : NULL;
    bool fine = number && PyDict_SetItem(r->failures, number, error) == 0;
    Py_XDECREF(number);
    Py_XDECREF(error);
    return fine;
}

static PyObject *too_long(const struct reading *r, const struct group *group, PyObject *name, uint64_t size)
{
    PyObject *key = kst_py_group_key(group);
    PyObject *text = key ? PyUnicode_FromFormat("%U.%S: %llu bytes, more than the limit of %S", key, name,
                               (unsigned long long)size, r->limit)
                         : NULL;
    Py_XDECREF(key);
    return text ? PyObject_CallFunction(PyExc_ValueError, "N", text) : NULL;
}

/* Give a member a bytes object of its own. */
static bool make_bytes(struct range *range)
{
    range->bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)range->length);
    range->data = range->bytes ? PyBytes_AsString(range->bytes) : NULL;
    return range->bytes != NULL;
}

static void describe(struct range *range, const struct archive *archive, const struct place *place)
{
    range->file = archive->file;
    range->offset = place->offset;
    range->length = (size_t)place->size;
    range->is_wanted = true;
}

/* Prepare to read a picture. It gets a place in the block, unless it is long. */
static bool prepare_picture(struct reading *r, struct range *range)
{
    const size_t room = (range->length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    range->is_shared = range->length > 0 && range->length <= SHARED && r->block_length + room <= BLOCK_MOST;
    if (!range->is_shared)
        return make_bytes(range);
    range->in_block = r->block_length;
    r->block_length += room;
    return true;
}

/* Prepare to read another member; short numbers need no bytes object. */
static bool prepare_member(struct range *range, bool is_number)
{
    range->is_short = is_number && range->length <= DIGITS;
    range->data = range->digits;
    return range->is_short || make_bytes(range);
}

/* Prepare to read the members of an item. Returns false with an exception. */
static bool prepare_item(struct reading *r, Py_ssize_t index, const struct group *group)
{
    const struct archive *archive = group->archive;
    const struct place *place = &archive->place[group->index * (1 + archive->names)];
    struct range *range = &r->range[(size_t)index * (1 + r->count)];
    for (size_t i = 0; i <= r->count; i++) {
        PyObject *name = i > 0 ? PyTuple_GetItem(r->names, (Py_ssize_t)i - 1)
                               : PyTuple_GetItem(archive->pictures, archive->entry[group->index].picture);
        if (place[i].offset > 0 && (r->most < 0 || place[i].size > (size_t)r->most))
            return keep_failure(r, index, too_long(r, group, name, place[i].size));
    }
    for (size_t i = 0; i <= r->count; i++) {
        if (place[i].offset == 0)
            continue;
        describe(&range[i], archive, &place[i]);
        if (i == 0 ? !prepare_picture(r, range) : !prepare_member(&range[i], r->is_number[i - 1]))
            return false;
    }
    return true;
}

static bool add_other(struct reading *r, Py_ssize_t index)
{
    PyObject *number = PyLong_FromSsize_t(index);
    bool fine = number && PyList_Append(r->others, number) == 0;
    Py_XDECREF(number);
    return fine;
}

static bool prepare_all(struct reading *r)
{
    bool fine = true;
    for (Py_ssize_t i = 0; fine && i < r->items.count; i++) {
        PyObject *item = r->items.item[i];
        const struct group *group = (struct group *)item;
        if (Py_TYPE(item) != r->state->group) {
            fine = add_other(r, i);
        } else if (group->archive->names != r->count) {
            PyErr_SetString(PyExc_ValueError, "the group was found with other names");
            fine = false;
        } else {
            fine = prepare_item(r, i, group);
        }
    }
    return fine;
}

/* Place the pictures in a block. If there is no memory for it, each gets bytes of its own. */
static bool place_pictures(struct reading *r)
{
    bool fine = true;
    if (r->block_length > 0)
        r->block = kst_py_block_take(r->context, r->block_length);
    for (Py_ssize_t i = 0; fine && i < r->items.count; i++) {
        struct range *range = &r->range[(size_t)i * (1 + r->count)];
        if (!range->is_shared)
            continue;
        range->is_shared = r->block != NULL;
        if (range->is_shared)
            range->data = r->block->data + range->in_block;
        else
            fine = make_bytes(range);
    }
    return fine;
}

/* ── After reading ── */

/* Return the exception of a member that could not be read. */
static PyObject *error_of(const struct range *range)
{
    if (range->error)
        return PyObject_CallFunction(PyExc_OSError, "is", range->error, strerror(range->error));
    return PyObject_CallFunction(
        PyExc_EOFError, "N", PyUnicode_FromFormat("the file ends %zu bytes too early", range->length - range->done));
}

/* Read a number of digits alone. Returns false for any other text, which int() may take. */
static bool read_digits(const struct range *range, long long *number)
{
    *number = 0;
    for (size_t i = 0; i < range->length; i++) {
        if (range->digits[i] < '0' || range->digits[i] > '9')
            return false;
        *number = *number * 10 + (range->digits[i] - '0');
    }
    return range->length > 0;
}

/* Return the value of a member, or the exception that says why it has none; null with an exception that ends the call.
 */
static PyObject *value_of(const struct reading *r, const struct range *range, PyObject *name)
{
    long long number;
    if (range->done < range->length)
        return error_of(range);
    if (range->is_short && read_digits(range, &number))
        return PyLong_FromLongLong(number);
    PyObject *bytes =
        range->is_short ? PyBytes_FromStringAndSize(range->data, (Py_ssize_t)range->length) : Py_NewRef(range->bytes);
    PyObject *value = bytes ? PyObject_CallFunctionObjArgs(r->parse, name, bytes, NULL) : NULL;
    Py_XDECREF(bytes);
    return value;
}

static PyObject *column_of(const struct reading *r, size_t name)
{
    if (r->has_label)
        return name == 0 ? r->labels : PyList_GetItem(r->columns, (Py_ssize_t)name - 1);
    return PyList_GetItem(r->columns, (Py_ssize_t)name);
}

/* Put an item's picture and values into the columns, or an exception to the failures. */
static bool finish_item(struct reading *r, Py_ssize_t index, const struct group *group)
{
    struct range *range = &r->range[(size_t)index * (1 + r->count)];
    if (range->done < range->length)
        return keep_failure(r, index, error_of(range));
    PyList_SetItem(r->labels, index, Py_NewRef(group->archive->number));
    for (size_t i = 0; i < r->count; i++) {
        if (!range[1 + i].is_wanted)
            continue;
        PyObject *value = value_of(r, &range[1 + i], PyTuple_GetItem(r->names, (Py_ssize_t)i));
        if (!value || PyExceptionInstance_Check(value))
            return keep_failure(r, index, value);
        PyList_SetItem(column_of(r, i), index, value);
    }
    PyObject *key = kst_py_group_key(group);
    if (!key || PyList_SetItem(r->keys, index, key) < 0)
        return false;
    PyObject *data =
        range->is_shared ? kst_py_part_new(r->state, r->block, range->data, range->length) : Py_NewRef(range->bytes);
    return data && PyList_SetItem(r->data, index, data) == 0;
}

static bool finish_all(struct reading *r)
{
    bool fine = true;
    for (Py_ssize_t i = 0; fine && i < r->items.count; i++)
        if (r->range[(size_t)i * (1 + r->count)].is_wanted)
            fine = finish_item(r, i, (struct group *)r->items.item[i]);
    return fine;
}

/* ── Arguments and results ── */

/* Return a list of `count` times the same object. */
static PyObject *list_of(PyObject *object, Py_ssize_t count)
{
    PyObject *list = object ? PyList_New(count) : NULL;
    for (Py_ssize_t i = 0; list && i < count; i++)
        PyList_SetItem(list, i, Py_NewRef(object));
    return list;
}

static bool make_columns(struct reading *r)
{
    PyObject *empty = PyBytes_FromStringAndSize(NULL, 0);
    Py_ssize_t columns = (Py_ssize_t)r->count - r->has_label;
    r->data = list_of(empty, r->items.count);
    Py_XDECREF(empty);
    r->keys = list_of(Py_None, r->items.count);
    r->labels = list_of(Py_None, r->items.count);
    r->columns = PyList_New(columns);
    r->failures = PyDict_New();
    r->others = PyList_New(0);
    bool fine = r->keys && r->data && r->labels && r->columns && r->failures && r->others;
    for (Py_ssize_t i = 0; fine && i < columns; i++) {
        PyObject *column = list_of(Py_None, r->items.count);
        fine = column && PyList_SetItem(r->columns, i, column) == 0;
    }
    return fine;
}

/* Find out which names, such as "cls" and "a.cls", are those of whole numbers. */
static bool find_numbers(struct reading *r)
{
    PyObject *end = PyUnicode_FromString(".cls");
    for (size_t i = 0; end && i < r->count; i++) {
        PyObject *name = PyTuple_GetItem(r->names, (Py_ssize_t)i);
        r->is_number[i] = PyUnicode_Check(name) && (PyUnicode_CompareWithASCIIString(name, "cls") == 0 ||
                                                       PyUnicode_Tailmatch(name, end, 0, PY_SSIZE_T_MAX, 1) == 1);
    }
    Py_XDECREF(end);
    return !PyErr_Occurred();
}

static PyObject *read_all(struct reading *r)
{
    size_t ranges = (size_t)r->items.count * (1 + r->count);
    if (!make_columns(r) || !find_numbers(r) || !prepare_all(r) || !place_pictures(r))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    for (size_t i = 0; i < ranges; i++)
        read_range(&r->range[i]);
    Py_END_ALLOW_THREADS;
    return finish_all(r) ? PyTuple_Pack(6, r->keys, r->data, r->labels, r->columns, r->failures, r->others) : NULL;
}

static void release(struct reading *r)
{
    for (size_t i = 0; r->range && i < (size_t)r->items.count * (1 + r->count); i++)
        Py_XDECREF(r->range[i].bytes);
    PyMem_Free(r->range);
    PyMem_Free(r->is_number);
    kst_py_block_leave(r->block);
    Py_XDECREF(r->keys);
    Py_XDECREF(r->data);
    Py_XDECREF(r->labels);
    Py_XDECREF(r->columns);
    Py_XDECREF(r->failures);
    Py_XDECREF(r->others);
    kst_py_sequence_release(&r->items);
}

/* Read the arguments, of which the items are held. */
static bool read_arguments(struct reading *r, PyObject *args)
{
    PyObject *items;
    if (!PyArg_ParseTuple(args, "OO!pOnO:_read_groups", &items, &PyTuple_Type, &r->names, &r->has_label, &r->limit,
            &r->most, &r->parse) ||
        !kst_py_sequence_read(&r->items, items, "items"))
        return false;
    size_t ranges;
    r->count = (size_t)PyTuple_Size(r->names);
    r->is_number = PyMem_Calloc(r->count + 1, sizeof *r->is_number);
    if (!__builtin_mul_overflow((size_t)r->items.count, 1 + r->count, &ranges) && ranges < SIZE_MAX)
        r->range = PyMem_Calloc(ranges + 1, sizeof *r->range);
    if (!r->is_number || !r->range)
        PyErr_NoMemory();
    else if (r->has_label && r->count == 0)
        PyErr_SetString(PyExc_ValueError, "the label has no name");
    return !PyErr_Occurred();
}

PyObject *kst_py_read_groups(PyObject *self, PyObject *args)
{
    struct reading r = {.state = kst_py_state(self), .context = (struct context *)self};
    if (!kst_py_context_enter(r.context))
        return NULL;
    PyObject *result = read_arguments(&r, args) ? read_all(&r) : NULL;
    release(&r);
    kst_py_context_leave(r.context);
    return result;
}
