/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the corpus of unusual and damaged files by KOSTKA_CORPUS. */
#ifndef KOSTKA_TESTS_SUPPORT_CORPUS_H
#define KOSTKA_TESTS_SUPPORT_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A test that needs it exits with 77 where it is not there. */
bool corpus_present(void);

/* Return whether its files are those that tests/support/corpus makes if there is no other corpus. */
bool corpus_is_made(void);

/* A file of a folder such as "jpeg/valid"; the caller frees it. Null where there is none. */
uint8_t *corpus_read(const char *folder, const char *name, size_t *length);

/*
 * Call `check` for each JPEG file of a folder such as "jpeg/valid", with ThreadSanitizer for a third of them. Return
 * how many files there are.
 */
uint32_t for_each_corpus_file(const char *folder, void (*check)(const char *name, const uint8_t *data, size_t length));

#endif
