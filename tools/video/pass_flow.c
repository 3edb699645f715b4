/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends frames through a flow, in the order of the sequence. A fixed number of slots holds the frames in flight, which
 * bounds memory: the source waits until the sink has freed a slot. Packets of other streams wait in the slot of the
 * frame that follows them. If too many packets wait, or no frame follows, the source writes them itself once all frames
 * in front of them have been written.
 */
#include <kostka/kostka_device.h>

#include "files/files.h"
#include "video/pass_run.h"

/*
 * Frames for a GPU are in pinned memory, of which a driver allocates only a few gigabytes a second. Three calls share
 * the slots: one uploads, one computes and one downloads, while other frames are read and written.
 */
enum {
    SLOTS_LEAST = 4,
    SLOTS_BYTES = 1 << 29,
    GPU_SLOTS_LEAST = 9, /* for each GPU, as the next three: two in each call, two being read, one being written */
    GPU_SLOTS_GOOD = 32, /* more gain nothing that pays for their memory, unless frames are small */
    GPU_SLOTS_BYTES = 1 << 28,
    GPU_SLOTS_FEW_BYTES = 1 << 26, /* bytes up to which there may be more */
    PACKETS_BYTES = 1 << 26,
    CPU_AHEAD = 2 /* qualities: the CPU takes as long for each of them, and most searches ask for two */
};

/* Record a problem, unless an earlier one is recorded, and make the source and the sink end. Returns false. */
static bool fail(struct run *run, const struct problem *problem)
{
    pthread_mutex_lock(&run->lock);
    if (!run->failed)
        *run->problem = *problem;
    run->failed = true;
    pthread_cond_broadcast(&run->freed);
    pthread_mutex_unlock(&run->lock);
    return false;
}

static bool has_failed(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    bool failed = run->failed;
    pthread_mutex_unlock(&run->lock);
    return failed;
}

/* Add a slot, whose memory will be pinned. The caller holds the lock. */
static struct slot *make_slot(struct run *run)
{
    struct slot *slot = &run->slot[run->made++];

    pass_pin(run, slot, pass_makes_pixels(run->pass));
    return slot;
}

/*
 * Wait for a free slot. While prepare() adds slots, this function adds one only if no frame is in flight, so that
 * frames do not wait for memory. Returns null if the run has failed.
 */
static struct slot *take_slot(struct run *run)
{
    struct slot *slot = NULL;

    pthread_mutex_lock(&run->lock);
    while (!run->failed && run->free == NULL && (run->made >= run->most || (run->preparing && run->used > 0)))
        pthread_cond_wait(&run->freed, &run->lock);
    if (!run->failed) {
        slot = run->free != NULL ? run->free : make_slot(run);
        run->free = slot->next;
        run->used++;
    }
    pthread_mutex_unlock(&run->lock);
    return slot;
}

/* Add a slot to the list of free ones. The caller holds the lock. */
static void add_free(struct run *run, struct slot *slot)
{
    slot->next = run->free;
    run->free = slot;
    pthread_cond_broadcast(&run->freed);
}

static void give_slot(struct run *run, struct slot *slot)
{
    pthread_mutex_lock(&run->lock);
    add_free(run, slot);
    run->used--;
    pthread_mutex_unlock(&run->lock);
}

/* Count the bytes of packets that begin and that end to wait in a slot. Returns whether too many wait. */
static bool count_packets(struct run *run, size_t more, size_t fewer)
{
    const uint64_t frame_limit = run->pass->reader->frame_limit;
    const uint64_t most = frame_limit < PACKETS_BYTES ? frame_limit : PACKETS_BYTES;

    pthread_mutex_lock(&run->lock);
    run->waiting = run->waiting + more - fewer;
    bool many = run->waiting > most;
    pthread_mutex_unlock(&run->lock);
    return many;
}

/* Write the packets of a slot before its frame, once this slot is the only one in use. */
static bool write_early(struct run *run, struct slot *slot, struct problem *problem)
{
    size_t bytes = slot->packets.bytes;

    pthread_mutex_lock(&run->lock);
    while (run->used > 1 && !run->failed)
        pthread_cond_wait(&run->freed, &run->lock);
    bool good = !run->failed;
    pthread_mutex_unlock(&run->lock);
    good = !good || pass_write_packets(run, &slot->packets, problem); /* otherwise the problem is known */
    packets_release(&slot->packets);
    count_packets(run, 0, bytes);
    return good;
}

