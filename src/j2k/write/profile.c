/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks a codestream against the rules of the profile that its Rsiz claims, and reports each rule that is broken. */
#include "j2k/write/profile.h"

#include <stdarg.h>
#include <stdio.h>

#include "j2k/syntax/geometry.h"

enum {
    SMALL = 128,         /* side of Profile 0's tiles, and largest side of the lowest resolution */
    SMALL_LOG = 7,       /* log2 of SMALL */
    LARGE = 1024,        /* least side of Profile 1's tiles */
    PROFILE_BLOCK = 6,   /* log2 of the largest code-block of Profiles 0 and 1 */
    VIDEO_LOWEST = 0x77, /* precincts in video profiles: of the lowest resolution, and of the others */
    VIDEO_OTHERS = 0x88,
    LEVEL = 0x0F,
    CINEMA_BYTES = 31250000,   /* bytes per second */
    COMPONENT_BYTES = 25000000 /* bytes of one component per second */
};

enum tiling { TILING_ONE, TILING_FOUR, TILING_SQUARES };

/* Holds the rules of a video profile. For broadcast and IMF, an entry applies to all levels. */
struct video {
    const char *name;
    uint32_t width, height; /* largest picture; 0: any */
    uint16_t rsiz;
    uint16_t tile; /* largest side of square tiles, if there may be several tiles */
    uint8_t components, least_components;
    uint8_t least_depth, depth;
    uint8_t least_levels, levels;
    uint8_t block_width, block_height; /* log2 of the largest size of code-blocks; the smallest one is 5 */
    bool halved;                       /* 4:2:2 subsampling is allowed */
    bool reversible;
    uint8_t tiling;
    uint8_t least_main, main;
    uint8_t sets; /* number of sets of progressions, and so of tile-parts of each component */
};

static const struct video videos[] = {
    {"cinema2k", 2048, 1080, 0x0003, 0, 3, 3, 12, 12, 0, 5, 5, 5, false, false, TILING_ONE, 0, 0, 1},
    {"cinema4k", 4096, 2160, 0x0004, 0, 3, 3, 12, 12, 1, 6, 5, 5, false, false, TILING_ONE, 0, 0, 2},
    {"broadcast", 0, 0, 0x0100, 0, 4, 1, 8, 12, 1, 5, 7, 6, true, false, TILING_ONE, 1, 7, 1},
    {"broadcast-tiled", 0, 0, 0x0200, 0, 4, 1, 8, 12, 1, 5, 7, 6, true, false, TILING_FOUR, 1, 7, 1},
    {"broadcast-reversible", 0, 0, 0x0300, 0, 4, 1, 8, 12, 1, 5, 7, 6, true, true, TILING_FOUR, 6, 7, 1},
    {"imf2k", 2048, 1556, 0x0400, 0, 3, 1, 8, 16, 1, 5, 5, 5, true, false, TILING_ONE, 0, 11, 1},
    {"imf4k", 4096, 3112, 0x0500, 0, 3, 1, 8, 16, 1, 6, 5, 5, true, false, TILING_ONE, 0, 11, 1},
    {"imf8k", 8192, 6224, 0x0600, 0, 3, 1, 8, 16, 1, 7, 5, 5, true, false, TILING_ONE, 0, 11, 1},
    {"imf2k-reversible", 2048, 1556, 0x0700, 1024, 3, 1, 8, 16, 1, 5, 5, 5, true, true, TILING_SQUARES, 0, 11, 1},
    {"imf4k-reversible", 4096, 3112, 0x0800, 2048, 3, 1, 8, 16, 1, 6, 5, 5, true, true, TILING_SQUARES, 0, 11, 1},
    {"imf8k-reversible", 8192, 6224, 0x0900, 4096, 3, 1, 8, 16, 1, 7, 5, 5, true, true, TILING_SQUARES, 0, 11, 1},
};

/* Holds the state of a check. */
struct check {
    const struct j2k_stream *headers;
    const struct j2k_profile_facts *facts;
    j2k_profile_teller tell;
    void *argument;
};

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
broken(const struct check *check, const char *remedy, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    check->tell(check->argument, text, remedy);
}

