/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the fields of marker segments and boxes as a line of text. */
#include "j2k/syntax/fields.h"

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/ccap.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/text.h"

enum { NARROW_COMPONENTS = 257, COMPONENTS_TOLD = 8, STEPS_TOLD = 16, TEXT_TOLD = 80, UUID_LENGTH = 16, PART_HT = 15 };

/* Holds the contents of a segment or box while they are printed; reading past the end gives 0. */
struct fields {
    struct j2k_text line;
    const struct j2k_stream *stream;
    const uint8_t *data;
    size_t length, at;
};

static uint32_t take(struct fields *f, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++, f->at++)
        value = value << 8 | (f->at < f->length ? f->data[f->at] : 0U);
    return value;
}

static size_t left(const struct fields *f)
{
    return f->at < f->length ? f->length - f->at : 0;
}

static uint32_t take_component(struct fields *f)
{
    return take(f, f->stream->component_count < NARROW_COMPONENTS ? 1 : 2);
}

static const char *progression(uint32_t number)
{
    static const char *const names[] = {"LRCP", "RLCP", "RPCL", "PCRL", "CPRL"};
    return number < 5 ? names[number] : "?";
}

static void tell_depth(struct fields *f)
{
    uint32_t depth = take(f, 1);
    kst_j2k_text_add(&f->line, "%u bits%s", (depth & 0x7F) + 1, depth & 0x80 ? " signed" : "");
}

static void tell_size(struct fields *f)
{
    uint32_t n[9];
    n[0] = take(f, 2);
    for (uint32_t i = 1; i < 9; i++)
        n[i] = take(f, 4);
    uint32_t count = take(f, 2);
    kst_j2k_text_add(&f->line, "Rsiz 0x%04X, image %u,%u to %u,%u, tiles of %ux%u from %u,%u, components: %u,", n[0],
        n[3], n[4], n[1], n[2], n[5], n[6], n[7], n[8], count);
    for (uint32_t i = 0; i < count && i < COMPONENTS_TOLD && left(f); i++) {
        kst_j2k_text_add(&f->line, i > 0 ? ", " : " ");
        tell_depth(f);
        uint32_t dx = take(f, 1);
        kst_j2k_text_add(&f->line, " by %ux%u", dx, take(f, 1));
    }
    kst_j2k_text_add(&f->line, count > COMPONENTS_TOLD ? " and more" : "");
}

/* Write Ccap15 of T.814 (A.3). */
static void tell_ht(struct fields *f, uint32_t bits)
{
    static const char *const kinds[] = {"all code-blocks", "a reserved kind of code-blocks",
        "all code-blocks of some components", "code-blocks mixed with others"};
    kst_j2k_text_add(&f->line, "%s, %s, %s%s%s, magnitudes up to %u bits", kinds[bits >> J2K_CCAP_KIND],
        bits & J2K_CCAP_SEVERAL ? "several sets" : "one set", bits & J2K_CCAP_REGIONS ? "regions of interest, " : "",
        bits & J2K_CCAP_PARTS ? "parameters of tile-parts, " : "",
        bits & J2K_CCAP_IRREVERSIBLE ? "irreversible" : "reversible", j2k_ccap_bound(bits & J2K_CCAP_BOUND));
}

/*
 * Write CAP. Pcap has a bit for each part of the standard, the first one in the highest bit, and each part has a word.
 */
static void tell_cap(struct fields *f)
{
    uint32_t parts = take(f, 4);
    kst_j2k_text_add(&f->line, "0x%08X", parts);
    for (uint32_t part = 1; part <= 32 && left(f); part++) {
        if ((parts >> (32 - part) & 1) == 0)
            continue;
        uint32_t bits = take(f, 2);
        kst_j2k_text_add(&f->line, ", part %u: 0x%04X", part, bits);
        if (part == PART_HT) {
            kst_j2k_text_add(&f->line, " ");
            tell_ht(f, bits);
        }
    }
}

/* Write a profile's number. It is stored in words of 16 bits, the lowest first, and increased by `more`. */
static void tell_profile(struct fields *f, uint32_t more)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < 4 && left(f); i++)
        number |= (uint64_t)take(f, 2) << 16 * i;
    kst_j2k_text_add(&f->line, "profile %llu", (unsigned long long)(number - more));
}

