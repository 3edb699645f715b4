/* SPDX-License-Identifier: BSD-2-Clause */
/* Records the outcome of the input that a thread works on. */
#include "progress/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct outcome *own; /* the outcome that the thread has begun, which is on its stack */

void outcome_begin(struct outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    own = outcome;
}

void outcome_resume(struct outcome *outcome)
{
    own = outcome;
}

void outcome_end(void)
{
    own = NULL;
}

void outcome_release(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->file_count; i++)
        free(outcome->file[i].path);
    for (size_t i = 0; i < outcome->warning_count; i++)
        free(outcome->warning[i]);
    free(outcome->file);
    free(outcome->warning);
    memset(outcome, 0, sizeof *outcome);
}

/* Make room for one more element, and copy its text. Returns null if out of memory, and records that. */
static char *grow(void **list, size_t count, size_t size, const char *text)
{
    void *grown = realloc(*list, (count + 1) * size);

    if (grown != NULL)
        *list = grown;
    char *copy = grown != NULL ? strdup(text) : NULL;
    own->out_of_memory |= copy == NULL;
    return copy;
}

void outcome_note_file(const char *path, uint64_t length, bool shared)
{
    void *list = own != NULL ? own->file : NULL;
    char *copy = own != NULL ? grow(&list, own->file_count, sizeof *own->file, path) : NULL;

    if (own == NULL)
        return;
    own->file = list;
    if (copy != NULL)
        own->file[own->file_count++] = (struct output_file){copy, length, shared};
}

void outcome_note_warning(const char *text)
{
    void *list = own != NULL ? own->warning : NULL;
    char *copy = own != NULL ? grow(&list, own->warning_count, sizeof *own->warning, text) : NULL;

    if (own == NULL)
        return;
    own->warning = list;
    if (copy != NULL)
        own->warning[own->warning_count++] = copy;
}

void outcome_note_pixels(uint64_t pixels)
{
    if (own != NULL)
        own->pixels += pixels;
}

void outcome_note_device(const char *name)
{
    if (own != NULL && *name != '\0')
        snprintf(own->device, sizeof own->device, "%s", name);
}
