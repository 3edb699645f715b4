/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes volumes on a GPU. Several volumes, such as the bricks of a larger one, form a part: they go through the same
 * few launches. If there are too many of them for that, there are several parts, a few of which are in flight at the
 * same time.
 */
#include "j2k/run/decode_volume_gpu.h"

#include <string.h>

#include "core/report.h"
#include "image/location.h"
#include "j2k/gpu/block_coder.h"
#include "j2k/run/decode_volume.h"

enum {
    PARTS_AT_ONCE = 3,
    HT_BESIDE = 3,    /* most parts beside one that count for how its T.814 blocks are arranged; see parts_beside() */
    STREAM_GAP = 8192 /* more bytes than there ever are between the streams of a part */
};

/* Describes a volume that was planned for the GPU. */
struct j2k_planned_volume {
    struct j2k_volume_decoding d;
    struct j2k_plan plan;
    struct j2k_gpu_stages stages; /* if the transform is not one wavelet */
    struct j2k_gpu_volume volume;
    struct j2k_gpu_item item;
    struct j2k_gpu_need need;
};

/* Holds volumes that are decoded together. */
struct j2k_volume_part {
    struct j2k_gpu_job *job; /* null: ended, or never begun */
    uint32_t first, count;
    struct j2k_gpu_need need; /* for all volumes of the part */
    uint64_t stream;          /* most bytes of their streams and the gaps between these */
};

/* Holds all volumes of a call. */
struct j2k_volume_parts {
    struct memory *memory;
    struct volume_decoding **volumes; /* each with a plan */
    struct j2k_gpu_item *item;        /* the item of each volume */
    struct j2k_gpu_damage *damage;
    struct j2k_volume_part *part;
    uint32_t part_count, begun, ended;
};

static bool has_stages(const struct j2k_volume_decoding *d)
{
    return d->transformed && !d->wavelet;
}

/*
 * Return whether kernels can make the slices: by stages, or by one wavelet or none, of the same kind in all tiles.
 * Slices without a transform must be alike. If so, *words receives what their code-blocks take.
 */
static bool suits(const struct j2k_planned_volume *planned, struct j2k_gpu_block_words *words)
{
    const struct j2k_plan *plan = &planned->plan;
    const struct j2k_volume_decoding *d = &planned->d;
    if (plan->missing_tiles > 0 || plan->tile_count == 0 || (d->mixed && !d->transformed))
        return false;
    for (uint32_t t = 0; t < plan->tile_count; t++)
        if (plan->tile[t].transform != J2K_TRANSFORM_NONE)
            return false;
    for (uint32_t i = 0; i < plan->tile_component_count && !has_stages(d); i++)
        if (plan->tile_component[i].resolution_count > 0 &&
            plan->tile_component[i].reversible != planned->volume.reversible)
            return false;
    return kst_j2k_gpu_can_decode(plan, words);
}

static void describe(struct j2k_planned_volume *planned, const struct volume_decoding *v)
{
    const struct j2k_volume_decoding *d = &planned->d;
    const struct j2k_stream *stream = &j2k_state(v->decoder)->stream;
    planned->volume = (struct j2k_gpu_volume){.wavelet = d->wavelet,
        .layout = &d->layout,
        .need = &d->need,
        .offset = d->wavelet && d->wavelet->offsets >= 0 ? stream->multi.array[d->wavelet->offsets].value : NULL,
        .shown = d->shown,
        .slot = d->slot,
        .rows = d->wanted_count,
        .reversible = d->reversible,
        .scale = v->options.scale,
        .add = v->options.offset,
        .output = *v->volume,
        .stages = has_stages(d) ? &planned->stages : NULL};
    planned->item = (struct j2k_gpu_item){.plan = &planned->plan,
        .output = {.format = KST_FORMAT_RAW, .memory = v->volume->memory},
        .volume = &planned->volume,
        .delivery = v->target.delivery,
        .image = v->target.image};
}

