/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses what the headers of a JPEG 2000 codestream say, from the options and the image. */
#include <math.h>

#include "core/report.h"
#include "j2k/plan/norms.h"
#include "j2k/run/encode.h"
#include "j2k/syntax/geometry.h"
#include "j2k/syntax/parser.h"

enum { ALL_OF_IT = 15, EXPONENT_MAX = 31, PLANES_MAX = 31, SEPARATION_MAX = 255, TRANSFORMED_DEPTH_MAX = 28 };

#define EVERY_TILE UINT32_MAX

static kst_status fail(struct j2k_encoder *encoder, kst_status status, const char *detail)
{
    return kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

/* Return the separation at which [first, first + size) holds `wanted` samples (B-15); 0 if there is none. */
static uint8_t separation(uint32_t first, uint32_t size, uint32_t wanted)
{
    for (uint32_t d = 1; d <= SEPARATION_MAX; d++)
        if (j2k_ceil_divide(first + size, d) - j2k_ceil_divide(first, d) == wanted)
            return (uint8_t)d;
    return 0;
}

static kst_status describe_components(struct j2k_encoder *encoder)
{
    const kst_image *image = encoder->image;
    const kst_j2k_options *o = &encoder->options;
    struct j2k_stream *headers = &encoder->coded.headers;
    kst_status status;
    headers->component =
        kst_memory_zeroed(&encoder->e->memory, encoder->component_count, sizeof *headers->component, &status);
    if (!headers->component)
        return fail(encoder, status, NULL);
    headers->component_count = encoder->component_count;
    for (uint32_t c = 0; c < encoder->component_count; c++) {
        struct j2k_component_size *component = &headers->component[c];
        const kst_plane *plane = kst_image_plane(image, kst_format_channels(image->format) ? 0 : c);
        *component = (struct j2k_component_size){
            .depth = encoder->origin[c].depth, .is_signed = encoder->origin[c].is_signed, .dx = 1, .dy = 1};
        if (image->format == KST_FORMAT_RAW) {
            component->dx = separation(o->image_x, image->width, plane->width);
            component->dy = separation(o->image_y, image->height, plane->height);
        }
        if (component->dx == 0 || component->dy == 0)
            return fail(encoder, KST_ERROR_IMAGE_SIZE, "a plane that is no whole part of the picture");
    }
    return KST_OK;
}

static kst_status describe_size(struct j2k_encoder *encoder)
{
    const kst_image *image = encoder->image;
    const kst_j2k_options *o = &encoder->options;
    struct j2k_size *size = &encoder->coded.headers.size;
    if (image->width > UINT32_MAX - o->image_x || image->height > UINT32_MAX - o->image_y)
        return fail(encoder, KST_ERROR_J2K_DIMENSIONS, "the picture ends beyond the reference grid");
    size->capabilities = (uint16_t)o->profile;
    size->image = (struct j2k_rect){o->image_x, o->image_y, o->image_x + image->width, o->image_y + image->height};
    size->tile_x = o->tile_x;
    size->tile_y = o->tile_y;
    if (o->tile_x > o->image_x || o->tile_y > o->image_y)
        return fail(encoder, KST_ERROR_J2K_DIMENSIONS, "tiles begin inside the picture");
    size->tile_width = o->tile_width ? o->tile_width : size->image.x1 - o->tile_x;
    size->tile_height = o->tile_height ? o->tile_height : size->image.y1 - o->tile_y;
    if (size->tile_width <= o->image_x - o->tile_x || size->tile_height <= o->image_y - o->tile_y)
        return fail(encoder, KST_ERROR_J2K_DIMENSIONS, "the first tile ends in front of the picture");
    size->columns = j2k_ceil_divide(size->image.x1 - o->tile_x, size->tile_width);
    size->rows = j2k_ceil_divide(size->image.y1 - o->tile_y, size->tile_height);
    uint64_t tiles = (uint64_t)size->columns * size->rows;
    if (tiles > encoder->e->context->limits.tiles)
        return fail(encoder, KST_ERROR_LIMIT_TILES, NULL);
    return tiles > UINT16_MAX ? fail(encoder, KST_ERROR_J2K_TILES, NULL) : KST_OK;
}

/* Return the logarithm of a power of two; 255 for other numbers. */
static uint8_t logarithm(uint32_t number)
{
    return number != 0 && (number & (number - 1)) == 0 ? (uint8_t)__builtin_ctz(number) : UINT8_MAX;
}

static kst_status describe_precincts(struct j2k_encoder *encoder, struct j2k_coding *coding)
{
    const kst_j2k_options *o = &encoder->options;
    struct j2k_profile_coding profile;
    if (o->precinct_count > J2K_RESOLUTIONS)
        return fail(encoder, KST_ERROR_J2K_CODING, "more than 33 sizes of precincts");
    bool by_profile = o->precinct_count == 0 && kst_j2k_profile_coding(o->profile, &profile);
    for (uint32_t r = 0; r <= coding->levels; r++) {
        if (by_profile) {
            coding->precinct[r] = kst_j2k_profile_precinct(r);
            continue;
        }
        uint32_t from_top = coding->levels - r, last = o->precinct_count - 1;
        uint32_t index = from_top < last ? from_top : last;
        uint8_t width = ALL_OF_IT, height = ALL_OF_IT;
        if (o->precinct_count > 0) {
            width = logarithm(o->precinct_width[index]);
            height = logarithm(o->precinct_height[index]);
        }
        if (width > ALL_OF_IT || height > ALL_OF_IT)
            return fail(encoder, KST_ERROR_J2K_CODING, "the size of precincts");
        coding->precinct[r] = (uint8_t)(width | height << 4);
    }
    return KST_OK;
}

/* Return the exponent and mantissa that come nearest to a step (E-3), which is in units of the picture's samples. */
static uint16_t code_step(double step, uint32_t range)
{
    int exponent;
    double fraction = 2 * frexp(step, &exponent); /* 1 ≤ fraction < 2 */
    uint32_t mantissa = (uint32_t)((fraction - 1) * 2048 + 0.5);
    int coded = (int)range - (exponent - 1);
    if (mantissa == 2048) {
        mantissa = 0;
        coded--;
    }
    if (coded < 0)
        return 0x7FF;
    return coded > EXPONENT_MAX ? EXPONENT_MAX << 11 : (uint16_t)((uint32_t)coded << 11 | mantissa);
}

/* Holds the parameters of a component in one tile or, for EVERY_TILE, in all tiles. */
struct own {
    struct j2k_parameters *parameters;
    uint32_t component, tile;
};

/* Return the options of one component; null if it has none of its own. */
static const kst_j2k_component *own_of(
    const struct j2k_encoder *encoder, const struct own *own, enum kst_j2k_field field)
{
    const kst_j2k_options *o = &encoder->options;
    const kst_j2k_component *found = NULL;
    for (size_t i = o->component_count; i-- > 0;) {
        const kst_j2k_component *c = &o->component[i];
        bool of_tile = (c->fields & KST_J2K_OWN_TILE) != 0;
        if (c->component != own->component || (c->fields & (uint32_t)field) == 0)
            continue;
        if (of_tile && c->tile == own->tile)
            return c;
        found = !of_tile && !found ? c : found;
    }
    return found;
}

static uint8_t most_planes(const struct j2k_quantisation *q)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < q->count; b++)
        most = q->step[b] >> 11 > most ? q->step[b] >> 11 : most;
    return (uint8_t)(q->guard + most - (q->guard + most > 0));
}