static void tell_cpf(struct fields *f)
{
    tell_profile(f, 1);
    kst_j2k_text_add(&f->line, " once its code-blocks are those of T.800");
}

static void tell_prf(struct fields *f)
{
    tell_profile(f, 0);
    kst_j2k_text_add(&f->line, " + 4095");
}

/* Write SPcod or SPcoc. */
static void tell_coding(struct fields *f, bool precincts)
{
    static const char *const styles[] = {
        "bypass", "reset", "termall", "causal", "predictable", "symbols", "ht", "mixed"};
    uint32_t levels = take(f, 1), width = take(f, 1), height = take(f, 1), style = take(f, 1);
    kst_j2k_text_add(&f->line, "%u levels, blocks of %ux%u, ", levels, 4U << (width & 0xF), 4U << (height & 0xF));
    for (uint32_t i = 0; i < 8; i++)
        if (style >> i & 1)
            kst_j2k_text_add(&f->line, "%s, ", styles[i]);
    uint32_t transform = take(f, 1);
    kst_j2k_text_add(&f->line, "%s", transform == 0 ? "9/7" : transform == 1 ? "5/3" : "an unknown filter");
    if (precincts)
        kst_j2k_text_add(&f->line, ", precincts");
    while (precincts && left(f)) {
        uint32_t size = take(f, 1);
        kst_j2k_text_add(&f->line, " %ux%u", 1U << (size & 0xF), 1U << (size >> 4));
    }
}

static void tell_cod(struct fields *f)
{
    uint32_t style = take(f, 1), order = take(f, 1), layers = take(f, 2), transform = take(f, 1);
    kst_j2k_text_add(&f->line, "%s, %u %s, %s%s%s", progression(order), layers, layers == 1 ? "layer" : "layers",
        transform ? "component transform, " : "", style & 2 ? "SOP, " : "", style & 4 ? "EPH, " : "");
    tell_coding(f, style & 1);
}

static void tell_coc(struct fields *f)
{
    kst_j2k_text_add(&f->line, "component %u, ", take_component(f));
    tell_coding(f, take(f, 1) & 1);
}

static void tell_steps(struct fields *f)
{
    static const char *const styles[] = {"exponents", "derived from exponent and mantissa", "exponents and mantissas"};
    uint32_t style = take(f, 1), count = 0;
    bool narrow = (style & 0x1F) == 0;
    kst_j2k_text_add(&f->line, "%u guard bits, %s", style >> 5, (style & 0x1F) < 3 ? styles[style & 0x1F] : "unknown");
    for (; left(f) && count < STEPS_TOLD; count++) {
        uint32_t step = take(f, narrow ? 1 : 2);
        if (narrow)
            kst_j2k_text_add(&f->line, " %u", step >> 3);
        else
            kst_j2k_text_add(&f->line, " %u/%u", step >> 11, step & 0x7FF);
    }
    kst_j2k_text_add(&f->line, left(f) ? " and more" : "");
}

static void tell_qcc(struct fields *f)
{
    kst_j2k_text_add(&f->line, "component %u, ", take_component(f));
    tell_steps(f);
}

static void tell_rgn(struct fields *f)
{
    uint32_t component = take_component(f), style = take(f, 1);
    kst_j2k_text_add(&f->line, "component %u, style %u, shift %u", component, style, take(f, 1));
}

static void tell_poc(struct fields *f)
{
    for (uint32_t i = 0; left(f); i++) {
        uint32_t r0 = take(f, 1), c0 = take_component(f), layers = take(f, 2), r1 = take(f, 1), c1 = take_component(f);
        kst_j2k_text_add(&f->line, "%s%s to layer %u, resolutions %u to %u, components %u to %u", i > 0 ? "; " : "",
            progression(take(f, 1)), layers, r0, r1, c0, c1);
    }
}

static void tell_tlm(struct fields *f)
{
    uint32_t index = take(f, 1), sizes = take(f, 1), entry = (sizes >> 4 & 3) + (sizes >> 6 & 1 ? 4 : 2);
    kst_j2k_text_add(&f->line, "index %u, %zu tile-parts", index, left(f) / entry);
}

