/* SPDX-License-Identifier: BSD-2-Clause */
/* Works on the groups of archives, and puts pictures into archives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/resume.h"
#include "progress/progress.h"
#include "tar/gather.h"
#include "tar/group.h"

/* Holds what workers on archives share in addition to the crew. */
struct feed {
    struct crew *crew;
    struct gather *gather;
    struct input_choice choice;
    pthread_mutex_t lock; /* guards the members below */
    size_t next;          /* the next input */
    struct input *input;  /* the archive that is being read */
    struct group_reader reader;
    uint64_t begun;       /* groups and files that have begun */
    uint64_t before, all; /* bytes of the inputs before this one, and of all inputs; 0: not known */
};

/* Describes the next work of a worker: a group, or a file. */
struct work {
    struct input *input;
    struct group *group;    /* null: the input is a file */
    struct problem problem; /* why the archive cannot be opened */
    uint64_t index;
};

bool crew_has_groups(const struct crew *crew)
{
    return crew->inputs.archives > 0 || crew->batch->output->archives != NULL;
}

static bool has_picture(const struct feed *feed, const struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (input_is_picture(group->member[i].name, group->member[i].data, group->member[i].length, &feed->choice))
            return true;
    return false;
}

/*
 * Return whether a group is skipped: another shard has it, an earlier call has done it, or it has no picture and its
 * archive was found in a folder.
 */
static bool is_skipped(struct feed *feed, const struct group *group)
{
    struct crew *crew = feed->crew;

    if (group->key[0] == '\0')
        return false;
    if (!shard_has(&crew->batch->output->many.shard, group->key, strlen(group->key)))
        return true;
    if (feed->input->inner && group->problem.text[0] == '\0' && !has_picture(feed, group))
        return true;
    bool done = resumed_has(crew->resumed, feed->input->name, group->key);
    crew->inputs.resumed += done;
    return done;
}

static void finish_input(struct feed *feed)
{
    groups_close(&feed->reader);
    feed->before += feed->input->size;
    feed->input = NULL;
    atomic_fetch_add(&feed->crew->done, 1);
}

/* Get the next group of the open archive that is not skipped; null at the archive's end. */
static struct group *next_group(struct feed *feed)
{
    struct group *group;

    while ((group = groups_next(&feed->reader)) != NULL && is_skipped(feed, group))
        group_release(group);
    if (feed->all > 0)
        progress_reached((double)(feed->before + groups_position(&feed->reader)) / (double)feed->all);
    return group;
}

/* Begin with the next input. Returns whether there is work: a file, or an archive that cannot be opened. */
static bool begin_input(struct feed *feed, struct work *work)
{
    struct crew *crew = feed->crew;
    struct input *input = &crew->inputs.input[feed->next++];
    uint64_t limit = common_max_memory(crew->batch->common);

    if (input->elsewhere)
        return false;
    *work = (struct work){.input = input};
    feed->input = input;
    if (!input->archive) {
        bool done = resumed_has(crew->resumed, input->name, NULL);
        crew->inputs.resumed += done;
        finish_input(feed);
        return !done;
    }
    if (groups_open(&feed->reader, input->name, input->inner ? input->name + input->tree : NULL, limit, &work->problem))
        return false;
    finish_input(feed);
    return true;
}

static bool next_work(struct feed *feed, struct work *work)
{
    while (!crew_stops(feed->crew)) {
        if (feed->input != NULL) {
            *work = (struct work){.input = feed->input, .group = next_group(feed)};
            if (work->group != NULL)
                return true;
            finish_input(feed);
        } else if (feed->next == feed->crew->inputs.count) {
            return false;
        } else if (begin_input(feed, work)) {
            return true;
        }
    }
    return false;
}

static bool take_work(struct feed *feed, struct work *work)
{
    pthread_mutex_lock(&feed->lock);
    gather_wait(feed->gather, feed->begun);
    bool came = next_work(feed, work);
    if (came)
        work->index = feed->begun++;
    pthread_mutex_unlock(&feed->lock);
    return came;
}

/* Return the name of a member for messages. The member of an inner archive is named from the folder of the walk on. */
static char *label_member(const struct input *input, const char *member)
{
    size_t folder = input->inner ? input->tree : strlen(input->name), room = folder + strlen(member) + 2;
    char *label = malloc(room);

    if (label != NULL)
        snprintf(label, room, "%.*s%s%s", (int)folder, input->name, input->inner ? "" : ":", member);
    return label;
}

/* Return the part of a member's name that the output's name takes over: all but the last extension. */
static char *stem_of(const char *name)
{
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    bool extended = dot != NULL && (slash == NULL || dot > slash);

    return strndup(name, extended ? (size_t)(dot - name) : strlen(name));
}

