/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translates the parameters of OpenJPEG's encoder into Kostka's options. What Kostka cannot do is refused, and what
 * OpenJPEG corrects with a warning is corrected in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "encoder.h"

enum { SOP = 2, EPH = 4, PRECINCTS = 1, STYLES = 0x7F, ALL_BYTES = 1 << 30 };

static bool is_block_side(int side)
{
    return side >= 4 && side <= 1024 && (side & (side - 1)) == 0;
}

static bool check_parameters(const struct openjp2_codec *codec, const opj_cparameters_t *p)
{
    if (p->numresolution < 1 || p->numresolution > OPJ_J2K_MAXRLVLS)
        return openjp2_fail(codec, "%d resolutions are not within 1 to %d", p->numresolution, OPJ_J2K_MAXRLVLS);
    if (!is_block_side(p->cblockw_init) || !is_block_side(p->cblockh_init) || p->cblockw_init * p->cblockh_init > 4096)
        return openjp2_fail(codec,
            "code-blocks of %d x %d are not possible: powers of 2 from 4 to 1024, together at most 4096",
            p->cblockw_init, p->cblockh_init);
    if (p->tcp_numlayers < 0 || p->tcp_numlayers > ENCODED_LAYERS)
        return openjp2_fail(codec, "%d layers are not within 1 to %d", p->tcp_numlayers, ENCODED_LAYERS);
    if (p->prog_order < OPJ_LRCP || p->prog_order > OPJ_CPRL)
        return openjp2_fail(codec, "there is no progression order %d", (int)p->prog_order);
    if (p->tile_size_on && (p->cp_tdx <= 0 || p->cp_tdy <= 0))
        return openjp2_fail(codec, "tiles of %d x %d are not possible", p->cp_tdx, p->cp_tdy);
    if (p->cp_tx0 < 0 || p->cp_ty0 < 0)
        return openjp2_fail(codec, "tiles cannot begin at %d, %d", p->cp_tx0, p->cp_ty0);
    return true;
}

static bool refuse(const struct openjp2_codec *codec, const opj_cparameters_t *p)
{
    if (p->cp_fixed_alloc)
        return openjp2_fail(codec, "layers cannot be allocated by a matrix (cp_fixed_alloc)");
    if (p->mct_data || p->tcp_mct > 1 || OPJ_IS_PART2(p->rsiz) || (p->rsiz == 0 && p->cp_rsiz == OPJ_MCT))
        return openjp2_fail(codec, "component transforms of the caller's (T.801) cannot be written");
    if (p->roi_compno >= 0 && p->roi_shift > 0)
        return openjp2_fail(codec, "a component cannot be shifted up as a whole (roi_compno)");
    if (p->jpip_on)
        return openjp2_fail(codec, "an index for JPIP cannot be written");
    if ((p->mode & ~STYLES) != 0)
        return openjp2_fail(codec, "there is no code-block style %d", p->mode);
    return true;
}

static uint32_t floor_power(int size)
{
    uint32_t power = 2;
    while (size > 0 && 2 * power <= (uint32_t)size && power < 32768)
        power *= 2;
    return power;
}

/* Set the sizes of precincts. Behind the last specified one they are halved from resolution to resolution. */
static void choose_precincts(const opj_cparameters_t *p, kst_j2k_options *o)
{
    if (!(p->csty & PRECINCTS) || p->res_spec < 1)
        return;
    o->precinct_count = (uint32_t)p->numresolution;
    for (int i = 0; i < p->numresolution; i++) {
        int last = p->res_spec - 1, from = i < last ? i : last, halved = i - from;
        o->precinct_width[i] = floor_power(p->prcw_init[from] >> halved);
        o->precinct_height[i] = floor_power(p->prch_init[from] >> halved);
    }
}

