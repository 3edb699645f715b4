/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes volumes. Those for the GPU are divided into groups, a few of which are in flight at a time: the volumes of a
 * group are transformed along z in one launch, planned in parallel, transformed across and coded in the same launches,
 * and written in parallel while the GPU encodes other groups. Meanwhile threads encode the other volumes.
 */
#include "core/report.h"
#include "j2k/run/encode_volume.h"

enum {
    LEAST_SAMPLES = 1 << 24, /* least and most samples of a group: enough blocks to keep a device busy, */
    MOST_SAMPLES = 1 << 26,  /* but few enough to be written while others are coded */
    MOST_VOLUMES = 256,      /* most volumes of a group */
    GROUPS_AT_ONCE = 8
};

/* Holds all volumes of a call. */
struct volume_encodings {
    kst_context *context;
    struct volume_encoding **on_gpu, **alone;
    uint32_t gpu_count, alone_count, threads;
    uint64_t samples;     /* sum over the volumes for the GPU */
    pthread_mutex_t lock; /* guards the next member */
    uint32_t next;        /* first volume that is not in a group yet */
};

/* Holds volumes that a GPU encodes together. */
struct encoded_group {
    struct volume_encoding **asked;
    struct j2k_volume_encoding *volume;
    struct j2k_gpu_slices *slices;
    struct j2k_volume_encoding **transformed; /* volumes whose slices are transformed there */
    struct j2k_encoder **member;              /* volumes that the GPU codes */
    struct gpu_buffer components;
    uint32_t count, transformed_count, member_count;
    bool there; /* the components are on the device */
};

static uint64_t samples_of(const struct volume_encoding *asked)
{
    return (uint64_t)asked->volume.width * asked->volume.height * asked->volume.depth;
}

static bool is_reversible(const struct volume_encoding *asked)
{
    return asked->options.jpeg2000.target == KST_J2K_LOSSLESS || asked->options.jpeg2000.reversible;
}

/*
 * Return whether the GPU can probably encode a volume. If it turns out that it cannot, the volume is encoded
 * separately.
 */
static bool suits(const struct volume_encoding *asked)
{
    const kst_j2k_options *o = &asked->options.jpeg2000;
    return asked->gpu && !((o->style & KST_J2K_HT) != 0 && o->passes > 1) &&
           kst_j2k_gpu_slices_fit(asked->gpu, kst_j2k_gpu_slices_memory(&asked->volume), asked->context->limits.memory);
}

static void encode_alone(struct volume_encoding *asked)
{
    struct j2k_volume_encoding *v = kst_memory_array(&asked->context->memory, 1, sizeof *v, NULL);
    if (!v) {
        kst_report_error(&asked->report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
        return;
    }
    if (!kst_j2k_run_encode_volume_begin(v, asked))
        kst_j2k_run_encode_volume_by_itself(v);
    kst_j2k_run_encode_volume_end(v);
    kst_memory_release(&asked->context->memory, v);
}

/* Return approximately how many samples a group should have. */
static uint64_t samples_of_group(const struct volume_encodings *all)
{
    const uint64_t share = all->samples / GROUPS_AT_ONCE;
    return share < LEAST_SAMPLES ? LEAST_SAMPLES : share > MOST_SAMPLES ? MOST_SAMPLES : share;
}

/*
 * Return the most bytes of the device that a group may take: as many as a volume may, but no more than a group's share.
 */
static uint64_t memory_of_group(const struct volume_encoding *asked)
{
    const uint64_t limit = asked->context->limits.memory, memory = asked->gpu->gpu->info.memory / (2 * GROUPS_AT_ONCE);
    return memory > 0 && memory < limit ? memory : limit;
}

/* Take the next volumes, as many as make a group, but at least one if any are left. */
static uint32_t take_group(struct volume_encodings *all, struct encoded_group *group)
{
    const uint64_t wanted = samples_of_group(all);
    uint64_t samples = 0, memory = 0;
    pthread_mutex_lock(&all->lock);
    group->asked = all->on_gpu + all->next;
    for (group->count = 0; all->next < all->gpu_count && group->count < MOST_VOLUMES; all->next++, group->count++) {
        const struct volume_encoding *asked = all->on_gpu[all->next];
        samples += samples_of(asked);
        memory += kst_j2k_gpu_slices_memory(&asked->volume);
        if (group->count > 0 && (samples > wanted || memory > memory_of_group(asked) ||
                                    is_reversible(asked) != is_reversible(*group->asked) ||
                                    !kst_j2k_gpu_slices_fit(asked->gpu, memory, asked->context->limits.memory)))
            break;
    }
    pthread_mutex_unlock(&all->lock);
    return group->count;
}

static void begin_volume(void *argument, uint32_t index)
{
    const struct encoded_group *group = argument;
    kst_j2k_run_encode_volume_begin(&group->volume[index], group->asked[index]);
}

/* Describe the slices of the volumes that have begun. */
static void describe(struct encoded_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct j2k_volume_encoding *v = &group->volume[i];
        if (v->asked->report.status)
            continue;
        group->slices[group->transformed_count] = (struct j2k_gpu_slices){.volume = &v->asked->volume,
            .wavelet = &v->wavelet,
            .layout = &v->layout,
            .image = v->asked->image,
            .scale = v->asked->options.scale,
            .add = v->asked->options.offset,
            .error = v->asked->options.error};
        group->transformed[group->transformed_count++] = v;
    }
}

