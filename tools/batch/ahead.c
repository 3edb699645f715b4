/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the first inputs of a batch while its devices are opened. */
#include "batch/ahead.h"

enum {
    MOST_BYTES = 1 << 28, /* bytes of all sources together */
    MOST_OF_ONE = 1 << 24 /* bytes of one source: larger files are mapped, so that reading them ahead gains nothing */
};

/*
 * Return whether an input may be read ahead. Files of more than a quarter of the memory limit may not: verbs such as
 * 'encode' read these some rows at a time.
 */
static bool may_be_read(const struct input *input, const struct file_settings *files)
{
    return !input->elsewhere && !input->done && !input->archive && input->failure == NULL && input->size > 0 &&
           input->size < MOST_OF_ONE && input->size <= files->max_memory / 4;
}

static void *read_some(void *argument)
{
    struct ahead *ahead = argument;
    size_t next;

    while (!atomic_load(&ahead->stopped) && (next = atomic_fetch_add(&ahead->next, 1)) < ahead->count) {
        const struct input *input = &ahead->inputs->input[ahead->inputs->by_rank[next]];
        struct source *source = &ahead->source[next];
        struct problem problem = {.text = ""};
        if (may_be_read(input, ahead->files) && !source_read_picture(source, input->name, ahead->files, &problem))
            source_release(source);
    }
    return NULL;
}

/*
 * Return how many of the first inputs are read ahead. All of them have rank 0: inputs of later ranks wait for these
 * anyway.
 */
static size_t count_inputs(const struct inputs *inputs, const struct file_settings *files)
{
    uint64_t bytes = 0;
    size_t count = 0;

    for (; count < inputs->count && count < AHEAD_INPUTS; count++) {
        const struct input *input = &inputs->input[inputs->by_rank[count]];
        bytes += may_be_read(input, files) ? input->size : 0;
        if (input->rank > 0 || bytes > MOST_BYTES)
            break;
    }
    return count;
}

void ahead_begin(struct ahead *ahead, const struct inputs *inputs, const struct file_settings *files)
{
    ahead->inputs = inputs;
    ahead->files = files;
    ahead->count = count_inputs(inputs, files);
    while (ahead->threads < AHEAD_THREADS && ahead->threads < ahead->count &&
           pthread_create(&ahead->thread[ahead->threads], NULL, read_some, ahead) == 0)
        ahead->threads++;
}

void ahead_stop(struct ahead *ahead)
{
    atomic_store(&ahead->stopped, true);
    while (ahead->threads > 0)
        pthread_join(ahead->thread[--ahead->threads], NULL);
}

bool ahead_take(struct ahead *ahead, size_t index, struct source *source)
{
    if (index >= ahead->count || ahead->source[index].data == NULL)
        return false;
    *source = ahead->source[index];
    ahead->source[index] = (struct source){.descriptor = -1};
    return true;
}

void ahead_release(struct ahead *ahead)
{
    for (size_t i = 0; i < ahead->count; i++)
        if (ahead->source[i].data != NULL)
            source_release(&ahead->source[i]);
    ahead->count = 0;
}
