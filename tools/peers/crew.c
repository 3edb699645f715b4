/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a peer's work on several threads, and waits for all threads. */
#include "peers/crew.h"

#include <pthread.h>

struct member {
    crew_work work;
    void *user;
    uint32_t index;
    struct problem problem;
    bool good;
};

static void *begin(void *arg)
{
    struct member *member = arg;

    member->good = member->work(member->user, member->index, &member->problem);
    return NULL;
}

bool crew_run(uint32_t count, crew_work work, void *user, struct problem *problem)
{
    struct member member[CREW_MOST] = {{.work = work, .user = user}};
    pthread_t thread[CREW_MOST];
    uint32_t started = 1;

    for (uint32_t i = 1; i < count; i++)
        member[i] = (struct member){.work = work, .user = user, .index = i};
    while (started < count && pthread_create(&thread[started], NULL, begin, &member[started]) == 0)
        started++;
    begin(&member[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    if (started < count)
        return problem_set(problem, "a thread could not be started");
    for (uint32_t i = 0; i < count; i++)
        if (!member[i].good) {
            *problem = member[i].problem;
            return false;
        }
    return true;
}
