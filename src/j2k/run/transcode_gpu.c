/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes code-blocks with the other coder on the context's GPU: decodes their bytes to quantiser indices, which stay on
 * the device, and codes these to bytes. Planes below the last pass are left out of the indices. A block may end with
 * any pass: T.814's refinement passes, and the first passes that T.800 has in a plane, code what is known of the lowest
 * plane.
 */
#include <math.h>
#include <string.h>

#include "core/report.h"
#include "j2k/gpu/block_coder.h"
#include "j2k/rate/recoding.h"
#include "j2k/run/transcode.h"
#include "j2k/syntax/allowance.h"
#include "run/device.h"

enum {
    PLANES = 31,     /* most bit-planes of a block */
    REFINEMENTS = 2, /* most refinement passes of a set of T.814 */
    SLICE = 1024     /* blocks whose bytes a thread copies at a time */
};

/*
 * Times as in struct codec, for transcoding: seconds of a thread for each byte, and the least seconds of a GPU for any
 * stream. Streams of one call are in flight together, so that the sum of their bytes decides for all of them.
 */
static const double byte_seconds = 1.6e-7, least_seconds = 24e-3;

/* Holds sums over the plan of a stream's blocks. */
struct plan_sums {
    uint64_t blocks, segments, pieces, bytes, visits;
};

/*
 * Return the number of passes of a block that can be decoded if its bytes are not damaged. Of T.814, the last set
 * counts whose cleanup pass has bytes, and passes that only count planes are not decoded.
 */
static uint32_t count_known(const struct j2k_recode_source *source)
{
    const uint32_t passes = source->code->passes;
    uint32_t cleanup = 0; /* the last cleanup pass with bytes, counted from 1 */
    if (source->origin->coder != J2K_HT)
        return source->origin->coder == J2K_BLOCK_CODERS ? 0 : passes;
    for (uint32_t pass = 0; pass < passes; pass += 3)
        if (source->length[pass] > (pass > 0 ? source->length[pass - 1] : 0))
            cleanup = pass + 1;
    if (cleanup == 0)
        return 0;
    return passes < cleanup + REFINEMENTS ? passes : cleanup + REFINEMENTS;
}

/* Return whether the device can code a block, which it cannot if it has too many planes. */
static bool has_room(const struct j2k_recode_source *source)
{
    return (source->origin->coder == J2K_HT ? source->band->planes : source->planes) <= PLANES;
}

/* Count the segments of the first `passes` passes of a block. */
static void add_block(const struct j2k_recode_source *source, uint32_t passes, struct plan_sums *sums)
{
    const struct j2k_block_coder *coder = kst_j2k_block_coder_of((enum j2k_block_coder_kind)source->origin->coder);
    uint32_t start = 0;
    for (uint32_t pass = 0; pass < passes;) {
        const uint32_t room = coder->room(source->origin->style, pass), left = passes - pass;
        pass += left < room ? left : room;
        sums->segments++;
        sums->pieces += source->length[pass - 1] > start;
        start = source->length[pass - 1];
    }
    sums->blocks++;
    sums->bytes += start;
}

/*
 * Count all blocks that change. Returns whether there are any with bytes, and the device can code all of these. *kept
 * receives whether there are blocks that do not change.
 */
static bool add_blocks(const struct j2k_transcoding *t, struct plan_sums *sums, bool *kept)
{
    for (uint32_t i = 0; i < t->recoded.coded.plan.block_count; i++) {
        const struct j2k_recode_source source = kst_j2k_recode_source(&t->recoded, i);
        const uint32_t passes = source.code->passes;
        if (!kst_j2k_recode_changes(&source)) {
            *kept = *kept || passes > 0;
            continue;
        }
        const uint32_t known = count_known(&source);
        if (source.origin->coder != J2K_BLOCK_CODERS)
            sums->visits += (uint64_t)source.place->width * source.place->height * passes;
        if (known > 0 && !has_room(&source))
            return false;
        if (known > 0)
            add_block(&source, known, sums);
    }
    return sums->blocks > 0 && sums->bytes > 0 && sums->bytes <= J2K_GPU_STREAM_MAX;
}