static uint32_t division_of(char flag)
{
    return flag == 'R'   ? KST_J2K_DIVIDE_RESOLUTION
           : flag == 'L' ? KST_J2K_DIVIDE_LAYER
           : flag == 'C' ? KST_J2K_DIVIDE_COMPONENT
                         : 0;
}

static void choose_coding(const opj_cparameters_t *p, const opj_image_t *image, kst_j2k_options *o)
{
    o->codestream = true;
    o->levels = (uint32_t)p->numresolution - 1;
    o->block_width = (uint32_t)p->cblockw_init;
    o->block_height = (uint32_t)p->cblockh_init;
    o->style = (uint32_t)p->mode;
    o->progression = (kst_progression)p->prog_order;
    o->sop = (p->csty & SOP) != 0;
    o->eph = (p->csty & EPH) != 0;
    o->keep_components = p->tcp_mct == 0;
    o->image_x = image->x0;
    o->image_y = image->y0;
    o->tile_x = (uint32_t)p->cp_tx0;
    o->tile_y = (uint32_t)p->cp_ty0;
    o->tile_width = p->tile_size_on ? (uint32_t)p->cp_tdx : 0;
    o->tile_height = p->tile_size_on ? (uint32_t)p->cp_tdy : 0;
    o->division = p->tp_on ? division_of(p->tp_flag) : 0;
    choose_precincts(p, o);
}

/*
 * Set the progression order changes. Kostka applies them to all tiles, so changes for single tiles of several are
 * refused.
 */
static bool choose_changes(struct openjp2_codec *codec, const opj_cparameters_t *p, uint32_t tiles)
{
    struct openjp2_encoder *e = codec->encoder;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->numpocs && i < ENCODED_CHANGES; i++) {
        const opj_poc_t *poc = &p->POC[i];
        if (tiles > 1)
            return openjp2_fail(codec, "the order of packets cannot change in single tiles (POC) of %u", tiles);
        if (poc->tile != 1)
            continue;
        if (poc->prg1 < OPJ_LRCP || poc->prg1 > OPJ_CPRL)
            return openjp2_fail(codec, "there is no progression order %d", (int)poc->prg1);
        e->change[count++] = (kst_j2k_change){.progression = (kst_progression)poc->prg1,
            .resolution0 = poc->resno0,
            .resolution1 = poc->resno1,
            .component0 = poc->compno0,
            .component1 = poc->compno1,
            .layers = poc->layno1};
    }
    e->j2k.change = count > 0 ? e->change : NULL;
    e->j2k.change_count = count;
    return true;
}

/* Return the bits for each pixel of the reference grid that a ratio means in OpenJPEG, which counts by component 0. */
static double bits_of(const opj_image_t *image, double ratio)
{
    const opj_image_comp_t *c = &image->comps[0];
    return (double)image->numcomps * c->prec / (ratio * c->dx * c->dy);
}

static double pixels_of(const opj_image_t *image)
{
    return (double)(image->x1 - image->x0) * (image->y1 - image->y0);
}

/* Set the options for unlimited bytes: everything that the reversible transform, or the quantiser, leaves is coded. */
static void choose_all(const opj_cparameters_t *p, kst_j2k_options *o)
{
    o->target = p->irreversible ? KST_J2K_STEP : KST_J2K_LOSSLESS;
    o->value = 1;
}

/*
 * Set the rates of layers. A ratio of 0 or 1 means all bytes. A layer that would be smaller than the previous one
 * becomes as large, with OpenJPEG's warning.
 */
