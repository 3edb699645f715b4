/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes code-blocks and codes them with the other coder. */
#include "j2k/cpu/recode_blocks.h"

#include <string.h>

#include "core/report.h"
#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/rate/recoding.h"
#include "j2k/syntax/allowance.h"

enum { PIECE = 1 << 18 /* bytes that a thread takes for results at a time */ };

struct recoding {
    const struct operation *op;
    struct j2k_recoded *recoded;
    struct j2k_recode_result *result; /* for each block */
    uint64_t allowed;                 /* visits of samples */
    atomic_uint next;
    atomic_int status;
    atomic_uint damaged, deep;
    atomic_uint_fast64_t visits, damage_offset;
};

/* Holds the state of a thread. Only the bytes of its results outlive it. */
struct recoder {
    struct recoding *all;
    struct j2k_block_scratch *decoder, *encoder;
    struct j2k_recoded_bytes *bytes; /* the last of its pieces; null: none yet */
    struct j2k_codeword codeword[J2K_PASSES_MAX];
    uint32_t codeword_count;
    struct j2k_recoded_bytes *first; /* the first of its pieces */
};

static void fail(struct recoding *all, kst_status status)
{
    int none = KST_OK;
    atomic_compare_exchange_strong(&all->status, &none, (int)status);
}

/* Allocate memory that stays until the coded image is released. Returns null if there is none. */
static void *keep(struct recoder *worker, size_t length)
{
    kst_status status = KST_OK;
    length = (length + 7) / 8 * 8;
    if (!worker->bytes || worker->bytes->room - worker->bytes->used < length) {
        size_t room = length > PIECE ? length : PIECE;
        struct j2k_recoded_bytes *more = kst_memory_array(worker->all->op->memory, 1, sizeof *more + room, &status);
        if (!more) {
            fail(worker->all, status);
            return NULL;
        }
        *more = (struct j2k_recoded_bytes){.next = worker->bytes, .room = room};
        worker->first = worker->bytes ? worker->first : more;
        worker->bytes = more;
    }
    void *kept = worker->bytes->data + worker->bytes->used;
    worker->bytes->used += length;
    return kept;
}

/* List the segments, which lie one after the other. */
static void list_codewords(struct recoder *worker, const struct j2k_recode_source *source)
{
    const struct j2k_block_coder *coder = kst_j2k_block_coder_of((enum j2k_block_coder_kind)source->origin->coder);
    uint32_t start = 0;
    worker->codeword_count = 0;
    for (uint32_t pass = 0; pass < source->code->passes;) {
        uint32_t room = coder->room(source->origin->style, pass), left = source->code->passes - pass;
        uint32_t passes = left < room ? left : room, end = source->length[pass + passes - 1];
        worker->codeword[worker->codeword_count++] =
            (struct j2k_codeword){.data = source->code->data + start, .length = end - start, .passes = passes};
        start = end;
        pass += passes;
    }
}

static void note_damage(struct recoding *all, const struct j2k_recode_source *source, uint32_t met)
{
    if (met == 0)
        return;
    if ((met & J2K_BLOCK_DEPTH) != 0)
        atomic_fetch_add(&all->deep, 1);
    atomic_fetch_add(&all->damaged, 1);
    uint_fast64_t least = atomic_load(&all->damage_offset);
    while (source->origin->offset < least &&
           !atomic_compare_exchange_weak(&all->damage_offset, &least, source->origin->offset))
        continue;
}

/*
 * Decode a block to the indices of the quantiser. Where there is a region of interest, its indices stay moved up.
 * Returns the number of passes that could be decoded.
 */
static uint32_t decode(struct recoder *worker, const struct j2k_recode_source *source)
{
    const struct j2k_block_functions *coder =
        kst_j2k_cpu_block_functions((enum j2k_block_coder_kind)source->origin->coder);
    list_codewords(worker, source);
    const struct j2k_coded_block block = {.width = source->place->width,
        .height = source->place->height,
        .orientation = source->band->orientation,
        .style = source->origin->style,
        .cut = source->origin->cut,
        .missing = source->code->missing,
        .planes = source->planes,
        .codeword_count = worker->codeword_count,
        .codewords = worker->codeword};
    note_damage(worker->all, source, coder->decode(worker->decoder, worker->all->op->tier, &block));
    return coder->known(worker->decoder);
}

