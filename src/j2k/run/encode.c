/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes one picture: plans it, has its code-blocks coded where it was placed, and writes the file. */
#include "j2k/run/encode.h"

#include "core/report.h"
#include "run/image.h"

kst_status kst_j2k_encode_blocks(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    double start = kst_seconds();
    kst_j2k_encoded_release(&e->memory, &work->encoded);
    if (work->on_gpu)
        return kst_j2k_encode_group_again(work);
    if (work->in_windows)
        return kst_j2k_gpu_code_windows(work);
    const struct operation op = kst_encoding_operation(e);
    kst_status status = kst_j2k_cpu_encode(&op, &work->coded, &work->source, &work->encoded);
    kst_report_stage(&e->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return status;
}

/* Bytes of all layers, and about what packet headers and all else will take. */
static size_t expected_bytes(const struct j2k_encode_work *work)
{
    enum { AROUND = 1024, HEADER_BYTES = 4, SHARE = 32 };
    const struct j2k_coded *coded = &work->coded;
    size_t sum = 0;
    for (uint32_t b = 0; b < coded->plan.block_count; b++) {
        uint32_t passes = work->layer_passes[(size_t)(b + 1) * work->options.layers - 1];
        if (passes > 0)
            sum += HEADER_BYTES + coded->pass_length[coded->block[b].first_pass + passes - 1U];
    }
    return AROUND + sum + sum / SHARE;
}

/* Without a target a profile's limit may be missed. */
static kst_status check_length(const struct j2k_encode_work *work, uint64_t bytes)
{
    if (bytes <= work->limits.bytes)
        return KST_OK;
    return kst_report_error(&work->e->report, KST_ERROR_J2K_PROFILE, KST_NO_OFFSET,
        "%s: a codestream has at most %llu bytes, and this %llu; use a lower rate or a higher level",
        kst_j2k_profile_name(work->options.profile), (unsigned long long)work->limits.bytes, (unsigned long long)bytes);
}

static kst_status write_file(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    const struct operation op = kst_encoding_operation(e);
    struct j2k_codestream *stream;
    double start = kst_seconds();
    kst_sink_expect(&e->sink, expected_bytes(work));
    kst_status status = kst_j2k_codestream_make(&op, &work->coded, &work->writing, &stream);
    if (!status)
        status = check_length(work, kst_j2k_codestream_length(stream));
    if (!status)
        status = kst_j2k_encode_group_arrive(work);
    if (!status)
        status = work->options.codestream ? kst_j2k_codestream_put(stream, &e->sink)
                                          : kst_j2k_put_file(&work->coded, stream, &work->file, &e->sink, &e->report);
    kst_j2k_codestream_release(stream);
    kst_report_stage(&e->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

/* On the GPU, if it can, the whole or in parts; for the CPU pixels in device memory come to the host. */
static kst_status choose_place(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    work->on_gpu = kst_j2k_gpu_encodes(work);
    work->in_windows = !work->on_gpu && kst_j2k_gpu_cuts(work);
    if (work->on_gpu || work->in_windows || !kst_memory_is_device(work->image->memory))
        return KST_OK;
    kst_status status = kst_image_bring(e->context, work->image, &work->host, &e->report);
    if (status)
        return status;
    work->image = &work->host;
    kst_j2k_encode_find_samples(work);
    return KST_OK;
}

/* Of the box around code-blocks that need not all be there before it begins: no fourfold of the samples' bytes. */
static void settle_width(struct j2k_encode_work *work)
{
    if (!kst_j2k_encode_needs_rates(work))
        work->file.width = kst_j2k_encode_sample_bits(work) / 8 > UINT32_MAX / 4 ? J2K_WIDTH_WIDE : J2K_WIDTH_NARROW;
}

/* Of the whole, when blocks are coded once: decoding for a PSNR takes several times as long. */
static double share_of_coding(const struct j2k_encode_work *work)
{
    return work->options.target == KST_J2K_PSNR ? 0.25 : kst_j2k_encode_needs_rates(work) ? 0.9 : 1;
}

/* All that is known before a sample is looked at. */
static kst_status plan(struct j2k_encode_work *work)
{
    struct encoding *e = work->e;
    const struct operation op = kst_encoding_operation(e);
    kst_status status = kst_j2k_encode_components(work);
    if (status)
        return status;
    work->reversible = work->options.target == KST_J2K_LOSSLESS || work->options.reversible;
    work->step = kst_j2k_encode_step(work);
    status = kst_j2k_encode_headers(work);
    if (!status)
        status = kst_j2k_encode_file(work);
    settle_width(work);
    if (!status)
        status = kst_j2k_coded_layout(&op, &work->coded);
    if (!status)
        status = kst_j2k_encode_profile(work);
    if (!status)
        status = kst_j2k_encode_weights(work);
    if (status)
        return status;
    work->source.origin = work->origin;
    work->source.progress = &e->progress;
    kst_progress_stage(&e->progress, work->coded.plan.block_count, share_of_coding(work));
    work->source.rows = e->rows;
    work->source.measure = kst_j2k_encode_needs_rates(work);
    kst_j2k_encode_set_goal(work);
    return KST_OK;
}

kst_status kst_j2k_encode_plan(struct j2k_encode_work *work, struct encoding *e)
{
    *work = (struct j2k_encode_work){.e = e, .image = &e->image};
    kst_j2k_options_init(&work->options);
    if (e->options.jpeg2000)
        work->options = *e->options.jpeg2000;
    kst_status status = plan(work);
    if (!status)
        status = choose_place(work);
    return status ? status : kst_j2k_encode_keep_rows(work);
}

kst_status kst_j2k_encode_settle(struct j2k_encode_work *work)
{
    if (kst_j2k_encode_goes_by_tiles(work))
        return kst_j2k_encode_by_tiles(work);
    kst_status status = work->on_gpu ? KST_OK : kst_j2k_encode_blocks(work);
    if (!status)
        status = kst_j2k_encode_layers(work);
    return status ? status : write_file(work);
}

void kst_j2k_encode_release(struct j2k_encode_work *work)
{
    struct memory *memory = &work->e->memory;
    kst_image_release(work->e->context, &work->host);
    kst_j2k_encode_drop_rows(work);
    for (uint32_t i = 0; i < work->file.box_count; i++)
        kst_memory_release(memory, work->box_data[i]);
    kst_j2k_encode_drop_tiles(work);
    kst_memory_release(memory, work->layer_passes);
    kst_memory_release(memory, work->target);
    kst_memory_release(memory, work->estimate);
    kst_memory_release(memory, work->outcome);
    kst_memory_release(memory, work->weight);
    kst_memory_release(memory, work->origin);
    kst_j2k_encoded_release(memory, &work->encoded);
    kst_j2k_coded_release(memory, &work->coded);
    kst_j2k_stream_release(memory, &work->coded.headers);
}

kst_status kst_j2k_encode(struct encoding *e)
{
    struct j2k_encode_work work, *member = &work;
    struct j2k_encode_group group;
    kst_status status = kst_j2k_encode_plan(&work, e);
    bool grouped = !status && work.on_gpu;
    if (grouped) {
        kst_j2k_encode_group_code(&group, &member, 1);
        status = work.status;
    }
    if (!status)
        status = kst_j2k_encode_settle(&work);
    if (grouped)
        kst_j2k_gpu_report_encoding(&work);
    kst_j2k_encode_release(&work);
    if (grouped)
        kst_j2k_encode_group_end(&group);
    return status;
}
