/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the encoding of one picture to JPEG, and carries it out on the GPU or the CPU. */
#include "jpeg/run/encode.h"

#include <inttypes.h>
#include <string.h>

#include "core/report.h"
#include "image/allocate.h"
#include "image/format.h"
#include "image/validate.h"
#include "jpeg/cpu/deep_encode.h"
#include "jpeg/plan/restart.h"
#include "jpeg/plan/script.h"
#include "jpeg/syntax/writer.h"
#include "run/image.h"

static kst_status check_options(struct encoding *e)
{
    const kst_encode_options *o = &e->options;
    if (o->size != sizeof *o)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "not set up by kst_encode_options_init()");
    if ((unsigned)o->dct > KST_DCT_FAST)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "dct");
    if (o->codec != KST_CODEC_JPEG)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "codec");
    if (o->quality < 1 || o->quality > 100)
        return kst_report_error(&e->report, KST_ERROR_JPEG_QUALITY, KST_NO_OFFSET, "%d", o->quality);
    if ((unsigned)o->subsampling > KST_SUBSAMPLING_410)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "subsampling");
    if ((unsigned)o->coding > KST_CODING_PROGRESSIVE)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "coding");
    if ((unsigned)o->restart.unit > KST_RESTART_AUTO ||
        (o->restart.unit == KST_RESTART_MCUS && o->restart.interval > 65535))
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "restart");
    if (!o->script && o->script_length > 0)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "script");
    if (!o->metadata && o->metadata_count > 0)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "metadata");
    if ((unsigned)o->density_unit > KST_DENSITY_CM)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "density");
    return KST_OK;
}

static uint32_t channels_of(kst_colour colour)
{
    switch (colour) {
    case KST_COLOUR_GREY:
        return 1;
    case KST_COLOUR_RGB:
    case KST_COLOUR_YCBCR:
        return 3;
    case KST_COLOUR_CMYK:
    case KST_COLOUR_YCCK:
        return 4;
    default:
        return 0;
    }
}

/* Return the colour space that samples usually have, for an image that does not name its own. */
static kst_colour usual_colour(kst_format format, uint32_t channels)
{
    if (channels == 3)
        return format == KST_FORMAT_RAW ? KST_COLOUR_YCBCR : KST_COLOUR_RGB;
    return channels == 1 ? KST_COLOUR_GREY : channels == 4 ? KST_COLOUR_CMYK : KST_COLOUR_UNKNOWN;
}

/* Return the number of channels that carry colour, which alpha does not. */
static uint32_t image_channels(const kst_image *image)
{
    const struct pixel_layout *layout = kst_pixel_layout(image->format);
    return layout->planes ? image->plane_count : layout->channels - layout->alpha;
}

static kst_status check_image(struct encoding *e)
{
    const kst_image *image = &e->image;
    bool device = kst_memory_is_device(image->memory);
    if (e->rows && device)
        return kst_encoding_fail(e, KST_ERROR_IMAGE_MEMORY, "rows come to the host");
    kst_status status = device || e->rows ? kst_image_check_shape(image) : kst_image_check(image);
    if (status)
        return kst_encoding_fail(e, status, NULL);
    if (image->plane[0].sample != KST_SAMPLE_INTEGER)
        return kst_encoding_fail(e, KST_ERROR_IMAGE_SAMPLE, "JPEG takes integers");
    if (image->plane_count > KST_IMAGE_PLANES_MAX)
        return kst_encoding_fail(e, KST_ERROR_IMAGE_SIZE, "JPEG takes up to four planes");
    const uint32_t depth = kst_plane_depth(&image->plane[0]);
    for (uint32_t i = 0; i < image->plane_count; i++) {
        if ((depth != 8 && depth != JPEG_DEEP) || kst_plane_depth(&image->plane[i]) != depth ||
            image->plane[i].is_signed)
            return kst_encoding_fail(e, KST_ERROR_IMAGE_DEPTH, "JPEG takes samples of 8 or 12 bits without a sign");
    }
    if (depth == JPEG_DEEP && e->options.dct != KST_DCT_ACCURATE)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "samples of 12 bits have the accurate transform only");
    jpeg_encoding_of(e)->frame.precision = (uint8_t)depth;
    if (image->width > 65535 || image->height > 65535)
        return kst_report_error(
            &e->report, KST_ERROR_JPEG_TOO_LARGE, KST_NO_OFFSET, "%" PRIu32 " × %" PRIu32, image->width, image->height);
    if ((uint64_t)image->width * image->height > e->context->limits.pixels)
        return kst_report_error(
            &e->report, KST_ERROR_LIMIT_PIXELS, KST_NO_OFFSET, "%" PRIu32 " × %" PRIu32, image->width, image->height);
    return KST_OK;
}

