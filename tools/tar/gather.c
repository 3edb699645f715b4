/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts finished groups in order, and passes each to the folder or to the archives. */
#include "tar/gather.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "progress/progress.h"
#include "system/folder.h"
#include "tar/archives.h"

enum { AHEAD = 4 /* for each worker, groups that may have begun beyond the oldest unfinished one */ };

/* From this many bytes of waiting groups on, no other group begins. */
static const uint64_t most_bytes = (uint64_t)1 << 30;

/* Describes the name of an output that a group has claimed. */
struct claim {
    char *path;
    char *label;
};

struct gather {
    struct crew *crew;
    pthread_mutex_t lock; /* guards the members up to the next comment */
    pthread_cond_t room;
    struct made *first;
    uint64_t due, bytes;
    bool busy; /* a thread is passing groups on */
    /* The next members are used only by the thread that is passing groups on. */
    void *claims; /* a tree (search.h) */
    struct archives archives;
};

void made_release(struct made *made)
{
    capture_release(&made->capture);
    outcome_release(&made->outcome);
    free(made->group);
    free(made->label);
    free(made);
}

static int compare_claims(const void *left, const void *right)
{
    return strcmp(((const struct claim *)left)->path, ((const struct claim *)right)->path);
}

static void release_claim(void *node)
{
    struct claim *claim = node;

    free(claim->path);
    free(claim->label);
    free(claim);
}

static const char *label_of(const struct made *made)
{
    const char *label = made->label != NULL ? made->label : made->input;
    return strcmp(label, "-") == 0 ? "standard input" : label;
}

/* Claim a path for a group. Returns false, with the problem, if another group has it, or if it is an input. */
static bool claim(struct gather *gather, const char *path, struct made *made)
{
    const struct input *replaced = input_of_file(&gather->crew->inputs, path);
    struct claim *wanted = calloc(1, sizeof *wanted);

    if (replaced != NULL) {
        free(wanted);
        return problem_set_kind(&made->problem, PROBLEM_NAME, "would replace %s, which is an input", replaced->name);
    }
    if (wanted != NULL) {
        wanted->path = strdup(path);
        wanted->label = strdup(label_of(made));
    }
    struct claim **found = wanted == NULL || wanted->path == NULL || wanted->label == NULL
                               ? NULL
                               : (struct claim **)tsearch(wanted, &gather->claims, compare_claims);
    if (found != NULL && *found == wanted)
        return true;
    if (found == NULL)
        problem_set(&made->problem, "out of memory");
    else
        problem_set_kind(&made->problem, PROBLEM_NAME, "would become %s, which %s has become", path, (*found)->label);
    if (wanted != NULL)
        release_claim(wanted);
    return false;
}

static bool make_place(const char *path, struct problem *problem)
{
    char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
    bool good = folder != NULL ? folder_make(folder, problem) : problem_set(problem, "out of memory");

    free(folder);
    return good;
}

static bool write_file(const char *path, const struct captured *file, struct problem *problem)
{
    struct output output;
    bool good = make_place(path, problem) && output_open(&output, path, problem);

    if (!good)
        return false;
    good = output_write(&output, file->data, file->length, problem) && output_commit(&output, problem);
    output_discard(&output);
    return good;
}

/* Write the files of a group into the folder; all of their names have been claimed. */
static bool write_files(struct gather *gather, struct made *made, char **path)
{
    const struct capture *capture = &made->capture;

    for (size_t i = 0; i < capture->count; i++) {
        path[i] = folder_join(gather->crew->batch->output->directory, capture->file[i].name);
        if (path[i] == NULL)
            return problem_set(&made->problem, "out of memory");
        if (!claim(gather, path[i], made))
            return false;
    }
    for (size_t i = 0; i < capture->count; i++)
        if (!write_file(path[i], &capture->file[i], &made->problem))
            return false;
    return true;
}