/*
 * Return the most bit-planes that a band may have. A region of interest lies above all planes of the background (Annex
 * H).
 */
static uint32_t planes_for(const struct j2k_encoder *encoder)
{
    return encoder->options.interest.width > 0 ? PLANES_MAX / 2 : PLANES_MAX;
}

/*
 * Return the wanted step or, if it is coarser, the finest step whose coefficients fit into `planes` bit-planes with
 * these guard bits (E-2).
 */
static uint16_t coarse_enough(uint16_t step, uint32_t guard, uint32_t planes)
{
    uint32_t finest = planes + 1 - guard;
    return step >> 11 > finest ? (uint16_t)(finest << 11) : step;
}

/*
 * Return the ratio of a component's steps to those of the first one. If no passes are left out, the steps alone decide
 * how much an error in each component counts: in a colour, or in a slice of a transformed volume.
 */
static double share_of_component(const struct j2k_encoder *encoder, const struct own *own)
{
    const bool counts = kst_j2k_run_encode_searches(encoder) || encoder->options.target == KST_J2K_QUALITY;
    if (counts && encoder->e->volume)
        return encoder->slice_norm[0] / encoder->slice_norm[own->component];
    if (!own->parameters->transform || own->component > 2 || !counts)
        return 1;
    const double left = kst_j2k_run_encode_feeds(encoder) ? kst_j2k_unfed_error(J2K_TRANSFORM_ICT, own->component) : 1;
    return kst_j2k_component_norm(J2K_TRANSFORM_ICT, 0) /
           (kst_j2k_component_norm(J2K_TRANSFORM_ICT, own->component) * sqrt(left));
}