static void tell_plt(struct fields *f)
{
    uint32_t index = take(f, 1), count = 0;
    uint64_t sum = 0, value = 0;
    while (left(f)) {
        uint32_t byte = take(f, 1);
        value = value << 7 | (byte & 0x7F);
        if (byte & 0x80)
            continue;
        count++;
        sum += value;
        value = 0;
    }
    kst_j2k_text_add(&f->line, "index %u, %u packets of %llu bytes", index, count, (unsigned long long)sum);
}

static void tell_index(struct fields *f)
{
    uint32_t index = take(f, 1);
    kst_j2k_text_add(&f->line, "index %u, %zu bytes", index, left(f));
}

static void tell_crg(struct fields *f)
{
    for (uint32_t i = 0; left(f) && i < COMPONENTS_TOLD; i++) {
        uint32_t x = take(f, 2);
        kst_j2k_text_add(&f->line, "%s%u,%u", i > 0 ? " " : "", x, take(f, 2));
    }
}

/* Write ASCII unchanged; other bytes would need a character set. */
static void tell_text(struct fields *f)
{
    kst_j2k_text_add(&f->line, "\"");
    for (uint32_t i = 0; left(f) && i < TEXT_TOLD; i++) {
        uint32_t letter = take(f, 1);
        kst_j2k_text_add(&f->line, "%c", letter >= ' ' && letter < 127 ? (int)letter : '?');
    }
    kst_j2k_text_add(&f->line, left(f) ? "...\"" : "\"");
}

static void tell_com(struct fields *f)
{
    if (take(f, 2) == 1)
        tell_text(f);
    else
        kst_j2k_text_add(&f->line, "binary, %zu bytes", left(f));
}

static void tell_sot(struct fields *f)
{
    uint32_t tile = take(f, 2), length = take(f, 4), index = take(f, 1), count = take(f, 1);
    kst_j2k_text_add(&f->line, "tile %u, part %u of %u, %u bytes", tile, index, count, length);
}

static void tell_sod(struct fields *f)
{
    kst_j2k_text_add(&f->line, "%zu bytes of packets", f->length);
}

static void tell_cbd(struct fields *f)
{
    uint32_t number = take(f, 2);
    kst_j2k_text_add(&f->line, "%u components:", number & 0x7FFF);
    for (uint32_t i = 0; left(f) && i < COMPONENTS_TOLD; i++) {
        kst_j2k_text_add(&f->line, i > 0 ? ", " : " ");
        tell_depth(f);
    }
}

static void tell_mct(struct fields *f)
{
    static const char *const kinds[] = {"dependency", "decorrelation", "offsets", "unknown kind"};
    static const uint32_t bytes[] = {2, 4, 4, 8};
    uint32_t part = take(f, 2), name = take(f, 2);
    if (part == 0)
        take(f, 2);
    kst_j2k_text_add(
        &f->line, "array %u, %s, %zu values", name & 0xFF, kinds[name >> 8 & 3], left(f) / bytes[name >> 10 & 3]);
}

/* Skip a list of components, and return how many there are. */
static uint32_t skip_list(struct fields *f)
{
    const uint32_t number = take(f, 2), count = number & 0x7FFF;
    f->at += (size_t)count * (number & 0x8000 ? 2 : 1);
    return count;
}

static void tell_collection(struct fields *f)
{
    static const char *const kinds[] = {"dependency", "decorrelation", "unknown kind", "wavelet"};
    const uint32_t kind = take(f, 1) & 3, taken = skip_list(f), made = skip_list(f), what = take(f, 3);
    kst_j2k_text_add(&f->line, "; %s of %u", kinds[kind], taken);
    if (made != taken)
        kst_j2k_text_add(&f->line, " to %u", made);
    if (kind == 3)
        kst_j2k_text_add(&f->line, ", %s, %u levels, origin %u",
            (what & 0xFF) == 0   ? "9/7"
            : (what & 0xFF) == 1 ? "5/3"
                                 : "ATK",
            what >> 16 & 0x3F, take(f, 4));
    else
        kst_j2k_text_add(&f->line, ", array %u%s", what & 0xFF, what >> 16 & 1 ? ", reversible" : "");
    if (what >> 8 & 0xFF)
        kst_j2k_text_add(&f->line, ", offsets %u", what >> 8 & 0xFF);
}

