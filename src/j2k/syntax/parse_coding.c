/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the marker segments that set coding parameters: COD, COC, QCD, QCC, RGN and POC (T.800 A.6). */
#include <string.h>

#include "j2k/plan/block_coder.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"

enum {
    SCOD_PRECINCTS = 1,
    SCOD_SOP = 2,
    SCOD_EPH = 4,
    SPCOD_LENGTH = 5,
    NARROW_COMPONENTS = 257, /* with fewer components than this, the index of a component takes one byte */
    ROI_SHIFT_MAX = 37,
    PROGRESSIONS = 5,
    TRANSFORMS = 7 /* T.801: all kinds of component transforms together */
};

/* Holds a marker segment that is being read, and the parameters that it changes. */
struct coding_reading {
    const struct j2k_parameter_context *context;
    struct j2k_parameters *parameters;
    struct j2k_segment_reader segment;
    size_t at; /* next byte */
    const char *name;
};

static kst_status refuse(const struct coding_reading *reading, kst_status status, const char *what)
{
    return kst_report_error(
        reading->context->report, status, reading->segment.offset + reading->at, "%s: %s", reading->name, what);
}

static kst_status wrong_length(const struct coding_reading *reading)
{
    return kst_report_error(reading->context->report, KST_ERROR_J2K_LENGTH, reading->segment.offset, "%s of %zu",
        reading->name, reading->segment.length);
}

static uint32_t index_bytes(const struct coding_reading *reading)
{
    return reading->context->component_count < NARROW_COMPONENTS ? 1 : 2;
}

static uint32_t take_index(struct coding_reading *reading)
{
    const uint8_t *at = reading->segment.data + reading->at;
    uint32_t bytes = index_bytes(reading);
    reading->at += bytes;
    return bytes == 1 ? at[0] : j2k_get16(at);
}

static kst_status take_component(struct coding_reading *reading, uint32_t *component)
{
    if (reading->segment.length < index_bytes(reading))
        return wrong_length(reading);
    *component = take_index(reading);
    if (*component >= reading->context->component_count)
        return kst_report_error(reading->context->report, KST_ERROR_J2K_COMPONENT, reading->segment.offset,
            "%s for component %u", reading->name, (unsigned)*component);
    return KST_OK;
}

static kst_status take_precincts(struct coding_reading *reading, bool given, struct j2k_coding *coding)
{
    memset(coding->precinct, 0xFF, sizeof coding->precinct);
    if (!given)
        return KST_OK;
    if (reading->segment.length - reading->at < coding->levels + 1U)
        return wrong_length(reading);
    for (uint32_t r = 0; r <= coding->levels; r++) {
        uint8_t size = reading->segment.data[reading->at];
        if (r > 0 && ((size & 0x0F) == 0 || size >> 4 == 0))
            return refuse(reading, KST_ERROR_J2K_CODING, "a precinct narrower than a subband's sample");
        coding->precinct[r] = size;
        reading->at++;
    }
    return KST_OK;
}

/* Read SPcod or SPcoc (Table A.15). */
static kst_status take_coding(struct coding_reading *reading, bool precincts, struct j2k_coding *coding)
{
    if (reading->segment.length - reading->at < SPCOD_LENGTH)
        return wrong_length(reading);
    const uint8_t *at = reading->segment.data + reading->at;
    coding->levels = at[0];
    coding->block_width = (uint8_t)((at[1] & 0x0F) + 2);
    coding->block_height = (uint8_t)((at[2] & 0x0F) + 2);
    coding->style = at[3];
    coding->reversible = at[4] == 1;
    if (coding->levels > J2K_LEVELS)
        return refuse(reading, KST_ERROR_J2K_CODING, "more than 32 levels");
    if (at[1] > 8 || at[2] > 8 || coding->block_width + coding->block_height > 12)
        return refuse(reading, KST_ERROR_J2K_CODING, "the size of code-blocks");
    if (!kst_j2k_has_style(at[3]))
        return refuse(reading, KST_ERROR_J2K_CODING, "an unknown code-block style");
    if (at[4] > 1)
        return refuse(reading, KST_ERROR_J2K_CODING, "an unknown wavelet transform");
    reading->at += SPCOD_LENGTH;
    kst_status status = take_precincts(reading, precincts, coding);
    if (!status && reading->at != reading->segment.length)
        status = wrong_length(reading);
    return status;
}

