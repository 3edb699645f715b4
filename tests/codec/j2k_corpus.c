/* SPDX-License-Identifier: BSD-2-Clause */
#include "j2k_corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

static void path_of(char path[4096], const char *folder, const char *name)
{
    const char *corpus = getenv("KOSTKA_CORPUS");
    snprintf(path, 4096, "%s/jpeg2000/%s/%s", corpus ? corpus : "../shared/corpus", folder, name);
}

bool j2k_corpus_present(void)
{
    char path[4096];
    path_of(path, "streams", "p0_01.j2k");
    return access(path, R_OK) == 0;
}

uint8_t *j2k_corpus_read(const char *folder, const char *name, size_t *length)
{
    char path[4096];
    path_of(path, folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*length ? *length : 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *length, file), *length);
    fclose(file);
    return data;
}
