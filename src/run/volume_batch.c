/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes many volumes, which are divided into groups. All threads open and plan volumes in order, and the thread that
 * plans the last volume of a group lets a GPU begin with the group. So threads do not wait for each other, and the
 * first group begins when a few volumes have been planned; the GPU decodes it while the others are planned. Meanwhile
 * the CPU decodes the volumes that the GPU does not.
 */
#include "core/report.h"
#include "run/volume.h"
#include "run/volume_decoding.h"

enum {
    WAVE = 256,          /* the most volumes that are planned before those of the wave before them are ended */
    GROUPS_A_THREAD = 2, /* two, so that the second is planned while the GPU decodes the first */
    GROUPS_LEAST = 4,    /* for pools of few threads */
    GROUPS_MOST = 16,    /* more launches of fewer code-blocks use the GPU less well */
    FEW_MOST = 8,      /* the same for EBCOT with large code-blocks, and if the driver has fewer channels than groups */
    GROUPS_HALVED = 8, /* least number of groups of which some are halved; see first_of() */
    LIMITS_AT_ONCE = 6, /* all groups in flight take at most this many times the limit on memory */
    BYTES_A_SAMPLE = 8  /* memory that the CPU takes to decode a sample of a volume */
};

/*
 * GROUP_SAMPLES is the least number of samples of a group with EBCOT: a work-item decodes a code-block, and the slowest
 * one decides how long a launch takes, so that several launches of few code-blocks take much longer than one of many.
 * With HT launches are short, and a group has at least HT_VOLUMES volumes, however small the requested parts are: what
 * takes time is then to read and plan them, which groups do at the same time. This is also so for EBCOT's code-blocks
 * of at most SMALL_BLOCK samples, of which a group has at least SMALL_VOLUMES volumes.
 */
enum { GROUP_SAMPLES = 1 << 24, HT_VOLUMES = 2, SMALL_VOLUMES = 4, SMALL_BLOCK = 1024 };

struct volume_group;

struct volume_entry {
    kst_volume_item *item;
    struct volume_group *group;
    kst_decoder decoder;
    struct volume_decoding decoding;
    struct progress progress;
    uint32_t slices; /* of the whole volume */
    bool begun;      /* the decoding must be ended */
    kst_status status;
};

/* Holds volumes that a thread lets the GPU decode together. */
struct volume_group {
    struct volume_entry *entry;
    struct volume_decoding **planned; /* the volumes that the GPU decodes */
    uint32_t count, planned_count;
    atomic_uint left; /* volumes that are still to be planned */
    uint64_t memory;  /* bytes that the planned volumes take on the GPU */
    void *under_way;  /* the codec's handle of the work in flight; null: none is */
    bool waits;       /* the group waits until others have given memory back */
};

/* Holds volumes that are begun before those of the previous wave are ended. */
struct volume_wave {
    kst_context *context;
    kst_volume_item *items;
    struct volume_entry *entry;
    struct volume_decoding **planned;
    struct volume_group *group;
    uint32_t count, group_count;
    struct volume_blocks blocks;  /* of the first volume, as those of one array are coded alike */
    uint32_t wanted_groups;       /* 0: as many as suit the volumes */
    uint64_t length;              /* bytes of all streams of the wave */
    atomic_uint next;             /* the first volume that no lane of the CPU has taken */
    atomic_uint_fast64_t *memory; /* bytes that the groups of all waves take on the GPU */
};

static kst_status refuse(struct volume_entry *entry, kst_status status, const char *detail)
{
    return kst_report_error(&entry->decoder.report, status, KST_NO_OFFSET, detail ? "%s" : NULL, detail);
}

/*
 * Return whether a volume may cut its memory from a slab: its buffer must not have to be allocated, because a buffer
 * outlives the decoding, and there must be a GPU, because on a CPU fewer resident bytes count for more.
 */
static bool suits_slab(const struct volume_entry *entry)
{
    return entry->item->volume->data && kst_context_gpu_if_open(entry->decoder.context);
}

static kst_status open_entry(struct volume_entry *entry, uint64_t together)
{
    const kst_volume_item *item = entry->item;
    const char *detail;
    kst_volume described;
    kst_volume_info info = {.size = sizeof info};
    if (!item->data || !item->volume)
        return refuse(entry, KST_ERROR_ARGUMENT, NULL);
    kst_status status = kst_volume_decoding_check(item->options, item->volume, &detail);
    if (status)
        return refuse(entry, status, detail);
    if (suits_slab(entry))
        kst_memory_slab_begin(&entry->decoder.memory);
    status = kst_decoder_open(&entry->decoder, item->data, item->length);
    if (!status)
        status = kst_volume_decoding_describe(&entry->decoding, &entry->decoder, item->options, &described, &info);
    if (status)
        return status;
    if (!kst_progress_begin(&entry->progress, entry->decoding.options.progress))
        return refuse(entry, KST_ERROR_CANCELLED, NULL);
    entry->slices = info.depth;
    entry->begun = true;
    entry->decoding.progress = &entry->progress;
    entry->decoding.together = together;
    return kst_volume_decoding_begin(&entry->decoding, &described, item->volume);
}

