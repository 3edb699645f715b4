/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the conformance streams of JPEG 2000 by KOSTKA_CORPUS. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_CORPUS_H
#define KOSTKA_TESTS_SUPPORT_J2K_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return whether there is a corpus. A test that needs it exits with 77 where there is none. */
bool j2k_corpus_present(void);

/* Read a file of a folder below jpeg2000, "streams" or "references". The caller frees it; null if it is missing. */
uint8_t *j2k_corpus_read(const char *folder, const char *name, size_t *length);

#endif