static void tell_mcc(struct fields *f)
{
    uint32_t part = take(f, 2), index = take(f, 1);
    kst_j2k_text_add(&f->line, "stage %u", index);
    if (part > 0)
        return;
    take(f, 2);
    const uint32_t collections = take(f, 2);
    kst_j2k_text_add(&f->line, ", collections: %u", collections);
    for (uint32_t i = 0; i < collections && i < COMPONENTS_TOLD && left(f); i++)
        tell_collection(f);
}

static void tell_mco(struct fields *f)
{
    uint32_t count = take(f, 1);
    kst_j2k_text_add(&f->line, "%u %s:", count, count == 1 ? "stage" : "stages");
    for (uint32_t i = 0; left(f) && i < COMPONENTS_TOLD; i++)
        kst_j2k_text_add(&f->line, " %u", take(f, 1));
}

void kst_j2k_segment_fields(
    const struct j2k_stream *stream, uint8_t marker, const uint8_t *data, size_t length, char *text, size_t room)
{
    static void (*const kinds[256])(struct fields * f) = {[J2K_CBD] = tell_cbd,
        [J2K_MCT] = tell_mct,
        [J2K_MCC] = tell_mcc,
        [J2K_MCO] = tell_mco,
        [J2K_SIZ] = tell_size,
        [J2K_COD] = tell_cod,
        [J2K_COC] = tell_coc,
        [J2K_QCD] = tell_steps,
        [J2K_QCC] = tell_qcc,
        [J2K_RGN] = tell_rgn,
        [J2K_POC] = tell_poc,
        [J2K_TLM] = tell_tlm,
        [J2K_PLT] = tell_plt,
        [J2K_PLM] = tell_index,
        [J2K_PPM] = tell_index,
        [J2K_PPT] = tell_index,
        [J2K_CRG] = tell_crg,
        [J2K_COM] = tell_com,
        [J2K_SOT] = tell_sot,
        [J2K_SOD] = tell_sod,
        [J2K_CAP] = tell_cap,
        [J2K_CPF] = tell_cpf,
        [J2K_PRF] = tell_prf};
    struct fields fields = {.line = {text, room, 0}, .stream = stream, .data = data, .length = length};
    text[0] = '\0';
    if (kinds[marker])
        kinds[marker](&fields);
}

static void tell_ftyp(struct fields *f)
{
    kst_j2k_text_add(&f->line, "brand ");
    f->length = f->length < 4 ? f->length : 4;
    tell_text(f);
}

static void tell_ihdr(struct fields *f)
{
    uint32_t height = take(f, 4), width = take(f, 4), count = take(f, 2);
    kst_j2k_text_add(&f->line, "%ux%u, %u components, ", width, height, count);
    if (left(f) && f->data[f->at] == 255) {
        take(f, 1);
        kst_j2k_text_add(&f->line, "of several depths");
    } else {
        tell_depth(f);
    }
    take(f, 1);
    if (take(f, 1))
        kst_j2k_text_add(&f->line, ", colour unknown");
    if (take(f, 1))
        kst_j2k_text_add(&f->line, ", intellectual property");
}

static void tell_bpcc(struct fields *f)
{
    for (uint32_t i = 0; left(f) && i < COMPONENTS_TOLD; i++) {
        kst_j2k_text_add(&f->line, i > 0 ? ", " : "");
        tell_depth(f);
    }
}

static void tell_colr(struct fields *f)
{
    uint32_t method = take(f, 1), precedence = take(f, 1), approximation = take(f, 1);
    if (method == J2K_COLOUR_ENUMERATED) {
        uint32_t space = take(f, 4);
        kst_j2k_text_add(&f->line, "enumerated %u%s", space,
            space == J2K_COLOUR_SPACE_SRGB   ? " (sRGB)"
            : space == J2K_COLOUR_SPACE_GREY ? " (grey)"
            : space == J2K_COLOUR_SPACE_SYCC ? " (sYCC)"
            : space == J2K_COLOUR_SPACE_CMYK ? " (CMYK)"
                                             : "");
    } else if (method == J2K_COLOUR_POINTS) {
        uint32_t primaries = take(f, 2), transfer = take(f, 2), matrix = take(f, 2);
        kst_j2k_text_add(
            &f->line, "code points %u/%u/%u%s", primaries, transfer, matrix, take(f, 1) >> 7 ? ", full range" : "");
    } else {
        kst_j2k_text_add(&f->line, "%s, %zu bytes",
            method == J2K_COLOUR_ICC        ? "restricted ICC"
            : method == J2K_COLOUR_FULL_ICC ? "ICC"
                                            : "unknown method",
            left(f));
    }
    if (precedence || approximation)
        kst_j2k_text_add(&f->line, ", precedence %u, approximation %u", precedence, approximation);
}