static void choose_rates(const struct openjp2_codec *codec, const opj_cparameters_t *p, const opj_image_t *image)
{
    struct openjp2_encoder *e = codec->encoder;
    double most = p->max_cs_size > 0 ? 8.0 * p->max_cs_size / pixels_of(image) : ALL_BYTES, last = 0;
    bool limited = false;
    for (uint32_t i = 0; i < e->j2k.layers; i++) {
        double ratio = (double)p->tcp_rates[i], bits = ratio > 1 ? bits_of(image, ratio) : ALL_BYTES;
        if (bits > most)
            bits = most;
        if (bits < last) {
            openjp2_warn(codec, "layer %u has a ratio of %g, more than the one before; it gets as much", i, ratio);
            bits = last;
        }
        limited = limited || bits < ALL_BYTES;
        e->layer_value[i] = last = bits;
    }
    if (!limited && e->j2k.layers == 1) {
        choose_all(p, &e->j2k);
        return;
    }
    e->j2k.target = KST_J2K_RATE;
    e->j2k.reversible = !p->irreversible;
    e->j2k.layer_value = e->layer_value;
}

/* Set the PSNR of layers. A PSNR of 0 means everything. */
static void choose_quality(const struct openjp2_codec *codec, const opj_cparameters_t *p)
{
    enum { LOSSLESS_DECIBELS = 400 };
    struct openjp2_encoder *e = codec->encoder;
    double last = 0;
    for (uint32_t i = 0; i < e->j2k.layers; i++) {
        double decibels = p->tcp_distoratio[i] > 0 ? (double)p->tcp_distoratio[i] : LOSSLESS_DECIBELS;
        if (decibels < last) {
            openjp2_warn(codec, "layer %u has a PSNR of %g, less than the one before; it gets as much", i, decibels);
            decibels = last;
        }
        e->layer_value[i] = last = decibels;
    }
    if (e->j2k.layers == 1 && e->layer_value[0] >= LOSSLESS_DECIBELS) {
        choose_all(p, &e->j2k);
        return;
    }
    e->j2k.target = KST_J2K_PSNR;
    e->j2k.reversible = !p->irreversible;
    e->j2k.layer_value = e->layer_value;
}

static void choose_target(const struct openjp2_codec *codec, const opj_cparameters_t *p, const opj_image_t *image)
{
    kst_j2k_options *o = &codec->encoder->j2k;
    o->layers = p->tcp_numlayers > 0 ? (uint32_t)p->tcp_numlayers : 1;
    if (p->tcp_numlayers == 0 && p->max_cs_size <= 0)
        choose_all(p, o);
    else if (p->cp_fixed_quality && !p->cp_disto_alloc)
        choose_quality(codec, p);
    else
        choose_rates(codec, p, image);
}

/* Return the profile that the parameters state, in the new way or the old one, and the limit that belongs to it. */
static uint16_t profile_of(const opj_cparameters_t *p, int *most)
{
    *most = p->max_cs_size;
    if (p->rsiz != OPJ_PROFILE_NONE)
        return p->rsiz;
    switch (p->cp_cinema) {
    case OPJ_CINEMA2K_24:
        *most = OPJ_CINEMA_24_CS;
        return OPJ_PROFILE_CINEMA_2K;
    case OPJ_CINEMA2K_48:
        *most = OPJ_CINEMA_48_CS;
        return OPJ_PROFILE_CINEMA_2K;
    case OPJ_CINEMA4K_24:
        *most = OPJ_CINEMA_24_CS;
        return OPJ_PROFILE_CINEMA_4K;
    default:
        return p->cp_rsiz == OPJ_CINEMA2K || p->cp_rsiz == OPJ_CINEMA4K ? (uint16_t)p->cp_rsiz : OPJ_PROFILE_NONE;
    }
}