static bool take_arrays(struct j2k_transcoding *t, const struct plan_sums *sums, struct gpu_error *error)
{
    struct memory *memory = t->op->memory;
    struct j2k_transcode_blocks *b = &t->blocks;
    struct j2k_plan *plan = &b->source;
    const struct j2k_plan *coded = &t->recoded.coded.plan;
    *plan = *coded;
    plan->tile_component = kst_memory_array(memory, coded->tile_component_count, sizeof *plan->tile_component, NULL);
    plan->block = kst_memory_array(memory, (size_t)sums->blocks, sizeof *plan->block, NULL);
    plan->segment = kst_memory_array(memory, (size_t)sums->segments, sizeof *plan->segment, NULL);
    plan->piece = kst_memory_array(memory, (size_t)sums->pieces, sizeof *plan->piece, NULL);
    plan->block_count = plan->segment_count = plan->piece_count = 0;
    b->place = kst_memory_array(memory, (size_t)sums->blocks, sizeof *b->place, NULL);
    if (!plan->tile_component || !plan->block || !plan->segment || !plan->piece || !b->place ||
        !kst_gpu_pool_take(&t->gpu->pool, GPU_PINNED, (size_t)sums->bytes, &b->bytes, error))
        return false;
    plan->data = b->bytes.host;
    plan->length = (size_t)sums->bytes;
    for (uint32_t i = 0; i < coded->tile_component_count; i++) {
        plan->tile_component[i] = coded->tile_component[i];
        plan->tile_component[i].reversible = true;
        plan->tile_component[i].roi_shift = 0;
        plan->tile_component[i].resolution_count = 0;
    }
    return true;
}

/* List the segments of a block. Their bytes follow each other. */
static void list_segments(
    struct j2k_plan *plan, const struct j2k_recode_source *source, struct j2k_block *block, uint64_t at)
{
    const struct j2k_block_coder *coder = kst_j2k_block_coder_of((enum j2k_block_coder_kind)source->origin->coder);
    uint32_t start = 0;
    for (uint32_t pass = 0; pass < block->passes;) {
        const uint32_t room = coder->room(source->origin->style, pass), left = block->passes - pass;
        const uint32_t passes = left < room ? left : room, length = source->length[pass + passes - 1] - start;
        plan->segment[plan->segment_count++] = (struct j2k_segment){.length = length,
            .first_piece = plan->piece_count,
            .piece_count = length > 0,
            .passes = (uint8_t)passes,
            .raw = coder->is_raw(source->origin->style, pass)};
        if (length > 0)
            plan->piece[plan->piece_count++] = (struct j2k_piece){.offset = at + start, .length = length};
        start += length;
        pass += passes;
        block->segment_count++;
    }
    block->length = start;
}

static void list_blocks(struct j2k_transcoding *t)
{
    struct j2k_plan *plan = &t->blocks.source;
    uint64_t at = 0;
    for (uint32_t i = 0; i < t->recoded.coded.plan.block_count; i++) {
        const struct j2k_recode_source source = kst_j2k_recode_source(&t->recoded, i);
        const uint32_t known = kst_j2k_recode_changes(&source) ? count_known(&source) : 0;
        if (known == 0)
            continue;
        struct j2k_block *block = &plan->block[plan->block_count];
        t->blocks.place[plan->block_count++] = i;
        *block = *source.place;
        block->missing = source.code->missing;
        block->planes = (uint8_t)source.planes;
        block->passes = (uint8_t)known;
        block->below = (uint8_t)(source.planes - 1 - (known + 1) / 3);
        block->coder = source.origin->coder;
        block->cut = source.origin->cut;
        block->first_segment = plan->segment_count;
        block->segment_count = 0;
        plan->tile_component[source.band->tile_component].style = source.origin->style;
        list_segments(plan, &source, block, at);
        at += block->length;
    }
}

static void copy_slice(void *argument, uint32_t index)
{
    const struct j2k_transcoding *t = argument;
    const struct j2k_plan *plan = &t->blocks.source;
    const uint32_t first = index * SLICE, left = plan->block_count - first;
    for (uint32_t i = first; i < first + (left < SLICE ? left : SLICE); i++) {
        const struct j2k_block *block = &plan->block[i];
        const struct j2k_segment *segment = &plan->segment[block->first_segment];
        uint32_t k = 0;
        while (k < block->segment_count && segment[k].piece_count == 0)
            k++;
        if (k < block->segment_count)
            memcpy(t->blocks.bytes.host + plan->piece[segment[k].first_piece].offset,
                t->recoded.coded.block[t->blocks.place[i]].data, (size_t)block->length);
    }
}

