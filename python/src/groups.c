/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins neighbours of one key in tar archives to groups. An archive is looked into without the GIL, and what its groups
 * share is held once, so that Python has a single small object for each group.
 */
#include "groups.h"

#include <stdlib.h>

#include "tar.h"

/* ── Names ── */

/* Split a name into its key, up to the first dot of its last part, and what is behind the dot. */
static bool split_name(PyObject *name, PyObject **key, PyObject **extension)
{
    Py_ssize_t length = PyUnicode_GetLength(name);
    *key = *extension = NULL;
    if (length < 0)
        return false;
    Py_ssize_t first = PyUnicode_FindChar(name, '/', 0, length, -1) + 1;
    Py_ssize_t dot = PyUnicode_FindChar(name, '.', first, length, 1);
    Py_ssize_t end = dot > first ? dot : length;
    *key = PyUnicode_Substring(name, 0, end);
    *extension = PyUnicode_Substring(name, end < length ? end + 1 : length, length);
    return *key && *extension;
}

PyObject *kst_py_tar_split(PyObject *module, PyObject *name)
{
    PyObject *key, *extension;
    (void)module;
    PyObject *pair = split_name(name, &key, &extension) ? PyTuple_Pack(2, key, extension) : NULL;
    Py_XDECREF(key);
    Py_XDECREF(extension);
    return pair;
}

/* Return the length of the key in a name, as split_name() finds it. */
static size_t key_length(const char *name, size_t length)
{
    size_t first = length;
    while (first > 0 && name[first - 1] != '/')
        first--;
    const char *dot = memchr(name + first, '.', length - first);
    return dot && dot > name + first ? (size_t)(dot - name) : length;
}

/* Go on with FNV-1a. */
static uint64_t hash_on(uint64_t value, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    return value;
}

static uint64_t hash_begin(void)
{
    return UINT64_C(0xCBF29CE484222325);
}

