/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of kostka_volume.h. */
#include "run/volume.h"
#include "run/volume_memory.h"

void kst_volume_options_init(kst_volume_options *options)
{
    if (!options)
        return;
    *options = (kst_volume_options){.size = sizeof *options, .z_levels = KST_Z_LEVELS_AUTO, .scale = 1};
    kst_j2k_options_init(&options->jpeg2000);
    options->jpeg2000.levels = KST_LEVELS_AUTO;
    options->jpeg2000.codestream = true;
    options->jpeg2000.progression = KST_PROGRESSION_CPRL;
    options->jpeg2000.packet_lengths = true;
}

void kst_volume_decode_options_init(kst_volume_decode_options *options)
{
    if (options)
        *options = (kst_volume_decode_options){.size = sizeof *options, .scale = 1};
}

kst_status kst_volume_allocate(kst_context *context, kst_volume *volume)
{
    if (!context || !volume || volume->size < sizeof *volume)
        return KST_ERROR_ARGUMENT;
    return kst_volume_run_allocate(context, volume);
}

void kst_volume_release(kst_context *context, kst_volume *volume)
{
    if (context && volume && volume->owned)
        kst_volume_run_release(context, volume);
}

kst_status kst_encode_volume(kst_context *context, const kst_volume *volume, const kst_volume_options *options,
    kst_buffer *output, kst_report *report)
{
    return kst_volume_run_encode(context, volume, options, output, report);
}

kst_status kst_encode_volumes(kst_context *context, kst_volume_encode_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_volume_run_encode_all(context, items, count);
}

kst_status kst_describe_volume(kst_context *context, const void *data, size_t length,
    const kst_volume_decode_options *options, kst_volume *volume, kst_volume_info *info, kst_report *report)
{
    const struct volume_request request = {.options = options, .volume = volume, .info = info};
    return kst_volume_run_decode(context, data, length, &request, report);
}

kst_status kst_decode_volumes(kst_context *context, kst_volume_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_volume_run_decode_all(context, items, count, 0);
}

kst_status kst_decode_volume(kst_context *context, const void *data, size_t length,
    const kst_volume_decode_options *options, kst_volume *volume, kst_report *report)
{
    const struct volume_request request = {.options = options, .volume = volume, .samples = true};
    return kst_volume_run_decode(context, data, length, &request, report);
}