/* Describe the stream to the decoding kernels. No image is made. */
static struct j2k_gpu_item item_of(const struct j2k_transcoding *t)
{
    return (struct j2k_gpu_item){
        .plan = &t->blocks.source, .indices = true, .stream = t->blocks.source.length, .pinned = true};
}

/* Return whether the device can decode the blocks, and it and the memory limit have room for them. */
static bool fits(struct j2k_transcoding *t)
{
    const struct j2k_gpu_item item = item_of(t);
    const uint64_t limit = t->all->context->limits.memory, device = t->gpu->gpu->info.memory;
    const uint64_t coding = kst_j2k_gpu_coding_memory(&t->recoded.coded.plan);
    struct j2k_gpu_block_words words;
    if (!kst_j2k_gpu_can_decode(item.plan, &words))
        return false;
    t->blocks.need = kst_j2k_gpu_need(&item, &words, 0);
    const uint64_t memory = t->blocks.need.memory += coding;
    return memory <= limit && memory <= J2K_GPU_MEMORY_MAX && (device == 0 || memory <= device) &&
           t->blocks.need.largest <= t->gpu->gpu->largest;
}

kst_status kst_j2k_run_transcode_gpu_plan(struct j2k_transcoding *t)
{
    const uint64_t allowed = kst_j2k_allowance(t->op->limits, J2K_ASKED_VISITS, &t->stream);
    struct plan_sums sums = {0};
    if (!t->recoded.origin)
        return KST_OK;
    t->blocks.allowed = allowed < UINT64_MAX / 2 ? 2 * allowed : UINT64_MAX;
    if (!add_blocks(t, &sums, &t->blocks.kept) || sums.visits > t->blocks.allowed)
        return KST_OK;
    const double seconds = (double)sums.bytes * byte_seconds;
    const double all = fmax(seconds, (double)t->all->all_length * byte_seconds);
    t->gpu = kst_context_gpu_for_part(t->all->context, seconds, all, least_seconds);
    if (!t->gpu)
        return KST_OK;
    t->blocks.visits = sums.visits;
    struct gpu_error error = {.status = KST_OK};
    bool fine = take_arrays(t, &sums, &error);
    if (fine) {
        list_blocks(t);
        fine = fits(t);
    }
    if (fine)
        kst_pool_run(t->op->pool, (t->blocks.source.block_count + SLICE - 1) / SLICE, copy_slice, t);
    else
        kst_j2k_run_transcode_gpu_drop(t);
    return error.status == KST_ERROR_DEVICE_FAILED
               ? kst_report_error(t->op->report, error.status, KST_NO_OFFSET, "%s", error.text)
               : KST_OK;
}

void kst_j2k_run_transcode_gpu_drop(struct j2k_transcoding *t)
{
    struct memory *memory = t->op->memory;
    if (!t->gpu)
        return;
    kst_memory_release(memory, t->blocks.source.tile_component);
    kst_memory_release(memory, t->blocks.source.block);
    kst_memory_release(memory, t->blocks.source.segment);
    kst_memory_release(memory, t->blocks.source.piece);
    kst_memory_release(memory, t->blocks.place);
    kst_gpu_pool_give(&t->gpu->pool, &t->blocks.bytes);
    t->blocks = (struct j2k_transcode_blocks){.status = KST_OK};
    t->gpu = NULL;
}

static bool make_arrays(struct j2k_transcode_part *part, uint64_t blocks)
{
    struct memory *memory = &part->context->memory;
    part->item = kst_memory_zeroed(memory, part->count, sizeof *part->item, NULL);
    part->coded_item = kst_memory_zeroed(memory, part->count, sizeof *part->coded_item, NULL);
    part->damage = kst_memory_zeroed(memory, part->count, sizeof *part->damage, NULL);
    part->order = kst_memory_array(memory, (size_t)blocks, sizeof *part->order, NULL);
    part->outcome = kst_memory_array(memory, (size_t)blocks, sizeof *part->outcome, NULL);
    return part->item && part->coded_item && part->damage && part->order && part->outcome;
}

static uint64_t count_blocks(const struct j2k_transcode_part *part)
{
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < part->count; i++)
        blocks += part->member[i]->blocks.source.block_count;
    return blocks;
}

