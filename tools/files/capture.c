/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes files in memory (memfd_create), and maps them once they are complete. */
#include "files/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static _Thread_local struct capture *own;

void capture_begin(struct capture *capture)
{
    *capture = (struct capture){.count = 0};
    own = capture;
}

void capture_end(void)
{
    own = NULL;
}

bool capture_is_on(void)
{
    return own != NULL;
}

int capture_open(void)
{
    return memfd_create("kostka", MFD_CLOEXEC);
}

static void release(struct captured *file)
{
    if (file->mapped)
        munmap(file->data, file->length);
    else
        free(file->data);
    free(file->name);
}

/* Take ownership of a file, even on failure. */
static bool append(struct capture *capture, struct captured *file, struct problem *problem)
{
    struct captured *grown =
        file->name == NULL ? NULL : realloc(capture->file, (capture->count + 1) * sizeof *capture->file);

    if (grown == NULL) {
        release(file);
        return problem_set(problem, "out of memory");
    }
    capture->file = grown;
    capture->file[capture->count++] = *file;
    return true;
}

bool capture_add(struct capture *capture, const char *name, uint8_t *data, size_t length, struct problem *problem)
{
    struct captured file = {.name = strdup(name), .data = data, .length = length};
    return append(capture, &file, problem);
}

bool capture_keep(int descriptor, const char *name, struct problem *problem)
{
    struct captured file = {.name = NULL};
    struct stat state;

    if (fstat(descriptor, &state) != 0)
        return problem_set(problem, "%s", strerror(errno));
    file.length = (size_t)state.st_size;
    if (file.length > 0) {
        void *mapped = mmap(NULL, file.length, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
        if (mapped == MAP_FAILED)
            return problem_set(problem, "cannot keep %s in memory: %s", name, strerror(errno));
        file.data = mapped;
        file.mapped = true;
    }
    file.name = strdup(name);
    return append(own, &file, problem);
}

void capture_release(struct capture *capture)
{
    for (size_t i = 0; i < capture->count; i++)
        release(&capture->file[i]);
    free(capture->file);
    *capture = (struct capture){.count = 0};
}