/* Find the video profile that `rsiz` claims. Returns null if there is none. */
static const struct video *video_of(uint32_t rsiz)
{
    uint32_t family = rsiz < 0x0100 ? rsiz : rsiz & J2K_RSIZ_FAMILY;
    for (size_t i = 0; i < sizeof videos / sizeof videos[0]; i++)
        if (videos[i].rsiz == family)
            return &videos[i];
    return NULL;
}

const char *kst_j2k_profile_name(uint32_t rsiz)
{
    const struct video *video = video_of(rsiz);
    return video ? video->name : rsiz == 1 ? "profile0" : rsiz == 2 ? "profile1" : NULL;
}

bool kst_j2k_profile_coding(uint32_t rsiz, struct j2k_profile_coding *coding)
{
    enum { LEVELS_OF_SMALLEST_TILE = 4 };
    const struct video *video = video_of(rsiz);
    if (!video)
        return false;
    *coding =
        (struct j2k_profile_coding){.levels = video->tiling == TILING_SQUARES ? LEVELS_OF_SMALLEST_TILE : video->levels,
            .reversible = video->reversible,
            .two_sets = video->sets == 2};
    return true;
}

uint8_t kst_j2k_profile_precinct(uint32_t resolution)
{
    return resolution == 0 ? VIDEO_LOWEST : VIDEO_OTHERS;
}

/* Return the limit in megabits per second (Tables A.49 and A.54); 0: no limit. */
static uint32_t megabits(uint32_t rsiz)
{
    static const uint16_t broadcast[] = {0, 200, 200, 200, 400, 800, 1600, 0};
    uint32_t main = rsiz & LEVEL, sub = rsiz >> 4 & LEVEL;
    if (rsiz >= 0x0400)
        return sub > 0 && sub < 10 ? 100U << sub : 0;
    return main < sizeof broadcast / sizeof broadcast[0] ? broadcast[main] : 0;
}

/* Return the limit in millions of samples per second (Tables A.49 and A.53); 0: no limit. */
static uint32_t megasamples(uint32_t rsiz)
{
    static const uint16_t broadcast[] = {0, 65, 130, 195, 260, 520, 520, 520};
    static const uint16_t imf[] = {0, 65, 130, 195, 260, 520, 1200, 2400, 4800, 9600, 19200, 38400};
    uint32_t main = rsiz & LEVEL;
    if (rsiz >= 0x0400)
        return main < sizeof imf / sizeof imf[0] ? imf[main] : 0;
    return main < sizeof broadcast / sizeof broadcast[0] ? broadcast[main] : 0;
}

void kst_j2k_profile_limits(uint32_t rsiz, double frame_rate, struct j2k_profile_limits *limits)
{
    const struct video *video = video_of(rsiz);
    *limits = (struct j2k_profile_limits){UINT64_MAX, UINT64_MAX};
    if (video && video->rsiz < 0x0100) {
        double rate = frame_rate > 0 ? frame_rate : J2K_CINEMA_RATE;
        limits->bytes = (uint64_t)(CINEMA_BYTES / rate);
        limits->component_bytes = (uint64_t)(COMPONENT_BYTES / rate);
    } else if (video && frame_rate > 0 && megabits(rsiz) > 0) {
        limits->bytes = (uint64_t)(megabits(rsiz) * 125000.0 / frame_rate);
    }
}

static bool is_one_tile(const struct j2k_size *size)
{
    return size->columns * size->rows == 1;
}

/* Check that packet headers are not packed, and that only the main header has parameters. */
static void check_header_places(const struct check *check)
{
    if (check->facts->packed_headers)
        broken(check, "leave PPM and PPT out", "packet headers are not packed: there is PPM or PPT");
    if (check->facts->tile_parameters)
        broken(check, "use the same parameters for all tiles",
            "parameters are in the main header alone: a tile-part header has COD, COC, QCD, QCC or POC");
}

static void check_origins(const struct check *check)
{
    const struct j2k_size *size = &check->headers->size;
    if (size->image.x0 || size->image.y0 || size->tile_x || size->tile_y)
        broken(check, "let picture and tiles begin at 0,0",
            "picture and tiles begin at 0,0: they begin at %u,%u and %u,%u", (unsigned)size->image.x0,
            (unsigned)size->image.y0, (unsigned)size->tile_x, (unsigned)size->tile_y);
}

