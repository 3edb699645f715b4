/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets the options that a profile demands, and checks whether a picture to be encoded fits its profile. */
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

/* Report a breach. The first one becomes the error. */
static void refuse(void *argument, const char *breach, const char *remedy)
{
    struct j2k_encoder *encoder = argument;
    if (!encoder->e->report.status)
        kst_report_error(&encoder->e->report, KST_ERROR_J2K_PROFILE, KST_NO_OFFSET, "%s: %s; %s",
            kst_j2k_profile_name(encoder->options.profile), breach, remedy);
}

kst_status kst_j2k_run_encode_profile(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    const struct operation op = kst_encoding_operation(e);
    struct j2k_profile_facts facts;
    if (!encoder->options.profile)
        return KST_OK;
    kst_status status = kst_j2k_profile_plan(&op, &encoder->coded, &encoder->writing, &facts);
    facts.frame_rate = encoder->options.frame_rate;
    if (status)
        return status;
    kst_j2k_profile_check(&encoder->coded.headers, &facts, refuse, encoder);
    return e->report.status;
}