/* Choose the colour spaces of the image and of the stream. */
static kst_status plan_colour(struct encoding *e)
{
    kst_image *image = &e->image;
    const kst_colour wanted = e->options.colour;
    const uint32_t channels = image_channels(image);
    if ((unsigned)wanted > KST_COLOUR_YCCK || (unsigned)image->colour > KST_COLOUR_YCCK)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "colour");
    if (image->colour == KST_COLOUR_UNKNOWN && image->format == KST_FORMAT_RAW)
        image->colour = wanted;
    if (image->colour == KST_COLOUR_UNKNOWN)
        image->colour = usual_colour(image->format, channels);
    if (channels == 0 || channels_of(image->colour) != channels)
        return kst_encoding_fail(e, KST_ERROR_IMAGE_FORMAT, "the colour space has another number of channels");
    kst_colour coded = wanted;
    if (coded == KST_COLOUR_UNKNOWN)
        coded = image->colour == KST_COLOUR_RGB && image->format != KST_FORMAT_RAW ? KST_COLOUR_YCBCR : image->colour;
    if (image->format == KST_FORMAT_RAW && coded != image->colour)
        return kst_encoding_fail(e, KST_ERROR_JPEG_COLOUR, "raw components are coded as they are");
    jpeg_encoding_of(e)->frame.colour = coded;
    jpeg_encoding_of(e)->frame.component_count = (uint8_t)channels_of(coded);
    return KST_OK;
}

static void subsampled_factors(kst_subsampling subsampling, uint8_t *h, uint8_t *v)
{
    static const uint8_t factor[][2] = {{2, 2}, {2, 1}, {1, 1}, {1, 2}, {4, 1}, {4, 2}};
    *h = factor[subsampling][0];
    *v = factor[subsampling][1];
}

static kst_status plan_sampling(struct encoding *e)
{
    const kst_encode_options *o = &e->options;
    struct jpeg_frame *frame = &jpeg_encoding_of(e)->frame;
    const bool chroma = frame->colour == KST_COLOUR_YCBCR || frame->colour == KST_COLOUR_YCCK;
    bool given = false;
    for (uint32_t c = 0; c < 4; c++)
        given |= o->h[c] != 0 || o->v[c] != 0;
    for (uint32_t c = 0; c < frame->component_count; c++) {
        struct jpeg_component *component = &frame->component[c];
        component->h = component->v = 1;
        if (given) {
            component->h = o->h[c];
            component->v = o->v[c];
        } else if (chroma && (c == 0 || c == 3)) {
            subsampled_factors(o->subsampling, &component->h, &component->v);
        }
        if (component->h < 1 || component->h > 4 || component->v < 1 || component->v > 4)
            return kst_report_error(&e->report, KST_ERROR_JPEG_SAMPLING, KST_NO_OFFSET, "component %" PRIu32 ": %d×%d",
                c, component->h, component->v);
    }
    kst_jpeg_frame_geometry(frame);
    return KST_OK;
}

static void plan_ids(struct jpeg_frame *frame)
{
    const char *letters = frame->colour == KST_COLOUR_RGB ? "RGB" : frame->colour == KST_COLOUR_CMYK ? "CMYK" : NULL;
    for (uint8_t c = 0; c < frame->component_count; c++)
        frame->component[c].id = letters ? (uint8_t)letters[c] : (uint8_t)(c + 1);
}