/*
 * Return the visual weight by which a band's step is divided; 1 if visual weights decide which passes are left out
 * instead.
 */
static double seen(const struct j2k_encoder *encoder, const struct own *own, uint32_t orientation, uint32_t level)
{
    if (!kst_j2k_run_encode_takes_all(encoder) && !kst_j2k_run_encode_searches(encoder))
        return 1;
    return kst_j2k_run_encode_seen(encoder, own->parameters, own->component, orientation, level);
}

/*
 * Return whether a component of a volume is described like the previous one, because both belong to the same band along
 * z.
 */
static bool is_like_before(const struct j2k_encoder *encoder, uint32_t component)
{
    return encoder->slice_norm && component > 0 && encoder->slice_norm[component] == encoder->slice_norm[component - 1];
}

/*
 * Choose the quantiser's steps (Annex E) so that errors in any band's coefficients count the same in the picture. If
 * the target is not a step, bands that would need too many planes, because samples are so deep or the step is so fine,
 * get coarser steps.
 */
static void describe_steps(const struct j2k_encoder *encoder, const struct own *own)
{
    struct j2k_quantisation *q = &own->parameters->quantisation[own->component];
    const struct j2k_coding *coding = &own->parameters->coding[own->component];
    uint32_t levels = coding->levels, depth = encoder->origin[own->component].depth;
    bool reversible = coding->reversible;
    const kst_j2k_component *scale = own_of(encoder, own, KST_J2K_OWN_STEP);
    const kst_j2k_component *guard = own_of(encoder, own, KST_J2K_OWN_GUARD_BITS);
    double step = (scale ? encoder->step * scale->step : encoder->step) * share_of_component(encoder, own);
    if (is_like_before(encoder, own->component)) {
        *q = q[-1];
        return;
    }
    *q = (struct j2k_quantisation){.style = reversible                       ? 0
                                            : encoder->options.derived_steps ? 1
                                                                             : 2,
        .guard = (uint8_t)(guard ? guard->guard_bits : encoder->options.guard_bits)};
    q->count = (uint8_t)(q->style == 1 ? 1 : 3 * levels + 1);
    for (uint32_t b = 0; b < q->count; b++) {
        uint32_t orientation = b == 0 ? J2K_LL : (b - 1) % 3 + 1, level = b == 0 ? levels : levels - (b - 1) / 3;
        uint32_t range = depth + j2k_log2_gain(orientation);
        if (reversible)
            q->step[b] = (uint16_t)(range << 11);
        else
            q->step[b] = code_step(step / (kst_j2k_band_norm(&encoder->norms, orientation, level) *
                                              seen(encoder, own, orientation, level)),
                range);
        if (!reversible && !kst_j2k_run_encode_takes_all(encoder))
            q->step[b] = coarse_enough(q->step[b], q->guard, planes_for(encoder));
    }
    /* Coefficients of 29-bit samples need no more, because the 5/3 transform makes them at most 7.9 times as large. */
    while (reversible && q->guard > 1 && most_planes(q) > PLANES_MAX)
        q->guard--;
}