/* Describe all members, and list orders for all of their blocks. Returns the number of orders. */
static uint32_t describe(struct j2k_transcode_part *part)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct j2k_transcoding *t = part->member[i];
        part->item[i] = item_of(t);
        part->coded_item[i] =
            (struct j2k_gpu_encode_item){.picture = {.plan = &t->recoded.coded.plan}, .indices = true};
        for (uint32_t k = 0; k < t->blocks.source.block_count; k++)
            part->order[count++] = (struct j2k_gpu_block_order){.item = i,
                .block = t->blocks.place[k],
                .refinements = (uint8_t)((t->blocks.source.block[k].passes - 1) % 3)};
    }
    return count;
}

/* Decode all blocks and code them again, and wait for the results. */
static bool code(struct j2k_transcode_part *part, struct gpu_error *error)
{
    const struct j2k_gpu_order order = {.beside = part->beside};
    const uint32_t count = describe(part);
    struct j2k_gpu_job *decoding = kst_j2k_gpu_begin(part->gpu, part->item, part->count, &order, error);
    if (!decoding)
        return false;
    part->job = kst_j2k_gpu_encode_decoded(decoding, part->coded_item, error);
    bool done = part->job && kst_j2k_gpu_encode_blocks(part->job, part->order, count, part->outcome, error);
    struct gpu_error late;
    if (kst_j2k_gpu_end(decoding, part->damage, &part->decoding, &late) && done) {
        *error = late;
        done = false;
    }
    if (done)
        part->coding = kst_j2k_gpu_encode_times(part->job);
    return done;
}

void kst_j2k_run_transcode_gpu_code(struct j2k_transcode_part *part)
{
    struct gpu_error error = {.status = KST_OK};
    const uint64_t blocks = count_blocks(part);
    const struct j2k_gpu_block_outcome *outcome;
    pthread_mutex_init(&part->arriving, NULL);
    bool done = blocks <= UINT32_MAX / 2 && make_arrays(part, blocks) && code(part, &error);
    outcome = part->outcome;
    for (uint32_t i = 0; i < part->count; i++) {
        struct j2k_transcoding *t = part->member[i];
        t->part = part;
        t->blocks.outcome = done && part->damage[i].blocks == 0 ? outcome : NULL;
        outcome += done ? t->blocks.source.block_count : 0;   /* otherwise there may be none */
        if (!done && error.status == KST_ERROR_DEVICE_FAILED) /* if memory is missing, the CPU does the work */
            t->blocks.status = kst_report_error(t->op->report, error.status, KST_NO_OFFSET, "%s", error.text);
    }
}

void kst_j2k_run_transcode_gpu_end(struct j2k_transcode_part *part)
{
    struct memory *memory = &part->context->memory;
    kst_j2k_gpu_encode_end(part->job);
    kst_memory_release(memory, part->item);
    kst_memory_release(memory, part->coded_item);
    kst_memory_release(memory, part->damage);
    kst_memory_release(memory, part->order);
    kst_memory_release(memory, part->outcome);
    pthread_mutex_destroy(&part->arriving);
}

/* Holds the state while results are taken. */
struct taking {
    struct j2k_transcoding *t;
    struct j2k_recode_result *result; /* for each block of the coded image */
    uint32_t *length;                 /* lengths of all passes of the blocks that the device coded */
    uint64_t visits;
};

/* Return the bytes of a block up to the end of a pass. */
static uint32_t length_of(const struct j2k_gpu_block_outcome *outcome, uint32_t pass)
{
    if (!outcome->ht)
        return outcome->pass[J2K_PASS_RESULT * pass];
    return pass + 1 < outcome->passes ? outcome->end[pass] : outcome->length;
}

/*
 * Describe the result of a block that the device coded. Returns false if its indices have more planes than allowed,
 * which is damage.
 */
static bool take_block(struct taking *taking, uint32_t index, uint32_t **length)
{
    const struct j2k_transcode_blocks *blocks = &taking->t->blocks;
    const struct j2k_recode_source source = kst_j2k_recode_source(&taking->t->recoded, blocks->place[index]);
    const struct j2k_gpu_block_outcome *outcome = &blocks->outcome[index];
    struct j2k_recode_result *result = &taking->result[blocks->place[index]];
    const struct j2k_block *block = &blocks->source.block[index];
    const uint32_t known = block->passes, planes = outcome->planes + block->below;
    result->known = (uint8_t)known;
    if (outcome->planes == 0)
        return true;
    if (planes > source.band->planes)
        return false;
    const struct j2k_recode_choice choice = kst_j2k_recode_choose(&source, known, planes, result);
    const uint32_t idle = kst_j2k_recode_idle(&source, result);
    taking->visits += (uint64_t)source.place->width * source.place->height * choice.most;
    memset(*length, 0, idle * sizeof **length);
    for (uint32_t i = 0; i < outcome->passes; i++)
        (*length)[idle + i] = length_of(outcome, i);
    result->data = outcome->data;
    result->length = *length;
    result->passes = (uint8_t)(idle + outcome->passes);
    *length += result->passes;
    return true;
}