/* Reserve memory of the GPU for a group. Returns false if other groups hold too much of it. */
static bool take_memory(const struct volume_wave *wave, const struct volume_group *group)
{
    const struct gpu *gpu = (*group->planned)->gpu->gpu;
    const uint64_t limit = wave->context->limits.memory,
                   half = gpu->info.memory > 0 ? gpu->info.memory / 2 : UINT64_MAX;
    const uint64_t most = limit < half / LIMITS_AT_ONCE ? limit * LIMITS_AT_ONCE : half;
    const uint64_t before = atomic_fetch_add(wave->memory, group->memory);
    if (before == 0 || (before <= most && group->memory <= most - before))
        return true;
    atomic_fetch_sub(wave->memory, group->memory);
    return false;
}

/*
 * Let the GPU begin with the planned volumes of a group. A group that cannot begin, for lack of host memory, gives back
 * the memory that it reserved.
 */
static void let_begin(const struct volume_wave *wave, struct volume_group *group)
{
    for (uint32_t i = 0; i < group->planned_count; i++)
        group->planned[i]->beside = wave->group_count - 1;
    group->under_way = (*group->planned)->decoder->codec->begin_volumes(group->planned, group->planned_count);
    if (!group->under_way)
        atomic_fetch_sub(wave->memory, group->memory);
}

/* Let the GPU begin with the volumes of a group that it can decode. All have been planned. */
static void begin_group(const struct volume_wave *wave, struct volume_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct volume_entry *entry = &group->entry[i];
        if (entry->status || !entry->decoding.planned)
            continue;
        group->planned[group->planned_count++] = &entry->decoding;
        group->memory += entry->decoding.memory;
    }
    if (group->planned_count == 0)
        return;
    group->waits = !take_memory(wave, group);
    if (!group->waits)
        let_begin(wave, group);
}

/* Open and plan a volume, and begin with its group if all others of the group have been planned. */
static void open_one(void *argument, uint32_t index)
{
    const struct volume_wave *wave = argument;
    struct volume_entry *entry = &wave->entry[index];
    *entry = (struct volume_entry){.item = entry->item, .group = entry->group};
    kst_decoder_start(&entry->decoder, wave->context);
    entry->status = open_entry(entry, wave->length);
    if (atomic_fetch_sub(&entry->group->left, 1) == 1)
        begin_group(wave, entry->group);
}

/* Return how many samples of a volume are requested, or `unknown` if the caller does not say. */
static uint64_t samples_of(const kst_volume_item *item, uint64_t unknown)
{
    const kst_box *box = item->options ? &item->options->region : NULL;
    const kst_volume *volume = item->volume;
    if (box && box->depth > 0)
        return (uint64_t)box->width * box->height * box->depth;
    return volume && volume->data ? (uint64_t)volume->width * volume->height * volume->depth : unknown;
}

/* Find how the code-blocks of a volume are coded. Data that do not say so count as EBCOT with large code-blocks. */
static struct volume_blocks blocks_of(const kst_volume_item *item)
{
    struct volume_blocks blocks = {.samples = UINT32_MAX};
    const struct codec *codec = item->data ? kst_codec_of(item->data, item->length) : NULL;
    if (codec && codec->find_blocks)
        codec->find_blocks(item->data, item->length, &blocks);
    return blocks;
}

/* Return how many volumes a group has at least, whatever is requested of them; 0: samples decide. */
static uint32_t least_volumes(const struct volume_blocks *blocks)
{
    return blocks->ht ? HT_VOLUMES : blocks->samples <= SMALL_BLOCK ? SMALL_VOLUMES : 0;
}

/*
 * Return the largest useful number of groups. EBCOT's launches take long, and those that share a channel of the driver
 * wait for each other.
 */
static uint32_t most_groups(const struct volume_wave *wave)
{
    const struct gpu_runtime *gpu = kst_context_gpu_if_open(wave->context);
    const bool many =
        wave->blocks.ht || (wave->blocks.samples <= SMALL_BLOCK && gpu && gpu->gpu->channels >= GROUPS_MOST);
    const uint32_t usual = GROUPS_A_THREAD * kst_pool_threads(wave->context->pool);
    const uint32_t most = many ? GROUPS_MOST : FEW_MOST;
    return usual < GROUPS_LEAST ? GROUPS_LEAST : usual < most ? usual : most;
}

