/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the groups that members of one key make in tar archives. */
#ifndef KOSTKA_PYTHON_GROUPS_H
#define KOSTKA_PYTHON_GROUPS_H

#include "kostka_python.h"

/* Says where a member's contents are. They are behind a header, so that an offset of 0 stands for no member. */
struct place {
    uint64_t offset, size;
};

/* Holds what the groups of an archive share. */
struct archive {
    size_t users;     /* its groups, and the call that finds them */
    PyObject *keeper; /* keeps the file open */
    int file;
    PyObject *folder;   /* stands before the keys */
    PyObject *number;   /* of the folder's class, or None */
    PyObject *pictures; /* a tuple of the extensions of pictures */
    size_t names;       /* how many other members are wanted of each group */
    char *text;         /* the keys as they are in the archive, one behind the other */
    size_t text_length, text_room;
    struct entry *entry; /* one for each group */
    struct place *place; /* for each group that of the picture, then those of the other members */
    size_t count, entry_room, place_room;
};

struct entry {
    size_t key, key_length; /* in the text */
    Py_ssize_t picture;     /* which of the extensions its picture has */
};

/* The type of Python's objects. What they share lives as long as one of them. */
struct group {
    PyObject_HEAD struct archive *archive;
    size_t index;
};

/* Return a new string, the group's key; null with an exception. */
PyObject *kst_py_group_key(const struct group *group);

#endif