/* Describe the results of all blocks. Blocks without bytes no longer have passes. */
static bool take_blocks(struct taking *taking)
{
    const struct j2k_transcoding *t = taking->t;
    uint32_t *length = taking->length;
    for (uint32_t i = 0; i < t->recoded.coded.plan.block_count; i++) {
        const struct j2k_recode_source source = kst_j2k_recode_source(&t->recoded, i);
        if (kst_j2k_recode_changes(&source))
            taking->result[i] = (struct j2k_recode_result){.missing = source.code->missing, .changed = true};
    }
    for (uint32_t k = 0; k < t->blocks.source.block_count; k++)
        if (!take_block(taking, k, &length))
            return false;
    return taking->visits <= t->blocks.allowed;
}

/* Return the most passes that the blocks can have. */
static uint64_t count_passes(const struct j2k_transcode_blocks *blocks)
{
    uint64_t passes = 0;
    for (uint32_t k = 0; k < blocks->source.block_count; k++)
        passes += (uint64_t)blocks->source.block[k].passes + blocks->outcome[k].passes;
    return passes;
}

static void report_times(const struct j2k_transcoding *t)
{
    const struct j2k_transcode_part *part = t->part;
    const double *stage = part->decoding.stage;
    kst_report *report = t->op->report;
    const double seconds[KST_STAGE_COUNT] = {[KST_STAGE_UPLOAD] = stage[J2K_STAGE_UPLOAD],
        [KST_STAGE_ENTROPY] =
            stage[J2K_STAGE_GATHER] + stage[J2K_STAGE_BLOCKS] + stage[J2K_STAGE_STORE] + part->coding.blocks,
        [KST_STAGE_DOWNLOAD] = part->coding.download};
    static const kst_stage stages[] = {KST_STAGE_UPLOAD, KST_STAGE_ENTROPY, KST_STAGE_DOWNLOAD};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        report->stage_device[stages[i]] = part->gpu->gpu->info.kind;
        report->stage_seconds[stages[i]] += seconds[stages[i]] / part->count;
    }
    memcpy(report->device, part->gpu->gpu->info.name, sizeof report->device);
}

kst_status kst_j2k_run_transcode_gpu_take(struct j2k_transcoding *t, bool *taken)
{
    struct memory *memory = t->op->memory;
    const uint32_t blocks = t->recoded.coded.plan.block_count;
    struct taking taking = {.t = t, .visits = t->blocks.visits};
    kst_status status = KST_OK;
    *taken = false;
    if (t->blocks.status || !t->blocks.outcome)
        return t->blocks.status;
    taking.result = kst_memory_zeroed(memory, blocks, sizeof *taking.result, &status);
    taking.length = kst_memory_array(memory, (size_t)count_passes(&t->blocks), sizeof *taking.length, &status);
    if (!status && take_blocks(&taking)) {
        kst_progress_enter(t->op->progress, blocks, 1);
        status = kst_j2k_recode_take(memory, &t->recoded, taking.result);
        *taken = !status;
        if (!status && !kst_progress_step(t->op->progress, blocks))
            status = KST_ERROR_CANCELLED;
    }
    kst_memory_release(memory, taking.result);
    kst_memory_release(memory, taking.length);
    if (status)
        return kst_report_error(t->op->report, status, KST_NO_OFFSET, "while code-blocks are coded again");
    if (!*taken)
        return KST_OK;
    report_times(t);
    t->blocks.here = t->blocks.kept || t->options->jpeg2000.rate > 0;
    return t->blocks.here ? kst_j2k_run_transcode_gpu_arrive(t) : KST_OK;
}

kst_status kst_j2k_run_transcode_gpu_arrive(void *transcoding)
{
    struct j2k_transcoding *t = transcoding;
    struct gpu_error error = {.status = KST_OK};
    pthread_mutex_lock(&t->part->arriving);
    bool arrived = kst_j2k_gpu_encode_arrive(t->part->job, &error);
    pthread_mutex_unlock(&t->part->arriving);
    return arrived ? KST_OK : kst_report_error(t->op->report, error.status, KST_NO_OFFSET, "%s", error.text);
}
