/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the rules of its profile and the other claims that a stream breaks, once for all calls that ask for them. */
#include <stdio.h>
#include <string.h>

#include "core/report.h"
#include "j2k/run/decode.h"
#include "j2k/write/claims.h"
#include "j2k/write/profile.h"

/*
 * The memory that comparing claims may take: so much for every stream, and so much more for each byte. A description of
 * a stream must not take more, whatever its headers ask for.
 */
enum { CLAIMS_MEMORY = 8 << 20, CLAIMS_MEMORY_A_BYTE = 10 };

static void keep_at(void *argument, uint64_t offset, const char *breach)
{
    struct j2k_breaches *breaches = argument;
    if (breaches->found < J2K_BREACHES_MOST) {
        breaches->offset[breaches->found] = offset;
        snprintf(breaches->text[breaches->found], KST_BREACH_LENGTH, "%s", breach);
    }
    breaches->found++;
}

static void keep(void *argument, const char *breach, const char *remedy)
{
    (void)remedy;
    keep_at(argument, 0, breach);
}

static struct j2k_breaches *make(kst_decoder *decoder)
{
    kst_status status = KST_OK;
    struct j2k_breaches *breaches = kst_memory_array(&decoder->memory, 1, sizeof *breaches, &status);
    if (breaches)
        breaches->found = 0;
    else
        kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
    return breaches;
}

static void find_breaches(const struct j2k_stream *stream, struct j2k_breaches *breaches)
{
    struct j2k_profile_facts facts;
    kst_j2k_profile_facts(stream, &facts);
    kst_j2k_profile_check(stream, &facts, keep, breaches);
    if (breaches->found > J2K_BREACHES_MOST)
        snprintf(breaches->text[J2K_BREACHES_MOST - 1], KST_BREACH_LENGTH,
            "%zu more rules, or components that break them", breaches->found - J2K_BREACHES_MOST + 1);
}

/* Find the broken claims. An error is left in the decoder's report; what was found before it stays. */
static void find_claims(kst_decoder *decoder, struct j2k_breaches *claims)
{
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    const uint64_t most = CLAIMS_MEMORY + CLAIMS_MEMORY_A_BYTE * (uint64_t)stream->length;
    const uint64_t left = kst_memory_left(&decoder->memory);
    struct operation op = kst_decoder_operation(decoder, NULL);
    struct memory memory;
    kst_memory_init_beside(&memory, &decoder->memory, most < left ? most : left);
    op.memory = &memory;
    kst_j2k_claims_check(&op, stream, keep_at, claims);
    if (claims->found > J2K_BREACHES_MOST)
        snprintf(claims->text[J2K_BREACHES_MOST - 1], KST_BREACH_LENGTH, "%zu more claims",
            claims->found - J2K_BREACHES_MOST + 1);
}

bool kst_j2k_run_profile_breach(kst_decoder *decoder, size_t index, char *text)
{
    struct j2k_breaches **kept = &j2k_state(decoder)->breaches;
    if (!*kept) {
        *kept = make(decoder);
        if (*kept)
            find_breaches(&j2k_state(decoder)->stream, *kept);
    }
    if (!*kept || index >= (*kept)->found || index >= J2K_BREACHES_MOST)
        return false;
    memcpy(text, (*kept)->text[index], KST_BREACH_LENGTH);
    return true;
}

bool kst_j2k_run_claim_breach(kst_decoder *decoder, size_t index, kst_breach *breach)
{
    struct j2k_breaches **kept = &j2k_state(decoder)->claims;
    if (!*kept) {
        *kept = make(decoder);
        if (*kept)
            find_claims(decoder, *kept);
    }
    if (!*kept || index >= (*kept)->found || index >= J2K_BREACHES_MOST)
        return false;
    breach->offset = (*kept)->offset[index];
    memcpy(breach->text, (*kept)->text[index], KST_BREACH_LENGTH);
    return true;
}