static uint8_t quant_destination(const struct encoding *e, uint32_t component)
{
    const kst_colour colour = jpeg_encoding_of(e)->frame.colour;
    kst_encode_options usual;
    kst_encode_options_init(&usual);
    const bool plain = memcmp(e->options.quant_index, usual.quant_index, sizeof usual.quant_index) == 0;
    if (plain && (colour == KST_COLOUR_RGB || colour == KST_COLOUR_CMYK))
        return 0;
    return e->options.quant_index[component];
}

/* Make the standard table of a component, or copy it from an earlier component with the same destination. */
static void make_quantiser(struct encoding *e, uint32_t index, uint16_t limit)
{
    struct jpeg_component *all = jpeg_encoding_of(e)->frame.component, *component = &all[index];
    for (uint32_t c = 0; c < index; c++)
        if (all[c].tq == component->tq) {
            memcpy(component->quant, all[c].quant, sizeof component->quant);
            return;
        }
    kst_jpeg_quality_table(e->options.quality, component->tq, limit, component->quant);
}

static kst_status plan_quantisers(struct encoding *e)
{
    const kst_encode_options *o = &e->options;
    const uint16_t limit = o->wide_quantisers ? 32767 : 255;
    for (uint32_t c = 0; c < jpeg_encoding_of(e)->frame.component_count; c++) {
        struct jpeg_component *component = &jpeg_encoding_of(e)->frame.component[c];
        component->tq = quant_destination(e, c);
        if (component->tq > 3 || (component->tq > 1 && !o->quant_table[component->tq]))
            return kst_encoding_fail(e, KST_ERROR_OPTIONS, "a component without quantisation table");
        const uint16_t *given = o->quant_table[component->tq];
        if (!given) {
            make_quantiser(e, c, limit);
            continue;
        }
        for (uint32_t i = 0; i < 64; i++) {
            if (given[i] == 0 || (given[i] > 255 && !o->wide_quantisers))
                return kst_report_error(&e->report, KST_ERROR_JPEG_TABLE_VALUE, KST_NO_OFFSET,
                    "%d in table %d, element %" PRIu32, given[i], component->tq, i);
        }
        memcpy(component->quant, given, sizeof component->quant);
    }
    return KST_OK;
}

static kst_status plan_script(struct encoding *e)
{
    const kst_encode_options *o = &e->options;
    const bool progressive = o->coding == KST_CODING_PROGRESSIVE;
    const struct jpeg_frame *frame = &jpeg_encoding_of(e)->frame;
    kst_scan standard[JPEG_SCRIPT_MAX];
    const kst_scan *script = o->script ? o->script : standard;
    size_t length = o->script_length, scan;
    if (!o->script)
        length = progressive ? kst_jpeg_progressive_script(frame->colour, frame->component_count, standard)
                             : kst_jpeg_sequential_script(frame->component_count, standard);
    if (length > UINT32_MAX)
        return kst_encoding_fail(e, KST_ERROR_JPEG_SCRIPT, NULL);
    kst_status status = kst_jpeg_script_check(frame, progressive, script, length, &scan);
    if (status && scan == length)
        return kst_encoding_fail(e, status, "coefficients are left out");
    if (status)
        return kst_report_error(&e->report, status, KST_NO_OFFSET, "scan %zu", scan + 1);
    jpeg_encoding_of(e)->script = o->script;
    jpeg_encoding_of(e)->script_length = o->script_length;
    return KST_OK;
}

static kst_status plan_metadata(struct encoding *e)
{
    size_t item;
    kst_status status = kst_jpeg_metadata_check(e->options.metadata, e->options.metadata_count, &item);
    if (status)
        return kst_report_error(&e->report, status, KST_NO_OFFSET, "metadata item %zu", item);
    jpeg_encoding_of(e)->metadata = e->options.metadata;
    jpeg_encoding_of(e)->metadata_count = e->options.metadata_count;
    return KST_OK;
}