/* Transform slices along z. If the device has too little memory for that, the host encodes all volumes. */
static void transform(struct encoded_group *group)
{
    const double start = kst_seconds();
    struct gpu_runtime *gpu = (*group->asked)->gpu;
    struct gpu_error error;
    describe(group);
    if (group->transformed_count == 0)
        return;
    group->there = kst_j2k_gpu_slices_analyse(gpu, group->slices, group->transformed_count, &group->components, &error);
    for (uint32_t i = 0; i < group->transformed_count && group->there; i++) {
        struct j2k_volume_encoding *v = group->transformed[i];
        kst_report_stage(&v->asked->report, KST_STAGE_PIXELS, gpu->gpu->info.kind, start);
        v->asked->report.stage_seconds[KST_STAGE_PIXELS] /= group->transformed_count;
        kst_j2k_run_encode_volume_judge(v, group->slices[i].infinite, group->slices[i].too_far);
    }
}

static uint32_t bits_of(uint32_t most)
{
    uint32_t bits = 1;
    while (bits < 32 && most >> (bits - 1) > 0)
        bits++;
    return bits;
}

static void plan_volume(void *argument, uint32_t index)
{
    const struct encoded_group *group = argument;
    struct j2k_volume_encoding *v = group->transformed[index];
    const struct j2k_gpu_slices *slices = &group->slices[index];
    if (v->asked->report.status ||
        kst_j2k_run_encode_volume_start(v, &group->components, slices->at, bits_of(slices->most)))
        return;
    v->encoder.status = kst_j2k_run_encode_plan(&v->encoder, &v->e);
}

static void settle_volume(void *argument, uint32_t index)
{
    const struct encoded_group *group = argument;
    struct j2k_volume_encoding *v = group->transformed[index];
    if (!v->begun)
        return;
    const kst_status status = v->encoder.status ? v->encoder.status : kst_j2k_run_encode_settle(&v->encoder);
    if (v->encoder.part)
        kst_j2k_run_encode_gpu_report(&v->encoder);
    kst_j2k_run_encode_release(&v->encoder);
    kst_j2k_run_encode_volume_stop(v, status);
}

/* Encode the transformed slices. */
static void encode(struct encoded_group *group)
{
    struct pool *pool = (*group->asked)->context->pool;
    struct j2k_encode_gpu_part part;
    kst_pool_run(pool, group->transformed_count, plan_volume, group);
    for (uint32_t i = 0; i < group->transformed_count; i++) {
        struct j2k_volume_encoding *v = group->transformed[i];
        if (v->begun && !v->encoder.status && v->encoder.on_gpu)
            group->member[group->member_count++] = &v->encoder;
    }
    if (group->member_count > 0) {
        kst_j2k_run_encode_gpu_code(&part, group->member, group->member_count);
        kst_j2k_run_encode_search_together(&part);
    }
    kst_pool_run(pool, group->transformed_count, settle_volume, group);
    if (group->member_count > 0)
        kst_j2k_run_encode_gpu_end(&part);
}