/* Read up to the next frame, and keep the packets in front of it. */
static enum video_step read_frame(struct run *run, struct slot *slot, struct problem *problem)
{
    enum video_step step;

    while ((step = pass_read(run->pass, &slot->in, problem)) == STEP_PACKET) {
        size_t before = slot->packets.bytes;
        packets_append(&slot->packets, run->pass->reader->packet);
        if (count_packets(run, slot->packets.bytes - before, 0) && !write_early(run, slot, problem))
            return STEP_FAILED;
    }
    if (step == STEP_END && slot->packets.first != NULL && !write_early(run, slot, problem))
        return STEP_FAILED;
    return step;
}

/* Record that no frame follows. If reading has failed, the frames in flight are still written. */
static void end_source(struct run *run, bool broken, const struct problem *problem)
{
    pthread_mutex_lock(&run->lock);
    if (broken && !run->failed)
        *run->problem = *problem;
    run->broken = broken;
    run->ended = true;
    pthread_mutex_unlock(&run->lock);
}

static bool next(void *user, kst_flow_item *item)
{
    struct run *run = user;
    struct slot *slot = take_slot(run);
    struct problem problem;

    if (slot == NULL)
        return false;
    enum video_step step = read_frame(run, slot, &problem);
    slot->number = run->pass->reader->count - 1;
    if (step == STEP_FRAME && !pass_fill_item(run, slot, item, &problem))
        step = STEP_FAILED;
    if (step != STEP_FRAME) {
        end_source(run, step == STEP_FAILED, &problem);
        give_slot(run, slot);
    }
    return step == STEP_FRAME;
}

/* Release the encodings that were made ahead, which the slot holds, before the next frame gets the slot. */
static void drop_further(kst_flow_item *item)
{
    for (uint32_t i = 0; i < item->further_count; i++)
        kst_buffer_release(item->context, &item->further[i].output);
    item->further_count = 0;
}

static bool put(void *user, kst_flow_item *item)
{
    struct run *run = user;
    struct slot *slot = item->user;
    struct problem problem;
    size_t bytes = slot->packets.bytes;
    bool good = item->report.status != KST_ERROR_CANCELLED && !has_failed(run);

    if (good && !pass_write_result(run, slot, item, &problem))
        good = fail(run, &problem);
    packets_release(&slot->packets); /* packets of a frame that is not written */
    count_packets(run, 0, bytes);
    pass_show(run->pass, &slot->in, slot->number);
    drop_further(item);
    give_slot(run, slot);
    return good;
}

/* Estimate the bytes of a stream. The first frame tells more, but others may be larger. */
static size_t coded_bytes(const struct video_pass *pass)
{
    enum { CODED_SHARE = 8 };
    size_t share = shape_bytes(&pass->reader->info.shape) / CODED_SHARE, first = pass->first.length;

    return first + first / 2 > share ? first + first / 2 : share;
}

/* Return the bytes of a frame in flight: its pixels before and after the work, or an estimate for streams. */
static size_t slot_bytes(const struct video_pass *pass)
{
    size_t coded = coded_bytes(pass);

    return (pass_takes_pixels(pass) ? shape_bytes(&pass->reader->info.shape) : coded) +
           (pass_makes_pixels(pass) ? shape_bytes(&pass->decoded) : coded) + 1;
}

