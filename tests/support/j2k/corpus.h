/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the conformance streams of JPEG 2000 by KOSTKA_CORPUS. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_CORPUS_H
#define KOSTKA_TESTS_SUPPORT_J2K_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A test that needs it exits with 77 where it is not there. */
bool j2k_corpus_present(void);

/* A file of a folder below jpeg2000, "streams" or "references"; for the caller to free. Null where it is missing. */
uint8_t *j2k_corpus_read(const char *folder, const char *name, size_t *length);

#endif