static kst_status parse_cod(struct coding_reading *reading)
{
    struct j2k_parameters *to = reading->parameters;
    const uint8_t *at = reading->segment.data;
    if (to->has_coding)
        return refuse(reading, KST_ERROR_J2K_MARKER, "a second one in this header");
    if (reading->segment.length < 5 + SPCOD_LENGTH)
        return wrong_length(reading);
    if (at[0] & ~(SCOD_PRECINCTS | SCOD_SOP | SCOD_EPH))
        return refuse(reading, KST_ERROR_J2K_CODING, "an unknown coding style");
    if (at[1] >= PROGRESSIONS)
        return refuse(reading, KST_ERROR_J2K_CODING, "an unknown progression");
    if (j2k_get16(at + 2) == 0)
        return refuse(reading, KST_ERROR_J2K_CODING, "no layers");
    if (j2k_get16(at + 2) > reading->context->limits->layers)
        return refuse(reading, KST_ERROR_LIMIT_LAYERS, "the number of layers");
    if (at[4] > (reading->context->multi ? TRANSFORMS : 1))
        return refuse(reading, KST_ERROR_J2K_CODING, "an unknown component transform");
    if (at[4] > 1 && (at[4] & 1))
        return refuse(reading, KST_ERROR_J2K_EXTENSION, "RCT or ICT behind a multiple component transform");
    reading->at = 5;
    struct j2k_coding coding = {0};
    kst_status status = take_coding(reading, at[0] & SCOD_PRECINCTS, &coding);
    if (status)
        return status;
    to->sop = at[0] & SCOD_SOP;
    to->eph = at[0] & SCOD_EPH;
    to->progression = at[1];
    to->layers = (uint16_t)j2k_get16(at + 2);
    to->transform = at[4] & 1;
    to->multi = at[4] >> 1;
    to->has_coding = true;
    for (uint32_t i = 0; i < reading->context->component_count; i++)
        if (!(to->own[i] & J2K_OWN_CODING))
            to->coding[i] = coding;
    return KST_OK;
}

static kst_status parse_coc(struct coding_reading *reading)
{
    uint32_t component = 0;
    kst_status status = take_component(reading, &component);
    if (status)
        return status;
    if (reading->segment.length == reading->at)
        return wrong_length(reading);
    uint8_t style = reading->segment.data[reading->at];
    if (style & ~SCOD_PRECINCTS)
        return refuse(reading, KST_ERROR_J2K_CODING, "an unknown coding style");
    reading->at++;
    struct j2k_coding coding = {0};
    status = take_coding(reading, style & SCOD_PRECINCTS, &coding);
    if (status)
        return status;
    reading->parameters->coding[component] = coding;
    reading->parameters->own[component] |= J2K_OWN_CODING;
    return KST_OK;
}

/* Read Sqcd and SPqcd (Table A.28). Whether there are steps for all subbands is checked when a tile is laid out. */
static kst_status take_quantisation(struct coding_reading *reading, struct j2k_quantisation *quantisation)
{
    if (reading->segment.length == reading->at)
        return wrong_length(reading);
    uint8_t style = reading->segment.data[reading->at];
    quantisation->style = style & 0x1F;
    quantisation->guard = style >> 5;
    if (quantisation->style > 2)
        return refuse(reading, KST_ERROR_J2K_QUANTISATION, "an unknown style");
    reading->at++;
    size_t width = quantisation->style == 0 ? 1 : 2, left = reading->segment.length - reading->at;
    size_t count = left / width;
    if (left % width || count == 0 || count > J2K_SUBBANDS || (quantisation->style == 1 && count != 1))
        return wrong_length(reading);
    quantisation->count = (uint8_t)count;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = reading->segment.data + reading->at + i * width;
        quantisation->step[i] = (uint16_t)(width == 1 ? (uint32_t)at[0] >> 3 << 11 : j2k_get16(at));
    }
    return KST_OK;
}

static kst_status parse_qcd(struct coding_reading *reading)
{
    struct j2k_parameters *to = reading->parameters;
    struct j2k_quantisation quantisation = {0};
    if (to->has_quantisation)
        return refuse(reading, KST_ERROR_J2K_MARKER, "a second one in this header");
    kst_status status = take_quantisation(reading, &quantisation);
    if (status)
        return status;
    to->has_quantisation = true;
    for (uint32_t i = 0; i < reading->context->component_count; i++)
        if (!(to->own[i] & J2K_OWN_QUANTISATION))
            to->quantisation[i] = quantisation;
    return KST_OK;
}

static kst_status parse_qcc(struct coding_reading *reading)
{
    uint32_t component = 0;
    struct j2k_quantisation quantisation = {0};
    kst_status status = take_component(reading, &component);
    if (!status)
        status = take_quantisation(reading, &quantisation);
    if (status)
        return status;
    reading->parameters->quantisation[component] = quantisation;
    reading->parameters->own[component] |= J2K_OWN_QUANTISATION;
    return KST_OK;
}