static void tell_pclr(struct fields *f)
{
    uint32_t entries = take(f, 2), columns = take(f, 1);
    kst_j2k_text_add(&f->line, "%u entries of %u columns:", entries, columns);
    for (uint32_t i = 0; i < columns && i < COMPONENTS_TOLD && left(f); i++) {
        kst_j2k_text_add(&f->line, i > 0 ? ", " : " ");
        tell_depth(f);
    }
}

static void tell_cmap(struct fields *f)
{
    for (uint32_t i = 0; left(f) && i < COMPONENTS_TOLD; i++) {
        uint32_t component = take(f, 2), type = take(f, 1), column = take(f, 1);
        kst_j2k_text_add(&f->line, "%scomponent %u", i > 0 ? ", " : "", component);
        if (type == 1)
            kst_j2k_text_add(&f->line, " by column %u", column);
    }
}

static void tell_cdef(struct fields *f)
{
    uint32_t count = take(f, 2);
    for (uint32_t i = 0; i < count && left(f) && i < COMPONENTS_TOLD; i++) {
        uint32_t channel = take(f, 2), type = take(f, 2), association = take(f, 2);
        kst_j2k_text_add(&f->line, "%schannel %u %s", i > 0 ? ", " : "", channel,
            type == 0   ? "colour"
            : type == 1 ? "opacity"
            : type == 2 ? "premultiplied opacity"
                        : "unspecified");
        if (association > 0 && association < 65535)
            kst_j2k_text_add(&f->line, " %u", association);
    }
}

static int take_signed_byte(struct fields *f)
{
    uint32_t byte = take(f, 1);
    return byte < 128 ? (int)byte : (int)byte - 256;
}

static void tell_resolution(struct fields *f)
{
    uint32_t n[4];
    for (uint32_t i = 0; i < 4; i++)
        n[i] = take(f, 2);
    int down = take_signed_byte(f), across = take_signed_byte(f);
    kst_j2k_text_add(
        &f->line, "%u/%u x 10^%d down, %u/%u x 10^%d across, a metre", n[0], n[1], down, n[2], n[3], across);
}

static void tell_uuid(struct fields *f)
{
    for (uint32_t i = 0; i < UUID_LENGTH && left(f); i++)
        kst_j2k_text_add(&f->line, "%02X", (unsigned)take(f, 1));
    kst_j2k_text_add(&f->line, ", %zu bytes", left(f));
}

void kst_j2k_box_fields(const struct j2k_stream *stream, const struct j2k_box *box, char *text, size_t room)
{
    static const struct {
        uint32_t type;
        void (*tell)(struct fields *f);
    } kinds[] = {{J2K_BOX('f', 't', 'y', 'p'), tell_ftyp}, {J2K_BOX('i', 'h', 'd', 'r'), tell_ihdr},
        {J2K_BOX('b', 'p', 'c', 'c'), tell_bpcc}, {J2K_BOX('c', 'o', 'l', 'r'), tell_colr},
        {J2K_BOX('p', 'c', 'l', 'r'), tell_pclr}, {J2K_BOX('c', 'm', 'a', 'p'), tell_cmap},
        {J2K_BOX('c', 'd', 'e', 'f'), tell_cdef}, {J2K_BOX('r', 'e', 's', 'c'), tell_resolution},
        {J2K_BOX('r', 'e', 's', 'd'), tell_resolution}, {J2K_BOX('u', 'u', 'i', 'd'), tell_uuid},
        {J2K_BOX('x', 'm', 'l', ' '), tell_text}};
    struct fields fields = {
        .line = {text, room, 0}, .stream = stream, .data = stream->data + box->offset, .length = (size_t)box->length};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].type == box->type)
            kinds[i].tell(&fields);
}
