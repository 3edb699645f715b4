/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the conformance streams and their references. */
#include "support/j2k/corpus.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/corpus.h"

uint8_t *j2k_corpus_read(const char *folder, const char *name, size_t *length)
{
    char path[256];
    snprintf(path, sizeof path, "jpeg2000/%s", folder);
    return corpus_read(path, name, length);
}

bool j2k_corpus_present(void)
{
    size_t length;
    uint8_t *data = j2k_corpus_read("streams", "p0_01.j2k", &length);
    free(data);
    return data != NULL;
}
