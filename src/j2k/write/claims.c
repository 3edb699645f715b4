/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the claims of a codestream with its marker segments. claim_blocks.c compares them with its code-blocks. */
#include "j2k/write/claims.h"

#include <stdarg.h>
#include <stdio.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/write/capabilities.h"
#include "j2k/write/claim_blocks.h"
#include "j2k/write/profile.h"

enum {
    HEADER = 4,      /* bytes of a marker and the length behind it */
    RSIZ = 6,        /* where Rsiz is in a codestream: behind SOC and the header of SIZ */
    BY_PRF = 0x0FFF, /* the low bits of Rsiz if PRF names the profile */
    WORD = 2,        /* bytes of a word of CPF and PRF */
    BREACH_LENGTH = 192
};

void kst_j2k_claim_broken(const struct j2k_claims *claims, uint64_t offset, const char *format, ...)
{
    char text[BREACH_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    claims->tell(claims->argument, offset, text);
}

/* Return the offset of the next marker segment of a kind in the main header; 0 if there is none. */
static uint64_t in_main(const struct j2k_claims *claims, uint64_t from, uint8_t marker)
{
    const uint64_t end = claims->stream->first_part, at = kst_j2k_find_marker(claims->stream, from, end, marker);
    return at < end ? at : 0;
}

static uint64_t first_in_main(const struct j2k_claims *claims, uint8_t marker)
{
    return in_main(claims, claims->stream->start + 2, marker);
}

/* Return the offset of the first marker segment of a kind in a tile-part's header; 0 if there is none. */
static uint64_t in_part(const struct j2k_claims *claims, uint32_t part, uint8_t marker)
{
    const struct j2k_tile_part *p = &claims->stream->part[part];
    const uint64_t at = kst_j2k_find_marker(claims->stream, p->offset, p->body, marker);
    return at < p->body ? at : 0;
}

static uint32_t length_at(const struct j2k_claims *claims, uint64_t segment)
{
    return j2k_get16(claims->stream->data + segment + 2) - 2;
}

/* Find CAP, and in it the word of T.814. */
static void read_capabilities(struct j2k_claims *claims)
{
    const uint64_t at = first_in_main(claims, J2K_CAP);
    claims->cap = at;
    if (at == 0)
        return;
    const uint8_t *contents = claims->stream->data + at + HEADER;
    const uint32_t parts = j2k_get32(contents);
    const uint32_t before = (uint32_t)__builtin_popcount(parts >> J2K_CCAP_ABOVE_HT);
    claims->has_ht = (parts & J2K_PCAP_HT) != 0;
    claims->ht = claims->has_ht ? (uint16_t)j2k_get16(contents + 4 + 2 * before) : 0;
}

static void check_announcement(const struct j2k_claims *claims)
{
    const uint32_t rsiz = claims->stream->size.capabilities;
    const uint64_t again =
        claims->cap > 0 ? in_main(claims, claims->cap + HEADER + length_at(claims, claims->cap), J2K_CAP) : 0;
    if ((rsiz & J2K_RSIZ_CAP) != 0 && claims->cap == 0)
        kst_j2k_claim_broken(claims, claims->stream->start + RSIZ, "bit 14 of Rsiz announces CAP: there is none");
    if ((rsiz & J2K_RSIZ_CAP) == 0 && claims->cap > 0)
        kst_j2k_claim_broken(claims, claims->stream->start + RSIZ,
            "bit 14 of Rsiz announces CAP, which is there: Rsiz is 0x%04X", (unsigned)rsiz);
    if (again > 0)
        kst_j2k_claim_broken(claims, again, "there is one CAP: this is another");
    if ((claims->ht & J2K_CCAP_RESERVED) != 0 || claims->ht >> J2K_CCAP_KIND == 1)
        kst_j2k_claim_broken(
            claims, claims->cap, "Ccap15 has no reserved bit or value: it is 0x%04X", (unsigned)claims->ht);
}

/* Check that regions of interest are announced. Without a claim of T.814, nothing is said of them. */
static void check_regions(const struct j2k_claims *claims)
{
    uint64_t at = first_in_main(claims, J2K_RGN);
    if (!claims->has_ht || (claims->ht & J2K_CCAP_REGIONS) != 0)
        return;
    for (uint32_t i = 0; i < claims->stream->part_count && at == 0; i++)
        at = in_part(claims, i, J2K_RGN);
    if (at > 0)
        kst_j2k_claim_broken(claims, at, "Ccap15 has no RGN, for no region of interest: here is one");
}

/* Return the offset of a marker segment that homogeneous codestreams do not have in a tile-part's header; or 0. */
static uint64_t own_of_part(const struct j2k_claims *claims, uint32_t part)
{
    static const uint8_t markers[] = {J2K_COD, J2K_COC, J2K_RGN, J2K_QCD, J2K_QCC, J2K_POC, J2K_PPT};
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof markers; i++) {
        const uint64_t at = in_part(claims, part, markers[i]);
        first = at > 0 && (first == 0 || at < first) ? at : first;
    }
    return first;
}

