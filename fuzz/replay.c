/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a fuzz target without a fuzzer, on the files and folders named on the command line. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { SKIPPED = 77, LARGEST = 1 << 20 };

static bool replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    uint8_t *data = malloc(LARGEST);
    size_t length = data ? fread(data, 1, LARGEST, file) : 0;
    fclose(file);
    /* Copy to a block of exactly the file's length, so that a sanitizer detects each read past the end. */
    uint8_t *exact = malloc(length > 0 ? length : 1);
    if (data && exact) {
        memcpy(exact, data, length);
        LLVMFuzzerTestOneInput(exact, length);
    }
    free(exact);
    free(data);
    return true;
}

static unsigned replay(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return 0;
    if (!S_ISDIR(status.st_mode))
        return replay_file(path) ? 1 : 0;
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    unsigned count = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char inner[4096];
        if (entry->d_name[0] == '.' || snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner)
            continue;
        count += replay(inner);
    }
    closedir(folder);
    return count;
}

/* Stand in for targets that do not define this function. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++)
        count += replay(argv[i]);
    printf("%u files\n", count);
    return count > 0 ? 0 : SKIPPED;
}