/* Return the lowest resolution of a component in a tile. */
static struct j2k_rect lowest_of(const struct check *check, uint32_t component, uint32_t tile)
{
    const struct j2k_stream *headers = check->headers;
    const struct j2k_component_size *sampling = &headers->component[component];
    struct j2k_rect rect = kst_j2k_divide(kst_j2k_tile_rect(&headers->size, tile), sampling->dx, sampling->dy);
    return kst_j2k_reduce(rect, headers->main.coding[component].levels);
}

/*
 * Return whether the lowest resolution of a tile may be larger than allowed: the number of samples divided by the
 * separation, and rounded up, is the largest possible.
 */
static bool may_be_larger(const struct check *check, uint32_t component)
{
    const struct j2k_size *size = &check->headers->size;
    const struct j2k_component_size *sampling = &check->headers->component[component];
    uint32_t levels = check->headers->main.coding[component].levels;
    return j2k_ceil_shift(j2k_ceil_divide(size->tile_width, sampling->dx), levels) > SMALL ||
           j2k_ceil_shift(j2k_ceil_divide(size->tile_height, sampling->dy), levels) > SMALL;
}

/*
 * Check the size of the lowest resolution of every tile. All tiles of a column have the same width, and all of a row
 * the same height, so that it suffices to check the first row and the first column.
 */
static void check_lowest(const struct check *check, uint32_t component)
{
    const struct j2k_size *size = &check->headers->size;
    if (!may_be_larger(check, component))
        return;
    for (uint32_t i = 0; i < size->columns + size->rows - 1; i++) {
        uint32_t tile = i < size->columns ? i : (i - size->columns + 1) * size->columns;
        struct j2k_rect rect = lowest_of(check, component, tile);
        if (rect.x1 - rect.x0 <= SMALL && rect.y1 - rect.y0 <= SMALL)
            continue;
        broken(check, "use more levels", "the lowest resolution is at most 128x128: that of component %u is %ux%u",
            (unsigned)component, (unsigned)(rect.x1 - rect.x0), (unsigned)(rect.y1 - rect.y0));
        return;
    }
}

/* Check that each resolution of up to 128 × 128 samples is a single precinct, as Profile 0 requires. */
static void check_small_precincts(const struct check *check, uint32_t component)
{
    const struct j2k_coding *coding = &check->headers->main.coding[component];
    const struct j2k_component_size *sampling = &check->headers->component[component];
    struct j2k_rect rect = kst_j2k_divide(kst_j2k_tile_rect(&check->headers->size, 0), sampling->dx, sampling->dy);
    for (uint32_t r = 0; r <= coding->levels; r++) {
        uint32_t left_out = coding->levels - r;
        if (j2k_ceil_shift(rect.x1, left_out) > SMALL || j2k_ceil_shift(rect.y1, left_out) > SMALL)
            return;
        if ((coding->precinct[r] & 0x0F) >= SMALL_LOG && coding->precinct[r] >> 4 >= SMALL_LOG)
            continue;
        broken(check, "use precincts of 128x128 or more",
            "resolutions of up to 128x128 are one precinct: resolution %u of component %u has smaller ones",
            (unsigned)r, (unsigned)component);
        return;
    }
}

static void check_profile_0_component(const struct check *check, uint32_t component)
{
    const struct j2k_component_size *sampling = &check->headers->component[component];
    const struct j2k_coding *coding = &check->headers->main.coding[component];
    enum { FORBIDDEN = J2K_STYLE_BYPASS | J2K_STYLE_RESET | J2K_STYLE_CAUSAL };
    if ((sampling->dx & (sampling->dx - 1)) || (sampling->dy & (sampling->dy - 1)) || sampling->dx > 4 ||
        sampling->dy > 4)
        broken(check, "subsample by 1, 2 or 4", "components are subsampled by 1, 2 or 4: component %u is by %ux%u",
            (unsigned)component, (unsigned)sampling->dx, (unsigned)sampling->dy);
    if (coding->block_width != coding->block_height || coding->block_width < 5 || coding->block_width > PROFILE_BLOCK)
        broken(check, "use code-blocks of 32x32 or 64x64",
            "code-blocks are 32x32 or 64x64: those of component %u are %ux%u", (unsigned)component,
            1U << coding->block_width, 1U << coding->block_height);
    if (coding->style & FORBIDDEN)
        broken(check, "leave these styles out",
            "code-blocks have no bypass, reset or causal contexts: component %u has", (unsigned)component);
    check_small_precincts(check, component);
    check_lowest(check, component);
}