static void check_parts(const struct j2k_claims *claims)
{
    if (!claims->has_ht || (claims->ht & J2K_CCAP_PARTS) != 0)
        return;
    for (uint32_t i = 0; i < claims->stream->part_count; i++) {
        const uint64_t at = own_of_part(claims, i);
        if (at == 0)
            continue;
        kst_j2k_claim_broken(claims, at,
            "Ccap15 says homogeneous, without parameters or packed headers in tile-part headers: here is 0xFF%02X",
            (unsigned)claims->stream->data[at + 1]);
        return;
    }
}

/* Holds what a breach of the profile that CPF names is reported with. */
struct corresponding {
    const struct j2k_claims *claims;
    uint64_t at;
    const char *name;
};

static void tell_corresponding(void *argument, const char *breach, const char *remedy)
{
    const struct corresponding *c = argument;
    (void)remedy;
    kst_j2k_claim_broken(c->claims, c->at, "CPF names %s: %s", c->name, breach);
}

/*
 * Check the rules of the profile in CPF, which hold for the codestream with code-blocks of T.800 in place of those of
 * T.814. The bytes that it would have are not known.
 */
static void check_corresponding(const struct j2k_claims *claims, uint64_t at)
{
    const uint32_t length = length_at(claims, at);
    const uint32_t number = length == WORD ? j2k_get16(claims->stream->data + at + HEADER) : 0;
    struct corresponding c = {.claims = claims, .at = at};
    struct j2k_stream headers = *claims->stream;
    struct j2k_profile_facts facts;
    if (length == 0 || length % WORD != 0)
        kst_j2k_claim_broken(claims, at, "CPF has words of 16 bits: it has %u bytes", (unsigned)length);
    if (!claims->has_ht)
        kst_j2k_claim_broken(claims, at, "CPF goes with a claim of T.814 in CAP: there is none");
    c.name = number > 0 ? kst_j2k_profile_name(number - 1) : NULL;
    if (!c.name)
        return;
    headers.size.capabilities = (uint16_t)(number - 1);
    kst_j2k_profile_facts(claims->stream, &facts);
    facts.bytes = facts.most_component_bytes = 0;
    kst_j2k_profile_check(&headers, &facts, tell_corresponding, &c);
}

static void check_profiles(const struct j2k_claims *claims)
{
    const bool by_prf = (claims->stream->size.capabilities & BY_PRF) == BY_PRF;
    const uint64_t prf = first_in_main(claims, J2K_PRF), cpf = first_in_main(claims, J2K_CPF);
    if (by_prf && prf == 0)
        kst_j2k_claim_broken(claims, claims->stream->start + RSIZ,
            "Rsiz leaves the profile to PRF (its low bits are 0xFFF): there is none");
    if (prf > 0 && !by_prf)
        kst_j2k_claim_broken(claims, prf, "PRF goes with low bits of 0xFFF in Rsiz: Rsiz is 0x%04X",
            (unsigned)claims->stream->size.capabilities);
    if (prf > 0 && (length_at(claims, prf) == 0 || length_at(claims, prf) % WORD != 0))
        kst_j2k_claim_broken(
            claims, prf, "PRF has words of 16 bits: it has %u bytes", (unsigned)length_at(claims, prf));
    if (cpf > 0)
        check_corresponding(claims, cpf);
}

/* Return the offset of the component's COC in a header, or of COD if there is none; 0 if there is neither. */
static uint64_t coding_in(const struct j2k_claims *claims, uint64_t at, uint64_t end, uint32_t component)
{
    enum { NARROW_COMPONENTS = 257 };
    const struct j2k_stream *stream = claims->stream;
    const uint64_t cod = kst_j2k_find_marker(stream, at, end, J2K_COD);
    while ((at = kst_j2k_find_marker(stream, at, end, J2K_COC)) < end) {
        const uint8_t *contents = stream->data + at + HEADER;
        if ((stream->component_count < NARROW_COMPONENTS ? contents[0] : j2k_get16(contents)) == component)
            return at;
        at += HEADER + length_at(claims, at);
    }
    return cod < end ? cod : 0;
}

uint64_t kst_j2k_claim_coding(const struct j2k_claims *claims, uint32_t tile, uint32_t component)
{
    const struct j2k_stream *stream = claims->stream;
    const struct j2k_tile_part *part = &stream->part[stream->tile_part[tile]];
    const uint64_t own = coding_in(claims, part->offset, part->body, component);
    return own > 0 ? own : coding_in(claims, stream->start + 2, stream->first_part, component);
}

kst_status kst_j2k_claims_check(
    const struct operation *op, const struct j2k_stream *stream, j2k_claim_teller tell, void *argument)
{
    struct j2k_claims claims = {.stream = stream, .tell = tell, .argument = argument};
    read_capabilities(&claims);
    check_announcement(&claims);
    check_profiles(&claims);
    check_regions(&claims);
    check_parts(&claims);
    return kst_j2k_claim_blocks(op, &claims);
}