static void plan_header(struct encoding *e)
{
    const kst_encode_options *o = &e->options;
    kst_jpeg_encoding_colour(jpeg_encoding_of(e), jpeg_encoding_of(e)->frame.colour);
    jpeg_encoding_of(e)->header.density_unit = o->density_unit;
    jpeg_encoding_of(e)->header.density_x = o->density_x;
    jpeg_encoding_of(e)->header.density_y = o->density_y;
    jpeg_encoding_of(e)->coding = kst_jpeg_encoding_coding(&jpeg_encoding_of(e)->frame, o->coding);
    jpeg_encoding_of(e)->dct = o->dct;
    jpeg_encoding_of(e)->restart =
        kst_jpeg_restart_choose(&jpeg_encoding_of(e)->frame, o->restart, o->coding == KST_CODING_PROGRESSIVE);
}

/* Check the sizes of KST_FORMAT_RAW's planes against those of the components. */
static kst_status check_raw(struct encoding *e)
{
    for (uint32_t c = 0; c < jpeg_encoding_of(e)->frame.component_count && e->image.format == KST_FORMAT_RAW; c++) {
        const struct jpeg_component *component = &jpeg_encoding_of(e)->frame.component[c];
        const kst_plane *plane = &e->image.plane[c];
        if (plane->width != component->width || plane->height != component->height)
            return kst_report_error(&e->report, KST_ERROR_IMAGE_SIZE, KST_NO_OFFSET,
                "plane %" PRIu32 " must be %" PRIu32 " × %" PRIu32, c, component->width, component->height);
    }
    return KST_OK;
}

/*
 * Return the most bytes of coefficients that are kept for optimised tables. A larger picture is read twice, which is
 * faster than allocating its coefficients. The limit is higher if reading costs more: if the rows have to be decoded a
 * second time, or if the picture is read for the ten scans of a progressive stream. There is no limit if the rows come
 * in order and cannot be had again, or are needed by several scans: these read the picture side by side, which rows in
 * order do not allow.
 */
static uint64_t choose_kept(const kst_encode_options *options, const kst_rows *rows)
{
    const uint64_t large = UINT64_C(1) << 26, very_large = UINT64_C(1) << 28;
    bool in_order = rows && rows->in_order, progressive = options->coding == KST_CODING_PROGRESSIVE;
    if (in_order && (progressive || !rows->again))
        return UINT64_MAX;
    return in_order || progressive ? very_large : large;
}

kst_status kst_jpeg_run_encoding_plan(struct encoding *e)
{
    struct jpeg_encoder *state = jpeg_encoder_of(e);
    struct jpeg_frame *frame = &jpeg_encoding_of(e)->frame;
    kst_status status = check_options(e);
    if (!status)
        status = check_image(e);
    if (!status)
        status = plan_colour(e);
    frame->width = e->image.width;
    frame->height = e->image.height;
    if (!status)
        status = plan_sampling(e);
    if (!status)
        status = check_raw(e);
    if (!status)
        status = plan_quantisers(e);
    if (!status)
        status = plan_script(e);
    if (!status)
        status = plan_metadata(e);
    if (status)
        return status;
    plan_ids(frame);
    plan_header(e);
    jpeg_encoding_of(e)->kept_most = choose_kept(&e->options, e->rows);
    jpeg_encoding_of(e)->stored_most = JPEG_STORED_MOST;
    kst_jpeg_cpu_dsp_init(&state->dsp, e->context->tier);
    status = kst_jpeg_cpu_sampler_init(&state->sampler, &e->image, frame, &state->dsp);
    state->sampler.rows = e->rows;
    state->sampler.fast = e->options.dct == KST_DCT_FAST;
    state->item = (struct jpeg_gpu_encode_item){.encoding = &state->encoding, .image = &e->image, .sink = &e->sink};
    return status ? kst_encoding_fail(e, status, NULL) : KST_OK;
}

static bool is_deep(const struct encoding *e)
{
    return jpeg_encoding_of(e)->frame.precision == JPEG_DEEP;
}

bool kst_jpeg_run_encoding_suits(struct encoding *e)
{
    struct jpeg_gpu_encode_item *item = &jpeg_encoder_of(e)->item;
    if (is_deep(e))
        return false;
    item->source = e->source;
    item->planes = e->planes;
    return kst_jpeg_gpu_encodes(item) && kst_jpeg_gpu_encode_memory(item) <= e->context->limits.memory;
}