static kst_status check_planes(struct j2k_encoder *encoder, const struct own *own)
{
    const struct j2k_coding *coding = &own->parameters->coding[own->component];
    uint32_t depth = encoder->origin[own->component].depth;
    if (coding->reversible && coding->levels > 0 && depth + 2 > EXPONENT_MAX)
        return fail(encoder, KST_ERROR_J2K_QUANTISATION, "samples of 30 and 31 bits go with 0 levels alone");
    if (most_planes(&own->parameters->quantisation[own->component]) > PLANES_MAX)
        return fail(
            encoder, KST_ERROR_J2K_QUANTISATION, "more than 31 bit planes: the step is too fine for samples so deep");
    return KST_OK;
}

/*
 * Return whether a component transform is used. Its colour differences have one additional bit, which may not fit into
 * coefficients.
 */
static bool is_transformed(const struct j2k_encoder *encoder)
{
    const struct j2k_component_size *c = encoder->coded.headers.component;
    if (encoder->options.keep_components || encoder->colour != KST_COLOUR_RGB || encoder->component_count < 3)
        return false;
    if (c->depth > TRANSFORMED_DEPTH_MAX)
        return false;
    for (uint32_t i = 1; i < 3; i++)
        if (c[i].dx != c[0].dx || c[i].dy != c[0].dy || c[i].depth != c[0].depth || c[i].is_signed != c[0].is_signed)
            return false;
    return true;
}

/* Order the packets of a 4K picture for cinema: first those that a 2K picture needs, then the others. */
static kst_status describe_two_sets(struct j2k_encoder *encoder)
{
    struct j2k_parameters *main = &encoder->coded.headers.main;
    uint8_t levels = main->coding[0].levels;
    kst_status status;
    main->volume = kst_memory_zeroed(&encoder->e->memory, 2, sizeof *main->volume, &status);
    if (!main->volume)
        return fail(encoder, status, NULL);
    main->volume_count = main->volume_capacity = 2;
    for (uint32_t i = 0; i < 2; i++)
        main->volume[i] = (struct j2k_volume){.progression = J2K_CPRL,
            .r0 = i == 0 ? 0 : levels,
            .r1 = (uint8_t)(levels + i),
            .layers = main->layers,
            .c1 = encoder->component_count};
    return KST_OK;
}

static kst_status describe_changes(struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    struct j2k_profile_coding profile;
    struct j2k_parameters *main = &encoder->coded.headers.main;
    kst_status status;
    if (o->change_count == 0 && kst_j2k_profile_coding(o->profile, &profile) && profile.two_sets && o->levels > 0)
        return describe_two_sets(encoder);
    if (o->change_count == 0)
        return KST_OK;
    if (o->change_count > J2K_VOLUMES_MAX)
        return fail(encoder, KST_ERROR_J2K_PROGRESSION, "more than 1,024 changes");
    main->volume = kst_memory_zeroed(&encoder->e->memory, o->change_count, sizeof *main->volume, &status);
    if (!main->volume)
        return fail(encoder, status, NULL);
    main->volume_count = main->volume_capacity = (uint32_t)o->change_count;
    for (size_t i = 0; i < o->change_count; i++) {
        const kst_j2k_change *change = &o->change[i];
        if (change->resolution1 > J2K_RESOLUTIONS || change->layers > UINT16_MAX)
            return fail(encoder, KST_ERROR_J2K_PROGRESSION, NULL);
        main->volume[i] = (struct j2k_volume){.progression = (uint8_t)change->progression,
            .r0 = (uint8_t)change->resolution0,
            .r1 = (uint8_t)(change->resolution1 ? change->resolution1 : J2K_RESOLUTIONS),
            .layers = (uint16_t)(change->layers ? change->layers : o->layers),
            .c0 = change->component0,
            .c1 = change->component1 ? change->component1 : encoder->component_count};
    }
    return KST_OK;
}