/* Set the options that a profile determines. Other options stay as the caller has set them. */
static bool choose_profile(struct openjp2_codec *codec, const opj_cparameters_t *p, const opj_image_t *image)
{
    kst_j2k_options *o = &codec->encoder->j2k;
    int most;
    uint16_t profile = profile_of(p, &most);
    if (profile == OPJ_PROFILE_NONE)
        return true;
    if (profile == OPJ_PROFILE_0 || profile == OPJ_PROFILE_1) {
        o->profile = profile;
        return true;
    }
    uint32_t levels = o->levels;
    kst_j2k_options whole = *o;
    whole.precinct_count = 0;
    whole.change_count = 0;
    whole.change = NULL;
    if (kst_j2k_options_profile(&whole, profile))
        return openjp2_fail(codec, "profile %04X cannot be written", profile);
    whole.codestream = true;
    whole.levels = levels;
    if (most <= 0 && OPJ_IS_IMF(profile)) {
        whole.target = whole.reversible || whole.target == KST_J2K_LOSSLESS ? KST_J2K_LOSSLESS : KST_J2K_STEP;
        whole.value = 1;
    }
    *o = whole;
    if (OPJ_IS_CINEMA(profile))
        o->frame_rate = most > 0 && most <= OPJ_CINEMA_48_CS ? 48 : 24;
    if (most > 0) {
        o->target = KST_J2K_RATE;
        o->value = 8.0 * most / pixels_of(image);
        o->layers = 1;
        o->layer_value = NULL;
    }
    return true;
}

static bool choose_comment(struct openjp2_codec *codec, const opj_cparameters_t *p)
{
    struct openjp2_encoder *e = codec->encoder;
    free(e->comment);
    e->comment = strdup(p->cp_comment ? p->cp_comment : "Created by Kostka " KST_VERSION_STRING);
    if (!e->comment)
        return openjp2_fail(codec, "there is no memory for the comment");
    e->metadata = (kst_metadata){.kind = KST_METADATA_COMMENT,
        .marker = 0xFE,
        .data = (const uint8_t *)e->comment,
        .length = strlen(e->comment)};
    e->options.metadata = &e->metadata;
    e->options.metadata_count = e->metadata.length > 0;
    return true;
}

/*
 * Check that tiles still have a sample after all levels have halved them. Like the original, this uses the first tile's
 * full size.
 */
static bool check_levels(const struct openjp2_codec *codec, const opj_image_t *image)
{
    const kst_j2k_options *o = &codec->encoder->j2k;
    uint64_t width = o->tile_width > 0 ? o->tile_width : image->x1 - o->tile_x;
    uint64_t height = o->tile_height > 0 ? o->tile_height : image->y1 - o->tile_y;
    return (width >> o->levels > 0 && height >> o->levels > 0) ||
           openjp2_fail(codec, "%u resolutions are too many for tiles of %u x %u", o->levels + 1, (unsigned)width,
               (unsigned)height);
}

static bool count_tiles(struct openjp2_codec *codec, const opj_image_t *image)
{
    struct openjp2_encoder *e = codec->encoder;
    const kst_j2k_options *o = &e->j2k;
    if (o->tile_x > image->x0 || o->tile_y > image->y0)
        return openjp2_fail(codec, "tiles begin behind the picture's corner");
    e->columns = o->tile_width > 0 ? openjp2_ceil_div(image->x1 - o->tile_x, o->tile_width) : 1;
    e->rows = o->tile_height > 0 ? openjp2_ceil_div(image->y1 - o->tile_y, o->tile_height) : 1;
    return (uint64_t)e->columns * e->rows <= 65535 ||
           openjp2_fail(codec, "there are %u x %u tiles, and at most 65535", e->columns, e->rows);
}

bool openjp2_encoder_options(struct openjp2_codec *codec, const opj_cparameters_t *parameters, const opj_image_t *image)
{
    struct openjp2_encoder *e = codec->encoder;
    if (!check_parameters(codec, parameters) || !refuse(codec, parameters))
        return false;
    kst_encode_options_init(&e->options);
    kst_j2k_options_init(&e->j2k);
    e->options.codec = KST_CODEC_JPEG2000;
    e->options.jpeg2000 = &e->j2k;
    choose_coding(parameters, image, &e->j2k);
    choose_target(codec, parameters, image);
    return choose_profile(codec, parameters, image) && count_tiles(codec, image) && check_levels(codec, image) &&
           choose_changes(codec, parameters, e->columns * e->rows) && choose_comment(codec, parameters);
}