static void put_into_folder(struct gather *gather, struct made *made)
{
    char **path = calloc(made->capture.count + 1, sizeof *path);

    outcome_resume(&made->outcome);
    if (path == NULL)
        problem_set(&made->problem, "out of memory");
    else
        write_files(gather, made, path);
    outcome_end();
    gather_record(gather->crew, &made, 1, path != NULL ? path[0] : NULL, 0);
    for (size_t i = 0; path != NULL && i < made->capture.count; i++)
        free(path[i]);
    free(path);
    made_release(made);
}

/* Record the outcome of groups. `output`, if not null, is a file, or the archive that holds `together` groups. */
void gather_record(struct crew *crew, struct made *const *made, size_t count, const char *output, size_t together)
{
    struct manifest_entry *entry = calloc(count + 1, sizeof *entry);
    struct problem problem = {.text = ""};

    for (size_t i = 0; i < count; i++) {
        bool failed = made[i]->problem.text[0] != '\0';
        if (entry != NULL)
            entry[i] = (struct manifest_entry){made[i]->input, made[i]->is_file ? NULL : made[i]->group,
                failed ? NULL : output, together, &made[i]->outcome, failed ? made[i]->problem.text : NULL};
        if (failed)
            complain(label_of(made[i]), "%s", made[i]->problem.text);
        summary_add(&crew->summary, made[i]->bytes, &made[i]->outcome, failed ? &made[i]->problem : NULL);
        atomic_fetch_add(&crew->failures, failed);
        progress_step();
    }
    bool good = entry != NULL ? crew_record(crew, entry, count, &problem) : problem_set(&problem, "out of memory");
    atomic_fetch_add(&crew->failures, !good);
    free(entry);
}

/* Pass a group on: record it if it has failed, otherwise put it into an archive or the folder. */
static void pass(struct gather *gather, struct made *made)
{
    if (made->problem.text[0] != '\0') {
        gather_record(gather->crew, &made, 1, NULL, 0);
        made_release(made);
    } else if (gather->crew->batch->output->archives != NULL) {
        archives_add(&gather->archives, made);
    } else {
        put_into_folder(gather, made);
    }
}

static uint64_t bytes_of(const struct made *made)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < made->capture.count; i++)
        sum += made->capture.file[i].length;
    return sum;
}

/* Pass on all groups that are next in order, until one is still missing. The caller holds the lock. */
static void pass_all(struct gather *gather)
{
    gather->busy = true;
    while (gather->first != NULL && gather->first->index == gather->due) {
        struct made *made = gather->first;
        uint64_t bytes = bytes_of(made);
        gather->first = made->next;
        pthread_mutex_unlock(&gather->lock);
        pass(gather, made);
        pthread_mutex_lock(&gather->lock);
        gather->due++;
        gather->bytes -= bytes;
        pthread_cond_broadcast(&gather->room);
    }
    gather->busy = false;
}

void gather_put(struct gather *gather, struct made *made)
{
    pthread_mutex_lock(&gather->lock);
    struct made **at = &gather->first;
    while (*at != NULL && (*at)->index < made->index)
        at = &(*at)->next;
    made->next = *at;
    *at = made;
    gather->bytes += bytes_of(made);
    if (!gather->busy)
        pass_all(gather);
    pthread_mutex_unlock(&gather->lock);
}

void gather_wait(struct gather *gather, uint64_t begun)
{
    pthread_mutex_lock(&gather->lock);
    while (begun > gather->due && (begun - gather->due >= AHEAD * gather->crew->workers || gather->bytes >= most_bytes))
        pthread_cond_wait(&gather->room, &gather->lock);
    pthread_mutex_unlock(&gather->lock);
}

struct gather *gather_open(struct crew *crew)
{
    struct gather *gather = calloc(1, sizeof *gather);

    if (gather == NULL)
        return NULL;
    gather->crew = crew;
    pthread_mutex_init(&gather->lock, NULL);
    pthread_cond_init(&gather->room, NULL);
    archives_begin(&gather->archives, crew);
    return gather;
}

void gather_close(struct gather *gather)
{
    archives_end(&gather->archives);
    tdestroy(gather->claims, release_claim);
    pthread_cond_destroy(&gather->room);
    pthread_mutex_destroy(&gather->lock);
    free(gather);
}