/* Choose a number of groups, from 1 to the number of volumes. */
static uint32_t choose_groups(const struct volume_wave *wave)
{
    const uint32_t least = least_volumes(&wave->blocks);
    uint64_t groups = wave->wanted_groups, samples = 0;
    if (groups == 0 && wave->count > 1) {
        const uint32_t most = most_groups(wave);
        for (uint32_t i = 0; i < wave->count; i++)
            samples += samples_of(&wave->items[i], GROUP_SAMPLES);
        groups = samples / GROUP_SAMPLES + (samples % GROUP_SAMPLES > 0);
        if (least > 0 && wave->count / least > groups)
            groups = wave->count / least;
        groups = groups < most ? groups : most;
    }
    return groups == 0 ? 1 : groups < wave->count ? (uint32_t)groups : wave->count;
}

/*
 * Return the first volume of a group. Unless samples decide, the first two groups are half as large as others, so that
 * the device begins sooner, and so are the last two, because nothing overlaps their kernels. If there are fewer than
 * two volumes for each group, none can be halved.
 */
static uint32_t first_of(const struct volume_wave *wave, uint32_t group)
{
    const uint64_t groups = wave->group_count;
    if (least_volumes(&wave->blocks) == 0 || groups < GROUPS_HALVED || wave->count < 2 * groups)
        return (uint32_t)(wave->count * group / groups);
    const uint64_t halves = 2 * groups - 4, from_end = groups - group;
    const uint64_t before = group < 2 ? group : from_end < 2 ? halves - from_end : 2 * group - 2;
    return (uint32_t)(wave->count * before / halves);
}

/* Divide the volumes of a wave into groups. */
static void divide(struct volume_wave *wave)
{
    wave->blocks = blocks_of(wave->items);
    wave->group_count = choose_groups(wave);
    wave->length = 0;
    for (uint32_t i = 0; i < wave->count; i++) {
        wave->entry[i].item = &wave->items[i];
        wave->length += wave->items[i].data ? wave->items[i].length : 0;
    }
    for (uint32_t g = 0; g < wave->group_count; g++) {
        const uint32_t first = first_of(wave, g), end = first_of(wave, g + 1);
        wave->group[g] =
            (struct volume_group){.entry = wave->entry + first, .planned = wave->planned + first, .count = end - first};
        atomic_init(&wave->group[g].left, end - first);
        for (uint32_t i = first; i < end; i++)
            wave->entry[i].group = &wave->group[g];
    }
}

static bool is_for_cpu(const struct volume_entry *entry)
{
    return !entry->status && !entry->decoding.planned;
}

/* Decode volumes that no other lane has taken, one after the other. */
static void decode_lane(void *argument, uint32_t index)
{
    struct volume_wave *wave = argument;
    (void)index;
    for (uint32_t i; (i = atomic_fetch_add(&wave->next, 1)) < wave->count;)
        if (is_for_cpu(&wave->entry[i]))
            wave->entry[i].status = kst_volume_decoding_on_cpu(&wave->entry[i].decoding);
}

/*
 * Return how many volumes the CPU decodes side by side: one for each thread, unless there are fewer, or all together
 * would take more than the limit on memory. A volume takes four bytes for each sample, and about as many for what is
 * decoded at a time. A few slices may need all others.
 */
static uint32_t count_lanes(const struct volume_wave *wave)
{
    uint64_t most = 1;
    uint32_t volumes = 0;
    for (uint32_t i = 0; i < wave->count; i++) {
        const struct volume_entry *entry = &wave->entry[i];
        if (!is_for_cpu(entry))
            continue;
        const kst_volume *volume = entry->decoding.volume;
        const uint64_t samples = (uint64_t)volume->width * volume->height * entry->slices;
        most = samples > most ? samples : most;
        volumes++;
    }
    const uint64_t room = wave->context->limits.memory / BYTES_A_SAMPLE;
    const uint32_t lanes = kst_pool_threads_within(wave->context->pool, room, most);
    return lanes < volumes ? lanes : volumes;
}

/* Begin the volumes of a wave, and decode on the CPU those that the GPU does not. */
static void begin_wave(struct volume_wave *wave)
{
    divide(wave);
    kst_pool_run(wave->context->pool, wave->count, open_one, wave);
    atomic_init(&wave->next, 0);
    kst_pool_run(wave->context->pool, count_lanes(wave), decode_lane, wave);
}