static size_t limited(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Choose the most frames in flight: a few for each thread of the CPU, or many for GPUs, which take them in batches. */
static uint32_t choose_slots(const struct video_pass *pass, uint32_t units, uint32_t gpus)
{
    size_t bytes = slot_bytes(pass), most = GPU_SLOTS_BYTES / bytes;

    if (gpus == 0)
        return (uint32_t)limited(
            limited(2 * (size_t)units + SLOTS_LEAST, 0, SLOTS_BYTES / bytes), SLOTS_LEAST, SLOTS_MOST);
    most = limited(most, 0, limited(GPU_SLOTS_FEW_BYTES / bytes, GPU_SLOTS_GOOD, SLOTS_MOST));
    return (uint32_t)limited(gpus * limited(most, GPU_SLOTS_LEAST, SLOTS_MOST), 1, SLOTS_MOST);
}

/* Let the source begin, now that the devices are known. */
static void begin(struct run *run, kst_flow *flow)
{
    kst_device_info first = {.size = sizeof first}, info = {.size = sizeof info};
    uint32_t gpus = 0;

    kst_context_device(kst_flow_context(flow, 0), &first);
    for (uint32_t i = 0; !kst_context_device(kst_flow_context(flow, i), &info); i++) {
        gpus += info.kind != KST_DEVICE_CPU;
        run->leaves = run->leaves || info.kind == KST_DEVICE_CUDA;
    }
    if (first.kind == KST_DEVICE_CUDA)
        run->context = pass_open_pinning(first.name);
    pthread_mutex_lock(&run->lock);
    if (video_rate_searches(&run->pass->rate))
        run->ahead = gpus > 0 ? RATE_AHEAD : CPU_AHEAD;
    run->most = choose_slots(run->pass, first.units, gpus);
    run->preparing = run->context != NULL;
    pthread_cond_broadcast(&run->freed);
    pthread_mutex_unlock(&run->lock);
}

/* Add a slot if one may still be needed. Null: there are enough, or no frames follow. */
static struct slot *take_unused(struct run *run)
{
    const uint64_t frames = run->pass->reader->info.frames; /* 0: not known */
    struct slot *slot = NULL;

    pthread_mutex_lock(&run->lock);
    if (run->made < run->most && (frames == 0 || run->made < frames) && !run->failed && !run->ended)
        slot = make_slot(run);
    run->preparing = slot != NULL;
    pthread_cond_broadcast(&run->freed);
    pthread_mutex_unlock(&run->lock);
    return slot;
}

/*
 * Allocate the pinned memory of slots while the first frames are in flight: that takes longer than reading a frame. If
 * it fails for a slot, it is tried again when a frame is read into the slot, which then reports the error.
 */
static void prepare(struct run *run, size_t coded)
{
    const struct video_pass *pass = run->pass;
    struct problem ignored;
    struct slot *slot;

    while (run->context != NULL && (slot = take_unused(run)) != NULL) {
        if (slot->in.context != NULL)
            frame_reserve(
                &slot->in, pass_takes_pixels(pass) ? shape_bytes(&pass->reader->info.shape) : coded, &ignored);
        if (pass_makes_pixels(pass))
            frame_reserve(&slot->out, shape_bytes(&pass->decoded), &ignored);
        pthread_mutex_lock(&run->lock);
        add_free(run, slot);
        pthread_mutex_unlock(&run->lock);
    }
}

static void choose_options(const struct run *run, const kst_decode_options *decode, kst_flow_options *options)
{
    const struct video_pass *pass = run->pass;

    kst_flow_options_init(options);
    options->work = pass->work;
    options->devices = pass->common->device;
    options->threads = pass->common->threads;
    options->readers = 1;
    options->writers = 1;
    options->in_order = true;
    options->limits.pixels = pass->common->max_pixels;
    options->limits.memory = pass->common->max_memory;
    options->limits.work = (uint32_t)pass->common->max_work;
    options->decode = decode;
    options->stage = video_change_stage(pass->change);
    options->encode = pass->encode;
    options->transcode = pass->transcode;
    options->next = next;
    options->put = put;
}

bool pass_flow(struct run *run, struct problem *problem)
{
    kst_decode_options decode;
    kst_flow_options options;
    kst_flow *flow;
    const size_t coded = coded_bytes(run->pass); /* before the source takes the first frame */

    pass_choose_decoding(run->pass, &decode);
    choose_options(run, &decode, &options);
    options.user = run;
    kst_status status = kst_flow_start(&options, &flow);
    if (status)
        return jpeg_report_problem(NULL, status, problem);
    begin(run, flow);
    prepare(run, coded);
    status = kst_flow_wait(flow);
    if (run->leaves)
        run->flow = flow;
    else
        kst_flow_end(&flow);
    if (status == KST_ERROR_MEMORY && !run->failed && !run->broken) /* other failures have already been recorded */
        return jpeg_report_problem(NULL, status, problem);
    return !run->failed && !run->broken;
}