/* Choose the shift that lifts the region of interest above all planes of the rest (Annex H). */
static kst_status describe_shift(struct j2k_encoder *encoder, struct j2k_parameters *parameters, uint32_t component)
{
    const uint8_t shift = most_planes(&parameters->quantisation[component]);
    parameters->roi_shift[component] = shift;
    if (shift <= PLANES_MAX / 2)
        return KST_OK;
    return fail(encoder, KST_ERROR_J2K_ROI,
        parameters->coding[component].reversible
            ? "more than 15 bit planes: samples are too deep for a region of interest with the reversible transforms"
            : "more than 15 bit planes, which a region of interest doubles: take a coarser step, a rate or a ratio");
}

static kst_status describe_region(struct j2k_encoder *encoder)
{
    const kst_region *interest = &encoder->options.interest;
    struct j2k_parameters *main = &encoder->coded.headers.main;
    if (interest->width == 0 || interest->height == 0)
        return KST_OK;
    if (interest->x >= encoder->image->width || interest->y >= encoder->image->height ||
        interest->width > encoder->image->width - interest->x ||
        interest->height > encoder->image->height - interest->y)
        return fail(encoder, KST_ERROR_REGION, "of interest");
    struct j2k_rect *region = &encoder->request.region;
    region->x0 = encoder->options.image_x + interest->x;
    region->y0 = encoder->options.image_y + interest->y;
    region->x1 = region->x0 + interest->width;
    region->y1 = region->y0 + interest->height;
    kst_status status = KST_OK;
    for (uint32_t c = 0; c < encoder->component_count && !status; c++)
        status = describe_shift(encoder, main, c);
    return status;
}

/* Choose the number of levels. Profiles 0 and 1 demand a lowest resolution of at most 128 × 128. */
static uint8_t choose_levels(const struct j2k_encoder *encoder)
{
    enum { LOWEST = 128 };
    const struct j2k_size *size = &encoder->coded.headers.size;
    uint32_t levels = encoder->options.levels;
    bool needed = encoder->options.profile == KST_J2K_PROFILE_0 || encoder->options.profile == KST_J2K_PROFILE_1;
    while (needed && levels < J2K_LEVELS &&
           (j2k_ceil_shift(size->tile_width, levels) > LOWEST || j2k_ceil_shift(size->tile_height, levels) > LOWEST))
        levels++;
    return (uint8_t)levels;
}

static kst_status describe_component(struct j2k_encoder *encoder, const struct own *own)
{
    const kst_j2k_options *o = &encoder->options;
    struct j2k_coding *coding = &own->parameters->coding[own->component];
    const kst_j2k_component *levels = own_of(encoder, own, KST_J2K_OWN_LEVELS);
    const kst_j2k_component *blocks = own_of(encoder, own, KST_J2K_OWN_BLOCKS);
    const kst_j2k_component *style = own_of(encoder, own, KST_J2K_OWN_STYLE);
    const kst_j2k_component *transform = own_of(encoder, own, KST_J2K_OWN_TRANSFORM);
    coding->levels = levels ? (uint8_t)levels->levels : choose_levels(encoder);
    coding->block_width = logarithm(blocks ? blocks->block_width : o->block_width);
    coding->block_height = logarithm(blocks ? blocks->block_height : o->block_height);
    coding->style = (uint8_t)(style ? style->style : o->style);
    coding->reversible = transform ? transform->reversible : encoder->reversible;
    kst_status status = describe_precincts(encoder, coding);
    if (status)
        return status;
    describe_steps(encoder, own);
    return check_planes(encoder, own);
}

