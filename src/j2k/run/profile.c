/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the rules of its profile that a stream breaks. */
#include <stdio.h>

#include "j2k/run/decode.h"
#include "j2k/write/profile.h"

/* Holds the search for one breach among all. */
struct breach_search {
    size_t left;
    bool found;
    char *text;
};

static void count(void *argument, const char *breach, const char *remedy)
{
    struct breach_search *search = argument;
    (void)remedy;
    if (search->left-- != 0 || search->found)
        return;
    search->found = true;
    snprintf(search->text, KST_BREACH_LENGTH, "%s", breach);
}

bool kst_j2k_run_profile_breach(const struct j2k_stream *stream, size_t index, char *text)
{
    struct j2k_profile_facts facts;
    struct breach_search search = {.left = index, .text = text};
    kst_j2k_profile_facts(stream, &facts);
    kst_j2k_profile_check(stream, &facts, count, &search);
    return search.found;
}