static kst_status parse_rgn(struct coding_reading *reading)
{
    uint32_t component = 0;
    kst_status status = take_component(reading, &component);
    if (status)
        return status;
    if (reading->segment.length - reading->at != 2)
        return wrong_length(reading);
    const uint8_t *at = reading->segment.data + reading->at;
    if (at[0] != 0)
        return refuse(reading, KST_ERROR_J2K_ROI, "an unknown style");
    if (at[1] > ROI_SHIFT_MAX)
        return refuse(reading, KST_ERROR_J2K_ROI, "a shift above 37");
    reading->parameters->roi_shift[component] = at[1];
    return KST_OK;
}

/* Read an entry of POC (A.6.6). A CEpoc of 0 means all components. */
static kst_status take_volume(struct coding_reading *reading, struct j2k_volume *volume)
{
    uint32_t all = reading->context->component_count;
    volume->r0 = reading->segment.data[reading->at++];
    volume->c0 = take_index(reading);
    volume->layers = (uint16_t)j2k_get16(reading->segment.data + reading->at);
    volume->r1 = reading->segment.data[reading->at + 2];
    reading->at += 3;
    volume->c1 = take_index(reading);
    volume->progression = reading->segment.data[reading->at++];
    if (volume->c1 == 0 || volume->c1 > all)
        volume->c1 = all;
    if (volume->r1 > J2K_RESOLUTIONS)
        volume->r1 = J2K_RESOLUTIONS;
    if (volume->progression >= PROGRESSIONS)
        return refuse(reading, KST_ERROR_J2K_PROGRESSION, "an unknown progression");
    if (volume->r0 >= volume->r1 || volume->c0 >= volume->c1 || volume->layers == 0)
        return refuse(reading, KST_ERROR_J2K_PROGRESSION, "nothing in it");
    return KST_OK;
}

static kst_status parse_poc(struct coding_reading *reading)
{
    struct j2k_parameters *to = reading->parameters;
    size_t entry = 5 + 2 * (size_t)index_bytes(reading);
    if (reading->segment.length == 0 || reading->segment.length % entry != 0)
        return wrong_length(reading);
    while (reading->at < reading->segment.length) {
        struct j2k_volume volume;
        if (to->volume_count >= J2K_VOLUMES_MAX)
            return refuse(reading, KST_ERROR_J2K_PROGRESSION, "more than 1,024 changes");
        kst_status status = take_volume(reading, &volume);
        if (!status)
            status = kst_j2k_grow(reading->context->memory, reading->context->report, (void **)&to->volume,
                to->volume_count, &to->volume_capacity, sizeof *to->volume);
        if (status)
            return status;
        to->volume[to->volume_count++] = volume;
    }
    return KST_OK;
}

kst_status kst_j2k_parse_parameters(const struct j2k_parameter_context *context, struct j2k_parameters *parameters,
    uint8_t marker, struct j2k_segment_reader segment)
{
    static const struct {
        uint8_t marker;
        const char *name;
        kst_status (*parse)(struct coding_reading *reading);
    } kinds[] = {
        {J2K_COD, "COD", parse_cod},
        {J2K_COC, "COC", parse_coc},
        {J2K_QCD, "QCD", parse_qcd},
        {J2K_QCC, "QCC", parse_qcc},
        {J2K_RGN, "RGN", parse_rgn},
        {J2K_POC, "POC", parse_poc},
    };
    struct coding_reading reading = {.context = context, .parameters = parameters, .segment = segment};
    const char *extension = kst_j2k_extension_name(marker);
    if (context->multi && (extension || kst_j2k_is_multi_marker(marker))) {
        reading.name = extension ? extension : "MCT, MCC or MCO";
        return context->tile_multi ? KST_OK : refuse(&reading, KST_ERROR_J2K_EXTENSION, "in the header of a tile-part");
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].marker != marker)
            continue;
        reading.name = kinds[i].name;
        if (!context->first && marker != J2K_POC)
            return refuse(&reading, KST_ERROR_J2K_MARKER, "not in a tile's first tile-part");
        return kinds[i].parse(&reading);
    }
    return KST_OK;
}

kst_status kst_j2k_parameters_allocate(struct memory *memory, uint32_t components, struct j2k_parameters *parameters)
{
    kst_status status = KST_OK;
    parameters->coding = kst_memory_zeroed(memory, components, sizeof *parameters->coding, &status);
    parameters->quantisation = kst_memory_zeroed(memory, components, sizeof *parameters->quantisation, &status);
    parameters->roi_shift = kst_memory_zeroed(memory, components, sizeof *parameters->roi_shift, &status);
    parameters->own = kst_memory_zeroed(memory, components, sizeof *parameters->own, &status);
    return status;
}

void kst_j2k_parameters_release(struct memory *memory, struct j2k_parameters *parameters)
{
    kst_memory_release(memory, parameters->coding);
    kst_memory_release(memory, parameters->quantisation);
    kst_memory_release(memory, parameters->roi_shift);
    kst_memory_release(memory, parameters->own);
    kst_memory_release(memory, parameters->volume);
    memset(parameters, 0, sizeof *parameters);
}