/* Wait for the GPU. This does nothing for a group that has not begun. */
static void finish_group(const struct volume_wave *wave, struct volume_group *group)
{
    if (!group->under_way)
        return;
    (*group->planned)->decoder->codec->end_volumes(group->under_way);
    group->under_way = NULL;
    atomic_fetch_sub(wave->memory, group->memory);
}

/* Wait for the first group of a wave that is in flight, if there is one. */
static void finish_first(const struct volume_wave *wave)
{
    uint32_t g = 0;
    while (g < wave->group_count && !wave->group[g].under_way)
        g++;
    if (g < wave->group_count)
        finish_group(wave, &wave->group[g]);
}

/*
 * Begin the groups that had to wait for memory. Other groups, also some that waited themselves, are finished one by one
 * until there is enough. The previous wave has been ended, so that no memory is reserved once no group is in flight.
 */
static void begin_waiting(struct volume_wave *wave)
{
    for (uint32_t g = 0; g < wave->group_count; g++) {
        struct volume_group *group = &wave->group[g];
        if (!group->waits)
            continue;
        while (!take_memory(wave, group))
            finish_first(wave);
        group->waits = false;
        let_begin(wave, group);
    }
}

static void end_entry(struct volume_entry *entry)
{
    if (!entry->status && entry->decoding.planned)
        entry->status = entry->decoding.status;
    if (entry->begun)
        kst_volume_decoding_end(&entry->decoding, entry->status);
    if (!entry->status)
        kst_progress_end(&entry->progress);
    entry->item->report = entry->decoder.report;
    kst_decoder_close(&entry->decoder);
    kst_memory_slab_end(&entry->decoder.memory);
}

static void end_group(void *argument, uint32_t index)
{
    const struct volume_wave *wave = argument;
    struct volume_group *group = &wave->group[index];
    finish_group(wave, group);
    for (uint32_t i = 0; i < group->count; i++)
        end_entry(&group->entry[i]);
}

/* End the volumes of a wave. This does nothing for a wave that has not begun. */
static void end_wave(struct volume_wave *wave, kst_status *first)
{
    kst_pool_run(wave->context->pool, wave->group_count, end_group, wave);
    for (uint32_t i = 0; i < wave->count && !*first; i++)
        *first = wave->entry[i].status;
    wave->count = wave->group_count = 0;
}

static bool make_wave(
    struct volume_wave *wave, kst_context *context, uint32_t most, uint32_t groups, atomic_uint_fast64_t *memory)
{
    *wave = (struct volume_wave){.context = context, .wanted_groups = groups, .memory = memory};
    wave->entry = kst_memory_array(&context->memory, most, sizeof *wave->entry, NULL);
    wave->planned = kst_memory_array(&context->memory, most, sizeof *wave->planned, NULL);
    wave->group = kst_memory_array(&context->memory, most, sizeof *wave->group, NULL);
    return wave->entry && wave->planned && wave->group;
}

static void drop_wave(struct volume_wave *wave)
{
    kst_memory_release(&wave->context->memory, wave->entry);
    kst_memory_release(&wave->context->memory, wave->planned);
    kst_memory_release(&wave->context->memory, wave->group);
}

static kst_status run_waves(struct volume_wave wave[2], kst_volume_item *items, size_t count)
{
    kst_status first = KST_OK;
    uint32_t turn = 0;
    for (size_t done = 0; done < count; turn = 1 - turn) {
        wave[turn].items = items + done;
        wave[turn].count = count - done < WAVE ? (uint32_t)(count - done) : WAVE;
        begin_wave(&wave[turn]);
        done += wave[turn].count;
        end_wave(&wave[1 - turn], &first);
        begin_waiting(&wave[turn]);
    }
    end_wave(&wave[1 - turn], &first);
    return first;
}

kst_status kst_volume_run_decode_all(kst_context *context, kst_volume_item *items, size_t count, uint32_t groups)
{
    struct volume_wave wave[2];
    atomic_uint_fast64_t memory;
    const uint32_t most = count < WAVE ? (uint32_t)count : WAVE;
    atomic_init(&memory, 0);
    bool made = make_wave(&wave[0], context, most, groups, &memory);
    made = make_wave(&wave[1], context, most, groups, &memory) && made;
    const kst_status status = made ? run_waves(wave, items, count) : KST_ERROR_MEMORY;
    for (size_t i = 0; i < count && !made; i++) {
        kst_report_init(&items[i].report);
        kst_report_error(&items[i].report, status, KST_NO_OFFSET, NULL);
    }
    drop_wave(&wave[0]);
    drop_wave(&wave[1]);
    return status;
}