/*
 * Return whether the first three components have the parameters in common that a component transform requires:
 * components that are transformed together share one wavelet analysis.
 */
static bool fit_together(const struct j2k_coding *first)
{
    for (uint32_t c = 1; c < 3; c++)
        if (first[c].levels != first->levels || first[c].reversible != first->reversible ||
            first[c].block_width != first->block_width || first[c].block_height != first->block_height)
            return false;
    return true;
}

static kst_status describe_all(struct j2k_encoder *encoder, struct j2k_parameters *parameters, uint32_t tile)
{
    kst_status status = KST_OK;
    for (uint32_t c = 0; c < encoder->component_count && !status; c++)
        status = describe_component(encoder, &(struct own){.parameters = parameters, .component = c, .tile = tile});
    if (!status && parameters->transform && !fit_together(parameters->coding))
        status = fail(encoder, KST_ERROR_OPTIONS, "levels, blocks or transform of colours that are transformed differ");
    return status;
}

static kst_status check_places(struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    const struct j2k_size *size = &encoder->coded.headers.size;
    for (size_t i = 0; i < o->component_count; i++) {
        bool of_tile = (o->component[i].fields & KST_J2K_OWN_TILE) != 0;
        if (o->component[i].component >= encoder->component_count)
            return fail(encoder, KST_ERROR_OPTIONS, "a component that the picture does not have");
        if (of_tile && o->component[i].tile >= size->columns * size->rows)
            return fail(encoder, KST_ERROR_OPTIONS, "a tile that the picture does not have");
        if (of_tile && o->profile)
            return fail(encoder, KST_ERROR_OPTIONS, "a tile of its own in a profile");
    }
    return KST_OK;
}

static kst_status describe_coding(struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    struct j2k_parameters *main = &encoder->coded.headers.main;
    kst_status status = kst_j2k_parameters_allocate(&encoder->e->memory, encoder->component_count, main);
    if (status)
        return fail(encoder, status, NULL);
    main->progression = (uint8_t)o->progression;
    main->layers = (uint16_t)o->layers;
    main->transform = is_transformed(encoder);
    main->sop = o->sop;
    main->eph = o->eph;
    main->has_coding = main->has_quantisation = true;
    status = check_places(encoder);
    return status ? status : describe_all(encoder, main, EVERY_TILE);
}

/* Give a tile its own parameters if it does not have any yet. */
static kst_status describe_tile(struct j2k_encoder *encoder, uint32_t index)
{
    const struct j2k_parameters *main = &encoder->coded.headers.main;
    struct j2k_parameters *tile = &encoder->tile[index], own = {.coding = NULL};
    if (tile->coding != main->coding)
        return KST_OK;
    kst_status status = kst_j2k_parameters_allocate(&encoder->e->memory, encoder->component_count, &own);
    if (status)
        return fail(encoder, status, NULL);
    tile->coding = own.coding;
    tile->quantisation = own.quantisation;
    tile->roi_shift = own.roi_shift;
    tile->own = own.own;
    status = describe_all(encoder, tile, index);
    for (uint32_t c = 0; c < encoder->component_count && !status; c++)
        if (main->roi_shift[c] > 0)
            status = describe_shift(encoder, tile, c);
    return status;
}

/* Describe the tiles that have options of their own. All others use the parameters of the main header. */
static kst_status describe_tiles(struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    const struct j2k_size *size = &encoder->coded.headers.size;
    uint32_t tiles = size->columns * size->rows;
    kst_status status = KST_OK;
    for (size_t i = 0; i < o->component_count && !status; i++) {
        if (!(o->component[i].fields & KST_J2K_OWN_TILE))
            continue;
        if (!encoder->tile) {
            encoder->tile = kst_memory_array(&encoder->e->memory, tiles, sizeof *encoder->tile, &status);
            for (uint32_t t = 0; t < tiles && encoder->tile; t++)
                encoder->tile[t] = encoder->coded.headers.main;
        }
        status = encoder->tile ? describe_tile(encoder, o->component[i].tile) : fail(encoder, status, NULL);
    }
    encoder->coded.tile = encoder->tile;
    return status;
}