static void check_profile_0(const struct check *check)
{
    const struct j2k_size *size = &check->headers->size;
    const struct j2k_parameters *main = &check->headers->main;
    check_origins(check);
    if (!is_one_tile(size) && (size->tile_width != SMALL || size->tile_height != SMALL))
        broken(check, "use one tile, or tiles of 128x128", "there is one tile, or tiles of 128x128: they are %ux%u",
            (unsigned)size->tile_width, (unsigned)size->tile_height);
    for (uint32_t c = 0; c < check->headers->component_count; c++)
        check_profile_0_component(check, c);
    check_header_places(check);
    if (main->volume_count > 0 && (main->volume[0].r0 != 0 || main->volume[0].c0 != 0))
        broken(check, "let the first change begin at resolution 0 and component 0",
            "the first change of progression begins at resolution 0 and component 0: at %u and %u",
            (unsigned)main->volume[0].r0, (unsigned)main->volume[0].c0);
    if (!check->facts->parts_sorted)
        broken(
            check, "interleave the tile-parts", "the first tile-parts of all tiles come first, in the order of tiles");
}

static void check_profile_1(const struct check *check)
{
    const struct j2k_stream *headers = check->headers;
    const struct j2k_size *size = &headers->size;
    uint32_t separation = UINT32_MAX;
    for (uint32_t c = 0; c < headers->component_count; c++) {
        const struct j2k_component_size *sampling = &headers->component[c];
        uint32_t least = sampling->dx < sampling->dy ? sampling->dx : sampling->dy;
        const struct j2k_coding *coding = &headers->main.coding[c];
        separation = least < separation ? least : separation;
        if (coding->block_width > PROFILE_BLOCK || coding->block_height > PROFILE_BLOCK)
            broken(check, "use code-blocks of at most 64x64",
                "code-blocks are at most 64x64: those of component %u are %ux%u", (unsigned)c,
                1U << coding->block_width, 1U << coding->block_height);
        check_lowest(check, c);
    }
    if (!is_one_tile(size) && (size->tile_width != size->tile_height || size->tile_width / separation < LARGE))
        broken(check, "use one tile, or square tiles of 1024 and more",
            "there is one tile, or square tiles of 1024 and more: they are %ux%u", (unsigned)size->tile_width,
            (unsigned)size->tile_height);
}

