/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the options for encoding JPEG 2000, as far as that is possible before work begins. */
#include <inttypes.h>
#include <math.h>

#include "core/report.h"
#include "image/validate.h"
#include "j2k/plan/block_coder.h"
#include "j2k/run/encode.h"
#include "run/image.h"

enum { BLOCK_SIZE = 64, DIVISIONS = 7, LEVELS = 5, GUARD = 2 };

void kst_j2k_options_init(kst_j2k_options *options)
{
    if (options)
        *options = (kst_j2k_options){.size = sizeof *options,
            .layers = 1,
            .levels = LEVELS,
            .block_width = BLOCK_SIZE,
            .block_height = BLOCK_SIZE,
            .passes = 1,
            .guard_bits = GUARD};
}

static kst_status fail(struct encoding *e, kst_status status, const char *detail)
{
    return kst_report_error(&e->report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

static bool is_positive(double value)
{
    return value > 0 && value < HUGE_VAL;
}

static kst_status check_target(struct encoding *e, const kst_j2k_options *o)
{
    if ((unsigned)o->target > KST_J2K_QUALITY)
        return fail(e, KST_ERROR_OPTIONS, "target");
    if (o->layers < 1 || o->layers > J2K_ENCODED_LAYERS)
        return fail(e, KST_ERROR_OPTIONS, "layers");
    const bool all = o->target == KST_J2K_LOSSLESS || o->target == KST_J2K_STEP || o->target == KST_J2K_QUALITY;
    const bool each = o->layer_value && !all;
    if (o->target != KST_J2K_LOSSLESS && !each && !is_positive(o->value))
        return fail(e, KST_ERROR_OPTIONS, "the target's value");
    for (uint32_t l = 0; each && l < o->layers; l++)
        if (!is_positive(o->layer_value[l]) ||
            (l > 0 && (o->target == KST_J2K_RATIO ? o->layer_value[l] > o->layer_value[l - 1]
                                                  : o->layer_value[l] < o->layer_value[l - 1])))
            return fail(e, KST_ERROR_OPTIONS, "layers that do not get better");
    if (o->target == KST_J2K_QUALITY && !(o->value >= 1 && o->value <= 100))
        return fail(e, KST_ERROR_OPTIONS, "quality is 1 to 100");
    if ((unsigned)o->weights > KST_J2K_WEIGHTS_VISION)
        return fail(e, KST_ERROR_OPTIONS, "weights");
    if (o->weights && (o->target == KST_J2K_PSNR || o->target == KST_J2K_QUALITY))
        return fail(e, KST_ERROR_OPTIONS, "weights: a PSNR has none, and a quality its own");
    if (o->weights && o->target == KST_J2K_LOSSLESS && o->layers == 1)
        return fail(e, KST_ERROR_OPTIONS, "weights: one layer without loss has no errors");
    if ((o->target == KST_J2K_STEP || o->target == KST_J2K_QUALITY) && o->reversible)
        return fail(e, KST_ERROR_OPTIONS, "the reversible transform has no quantiser");
    if (o->target == KST_J2K_PSNR && o->interest.width > 0)
        return fail(e, KST_ERROR_OPTIONS, "a region of interest makes errors uneven");
    return KST_OK;
}

static kst_status check_component(struct encoding *e, const kst_j2k_options *o, const kst_j2k_component *c)
{
    enum { FIELDS = 127, SCALE = 256 };
    if (c->fields > FIELDS)
        return fail(e, KST_ERROR_OPTIONS, "fields of a component");
    if ((c->fields & KST_J2K_OWN_LEVELS) && c->levels > J2K_LEVELS)
        return fail(e, KST_ERROR_OPTIONS, "levels of a component");
    if ((c->fields & KST_J2K_OWN_STYLE) && !kst_j2k_writes_style(c->style))
        return fail(e, KST_ERROR_OPTIONS, "style of a component");
    if ((c->fields & KST_J2K_OWN_GUARD_BITS) && (c->guard_bits < 1 || c->guard_bits > 7))
        return fail(e, KST_ERROR_OPTIONS, "guard bits of a component");
    if ((c->fields & KST_J2K_OWN_STEP) && !(c->step >= 1.0 / SCALE && c->step <= SCALE))
        return fail(e, KST_ERROR_OPTIONS, "step of a component");
    if ((c->fields & KST_J2K_OWN_TRANSFORM) && !c->reversible && o->target == KST_J2K_LOSSLESS)
        return fail(e, KST_ERROR_OPTIONS, "lossless, but for a component");
    return KST_OK;
}

/*
 * Return whether both coders are used. There is no common way to meet a target with blocks that can be cut and blocks
 * that cannot.
 */
static bool mixes_coders(const kst_j2k_options *o)
{
    for (size_t i = 0; i < o->component_count; i++)
        if ((o->component[i].fields & KST_J2K_OWN_STYLE) != 0 && ((o->component[i].style ^ o->style) & KST_J2K_HT) != 0)
            return true;
    return false;
}

static kst_status check_options(struct encoding *e, const kst_j2k_options *o)
{
    if (o->size != sizeof *o)
        return fail(e, KST_ERROR_OPTIONS, "not set up by kst_j2k_options_init()");
    if ((unsigned)o->progression > KST_PROGRESSION_CPRL)
        return fail(e, KST_ERROR_OPTIONS, "progression");
    if (o->levels > J2K_LEVELS)
        return fail(e, KST_ERROR_OPTIONS, "levels");
    if (!kst_j2k_writes_style(o->style))
        return fail(e, KST_ERROR_OPTIONS,
            (o->style & KST_J2K_HT) != 0 ? "style: code-blocks of T.814 can be causal, and nothing else" : "style");
    if (o->guard_bits < 1 || o->guard_bits > 7)
        return fail(e, KST_ERROR_OPTIONS, "guard bits");
    if (o->passes < 1 || o->passes > 3 || (o->passes > 1 && !(o->style & KST_J2K_HT)))
        return fail(e, KST_ERROR_OPTIONS, "passes, which code-blocks of T.814 have 1 to 3 of");
    if (o->passes > 1 && o->target == KST_J2K_LOSSLESS)
        return fail(e, KST_ERROR_OPTIONS, "passes: refinement passes do not reach every sample of the lowest plane");
    if ((unsigned)o->headers > KST_J2K_HEADERS_PPM)
        return fail(e, KST_ERROR_OPTIONS, "where packet headers stand");
    if (o->division > DIVISIONS)
        return fail(e, KST_ERROR_OPTIONS, "division");
    if (!o->change && o->change_count > 0)
        return fail(e, KST_ERROR_OPTIONS, "changes of progression");
    if (o->profile && !kst_j2k_profile_name(o->profile))
        return fail(e, KST_ERROR_OPTIONS, "a profile whose rules are not known");
    if (!(o->frame_rate >= 0) || o->frame_rate >= HUGE_VAL)
        return fail(e, KST_ERROR_OPTIONS, "the frame rate");
    if (!o->component && o->component_count > 0)
        return fail(e, KST_ERROR_OPTIONS, "components");
    kst_status status = check_target(e, o);
    for (size_t i = 0; i < o->component_count && !status; i++)
        status = check_component(e, o, &o->component[i]);
    if (!status && (o->target == KST_J2K_RATE || o->target == KST_J2K_RATIO || o->target == KST_J2K_PSNR) &&
        mixes_coders(o))
        return fail(e, KST_ERROR_OPTIONS, "style of a component: a rate or PSNR wants all code-blocks of one kind");
    return status;
}

kst_status kst_j2k_run_encode_check(struct encoding *e)
{
    kst_j2k_options defaults;
    const kst_image *image = &e->image;
    kst_j2k_options_init(&defaults);
    kst_status status = check_options(e, e->options.jpeg2000 ? e->options.jpeg2000 : &defaults);
    if (status)
        return status;
    if ((!e->options.metadata && e->options.metadata_count > 0) || (unsigned)e->options.density_unit > KST_DENSITY_CM)
        return fail(e, KST_ERROR_OPTIONS, "metadata");
    bool elsewhere = kst_memory_is_device(image->memory);
    if (e->rows && elsewhere)
        return fail(e, KST_ERROR_IMAGE_MEMORY, "rows come to the host");
    status = elsewhere || e->rows ? kst_image_check_shape(image) : kst_image_check(image);
    if (status)
        return fail(e, status, NULL);
    if (image->plane[0].sample != KST_SAMPLE_INTEGER)
        return fail(e, KST_ERROR_IMAGE_DEPTH, "integers are coded");
    if ((uint64_t)image->width * image->height > e->context->limits.pixels)
        return kst_report_error(
            &e->report, KST_ERROR_LIMIT_PIXELS, KST_NO_OFFSET, "%" PRIu32 " × %" PRIu32, image->width, image->height);
    return KST_OK;
}
