/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads groups from archives. */
#include "tar/group.h"

#include <stdlib.h>
#include <string.h>

#include "system/folder.h"

enum { MEMBERS_MAX = 1000 /* members of one group */ };

size_t group_key(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *last = slash == NULL ? name : slash + 1, *dot = strchr(last, '.');

    return dot == NULL || dot == last ? strlen(name) : (size_t)(dot - name);
}

void group_release(struct group *group)
{
    if (group == NULL)
        return;
    for (size_t i = 0; i < group->count; i++)
        member_release(&group->member[i]);
    free(group->member);
    free(group->culprit);
    free(group->key);
    free(group);
}

/* Begin a group with the key of a name. Returns null if out of memory. */
static struct group *begin(const char *name)
{
    struct group *group = calloc(1, sizeof *group);

    if (group == NULL)
        return NULL;
    group->key = strndup(name, group_key(name));
    if (group->key != NULL)
        return group;
    free(group);
    return NULL;
}

/* Let the group fail, unless it has failed before. */
static void fail(struct group *group, const char *culprit, const struct problem *problem)
{
    if (group->problem.text[0] != '\0')
        return;
    group->problem = *problem;
    group->culprit = culprit == NULL ? NULL : strdup(culprit);
}

/* Add a member to a group, which takes ownership of its memory. */
static void add(struct group_reader *reader, struct group *group, struct member *member)
{
    struct problem problem = {.text = ""};
    bool many = group->count == MEMBERS_MAX || member->length > reader->limit - group->bytes;
    struct member *grown = many ? NULL : realloc(group->member, (group->count + 1) * sizeof *grown);

    if (grown != NULL) {
        group->member = grown;
        group->member[group->count++] = *member;
        group->bytes += member->length;
        return;
    }
    problem_set_kind(&problem, many ? PROBLEM_LIMIT : PROBLEM_CONTENT, many ? "%s of one key" : "%s",
        !many                         ? "out of memory"
        : group->count == MEMBERS_MAX ? "there are more than 1000 members"
                                      : "there are more bytes than the memory limit");
    fail(group, member->name, &problem);
    member_release(member);
}

/* Replace the current group, which may be incomplete, by a group that stands for the archive and its problem. */
static struct group *give_up(struct group_reader *reader, const struct problem *problem)
{
    struct group *group = begin("");
    struct problem longer = *problem;

    if (group != NULL && reader->begun != NULL && reader->begun->key[0] != '\0')
        problem_set_kind(&longer, problem->kind, "%.2000s; what it has from %.2000s on is left out", problem->text,
            reader->begun->key);
    group_release(reader->begun);
    reader->begun = NULL;
    reader->tar.ended = true;
    if (group != NULL)
        fail(group, NULL, &longer);
    return group;
}

/* Make `begun`, which the next member belongs to, the current group, and return the previous one. */
static struct group *turn(struct group_reader *reader, struct group *begun)
{
    struct group *complete = reader->begun;

    reader->begun = begun;
    return complete;
}

/* Return whether a member belongs to the current group. */
static bool belongs(const struct group_reader *reader, const char *name)
{
    size_t length = group_key(name);
    const struct group *begun = reader->begun;

    return begun != NULL && strlen(begun->key) == length && memcmp(begun->key, name, length) == 0;
}

/* Add a member, or its problem, to its group. If the member begins a new group, returns the previous one. */
static struct group *place(
    struct group_reader *reader, struct member *member, bool refused, const struct problem *problem)
{
    struct group *complete = NULL;

    if (!belongs(reader, member->name)) {
        struct group *begun = begin(member->name);
        if (begun == NULL) {
            member_release(member);
            reader->tar.ended = true;
            return NULL;
        }
        complete = turn(reader, begun);
    }
    if (refused) {
        fail(reader->begun, member->name, problem);
        member_release(member);
    } else {
        add(reader, reader->begun, member);
    }
    return complete;
}

/*
 * End reading because of a problem of the archive. If the unreadable member belongs to another group, the current group
 * is complete and returned first; otherwise the archive's problem replaces it.
 */
static struct group *fail_archive(
    struct group_reader *reader, const struct member *member, const struct problem *problem)
{
    if (member->name == NULL || reader->begun == NULL || belongs(reader, member->name))
        return give_up(reader, problem);
    reader->late = *problem;
    reader->tar.ended = true;
    return turn(reader, NULL);
}

/* Put the archive's name in front of a member's name. Returns false if out of memory. */
static bool move_into(const char *folder, struct member *member)
{
    char *name = folder_join(folder, member->name);

    if (name == NULL)
        return false;
    free(member->name);
    member->name = name;
    return true;
}

struct group *groups_next(struct group_reader *reader)
{
    struct group *complete = NULL;

    if (reader->late.text[0] != '\0') {
        complete = give_up(reader, &reader->late);
        reader->late.text[0] = '\0';
    }
    while (complete == NULL) {
        struct member member = {.name = NULL};
        struct problem problem = {.text = ""};
        enum tar_step step = tar_next(&reader->tar, &member, &problem);
        if (step == TAR_END)
            return turn(reader, NULL);
        if (member.name != NULL && reader->folder != NULL && !move_into(reader->folder, &member)) {
            problem_set(&problem, "out of memory");
            step = TAR_FAILED;
        }
        if (step == TAR_FAILED) {
            complete = fail_archive(reader, &member, &problem);
            member_release(&member);
            return complete;
        }
        complete = place(reader, &member, step == TAR_REFUSED, &problem);
    }
    return complete;
}

bool groups_open(
    struct group_reader *reader, const char *name, const char *folder, uint64_t limit, struct problem *problem)
{
    *reader = (struct group_reader){.limit = limit, .folder = folder};
    reader->open = tar_open(&reader->tar, name, limit, problem);
    return reader->open;
}

uint64_t groups_position(const struct group_reader *reader)
{
    return reader->open ? tar_position(&reader->tar) : 0;
}

void groups_close(struct group_reader *reader)
{
    if (reader->open)
        tar_close(&reader->tar);
    group_release(reader->begun);
    *reader = (struct group_reader){.open = false};
}
