/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds and reads the files of the corpus, in the folder that KOSTKA_CORPUS names. */
#include "support/corpus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/sanitizers.h"
#include "support/test.h"

static void path_of(char path[4096], const char *folder, const char *name)
{
    const char *corpus = getenv("KOSTKA_CORPUS");
    snprintf(path, 4096, "%s/%s/%s", corpus ? corpus : "../shared/corpus", folder, name);
}

bool corpus_present(void)
{
    char path[4096];
    path_of(path, "jpeg/damaged", "");
    return access(path, R_OK) == 0;
}

bool corpus_is_made(void)
{
    char path[4096];
    path_of(path, "jpeg2000/references", "table");
    return access(path, R_OK) == 0;
}

uint8_t *corpus_read(const char *folder, const char *name, size_t *length)
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

/*
 * Return whether a file is to be tried. ThreadSanitizer looks for races, which depend on code and not on pixels, and
 * takes forty times as long: a third of the files, by their names, reach all of that code.
 */
static bool is_tried(const char *name)
{
    uint32_t sum = 0;
    for (const char *c = name; *c; c++)
        sum = sum * 31 + (uint8_t)*c;
    return !THREADS_WATCHED || sum % 3 == 0;
}

uint32_t for_each_corpus_file(const char *folder, void (*check)(const char *name, const uint8_t *data, size_t length))
{
    char path[4096];
    uint32_t count = 0;
    path_of(path, folder, "");
    DIR *directory = opendir(path);
    assert_non_null(directory);
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".jpg") != 0)
            continue;
        count++;
        if (!is_tried(entry->d_name))
            continue;
        uint8_t *data = corpus_read(folder, entry->d_name, &length);
        assert_non_null(data);
        check(entry->d_name, data, length);
        free(data);
    }
    closedir(directory);
    assert_true(count > 0);
    return count;
}