static uint64_t hash_end(uint64_t value)
{
    value = (value ^ value >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    return value ^ value >> 33;
}

/*
 * Return the hash of a name by which the command line, too, divides names among processes: FNV-1a, then the final steps
 * of MurmurHash3.
 */
PyObject *kst_py_name_hash(PyObject *module, PyObject *name)
{
    char *text;
    Py_ssize_t length;
    (void)module;
    if (PyBytes_AsStringAndSize(name, &text, &length) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(hash_end(hash_on(hash_begin(), text, (size_t)length)));
}

/* ── Looking into an archive. The GIL is not needed. ── */

/* Holds an extension as the bytes that names in archives end with. */
struct extension {
    PyObject *bytes; /* null: no name has it */
    const char *text;
    size_t length;
};

struct joining {
    struct archive *archive;
    struct extension *extension; /* those of pictures, then those of the other members that are wanted */
    struct place *found;         /* for each extension, in the group that is not complete yet */
    size_t extensions, pictures;
    char *key; /* of that group, from malloc(); null: there is none */
    size_t key_length;
    uint64_t hash, share, shares; /* the hash of the folder's name; the share that is wanted */
    bool has_no_memory;
};

/* Let an array have room for `count` elements of a size. Returns false if memory has run out. */
static bool reserve(void *array, size_t *room, size_t count, size_t size)
{
    void *old, *new;
    if (count <= *room)
        return true;
    size_t more = count + count / 2 + 64;
    memcpy(&old, array, sizeof old);
    new = more > SIZE_MAX / size ? NULL : realloc(old, more * size);
    if (!new)
        return false;
    memcpy(array, &new, sizeof new);
    *room = more;
    return true;
}

static bool is_in_share(const struct joining *j)
{
    return j->shares == 1 || hash_end(hash_on(j->hash, j->key, j->key_length)) % j->shares == j->share;
}

/* Add the group whose members have been found. */
static bool add_group(struct joining *j, size_t picture)
{
    struct archive *a = j->archive;
    size_t step = 1 + a->names;
    if (!reserve(&a->text, &a->text_room, a->text_length + j->key_length + 1, 1) ||
        !reserve(&a->entry, &a->entry_room, a->count + 1, sizeof *a->entry) ||
        !reserve(&a->place, &a->place_room, (a->count + 1) * step, sizeof *a->place))
        return false;
    memcpy(a->text + a->text_length, j->key, j->key_length);
    a->entry[a->count] = (struct entry){a->text_length, j->key_length, (Py_ssize_t)picture};
    a->text_length += j->key_length;
    a->place[a->count * step] = j->found[picture];
    memcpy(&a->place[a->count * step + 1], &j->found[j->pictures], a->names * sizeof *a->place);
    a->count++;
    return true;
}

/* End the group; it is kept if it has a picture and belongs to the share. */
static bool end_group(struct joining *j)
{
    size_t picture = 0;
    bool fine = true;
    while (picture < j->pictures && j->found[picture].offset == 0)
        picture++;
    if (j->key && picture < j->pictures && is_in_share(j))
        fine = add_group(j, picture);
    free(j->key);
    j->key = NULL;
    memset(j->found, 0, j->extensions * sizeof *j->found);
    return fine;
}

/* Add a member to the group of its key, which takes the name if it is new; of several members of one name the last
 * counts. */
static bool add_member(struct joining *j, struct tar_member *member)
{
    size_t length = key_length(member->name, member->name_length);
    size_t first = length < member->name_length ? length + 1 : length, rest = member->name_length - first;
    const char *name = member->name;
    if (!j->key || j->key_length != length || memcmp(j->key, name, length) != 0) {
        if (!end_group(j))
            return false;
        j->key = member->name;
        j->key_length = length;
        member->name = NULL;
    }
    for (size_t i = 0; i < j->extensions; i++) {
        const struct extension *one = &j->extension[i];
        if (one->bytes && one->length == rest && memcmp(one->text, name + first, rest) == 0)
            j->found[i] = (struct place){member->offset, member->size};
    }
    return true;
}

static void join(struct joining *j, struct tar_reading *reading)
{
    struct tar_member member;
    bool fine = true;
    if (!kst_py_tar_begin(reading, j->archive->file))
        return;
    while (fine && kst_py_tar_next(reading, &member)) {
        fine = add_member(j, &member);
        free(member.name);
    }
    j->has_no_memory = !end_group(j) || !fine;
}

/* ── Groups ── */

static void leave(struct archive *archive)
{
    if (--archive->users > 0)
        return;
    Py_XDECREF(archive->keeper);
    Py_XDECREF(archive->folder);
    Py_XDECREF(archive->number);
    Py_XDECREF(archive->pictures);
    free(archive->text);
    free(archive->entry);
    free(archive->place);
    free(archive);
}

static PyObject *group_new(struct state *state, struct archive *archive, size_t index)
{
    struct group *self = PyObject_New(struct group, state->group);
    if (!self)
        return NULL;
    self->archive = archive;
    self->index = index;
    archive->users++;
    return (PyObject *)self;
}

static void group_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    leave(((struct group *)object)->archive);
    PyObject_Free(object);
    Py_DECREF(type);
}

PyObject *kst_py_group_key(const struct group *group)
{
    const struct archive *archive = group->archive;
    const struct entry *entry = &archive->entry[group->index];
    PyObject *key = PyUnicode_DecodeUTF8(archive->text + entry->key, (Py_ssize_t)entry->key_length, "surrogateescape");
    if (!key || PyUnicode_GetLength(archive->folder) == 0)
        return key;
    PyObject *whole = PyUnicode_Concat(archive->folder, key);
    Py_DECREF(key);
    return whole;
}

static PyObject *group_key(PyObject *object, void *closure)
{
    (void)closure;
    return kst_py_group_key((struct group *)object);
}

static PyObject *group_picture(PyObject *object, void *closure)
{
    const struct group *group = (struct group *)object;
    const struct archive *archive = group->archive;
    const struct place *place = &archive->place[group->index * (1 + archive->names)];
    (void)closure;
    return Py_BuildValue("(OKK)", PyTuple_GetItem(archive->pictures, archive->entry[group->index].picture),
        (unsigned long long)place->offset, (unsigned long long)place->size);
}

static PyGetSetDef members[] = {{"key", group_key, NULL, "The common part of its members' names.", NULL},
    {"picture", group_picture, NULL, "Its picture's extension, offset and size.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot slots[] = {{Py_tp_doc, (void *)"Members of one key in an archive."}, {Py_tp_dealloc, group_dealloc},
    {Py_tp_getset, members}, {0, NULL}};

PyType_Spec kst_py_group_spec = {
    "kostka._kostka.Group", sizeof(struct group), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

/* ── Arguments and results ── */

/*
 * Read extensions. One that is no string, or that names in archives cannot have, matches no name. Returns false with an
 * exception.
 */
static bool read_extensions(struct extension *extension, PyObject *tuple)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); i++) {
        PyObject *one = PyTuple_GetItem(tuple, i);
        if (PyUnicode_Check(one))
            extension[i].bytes = PyUnicode_AsEncodedString(one, "utf-8", "surrogateescape");
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_UnicodeError))
            return false;
        PyErr_Clear();
        if (!extension[i].bytes)
            continue;
        extension[i].text = PyBytes_AsString(extension[i].bytes);
        extension[i].length = (size_t)PyBytes_Size(extension[i].bytes);
    }
    return true;
}

