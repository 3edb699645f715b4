/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs programs of libjpeg-turbo as oracles, and reads and writes files. */
#ifndef KOSTKA_TESTS_SUPPORT_PROGRAM_H
#define KOSTKA_TESTS_SUPPORT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct contents {
    uint8_t *data;
    size_t length;
};

/* Return whether a program is in PATH. */
bool peer_exists(const char *program);

/*
 * Run argv[0] with `input` on its standard input. Returns its exit status; −1 if it could not be run or was killed.
 * `output` receives its standard output, which contents_free() frees.
 */
int peer_run(const char *const argv[], const void *input, size_t length, struct contents *output);

/* Write the path of a folder of the test corpus, below KOSTKA_CORPUS, to `path`. Returns `path`. */
const char *corpus_folder(const char *name, char *path, size_t length);
bool corpus_exists(const char *name);

bool contents_read(const char *path, struct contents *contents);
void contents_free(struct contents *contents);

#endif