/* Set the steps of all components in a set of parameters, and the shift that lifts a region of interest above them. */
static kst_status describe_steps_again(struct j2k_encoder *encoder, struct j2k_parameters *parameters, uint32_t tile)
{
    kst_status status = KST_OK;
    for (uint32_t c = 0; c < encoder->component_count && !status; c++) {
        const struct own own = {.parameters = parameters, .component = c, .tile = tile};
        describe_steps(encoder, &own);
        status = check_planes(encoder, &own);
        if (!status && parameters->roi_shift[c] > 0)
            status = describe_shift(encoder, parameters, c);
    }
    return status;
}

kst_status kst_j2k_run_encode_take_step(struct j2k_encoder *encoder, double step)
{
    struct j2k_parameters *main = &encoder->coded.headers.main;
    uint32_t tiles = encoder->tile ? encoder->coded.headers.size.columns * encoder->coded.headers.size.rows : 0;
    encoder->step = step;
    kst_status status = describe_steps_again(encoder, main, EVERY_TILE);
    for (uint32_t t = 0; t < tiles && !status; t++)
        if (encoder->tile[t].coding != main->coding)
            status = describe_steps_again(encoder, &encoder->tile[t], t);
    if (!status)
        kst_j2k_coded_quantise(&encoder->coded);
    return status;
}

void kst_j2k_run_encode_drop_tiles(struct j2k_encoder *encoder)
{
    const struct j2k_parameters *main = &encoder->coded.headers.main;
    uint32_t tiles = encoder->coded.headers.size.columns * encoder->coded.headers.size.rows;
    for (uint32_t t = 0; encoder->tile && t < tiles; t++) {
        if (encoder->tile[t].coding == main->coding)
            continue;
        encoder->tile[t].volume = NULL; /* the volumes belong to the main header's parameters */
        kst_j2k_parameters_release(&encoder->e->memory, &encoder->tile[t]);
    }
    kst_memory_release(&encoder->e->memory, encoder->tile);
    encoder->tile = NULL;
}

kst_status kst_j2k_run_encode_headers(struct j2k_encoder *encoder)
{
    kst_j2k_norms(false, &encoder->norms);
    kst_status status = describe_components(encoder);
    if (!status)
        status = describe_size(encoder);
    if (!status && encoder->e->volume)
        status = kst_j2k_run_encode_describe_volume(encoder);
    if (!status)
        status = describe_coding(encoder);
    if (!status)
        status = describe_changes(encoder);
    if (!status)
        status = describe_region(encoder);
    return status ? status : describe_tiles(encoder);
}

/* Multiply the bands' weights by the share of errors that is left once they are fed to Y. */
static void weigh_fed(struct j2k_encoder *encoder)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    for (uint32_t b = 0; b < plan->band_count; b++) {
        const uint32_t t = plan->band[b].tile_component;
        const enum j2k_transform transform = (enum j2k_transform)plan->tile[t / plan->component_count].transform;
        encoder->weight[b] *= kst_j2k_unfed_error(transform, t % plan->component_count);
    }
}

kst_status kst_j2k_run_encode_weights(struct j2k_encoder *encoder)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    kst_status status;
    encoder->weight = kst_memory_array(&encoder->e->memory, plan->band_count, sizeof *encoder->weight, &status);
    if (!encoder->weight)
        return fail(encoder, status, NULL);
    kst_j2k_band_weights(plan, encoder->weight);
    if (encoder->e->volume)
        kst_j2k_run_encode_weigh_volume(encoder);
    kst_j2k_run_encode_weigh(encoder);
    if (encoder->request.feeds)
        weigh_fed(encoder);
    encoder->request.weight = encoder->weight;
    return KST_OK;
}
