/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the rules of its profile that a stream breaks, once for all calls that ask for them. */
#include <stdio.h>
#include <string.h>

#include "core/report.h"
#include "j2k/run/decode.h"
#include "j2k/write/profile.h"

static void keep(void *argument, const char *breach, const char *remedy)
{
    struct j2k_breaches *breaches = argument;
    (void)remedy;
    if (breaches->found < J2K_BREACHES_MOST)
        snprintf(breaches->text[breaches->found], KST_BREACH_LENGTH, "%s", breach);
    breaches->found++;
}

static void find_breaches(kst_decoder *decoder, struct j2k_breaches **found)
{
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    struct j2k_profile_facts facts;
    kst_status status = KST_OK;
    struct j2k_breaches *breaches = kst_memory_array(&decoder->memory, 1, sizeof *breaches, &status);
    if (!breaches) {
        kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
        return;
    }
    breaches->found = 0;
    kst_j2k_profile_facts(stream, &facts);
    kst_j2k_profile_check(stream, &facts, keep, breaches);
    if (breaches->found > J2K_BREACHES_MOST)
        snprintf(breaches->text[J2K_BREACHES_MOST - 1], KST_BREACH_LENGTH,
            "%zu more rules, or components that break them", breaches->found - J2K_BREACHES_MOST + 1);
    *found = breaches;
}

bool kst_j2k_run_profile_breach(kst_decoder *decoder, size_t index, char *text)
{
    struct j2k_breaches **kept = &j2k_state(decoder)->breaches;
    if (!*kept)
        find_breaches(decoder, kept);
    if (!*kept || index >= (*kept)->found || index >= J2K_BREACHES_MOST)
        return false;
    memcpy(text, (*kept)->text[index], KST_BREACH_LENGTH);
    return true;
}