/* Begin the hash of keys with the folder's name. */
static bool hash_folder(struct joining *j)
{
    PyObject *bytes = PyUnicode_EncodeFSDefault(j->archive->folder);
    if (bytes)
        j->hash = hash_on(hash_begin(), PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes));
    Py_XDECREF(bytes);
    return bytes != NULL;
}

static PyObject *list_of(struct state *state, struct archive *archive)
{
    PyObject *list = PyList_New((Py_ssize_t)archive->count);
    for (size_t i = 0; list && i < archive->count; i++) {
        PyObject *one = group_new(state, archive, i);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *join_all(struct state *state, struct joining *j)
{
    struct tar_reading reading;
    Py_BEGIN_ALLOW_THREADS;
    join(j, &reading);
    Py_END_ALLOW_THREADS;
    if (j->has_no_memory)
        return PyErr_NoMemory();
    PyObject *list = list_of(state, j->archive);
    if (!list || !reading.wrong)
        return list ? Py_BuildValue("(NO)", list, Py_None) : NULL;
    return Py_BuildValue("(N(Ks))", list, (unsigned long long)reading.wrong_at, reading.wrong);
}

static PyObject *find_groups(struct state *state, struct joining *j, PyObject *names)
{
    j->pictures = (size_t)PyTuple_Size(j->archive->pictures);
    j->extensions = j->pictures + j->archive->names;
    j->extension = PyMem_Calloc(j->extensions + 1, sizeof *j->extension);
    j->found = PyMem_Calloc(j->extensions + 1, sizeof *j->found);
    PyObject *result = NULL;
    if (!j->extension || !j->found)
        PyErr_NoMemory();
    else if (read_extensions(j->extension, j->archive->pictures) &&
             read_extensions(j->extension + j->pictures, names) && hash_folder(j))
        result = join_all(state, j);
    for (size_t i = 0; j->extension && i < j->extensions; i++)
        Py_XDECREF(j->extension[i].bytes);
    PyMem_Free(j->extension);
    PyMem_Free(j->found);
    return result;
}

PyObject *kst_py_tar_groups(PyObject *module, PyObject *args)
{
    PyObject *keeper, *folder, *number, *pictures, *names;
    unsigned long long share, shares;
    int file;
    if (!PyArg_ParseTuple(args, "OiUO(KK)O!O!:tar_groups", &keeper, &file, &folder, &number, &share, &shares,
            &PyTuple_Type, &pictures, &PyTuple_Type, &names))
        return NULL;
    if (shares == 0)
        return PyErr_Format(PyExc_ValueError, "there are no shares");
    struct archive *archive = calloc(1, sizeof *archive);
    if (!archive)
        return PyErr_NoMemory();
    *archive = (struct archive){.users = 1,
        .keeper = Py_NewRef(keeper),
        .file = file,
        .folder = Py_NewRef(folder),
        .number = Py_NewRef(number),
        .pictures = Py_NewRef(pictures),
        .names = (size_t)PyTuple_Size(names)};
    struct joining joining = {.archive = archive, .share = share, .shares = shares};
    PyObject *result = find_groups(PyModule_GetState(module), &joining, names);
    leave(archive);
    return result;
}
