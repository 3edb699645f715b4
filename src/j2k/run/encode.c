/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes one picture: plans it, lets the GPU or the CPU code its code-blocks, and writes the file. */
#include "j2k/run/encode.h"

#include "j2k/run/assemble.h"

#include "core/report.h"
#include "run/image.h"

kst_status kst_j2k_run_encode_blocks(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    double start = kst_seconds();
    kst_j2k_run_encode_unmake(encoder);
    kst_j2k_encoded_release(&e->memory, &encoder->encoded);
    encoder->placed = 0;
    if (encoder->on_gpu)
        return (encoder->request.count ? kst_j2k_run_encode_gpu_count : kst_j2k_run_encode_gpu_again)(encoder);
    if (encoder->in_excerpts)
        return kst_j2k_run_encode_gpu_excerpts(encoder);
    const struct operation op = kst_encoding_operation(e);
    kst_status status = kst_j2k_cpu_encode(&op, &encoder->coded, &encoder->request, &encoder->encoded);
    kst_report_stage(&e->report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    return status;
}

/* Return the number of bytes of all layers, with an estimate for packet headers and everything else. */
static size_t expected_bytes(const struct j2k_encoder *encoder)
{
    enum { AROUND = 1024, HEADER_BYTES = 4, SHARE = 32 };
    const struct j2k_coded *coded = &encoder->coded;
    size_t sum = 0;
    if (encoder->placed > 0)
        return AROUND + encoder->placed;
    for (uint32_t b = 0; b < coded->plan.block_count; b++) {
        uint32_t passes = encoder->layer_passes[(size_t)(b + 1) * encoder->options.layers - 1];
        if (passes > 0)
            sum += HEADER_BYTES + coded->pass_length[coded->block[b].first_pass + passes - 1U];
    }
    return AROUND + sum + sum / SHARE;
}

/* Check the file's length against the profile, whose limit may be exceeded if there was no target of bytes. */
static kst_status check_length(const struct j2k_encoder *encoder, uint64_t bytes)
{
    if (bytes <= encoder->limits.bytes)
        return KST_OK;
    return kst_report_error(&encoder->e->report, KST_ERROR_J2K_PROFILE, KST_NO_OFFSET,
        "%s: a codestream has at most %llu bytes, and this %llu; use a lower rate or a higher level",
        kst_j2k_profile_name(encoder->options.profile), (unsigned long long)encoder->limits.bytes,
        (unsigned long long)bytes);
}

static kst_status arrive(void *encoder)
{
    return kst_j2k_run_encode_gpu_arrive(encoder);
}

/* Describe how the codestream is assembled if the GPU has coded its blocks as a whole. */
static struct j2k_assembler assembler_of(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    return (struct j2k_assembler){.memory = &e->memory,
        .pool = e->context->pool,
        .report = &e->report,
        .gpu = e->gpu,
        .job = encoder->part ? kst_j2k_run_encode_gpu_job(encoder) : NULL,
        .item = encoder->member,
        .placed = encoder->placed,
        .arrive = arrive,
        .user = encoder};
}

static kst_status write_file(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    const struct j2k_assembler assembler = assembler_of(encoder);
    const struct j2k_carrier carrier = {&assembler, encoder->part ? kst_j2k_run_assemble : NULL};
    struct j2k_codestream *stream = encoder->made;
    double start = kst_seconds();
    kst_sink_expect(&e->sink, expected_bytes(encoder));
    kst_status status = KST_OK;
    encoder->made = NULL;
    if (!stream)
        status = kst_j2k_run_encode_make(encoder, &stream);
    if (!status)
        status = check_length(encoder, kst_j2k_codestream_length(stream));
    if (!status)
        kst_j2k_codestream_carry(stream, &carrier);
    if (!status)
        status = encoder->options.codestream
                     ? kst_j2k_codestream_put(stream, &e->sink)
                     : kst_j2k_put_file(&encoder->coded, stream, &encoder->file, &e->sink, &e->report);
    kst_j2k_codestream_release(stream);
    kst_report_stage(&e->report, KST_STAGE_WRITE, KST_DEVICE_CPU, start);
    return status;
}

/*
 * Choose the GPU, for the whole picture or for parts of it, if it can encode them. Otherwise the CPU encodes, and
 * pixels in device memory are copied to the host.
 */
static kst_status choose_place(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    encoder->on_gpu = kst_j2k_run_encode_gpu_suits(encoder);
    encoder->in_excerpts = !encoder->on_gpu && !e->volume && kst_j2k_run_encode_gpu_cuts(encoder);
    if (!encoder->on_gpu && e->volume && e->volume->components)
        return e->volume->bring(e->volume);
    if (encoder->on_gpu || encoder->in_excerpts || !kst_memory_is_device(encoder->image->memory))
        return KST_OK;
    kst_status status = kst_image_bring(e->context, encoder->image, &encoder->host, &e->report);
    if (status)
        return status;
    encoder->image = &encoder->host;
    kst_j2k_run_encode_find_samples(encoder);
    return KST_OK;
}

/*
 * Choose the width of the box's length field before its size is known, if code-blocks are written before all of them
 * are coded. Coded data are assumed to take less than four times the bytes of the samples.
 */
static void settle_width(struct j2k_encoder *encoder)
{
    if (!kst_j2k_run_encode_needs_rates(encoder))
        encoder->file.width =
            kst_j2k_run_encode_sample_bits(encoder) / 8 > UINT32_MAX / 4 ? J2K_WIDTH_WIDE : J2K_WIDTH_NARROW;
}

/*
 * Return the share of all work that is done when all blocks have been coded once. Decoding for a PSNR takes several
 * times as long as coding.
 */
static double share_of_coding(const struct j2k_encoder *encoder)
{
    return encoder->options.target == KST_J2K_PSNR ? 0.25 : kst_j2k_run_encode_needs_rates(encoder) ? 0.9 : 1;
}

/* Plan everything that does not depend on the values of samples. */
static kst_status plan(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    const struct operation op = kst_encoding_operation(e);
    kst_status status = kst_j2k_run_encode_components(encoder);
    if (status)
        return status;
    encoder->reversible = encoder->options.target == KST_J2K_LOSSLESS || encoder->options.reversible;
    kst_j2k_profile_limits(encoder->options.profile, encoder->options.frame_rate, &encoder->limits);
    encoder->step = kst_j2k_run_encode_step(encoder);
    encoder->request.feeds = kst_j2k_run_encode_feeds(encoder);
    status = kst_j2k_run_encode_headers(encoder);
    if (!status)
        status = kst_j2k_run_encode_file(encoder);
    settle_width(encoder);
    if (!status)
        status = kst_j2k_coded_layout(&op, &encoder->coded);
    if (!status)
        status = kst_j2k_run_encode_profile(encoder);
    if (!status)
        status = kst_j2k_run_encode_weights(encoder);
    if (status)
        return status;
    encoder->request.origin = encoder->origin;
    encoder->request.progress = &e->progress;
    kst_progress_stage(&e->progress, encoder->coded.plan.block_count, share_of_coding(encoder));
    encoder->request.rows = e->rows;
    encoder->request.refinements = kst_j2k_run_encode_searches(encoder) ? 0 : encoder->options.passes - 1;
    encoder->request.plane = encoder->request.refinements > 0 ? 1 : kst_j2k_run_encode_finer(encoder);
    kst_j2k_run_encode_value_bits(encoder);
    encoder->request.measure = kst_j2k_run_encode_needs_rates(encoder) && !kst_j2k_run_encode_searches(encoder);
    kst_j2k_run_encode_goal(encoder);
    return KST_OK;
}

kst_status kst_j2k_run_encode_plan(struct j2k_encoder *encoder, struct encoding *e)
{
    *encoder = (struct j2k_encoder){.e = e, .image = &e->image};
    kst_j2k_options_init(&encoder->options);
    if (e->options.jpeg2000)
        encoder->options = *e->options.jpeg2000;
    kst_status status = plan(encoder);
    if (!status)
        status = choose_place(encoder);
    encoder->request.count = !status && kst_j2k_run_encode_counts(encoder);
    if (!status)
        status = kst_j2k_run_encode_list_packets(encoder);
    if (!status && !encoder->on_gpu && !encoder->in_excerpts && kst_j2k_run_encode_searches(encoder))
        encoder->request.kept = kst_j2k_cpu_keep_coefficients(&e->memory, &encoder->coded.plan);
    return status ? status : kst_j2k_run_encode_keep_rows(encoder);
}

/*
 * Return the writer that keeps coded bytes until the file is written: the caller's, if it can and there are so many
 * samples that it is worth it; otherwise null. Blocks that a GPU codes or whose passes are measured stay in memory.
 */
static const kst_writer *keeper_of(const struct j2k_encoder *encoder)
{
    enum { LEAST = 1 << 26 /* fewest bytes of samples */ };
    const kst_writer *writer = encoder->e->sink.writer;
    bool suits = !encoder->on_gpu && !encoder->in_excerpts && !kst_j2k_run_encode_needs_rates(encoder);
    bool large = kst_j2k_run_encode_sample_bits(encoder) / 8 >= LEAST;
    return writer && writer->keep && suits && large ? writer : NULL;
}

/*
 * Begin a search by counting before anything is counted, because a device still transforms the picture meanwhile. If it
 * was begun together with other searches, nothing is left to do.
 */
static kst_status begin_counting(struct j2k_encoder *encoder)
{
    if (!encoder->request.count || encoder->search)
        return KST_OK;
    kst_status status = kst_j2k_run_encode_layer_lists(encoder);
    return status ? status : kst_j2k_run_encode_search_begin(encoder);
}

kst_status kst_j2k_run_encode_settle(struct j2k_encoder *encoder)
{
    if (kst_j2k_run_encode_goes_by_tiles(encoder))
        return kst_j2k_run_encode_by_tiles(encoder);
    encoder->request.keeper = encoder->coded.keeper = keeper_of(encoder);
    /* Without a quantiser the search begins with several planes of each block. */
    const bool by_planes = encoder->reversible && kst_j2k_run_encode_searches(encoder);
    const bool is_coded = encoder->on_gpu && !encoder->request.count;
    kst_status status = begin_counting(encoder);
    if (!status && !is_coded && !by_planes)
        status = kst_j2k_run_encode_blocks(encoder);
    if (!status)
        status = kst_j2k_run_encode_layers(encoder);
    return status ? status : write_file(encoder);
}

void kst_j2k_run_encode_release(struct j2k_encoder *encoder)
{
    struct memory *memory = &encoder->e->memory;
    kst_image_release(encoder->e->context, &encoder->host);
    kst_j2k_run_encode_unmake(encoder);
    kst_j2k_cpu_drop_coefficients(memory, encoder->request.kept);
    kst_j2k_run_encode_search_end(encoder);
    kst_j2k_run_encode_drop_rows(encoder);
    for (uint32_t i = 0; i < encoder->file.box_count; i++)
        kst_memory_release(memory, encoder->box_data[i]);
    kst_j2k_run_encode_drop_tiles(encoder);
    kst_memory_release(memory, encoder->packet);
    kst_memory_release(memory, encoder->layer_passes);
    kst_memory_release(memory, encoder->target);
    kst_memory_release(memory, encoder->estimate);
    kst_memory_release(memory, encoder->outcome);
    kst_memory_release(memory, encoder->weight);
    kst_memory_release(memory, encoder->slice_norm);
    kst_memory_release(memory, encoder->origin);
    kst_j2k_encoded_release(memory, &encoder->encoded);
    kst_j2k_coded_release(memory, &encoder->coded);
    kst_j2k_stream_release(memory, &encoder->coded.headers);
}

kst_status kst_j2k_run_encode(struct encoding *e)
{
    struct j2k_encoder encoder, *member = &encoder;
    struct j2k_encode_gpu_part part;
    kst_status status = kst_j2k_run_encode_plan(&encoder, e);
    bool shared = !status && encoder.on_gpu;
    if (shared) {
        kst_j2k_run_encode_gpu_code(&part, &member, 1);
        status = encoder.status;
    }
    if (!status)
        status = kst_j2k_run_encode_settle(&encoder);
    if (shared)
        kst_j2k_run_encode_gpu_report(&encoder);
    kst_j2k_run_encode_release(&encoder);
    if (shared)
        kst_j2k_run_encode_gpu_end(&part);
    return status;
}