static void check_levels(const struct check *check, const struct video *video)
{
    static const uint8_t most_sub[] = {15, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    uint32_t rsiz = check->headers->size.capabilities, main = rsiz & LEVEL, sub = rsiz >> 4 & LEVEL;
    if (rsiz < 0x0100)
        return;
    if (main < video->least_main || main > video->main)
        broken(check, "name a main level behind the profile, such as broadcast:5",
            "main levels are %u to %u: it claims %u", (unsigned)video->least_main, (unsigned)video->main,
            (unsigned)main);
    else if (sub > (rsiz < 0x0400 ? 0U : most_sub[main]))
        broken(check, "name a lower sublevel", "with main level %u sublevels go to %u: it claims %u", (unsigned)main,
            rsiz < 0x0400 ? 0U : most_sub[main], (unsigned)sub);
}

static void check_picture(const struct check *check, const struct video *video)
{
    const struct j2k_stream *headers = check->headers;
    const struct j2k_rect *image = &headers->size.image;
    if (video->width && (image->x1 > video->width || image->y1 > video->height))
        broken(check, "scale or crop it, or use a larger profile", "the picture is at most %ux%u: it is %ux%u",
            (unsigned)video->width, (unsigned)video->height, (unsigned)image->x1, (unsigned)image->y1);
    if (headers->component_count < video->least_components || headers->component_count > video->components)
        broken(check, "add or drop components", "there are %u to %u components: there are %u",
            (unsigned)video->least_components, (unsigned)video->components, (unsigned)headers->component_count);
}

static void check_component_size(const struct check *check, const struct video *video, uint32_t component)
{
    const struct j2k_component_size *size = &check->headers->component[component];
    uint32_t dx = check->headers->component_count > 1 && video->halved ? check->headers->component[1].dx : 1;
    uint32_t wanted = component == 0 || component == 3 || dx > 2 ? 1 : dx;
    if (size->is_signed || size->depth < video->least_depth || size->depth > video->depth)
        broken(check, "convert the samples first", "samples have %u to %u bits and no sign: component %u has %u%s",
            (unsigned)video->least_depth, (unsigned)video->depth, (unsigned)component, (unsigned)size->depth,
            size->is_signed ? " and a sign" : "");
    if (size->dx != wanted || size->dy != 1)
        broken(check, "resample it", "components are %s: component %u is subsampled by %ux%u",
            video->halved ? "4:4:4 or 4:2:2" : "not subsampled", (unsigned)component, (unsigned)size->dx,
            (unsigned)size->dy);
}

/* Return how many levels tiles of the stream's width may have (Table A.52). */
static uint32_t levels_of(const struct check *check, const struct video *video)
{
    uint32_t levels = video->levels;
    if (video->tiling != TILING_SQUARES)
        return levels;
    for (uint32_t width = 1024U << (levels - 4); levels > 4 && check->headers->size.tile_width < width; width /= 2)
        levels--;
    return levels;
}

static void check_coding(const struct check *check, const struct video *video, uint32_t component)
{
    const struct j2k_coding *coding = &check->headers->main.coding[component];
    uint32_t levels = levels_of(check, video);
    if (coding->levels < video->least_levels || coding->levels > levels ||
        coding->levels != check->headers->main.coding[0].levels)
        broken(check, "choose another number of levels",
            "there are %u to %u levels, as many in each component: component %u has %u", (unsigned)video->least_levels,
            (unsigned)levels, (unsigned)component, (unsigned)coding->levels);
    if (coding->block_width < 5 || coding->block_width > video->block_width || coding->block_height < 5 ||
        coding->block_height > video->block_height)
        broken(check, "choose another size of code-blocks", "code-blocks are %s: those of component %u are %ux%u",
            video->block_width == 5 ? "32x32" : "32x32 to 128x64", (unsigned)component, 1U << coding->block_width,
            1U << coding->block_height);
    if ((coding->style & ~(uint32_t)J2K_STYLE_HT) != 0) /* with T.814, the rules of the profile that CPF names hold */
        broken(check, "use no style of code-blocks", "code-blocks have no style: component %u has 0x%02X",
            (unsigned)component, (unsigned)coding->style);
    if (coding->reversible != video->reversible)
        broken(check, video->reversible ? "encode without loss" : "encode with the irreversible transform",
            "the transform is the %s one: that of component %u is not",
            video->reversible ? "reversible" : "irreversible", (unsigned)component);
    for (uint32_t r = 0; r <= coding->levels; r++) {
        if (coding->precinct[r] == kst_j2k_profile_precinct(r))
            continue;
        broken(check, "use these precincts",
            "precincts are 256x256, 128x128 in the lowest resolution: those of resolution %u of component %u are %ux%u",
            (unsigned)r, (unsigned)component, 1U << (coding->precinct[r] & 0x0F), 1U << (coding->precinct[r] >> 4));
        break;
    }
}

static bool tiles_fit(const struct j2k_size *size, const struct video *video)
{
    uint32_t tiles = size->columns * size->rows;
    if (tiles == 1)
        return true;
    if (video->tiling == TILING_FOUR) /* four tiles in a column, or in two rows of two */
        return tiles == 4 && size->columns <= 2 && size->image.x1 % size->columns == 0 &&
               size->image.y1 % size->rows == 0 && size->tile_width == size->image.x1 / size->columns &&
               size->tile_height == size->image.y1 / size->rows;
    if (video->tiling == TILING_SQUARES)
        for (uint32_t side = 1024; side <= video->tile; side *= 2)
            if (size->tile_width == side && size->tile_height == side)
                return true;
    return false;
}

static void check_tiles(const struct check *check, const struct video *video)
{
    const struct j2k_size *size = &check->headers->size;
    static const char *const allowed[] = {"there is one tile", "there are one tile or four of one size",
        "there is one tile, or tiles are square, of a power of two from 1024"};
    if (!tiles_fit(size, video))
        broken(check, "choose other tiles", "%s%s: they are %ux%u", allowed[video->tiling],
            video->tile == 1024   ? " alone"
            : video->tile == 2048 ? " to 2048"
            : video->tile == 4096 ? " to 4096"
                                  : "",
            (unsigned)size->tile_width, (unsigned)size->tile_height);
}

/*
 * Return whether POC has the two sets of a 4K picture: first all that a 2K picture needs, then the largest resolution.
 */
static bool has_two_sets(const struct j2k_stream *headers)
{
    const struct j2k_volume *v = headers->main.volume;
    uint32_t levels = headers->main.coding[0].levels;
    if (headers->main.volume_count != 2)
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (v[i].progression != J2K_CPRL || v[i].c0 != 0 || v[i].c1 < headers->component_count ||
            v[i].layers < headers->main.layers)
            return false;
    return v[0].r0 == 0 && v[0].r1 == levels && v[1].r0 == levels && v[1].r1 > levels;
}

static void check_order(const struct check *check, const struct video *video)
{
    const struct j2k_parameters *main = &check->headers->main;
    uint32_t parts = check->headers->component_count * video->sets;
    if (main->layers != 1)
        broken(check, "make one layer", "there is one layer: there are %u", (unsigned)main->layers);
    if (main->progression != J2K_CPRL)
        broken(check, "use CPRL", "the progression is CPRL: it is another");
    if (video->sets == 1 && main->volume_count > 0)
        broken(check, "leave POC out", "the progression does not change: there is POC");
    if (video->sets == 2 && !has_two_sets(check->headers))
        broken(check, "leave changes of progression to the profile",
            "POC has two sets, the largest resolution being the second: it has not");
    if (check->facts->most_parts != parts || check->facts->least_parts != parts)
        broken(check, "begin a tile-part with each component",
            "each tile has %u tile-parts, one for each component%s: there are %u", (unsigned)parts,
            video->sets == 2 ? " and set" : "",
            (unsigned)(check->facts->most_parts != parts ? check->facts->most_parts : check->facts->least_parts));
    if (!check->facts->part_lengths)
        broken(check, "write TLM", "there is TLM: there is none");
    if (check->facts->regions)
        broken(check, "leave the region of interest out", "there is no region of interest: there is RGN");
}

/* Return the number of samples of a picture; subsampled components count with their actual samples. */
static double sample_count(const struct j2k_stream *headers)
{
    double sum = 0;
    for (uint32_t c = 0; c < headers->component_count; c++)
        sum += (double)headers->size.image.x1 * headers->size.image.y1 /
               ((double)headers->component[c].dx * headers->component[c].dy);
    return sum;
}

static void check_rates(const struct check *check)
{
    const struct j2k_profile_facts *facts = check->facts;
    uint32_t rsiz = check->headers->size.capabilities;
    struct j2k_profile_limits limits;
    double samples = rsiz < 0x0100 ? 0 : sample_count(check->headers) * facts->frame_rate / 1e6;
    kst_j2k_profile_limits(rsiz, facts->frame_rate, &limits);
    if (facts->bytes > limits.bytes)
        broken(check, "use a lower rate", "the codestream has at most %llu bytes: it has %llu",
            (unsigned long long)limits.bytes, (unsigned long long)facts->bytes);
    if (facts->most_component_bytes > limits.component_bytes)
        broken(check, "use a lower rate", "a component has at most %llu bytes: one has %llu",
            (unsigned long long)limits.component_bytes, (unsigned long long)facts->most_component_bytes);
    if (samples > 0 && megasamples(rsiz) > 0 && samples > megasamples(rsiz))
        broken(check, "use a higher main level", "main level %u allows %u million samples a second: there are %.1f",
            (unsigned)(rsiz & LEVEL), (unsigned)megasamples(rsiz), samples);
}

void kst_j2k_profile_check(
    const struct j2k_stream *headers, const struct j2k_profile_facts *facts, j2k_profile_teller tell, void *argument)
{
    const struct check check = {headers, facts, tell, argument};
    const struct video *video = video_of(headers->size.capabilities);
    if (!kst_j2k_profile_name(headers->size.capabilities))
        return;
    if (headers->size.image.x1 > INT32_MAX || headers->size.image.y1 > INT32_MAX)
        broken(&check, "use a smaller picture", "the picture ends below 2^31");
    if (!video) {
        if (headers->size.capabilities == 1)
            check_profile_0(&check);
        else
            check_profile_1(&check);
        return;
    }
    check_levels(&check, video);
    check_picture(&check, video);
    check_origins(&check);
    check_tiles(&check, video);
    for (uint32_t c = 0; c < headers->component_count; c++) {
        check_component_size(&check, video, c);
        check_coding(&check, video, c);
    }
    check_order(&check, video);
    check_header_places(&check);
    check_rates(&check);
}