static uint32_t count_planes(const struct j2k_block_scratch *scratch, uint32_t samples)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < samples; i++)
        any |= scratch->sample[i];
    any &= 0x7FFFFFFF;
    return any == 0 ? 0 : 32 - (uint32_t)__builtin_clz(any);
}

/* Return how to code a block of which `known` passes are known, and whose largest index has `planes` bits. */
static struct j2k_block_settings choose(
    const struct j2k_recode_source *source, uint32_t known, uint32_t planes, struct j2k_recode_result *result)
{
    const struct j2k_recode_choice choice = kst_j2k_recode_choose(source, known, planes, result);
    return (struct j2k_block_settings){.width = source->place->width,
        .height = source->place->height,
        .orientation = source->band->orientation,
        .style = source->style,
        .plane = choice.plane,
        .refinements = choice.refinements,
        .most = choice.most};
}

/* Keep a coded block behind `idle` passes without bytes. */
static void keep_block(
    struct recoder *worker, const struct j2k_block_outcome *outcome, uint32_t idle, struct j2k_recode_result *result)
{
    uint32_t *length = keep(worker, (idle + outcome->passes) * sizeof *length);
    uint8_t *data = length ? keep(worker, outcome->length) : NULL;
    if (!data)
        return;
    memset(length, 0, idle * sizeof *length);
    for (uint32_t i = 0; i < outcome->passes; i++)
        length[idle + i] = outcome->pass[i].length;
    memcpy(data, outcome->data, outcome->length);
    result->data = data;
    result->length = length;
    result->passes = (uint8_t)(idle + outcome->passes);
}

/* Count visits of samples. Returns false if there are more than the stream may ask for. */
static bool visit(struct recoding *all, const struct j2k_recode_source *source, uint32_t passes)
{
    uint64_t more = (uint64_t)source->place->width * source->place->height * passes;
    if (atomic_fetch_add(&all->visits, more) + more <= all->allowed)
        return true;
    fail(all, KST_ERROR_LIMIT_WORK);
    return false;
}

static void recode(struct recoder *worker, const struct j2k_recode_source *source, struct j2k_recode_result *result)
{
    const struct j2k_block_functions *coder = kst_j2k_cpu_block_functions(kst_j2k_block_coder(source->style)->kind);
    const uint32_t samples = (uint32_t)source->place->width * source->place->height;
    struct j2k_block_outcome outcome;
    *result = (struct j2k_recode_result){.missing = source->code->missing, .changed = true};
    if (source->origin->coder == J2K_BLOCK_CODERS || !visit(worker->all, source, source->code->passes))
        return;
    uint32_t known = decode(worker, source), planes = count_planes(worker->decoder, samples);
    result->known = (uint8_t)known;
    if (known == 0 || planes == 0)
        return;
    if (planes > source->band->planes) {
        note_damage(worker->all, source, J2K_BLOCK_HT);
        return;
    }
    const struct j2k_block_settings settings = choose(source, known, planes, result);
    if (!visit(worker->all, source, settings.most))
        return;
    memcpy(worker->encoder->sample, worker->decoder->sample, sizeof(uint32_t) * samples);
    coder->encode(worker->encoder, worker->all->op->tier, &settings, &outcome);
    if (outcome.passes > 0)
        keep_block(worker, &outcome, kst_j2k_recode_idle(source, result), result);
}

static void recode_all(struct recoder *worker)
{
    struct recoding *all = worker->all;
    while (!atomic_load(&all->status)) {
        uint32_t i = atomic_fetch_add(&all->next, 1);
        if (i >= all->recoded->coded.plan.block_count)
            return;
        const struct j2k_recode_source source = kst_j2k_recode_source(all->recoded, i);
        if (kst_j2k_recode_changes(&source))
            recode(worker, &source, &all->result[i]);
        if (!kst_progress_step(all->op->progress, 1))
            fail(all, KST_ERROR_CANCELLED);
    }
}

/* Add the bytes of a thread to a list that outlives the thread. */
static void hand_over(struct recoder *worker, struct j2k_recoded_bytes **to)
{
    if (!worker->bytes)
        return;
    worker->first->next = *to;
    *to = worker->bytes;
}

struct crew {
    struct recoding *all;
    struct j2k_recoded_bytes **bytes; /* for each worker */
};

