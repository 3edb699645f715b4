/* SPDX-License-Identifier: BSD-2-Clause */
/* Profiles of a picture to encode: options for them, and whether it fits them. */
#include "core/report.h"
#include "j2k/run/encode.h"

enum { PROFILE_BLOCK = 64, VIDEO_BLOCK = 32, MOST_BITS = 4 * 16 };

static void set_video(kst_j2k_options *options, const struct j2k_profile_coding *coding)
{
    options->levels = coding->levels;
    options->block_width = options->block_height = VIDEO_BLOCK;
    options->progression = KST_PROGRESSION_CPRL;
    options->division = KST_J2K_DIVIDE_COMPONENT;
    options->tile_part_lengths = true;
    options->reversible = coding->reversible;
    options->target = coding->reversible ? KST_J2K_LOSSLESS : KST_J2K_RATE;
    options->value = coding->reversible ? 0 : MOST_BITS;
}

kst_status kst_j2k_options_profile(kst_j2k_options *options, uint32_t profile)
{
    struct j2k_profile_coding coding;
    if (!options || options->size != sizeof *options)
        return KST_ERROR_ARGUMENT;
    if (profile != KST_J2K_PROFILE_NONE && !kst_j2k_profile_name(profile))
        return KST_ERROR_OPTIONS;
    double frame_rate = options->frame_rate;
    bool codestream = options->codestream;
    kst_j2k_options_init(options);
    options->frame_rate = frame_rate;
    options->codestream = codestream;
    options->profile = profile;
    if (kst_j2k_profile_coding(profile, &coding))
        set_video(options, &coding);
    return KST_OK;
}

/* The first breach becomes the error. */
static void refuse(void *argument, const char *breach, const char *remedy)
{
    struct j2k_encode_work *work = argument;
    if (work->e->report.status == KST_OK)
        kst_report_error(&work->e->report, KST_ERROR_J2K_PROFILE, KST_NO_OFFSET, "%s: %s; %s",
            kst_j2k_profile_name(work->options.profile), breach, remedy);
}

kst_status kst_j2k_encode_profile(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    const struct operation op = kst_encoding_operation(e);
    struct j2k_profile_facts facts;
    kst_j2k_profile_limits(work->options.profile, work->options.frame_rate, &work->limits);
    if (!work->options.profile)
        return KST_OK;
    kst_status status = kst_j2k_profile_plan(&op, &work->coded, &work->writing, &facts);
    facts.frame_rate = work->options.frame_rate;
    if (status)
        return status;
    kst_j2k_profile_check(&work->coded.headers, &facts, refuse, work);
    return e->report.status;
}