static void end_volume(void *argument, uint32_t index)
{
    const struct encoded_group *group = argument;
    struct j2k_volume_encoding *v = &group->volume[index];
    if (!group->there && !v->asked->report.status)
        kst_j2k_run_encode_volume_by_itself(v);
    kst_j2k_run_encode_volume_end(v);
}

static bool take_lists(struct encoded_group *group, struct memory *memory)
{
    group->volume = kst_memory_array(memory, group->count, sizeof *group->volume, NULL);
    group->slices = kst_memory_array(memory, group->count, sizeof *group->slices, NULL);
    group->transformed = kst_memory_array(memory, group->count, sizeof(struct j2k_volume_encoding *), NULL);
    group->member = kst_memory_array(memory, group->count, sizeof(struct j2k_encoder *), NULL);
    return group->volume && group->slices && group->transformed && group->member;
}

static void run_group(const struct volume_encodings *all, struct encoded_group *group)
{
    struct memory *memory = &all->context->memory;
    struct pool *pool = all->context->pool;
    if (take_lists(group, memory)) {
        kst_pool_run(pool, group->count, begin_volume, group);
        transform(group);
        if (group->there)
            encode(group);
        kst_pool_run(pool, group->count, end_volume, group);
        kst_gpu_pool_give(&(*group->asked)->gpu->pool, &group->components);
    } else {
        for (uint32_t i = 0; i < group->count; i++)
            kst_report_error(&group->asked[i]->report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
    }
    kst_memory_release(memory, group->volume);
    kst_memory_release(memory, group->slices);
    kst_memory_release(memory, group->transformed);
    kst_memory_release(memory, group->member);
}

/*
 * Run a task: each of the first tasks gives groups to the GPU until no volume is left, and each other one encodes a
 * volume.
 */
static void run_task(void *argument, uint32_t index)
{
    struct volume_encodings *all = argument;
    if (index >= all->threads) {
        encode_alone(all->alone[index - all->threads]);
        return;
    }
    struct encoded_group group = {.count = 0};
    while (take_group(all, &group) > 0) {
        run_group(all, &group);
        group = (struct encoded_group){.count = 0};
    }
}

static void sort(struct volume_encodings *all, struct volume_encoding *volumes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct volume_encoding *asked = &volumes[i];
        if (asked->report.status)
            continue;
        if (suits(asked)) {
            all->on_gpu[all->gpu_count++] = asked;
            all->samples += samples_of(asked);
        } else {
            all->alone[all->alone_count++] = asked;
        }
    }
    all->threads = all->gpu_count < GROUPS_AT_ONCE ? all->gpu_count : GROUPS_AT_ONCE;
}

void kst_j2k_run_encode_volumes(struct volume_encoding *volumes, uint32_t count)
{
    struct memory *memory = &volumes->context->memory;
    struct volume_encodings all = {.context = volumes->context};
    all.on_gpu = kst_memory_array(memory, count, sizeof(struct volume_encoding *), NULL);
    all.alone = kst_memory_array(memory, count, sizeof(struct volume_encoding *), NULL);
    if (all.on_gpu && all.alone) {
        pthread_mutex_init(&all.lock, NULL);
        sort(&all, volumes, count);
        kst_pool_run(all.context->pool, all.threads + all.alone_count, run_task, &all);
        pthread_mutex_destroy(&all.lock);
    } else {
        for (uint32_t i = 0; i < count; i++)
            kst_report_error(&volumes[i].report, KST_ERROR_MEMORY, KST_NO_OFFSET, NULL);
    }
    kst_memory_release(memory, all.on_gpu);
    kst_memory_release(memory, all.alone);
}