static void run_worker(void *argument, uint32_t index)
{
    const struct crew *crew = argument;
    struct recoding *all = crew->all;
    struct memory *memory = all->op->memory;
    kst_status status = KST_OK;
    struct recoder *worker = kst_memory_array(memory, 1, sizeof *worker, &status);
    if (worker) {
        worker->all = all;
        worker->bytes = NULL;
        worker->decoder = kst_memory_zeroed(memory, 1, kst_j2k_cpu_any_decoder_length(), &status);
        worker->encoder = kst_memory_array(memory, 1, kst_j2k_cpu_encoder_length(), &status);
        if (!status)
            recode_all(worker);
        hand_over(worker, &crew->bytes[index]);
        kst_memory_release(memory, worker->decoder);
        kst_memory_release(memory, worker->encoder);
    }
    kst_memory_release(memory, worker);
    if (status)
        fail(all, status);
}

static kst_status report_on(const struct recoding *all, kst_status status)
{
    kst_report *report = all->op->report;
    if (!status && atomic_load(&all->deep) > 0)
        return kst_report_error(report, KST_ERROR_OPTIONS, atomic_load(&all->damage_offset),
            "%u code-blocks have more than 31 bit-planes, and are not coded again", (unsigned)atomic_load(&all->deep));
    if (status)
        return kst_report_error(report, status, KST_NO_OFFSET, "while code-blocks are coded again");
    if (atomic_load(&all->damaged) > 0)
        kst_report_warning(
            report, KST_WARNING_J2K_BLOCK, atomic_load(&all->damage_offset), atomic_load(&all->damaged), false);
    return KST_OK;
}

static kst_status run(struct recoding *all, struct j2k_recoded_bytes **bytes, uint32_t workers)
{
    struct crew crew = {all, bytes};
    kst_progress_enter(all->op->progress, all->recoded->coded.plan.block_count, 1);
    kst_pool_run(all->op->pool, workers, run_worker, &crew);
    for (uint32_t i = 0; i < workers; i++)
        while (bytes[i]) {
            struct j2k_recoded_bytes *next = bytes[i]->next;
            bytes[i]->next = all->recoded->bytes;
            all->recoded->bytes = bytes[i];
            bytes[i] = next;
        }
    return (kst_status)atomic_load(&all->status);
}

/* Return how many threads work. They take at most an eighth of the memory that is left: coded bytes need room, too. */
static uint32_t count_workers(const struct operation *op, uint32_t blocks)
{
    enum { SHARE = 8 };
    const uint64_t each = sizeof(struct recoder) + kst_j2k_cpu_any_decoder_length() + kst_j2k_cpu_encoder_length() +
                          PIECE + 4 * (uint64_t)KST_MEMORY_OVERHEAD;
    const uint32_t threads = kst_pool_threads_within(op->pool, kst_memory_left(op->memory) / SHARE, each);
    return threads < blocks ? threads : blocks;
}

kst_status kst_j2k_cpu_recode_blocks(
    const struct operation *op, const struct j2k_stream *stream, struct j2k_recoded *recoded)
{
    const uint32_t blocks = recoded->coded.plan.block_count, workers = count_workers(op, blocks);
    const uint64_t allowed = kst_j2k_allowance(op->limits, J2K_ASKED_VISITS, stream);
    struct recoding all = {
        .op = op, .recoded = recoded, .allowed = allowed < UINT64_MAX / 2 ? 2 * allowed : UINT64_MAX};
    kst_status status = KST_OK;
    if (blocks == 0)
        return KST_OK;
    atomic_init(&all.next, 0);
    atomic_init(&all.status, KST_OK);
    atomic_init(&all.damaged, 0);
    atomic_init(&all.deep, 0);
    atomic_init(&all.visits, 0);
    atomic_init(&all.damage_offset, UINT64_MAX);
    all.result = kst_memory_zeroed(op->memory, blocks, sizeof *all.result, &status);
    struct j2k_recoded_bytes **bytes = kst_memory_zeroed(op->memory, workers, sizeof *bytes, &status);
    if (!status)
        status = run(&all, bytes, workers);
    if (!status && atomic_load(&all.deep) == 0)
        status = kst_j2k_recode_take(op->memory, recoded, all.result);
    kst_memory_release(op->memory, bytes);
    kst_memory_release(op->memory, all.result);
    return report_on(&all, status);
}