/*
 * Decide whether a GPU encodes rows. It needs all of them at once; if memory has no room for that, the CPU encodes
 * them.
 */
kst_status kst_jpeg_run_encoding_place_rows(struct encoding *e, double seconds)
{
    struct jpeg_encoder *state = jpeg_encoder_of(e);
    if (!kst_jpeg_run_encoding_suits(e))
        return KST_OK;
    e->gpu = kst_context_gpu_for(e->context, seconds, e->codec->encode_least);
    if (!e->gpu)
        return KST_OK;
    kst_status status = kst_encoding_bring_rows(e);
    if (status == KST_ERROR_LIMIT_MEMORY || status == KST_ERROR_MEMORY)
        return KST_OK;
    state->sampler.rows = e->rows;
    if (!status)
        status = kst_encoding_find_source(e);
    state->item.source = e->source;
    state->item.planes = e->planes;
    e->on_gpu = !status;
    return status;
}

/* Encode samples of 12 bits, all of which have to be in memory. */
static kst_status encode_deep(struct encoding *e)
{
    const struct operation op = kst_encoding_operation(e);
    kst_status status = e->rows ? kst_encoding_bring_rows(e) : KST_OK;
    if (status)
        return status;
    return kst_jpeg_cpu_deep_write_picture(&op, jpeg_encoding_of(e), &jpeg_encoder_of(e)->sampler, &e->sink);
}

static kst_status encode_on_cpu(struct encoding *e)
{
    const struct operation op = kst_encoding_operation(e);
    if (is_deep(e))
        return encode_deep(e);
    return kst_jpeg_cpu_write_picture(&op, jpeg_encoding_of(e), &jpeg_encoder_of(e)->sampler, &e->sink);
}

/* Encode on the CPU from device memory: the pixels are first copied to the host. */
static kst_status encode_from_device(struct encoding *e)
{
    kst_image host = {.owned = NULL};
    kst_status status = kst_image_bring(e->context, &e->image, &host, &e->report);
    if (!status) {
        e->image = host; /* the sampler reads this image */
        status = encode_on_cpu(e);
    }
    kst_image_release(e->context, &host);
    return status;
}

static void report_time(struct encoding *e, kst_stage stage, double seconds)
{
    e->report.stage_device[stage] = e->gpu->gpu->info.kind;
    memcpy(e->report.device, e->gpu->gpu->info.name, sizeof e->report.device);
    e->report.stage_seconds[stage] += seconds;
}

kst_status kst_jpeg_run_encoding_settle(
    struct encoding *e, const struct jpeg_gpu_encode_times *times, const struct gpu_error *error)
{
    if (error->status)
        return kst_report_error(&e->report, error->status, KST_NO_OFFSET, error->text[0] ? "%s" : NULL, error->text);
    report_time(e, KST_STAGE_UPLOAD, times->upload);
    report_time(e, KST_STAGE_PIXELS, times->coding);
    report_time(e, KST_STAGE_DOWNLOAD, times->download);
    e->report.threads = 1; /* besides the device */
    return e->sink.status;
}

static kst_status encode_on_gpu(struct encoding *e)
{
    struct jpeg_gpu_encode_times times = {.upload = 0};
    struct gpu_error error = {.status = KST_OK};
    struct jpeg_gpu_encode_job *job = kst_jpeg_gpu_encode_begin(e->gpu, &jpeg_encoder_of(e)->item, 1, false, &error);
    if (job)
        kst_jpeg_gpu_encode_wait(job, &times, &error);
    if (!error.status)
        kst_jpeg_gpu_encode_write(job, 0);
    if (job)
        kst_jpeg_gpu_encode_end(job);
    return kst_jpeg_run_encoding_settle(e, &times, &error);
}

kst_status kst_jpeg_run_encode(struct encoding *e)
{
    if (e->on_gpu)
        return encode_on_gpu(e);
    return kst_memory_is_device(e->image.memory) ? encode_from_device(e) : encode_on_cpu(e);
}
