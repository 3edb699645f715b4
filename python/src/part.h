/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares parts of blocks of memory, as objects with the buffer protocol. */
#ifndef KOSTKA_PYTHON_PART_H
#define KOSTKA_PYTHON_PART_H

#include "kostka_python.h"

struct block {
    size_t users; /* parts of it, and the call that fills it */
    char *data;
    struct context *context; /* keeps the memory when it is released */
    struct storage storage;
};

/* Take a block of the host's memory for one user. Returns null, without an exception, if there is none of the length.
 */
struct block *kst_py_block_take(struct context *context, size_t length);

/* Release the block with its last user; null is allowed. */
void kst_py_block_leave(struct block *block);

/* Make an object of some bytes of a block. */
PyObject *kst_py_part_new(struct state *state, struct block *block, char *data, size_t length);

#endif