/* Do the verb's work on a member. Takes ownership of the member's data. */
static bool convert_member(struct feed *feed, const struct work *work, struct member *member, struct made *made)
{
    struct source source = {.data = member->data, .length = member->length, .descriptor = -1};
    char *stem = stem_of(member->name);

    free(made->label);
    source.name = made->label = label_member(work->input, member->name);
    if (made->label == NULL || stem == NULL) {
        free(stem);
        return problem_set(&made->problem, "out of memory");
    }
    member->data = NULL;
    bool good = crew_work(feed->crew, &source, work->input, stem, &made->problem);
    free(stem);
    return good;
}

static bool is_twice(const struct capture *capture)
{
    for (size_t i = 0; i < capture->count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(capture->file[i].name, capture->file[k].name) == 0)
                return true;
    return false;
}

/* Convert the pictures of a group, and keep its other members as they are. */
static void convert_group(struct feed *feed, const struct work *work, struct made *made)
{
    struct group *group = work->group;
    bool good = true;

    for (size_t i = 0; i < group->count && good; i++) {
        struct member *member = &group->member[i];
        if (input_is_picture(member->name, member->data, member->length, &feed->choice)) {
            good = convert_member(feed, work, member, made);
            continue;
        }
        good = capture_add(&made->capture, member->name, member->data, member->length, &made->problem);
        member->data = NULL;
    }
    if (good && is_twice(&made->capture))
        problem_set_kind(&made->problem, PROBLEM_NAME, "two members of the group would have one name");
}

/* Read a file, unless the verb reads it itself, and do the verb's work on it. */
static void convert_file(struct feed *feed, const struct work *work, struct made *made)
{
    const struct batch *batch = feed->crew->batch;
    struct source source = {.name = work->input->name, .descriptor = -1};

    if (batch->unread || source_read_picture(&source, work->input->name, batch->files, &made->problem))
        crew_work(feed->crew, &source, work->input, made->group, &made->problem);
}

static void fill(struct feed *feed, const struct work *work, struct made *made)
{
    const char *failure = work->input->failure;

    if (work->problem.text[0] != '\0')
        made->problem = work->problem;
    else if (work->group != NULL && work->group->problem.text[0] != '\0')
        made->problem = work->group->problem;
    else if (failure != NULL)
        problem_set_kind(&made->problem, PROBLEM_READ, "%s", failure);
    else if (work->group != NULL)
        convert_group(feed, work, made);
    else
        convert_file(feed, work, made);
}

/* Set the key and the label of the result. Returns false if out of memory. */
static bool name(const struct work *work, struct made *made)
{
    const struct group *group = work->group;
    size_t length;
    const char *stem = input_stem(work->input, &length);

    made->index = work->index;
    made->input = work->input->name;
    made->is_file = !work->input->archive;
    made->bytes = group != NULL ? group->bytes : work->input->archive ? 0 : work->input->size;
    if (group == NULL && work->input->archive)
        return true;
    if (group != NULL && group->key[0] == '\0')
        return true;
    made->group = group != NULL ? strdup(group->key) : strndup(stem, length);
    if (group != NULL)
        made->label = label_member(work->input, group->culprit != NULL ? group->culprit : group->key);
    return made->group != NULL && (group == NULL || made->label != NULL);
}

static void make(struct feed *feed, struct work *work, struct made *made)
{
    outcome_begin(&made->outcome);
    capture_begin(&made->capture);
    if (name(work, made))
        fill(feed, work, made);
    else
        problem_set(&made->problem, "out of memory");
    if (feed->crew->relay != NULL)
        relay_rest(feed->crew->relay);
    capture_end();
    outcome_end();
    group_release(work->group);
}

static void *worker(void *argument)
{
    struct feed *feed = argument;
    struct work work;
    struct made *made;

    while ((made = calloc(1, sizeof *made)) != NULL && take_work(feed, &work)) {
        make(feed, &work, made);
        gather_put(feed->gather, made);
    }
    free(made);
    return NULL;
}

static void work_off(struct feed *feed)
{
    pthread_t threads[WORKERS_MAX];
    size_t started = 0;

    while (started + 1 < feed->crew->workers && pthread_create(&threads[started], NULL, worker, feed) == 0)
        started++;
    worker(feed);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static uint64_t bytes_of(const struct inputs *inputs)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->input[i].size > 0)
            sum += inputs->input[i].size;
        else if (inputs->input[i].archive)
            return 0;
    return sum;
}

void crew_work_off_groups(struct crew *crew)
{
    const struct batch *batch = crew->batch;
    struct feed feed = {.crew = crew,
        .gather = gather_open(crew),
        .choice = {.output = batch->output, .coded = batch->coded, .raw = batch->files->raw.width > 0},
        .all = bytes_of(&crew->inputs)};

    if (feed.gather == NULL) {
        complain(NULL, "out of memory");
        return;
    }
    pthread_mutex_init(&feed.lock, NULL);
    progress_begin_unknown();
    work_off(&feed);
    gather_close(feed.gather);
    progress_end();
    if (feed.input != NULL)
        groups_close(&feed.reader);
    pthread_mutex_destroy(&feed.lock);
}