/* Return whether the device has enough memory for a volume. */
static bool fits(const struct volume_decoding *v, const struct j2k_planned_volume *planned)
{
    const uint64_t limit = v->decoder->context->limits.memory, half = v->gpu->gpu->info.memory / 2;
    const uint64_t most = half > 0 && half < limit ? half : limit;
    return planned->need.memory <= most && planned->need.memory <= J2K_GPU_MEMORY_MAX &&
           planned->need.largest <= v->gpu->gpu->largest && planned->item.stream <= J2K_GPU_STREAM_MAX &&
           planned->plan.length < UINT32_MAX;
}

static void release(struct j2k_planned_volume *planned, kst_decoder *decoder)
{
    kst_j2k_plan_release(&decoder->memory, &planned->plan);
    kst_j2k_gpu_release_stages(&decoder->memory, &planned->stages);
    kst_j2k_run_volume_end(&planned->d);
    kst_memory_release(&decoder->memory, planned);
}

/* Holds what programs of tiles are made of; those of the tile before are kept, because most tiles are alike. */
struct tile_staging {
    struct j2k_gpu_staging now;
    bool *is_real[2];
    double *shift;
};

/* Make the program of tile `t` of the plan, unless it is that of the tile before. */
static kst_status stage_tile(struct j2k_planned_volume *planned, struct tile_staging *staging, uint32_t t)
{
    struct j2k_volume_decoding *d = &planned->d;
    struct j2k_gpu_stages *stages = &planned->stages;
    const struct j2k_tile *tile = &planned->plan.tile[t];
    const struct j2k_multi *before = staging->now.multi;
    bool *is_real = staging->is_real[t % 2];
    kst_status status =
        kst_j2k_run_volume_describe_tile(d, &planned->plan, tile, tile->index, &staging->now.multi, is_real);
    if (status)
        return status;
    staging->now.is_real = is_real;
    if (before != staging->now.multi || memcmp(is_real, staging->is_real[1 - t % 2], staging->now.coded) != 0)
        status = kst_j2k_gpu_make_program(&d->decoder->memory, &staging->now, &stages->program[stages->count++]);
    stages->of_tile[t] = stages->count - 1;
    return status ? kst_report_error(&d->decoder->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

/* Make the programs of all tiles, if the transform is not one wavelet. */
static kst_status make_stages(struct j2k_planned_volume *planned, const kst_volume *volume)
{
    struct j2k_volume_decoding *d = &planned->d;
    struct memory *memory = &d->decoder->memory;
    const uint32_t coded = planned->plan.component_count, tiles = planned->plan.tile_count;
    struct tile_staging staging = {.now = {.coded = coded,
                                       .shown = d->shown,
                                       .sample = kst_j2k_run_volume_samples(d),
                                       .common = {(uint8_t)volume->bits, volume->is_signed}}};
    kst_status status = KST_OK;
    if (!has_stages(d))
        return KST_OK;
    planned->stages.program = kst_memory_zeroed(memory, tiles, sizeof *planned->stages.program, &status);
    planned->stages.of_tile = kst_memory_zeroed(memory, tiles, sizeof *planned->stages.of_tile, &status);
    staging.is_real[0] = kst_memory_zeroed(memory, 2 * (size_t)coded, sizeof *staging.is_real[0], &status);
    staging.shift = kst_memory_array(memory, coded, sizeof *staging.shift, &status);
    if (!status) {
        staging.is_real[1] = staging.is_real[0] + coded;
        staging.now.shift = staging.shift;
        kst_j2k_run_volume_shifts(d, staging.shift);
    } else {
        kst_report_error(&d->decoder->report, status, KST_NO_OFFSET, NULL);
    }
    for (uint32_t t = 0; t < tiles && !status; t++)
        status = stage_tile(planned, &staging, t);
    kst_memory_release(memory, staging.is_real[0]);
    kst_memory_release(memory, staging.shift);
    return status;
}

static kst_status plan(struct volume_decoding *v, struct j2k_planned_volume *planned, bool *takes)
{
    struct j2k_gpu_block_words words;
    kst_status status = kst_j2k_run_volume_begin(&planned->d);
    if (!status)
        status = kst_j2k_run_volume_plan(&planned->d, planned->d.filter.region, &planned->plan);
    if (status)
        return status;
    describe(planned, v);
    if (!suits(planned, &words))
        return KST_OK;
    status = make_stages(planned, v->volume);
    if (status)
        return status;
    kst_j2k_gpu_route(v->gpu, &planned->item);
    planned->need = kst_j2k_gpu_need(&planned->item, &words, 0);
    *takes = fits(v, planned);
    return KST_OK;
}

kst_status kst_j2k_run_volume_place(struct volume_decoding *v)
{
    kst_decoder *decoder = v->decoder;
    const kst_report before = decoder->report;
    kst_status status = KST_OK;
    bool takes = false;
    struct j2k_planned_volume *planned = kst_memory_zeroed(&decoder->memory, 1, sizeof *planned, &status);
    if (!planned)
        return kst_report_error(&decoder->report, status, KST_NO_OFFSET, NULL);
    planned->d = (struct j2k_volume_decoding){.decoder = decoder, .options = &v->options};
    status = plan(v, planned, &takes);
    if (takes) {
        v->planned = planned;
        v->memory = planned->need.memory;
        return KST_OK;
    }
    release(planned, decoder);
    if (status && status != KST_ERROR_LIMIT_MEMORY)
        return status;
    decoder->report = before; /* the CPU plans again, some rows at a time if memory is short */
    return KST_OK;
}

void kst_j2k_run_volume_release(struct volume_decoding *v)
{
    if (v->planned)
        release(v->planned, v->decoder);
    v->planned = NULL;
}

/* Return how much device memory a part may take; all parts in flight share the device. */
static uint64_t part_memory(const struct volume_decoding *v)
{
    const uint64_t limit = v->decoder->context->limits.memory, share = v->gpu->gpu->info.memory / (2 * PARTS_AT_ONCE);
    const uint64_t most = share < J2K_GPU_MEMORY_MAX ? share : J2K_GPU_MEMORY_MAX;
    return limit < most / 2 ? 2 * limit : most;
}

/* Return whether a part can take another volume. If memory has offsets, a part must write to a single buffer. */
static bool takes(
    const struct j2k_volume_parts *parts, const struct j2k_volume_part *part, const struct volume_decoding *v)
{
    const struct j2k_planned_volume *planned = v->planned;
    const kst_volume *first = parts->volumes[part->first]->volume;
    const bool same = first->memory == v->volume->memory &&
                      (!kst_memory_has_offsets(first->memory) || first->data == v->volume->data);
    return same && part->need.memory + planned->need.memory <= part_memory(v) &&
           part->need.largest + planned->need.largest <= v->gpu->gpu->largest &&
           part->stream + planned->item.stream <= J2K_GPU_STREAM_MAX;
}

static void add(struct j2k_volume_parts *parts, uint32_t index)
{
    const struct volume_decoding *v = parts->volumes[index];
    const struct j2k_planned_volume *planned = v->planned;
    if (parts->part_count == 0 || !takes(parts, &parts->part[parts->part_count - 1], v))
        parts->part[parts->part_count++] = (struct j2k_volume_part){.first = index};
    struct j2k_volume_part *part = &parts->part[parts->part_count - 1];
    part->count++;
    part->need.memory += planned->need.memory;
    part->need.largest += planned->need.largest;
    part->stream += planned->item.stream + STREAM_GAP;
    parts->item[index] = planned->item;
}

static void settle(struct volume_decoding *v, const struct j2k_gpu_damage *damage, const struct j2k_gpu_times *times,
    const struct gpu_error *error)
{
    kst_report *report = &v->decoder->report;
    if (error->status)
        v->status = kst_report_error(report, error->status, KST_NO_OFFSET, "%s", error->text);
    else
        v->status = kst_j2k_run_decode_gpu_note(report, v->gpu->gpu, damage, times, v->options.strict);
}

static void end_part(struct j2k_volume_parts *parts)
{
    struct j2k_volume_part *part = &parts->part[parts->ended++];
    struct j2k_gpu_times times = {.host_threads = 0};
    struct gpu_error error;
    if (!part->job)
        return;
    kst_j2k_gpu_end(part->job, parts->damage, &times, &error);
    part->job = NULL;
    for (int i = 0; i < J2K_STAGES; i++)
        times.stage[i] /= part->count;
    for (uint32_t i = 0; i < part->count; i++)
        settle(parts->volumes[part->first + i], &parts->damage[i], &times, &error);
}

/*
 * Return with how many other parts a part is assumed to share the device when its blocks are arranged. The T.814 blocks
 * of only a few parts are decoded at the same time, because the device runs other kernels of the other parts meanwhile;
 * with fewer blocks side by side, a part is finished sooner.
 */
static uint32_t parts_beside(const struct j2k_volume_parts *parts, const struct volume_decoding *first)
{
    const struct j2k_planned_volume *planned = first->planned;
    const struct j2k_plan *plan = &planned->plan;
    const uint32_t beside = first->beside + (parts->part_count > 1);
    const bool ht = plan->block_count > 0 && plan->block->coder == J2K_HT;
    return ht && beside > HT_BESIDE ? HT_BESIDE : beside;
}

static void begin_part(struct j2k_volume_parts *parts)
{
    struct j2k_volume_part *part = &parts->part[parts->begun++];
    const struct volume_decoding *first = parts->volumes[part->first];
    const struct j2k_gpu_order order = {.beside = parts_beside(parts, first),
        .followed = first->beside > 0 || parts->part_count > 1,
        .by_itself = first->beside > 0};
    struct gpu_error error;
    part->job = kst_j2k_gpu_begin(first->gpu, &parts->item[part->first], part->count, &order, &error);
    for (uint32_t i = 0; i < part->count && !part->job; i++)
        settle(parts->volumes[part->first + i], &(struct j2k_gpu_damage){0}, &(struct j2k_gpu_times){.host_threads = 0},
            &error);
}

static void drop(struct j2k_volume_parts *parts)
{
    struct memory *memory = parts->memory;
    kst_memory_release(memory, parts->item);
    kst_memory_release(memory, parts->damage);
    kst_memory_release(memory, parts->part);
    kst_memory_release(memory, parts);
}

static struct j2k_volume_parts *make(struct volume_decoding **volumes, uint32_t count)
{
    struct memory *memory = &(*volumes)->decoder->context->memory;
    struct j2k_volume_parts *parts = kst_memory_zeroed(memory, 1, sizeof *parts, NULL);
    if (!parts)
        return NULL;
    parts->memory = memory;
    parts->volumes = volumes;
    parts->item = kst_memory_array(memory, count, sizeof *parts->item, NULL);
    parts->damage = kst_memory_array(memory, count, sizeof *parts->damage, NULL);
    parts->part = kst_memory_array(memory, count, sizeof *parts->part, NULL);
    if (parts->item && parts->damage && parts->part)
        return parts;
    drop(parts);
    return NULL;
}

/*
 * Return whether a part has to end before the next one begins: too many are in flight, or together they would take more
 * than half of the device's memory, as much as a single volume may take.
 */
static bool is_busy(const struct j2k_volume_parts *parts)
{
    const uint64_t half = parts->volumes[parts->part[parts->begun].first]->gpu->gpu->info.memory / 2;
    uint64_t memory = parts->part[parts->begun].need.memory;
    for (uint32_t i = parts->ended; i < parts->begun; i++)
        memory += parts->part[i].need.memory;
    return parts->begun - parts->ended >= PARTS_AT_ONCE || (half > 0 && memory > half);
}

void *kst_j2k_run_volumes_begin(struct volume_decoding **volumes, uint32_t count)
{
    struct j2k_volume_parts *parts = make(volumes, count);
    for (uint32_t i = 0; i < count && !parts; i++)
        volumes[i]->status = kst_report_error(&volumes[i]->decoder->report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
    for (uint32_t i = 0; i < count && parts; i++)
        add(parts, i);
    while (parts && parts->begun < parts->part_count) {
        while (parts->ended < parts->begun && is_busy(parts))
            end_part(parts);
        begin_part(parts);
    }
    return parts;
}

void kst_j2k_run_volumes_end(void *begun)
{
    struct j2k_volume_parts *parts = begun;
    while (parts && parts->ended < parts->begun)
        end_part(parts);
    if (parts)
        drop(parts);
}
