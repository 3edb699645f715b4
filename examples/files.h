/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole files, for the examples. */
#ifndef KOSTKA_EXAMPLES_FILES_H
#define KOSTKA_EXAMPLES_FILES_H

#include <kostka/kostka.h>

/* Freed by the caller; null, and told on standard error, where it cannot be read. */
uint8_t *file_read(const char *path, size_t *length);

/* False, and told likewise, where it cannot be written. */
bool file_write(const char *path, const kst_buffer *buffer);

#endif
