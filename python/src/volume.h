/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how arrays are used as volumes. */
#ifndef KOSTKA_PYTHON_VOLUME_H
#define KOSTKA_PYTHON_VOLUME_H

#include <kostka/kostka_volume.h>

#include "kostka_python.h"

/* Describe an array, which `what` names in messages, as a volume. Returns false with an exception. */
bool kst_py_volume_describe(const struct view *view, const char *what, kst_volume *volume);

/*
 * Hold an array. Afterwards the work on it that its owner has queued is done, because the library does not wait for it.
 * Returns false with an exception; release it in any case.
 */
bool kst_py_volume_hold(struct state *state, PyObject *object, bool writable, struct array *array);

#endif
