/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the corpus of unusual and damaged files by KOSTKA_CORPUS. */
#ifndef KOSTKA_TESTS_SUPPORT_CORPUS_H
#define KOSTKA_TESTS_SUPPORT_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return whether there is a corpus. A test that needs it exits with 77 where there is none. */
bool corpus_present(void);

/* Return whether the corpus is the one that tests/support/corpus makes where there is no other. */
bool corpus_is_made(void);

/* Read a file of a folder such as "jpeg/valid"; the caller frees it. Null if there is no such file. */
uint8_t *corpus_read(const char *folder, const char *name, size_t *length);

/*
 * Call `check` for each JPEG file of a folder such as "jpeg/valid", with ThreadSanitizer for a third of them. Returns
 * the number of files.
 */
uint32_t for_each_corpus_file(const char *folder, void (*check)(const char *name, const uint8_t *data, size_t length));

#endif
