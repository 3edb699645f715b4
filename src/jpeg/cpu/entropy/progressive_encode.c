/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes the scans of a progressive file in parallel: tokens, then Huffman tables, then bits, then writing in order. */
#include "jpeg/cpu/entropy/progressive_encode.h"

#include <pthread.h>

#include "core/report.h"
#include "jpeg/cpu/encode_source.h"
#include "jpeg/cpu/entropy/bit_string.h"
#include "jpeg/cpu/entropy/huffman_encode.h"
#include "jpeg/cpu/entropy/set_aside.h"
#include "jpeg/cpu/entropy/tokens.h"
#include "jpeg/syntax/writer.h"

/* Describes a scan, coded but not yet written. */
struct scan {
    struct jpeg_bit_string bits;
    struct jpeg_set_aside aside;  /* all bits, if the coefficients are not in memory */
    struct jpeg_huffman table[2]; /* indexed by destination, of the class that the scan uses */
    uint32_t restart_interval;
    /* Element i of the array holds here the index of the scan that is coded as the i-th one. */
    uint32_t turn;
    bool done;
};

struct progressive_coding {
    const struct operation *op;
    const struct jpeg_dsp *dsp;
    const struct jpeg_encoding *encoding;
    struct jpeg_progressive_source source;
    const kst_scan *script;
    size_t script_length;
    struct sink *sink;
    size_t blocks_most; /* blocks of tokens that one scan may keep, besides the first */
    pthread_mutex_t lock;
    struct scan *scan; /* guarded by the lock, like all members below */
    size_t written;
    struct jpeg_scan_state state;
    bool summed;  /* whether a scan has read the picture */
    uint64_t sum; /* sum of the rows that it read */
    kst_status status;
};

struct token_block {
    struct token_block *next;
    uint32_t count;
    jpeg_token token[JPEG_TOKEN_CHUNK];
};

/* Holds the state of the work on one scan. */
struct progressive_worker {
    struct jpeg_picture_source picture; /* source of the coefficients, if these are made from a picture */
    struct jpeg_result_reader reader;   /* source of the coefficients, if these are read from a result */
    struct jpeg_coefficients row;       /* coefficients of one MCU row, with either of these sources */
    struct progressive_coding *coding;
    struct jpeg_tokens tokens;
    uint64_t frequency[2][257];
    struct jpeg_huffman_codes codes[2];
    struct memory *memory;
    struct token_block *first; /* all token blocks so far; the last one is being filled */
    struct token_block *last;
    size_t blocks_left; /* blocks that may still be kept; when they run out `dropped` is set */
    bool dropped;
    struct jpeg_bit_string *bits;
    struct jpeg_set_aside *aside; /* null: all bits stay in the bit string */
};

static struct token_block *add_block(struct progressive_worker *worker, kst_status *status)
{
    struct token_block *block = kst_memory_array(worker->memory, 1, sizeof *block, status);
    if (!block)
        return NULL;
    block->next = NULL;
    block->count = 0;
    if (worker->last)
        worker->last->next = block;
    else
        worker->first = block;
    worker->last = block;
    return block;
}

static void drop_first(struct progressive_worker *worker)
{
    struct token_block *block = worker->first;
    worker->first = block->next;
    kst_memory_release(worker->memory, block);
}

/*
 * Return the block to fill after one that is full. If no more blocks may be kept, or there is no memory, only the last
 * one stays and is filled again, which is no failure.
 */
static struct token_block *next_block(struct progressive_worker *worker)
{
    if (!worker->dropped && worker->blocks_left > 0) {
        worker->blocks_left--;
        struct token_block *block = add_block(worker, NULL);
        if (block)
            return block;
    }
    worker->dropped = true;
    while (worker->first != worker->last)
        drop_first(worker);
    return worker->first;
}

static inline enum jpeg_token_kind kind_of(jpeg_token token)
{
    return (enum jpeg_token_kind)(token >> 13 & 3);
}

static jpeg_token *count_tokens(void *arg, jpeg_token *token, uint32_t count)
{
    struct progressive_worker *worker = arg;
    for (uint32_t i = 0; i < count; i++) {
        if (kind_of(token[i]) == JPEG_TOKEN_SYMBOL)
            worker->frequency[token[i] >> 15 & 1][token[i] & 255]++;
    }
    worker->last->count = count;
    return count < JPEG_TOKEN_CHUNK ? token : next_block(worker)->token;
}

enum { TOKEN_BYTES = 4 }; /* a code and the bits that follow it, 16 bits each */

static bool write_block(struct progressive_worker *worker, const jpeg_token *token, uint32_t count)
{
    struct jpeg_bit_string *bits = worker->bits;
    if (!kst_jpeg_cpu_bit_string_room(bits, (size_t)count * TOKEN_BYTES))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const jpeg_token t = token[i];
        const uint32_t length = t >> 8 & 31;
        if (kind_of(t) == JPEG_TOKEN_SYMBOL) {
            const struct jpeg_huffman_codes *codes = &worker->codes[t >> 15 & 1];
            kst_jpeg_bit_string_put(
                bits, (uint64_t)codes->code[t & 255] << length | t >> 16, codes->length[t & 255] + length);
        } else if (kind_of(t) == JPEG_TOKEN_BITS) {
            kst_jpeg_bit_string_put(bits, t >> 16, length);
        } else {
            kst_jpeg_cpu_bit_string_end_piece(bits);
            if (!kst_jpeg_cpu_bit_string_room(bits, (size_t)(count - i) * TOKEN_BYTES))
                return false;
        }
    }
    return true;
}

static jpeg_token *write_tokens(void *arg, jpeg_token *token, uint32_t count)
{
    struct progressive_worker *worker = arg;
    if (!write_block(worker, token, count))
        return NULL;
    if (worker->aside)
        kst_jpeg_cpu_set_aside_add(worker->aside, worker->bits);
    return !worker->aside || !kst_jpeg_cpu_set_aside_status(worker->aside) ? token : NULL;
}

/* Write the kept tokens; each block is released as soon as it is written. */
static void write_kept(struct progressive_worker *worker)
{
    while (worker->first && write_block(worker, worker->first->token, worker->first->count))
        drop_first(worker);
}

static bool bring_picture_row(void *arg, uint32_t row)
{
    struct progressive_worker *worker = arg;
    return kst_jpeg_cpu_picture_transform_row(&worker->picture, row);
}

static bool bring_result_row(void *arg, uint32_t row)
{
    struct progressive_worker *worker = arg;
    return kst_jpeg_cpu_result_read(&worker->reader, row, &worker->row);
}

/* Check that every pass over the picture has read the same rows. */
static kst_status check_sum(struct progressive_worker *worker)
{
    struct progressive_coding *coding = worker->coding;
    uint64_t sum = atomic_exchange(&worker->picture.sum, 0);
    pthread_mutex_lock(&coding->lock);
    bool same = !coding->summed || coding->sum == sum;
    coding->summed = true;
    coding->sum = sum;
    pthread_mutex_unlock(&coding->lock);
    return same ? KST_OK
                : kst_report_error(
                      coding->op->report, KST_ERROR_ROWS, KST_NO_OFFSET, "they differ when they are read another time");
}

/* Work out the scan's tokens. */
static kst_status pass_over(struct progressive_worker *worker)
{
    kst_jpeg_cpu_tokens_scan(&worker->tokens);
    if (worker->tokens.out_of_range)
        return KST_ERROR_JPEG_COEFFICIENT;
    if (worker->tokens.unbrought)
        return worker->reader.status ? worker->reader.status : KST_ERROR_ROWS;
    return worker->picture.summed && !worker->tokens.stopped ? check_sum(worker) : KST_OK;
}

static kst_status encode_scan(struct progressive_worker *worker, struct scan *scan)
{
    worker->tokens.consume = count_tokens;
    kst_status status = pass_over(worker);
    if (status)
        return status;
    for (uint32_t i = 0; i < 2; i++) {
        kst_jpeg_huffman_optimal(worker->frequency[i], &scan->table[i]);
        kst_jpeg_huffman_derive_codes(&scan->table[i], &worker->codes[i]);
    }
    if (!worker->dropped) {
        write_kept(worker);
    } else {
        worker->tokens.consume = write_tokens;
        status = pass_over(worker);
    }
    if (worker->aside)
        kst_jpeg_cpu_set_aside_end(worker->aside, worker->bits);
    if (!status)
        status = worker->bits->status;
    return !status && worker->aside ? kst_jpeg_cpu_set_aside_status(worker->aside) : status;
}

static kst_status open_picture(struct progressive_worker *worker, const struct jpeg_sampler *sampler)
{
    worker->tokens.bring = bring_picture_row;
    kst_status status = kst_jpeg_cpu_picture_source_create(worker->memory, sampler, 1, &worker->row, &worker->picture);
    worker->picture.summed = !status;
    return status;
}

static kst_status open_result(struct progressive_worker *worker, const struct jpeg_result *result)
{
    worker->tokens.bring = bring_result_row;
    return kst_jpeg_cpu_result_reader_open(result, worker->tokens.scan, &worker->reader);
}

/* Let the worker take its coefficients from memory, or row by row from the result or the picture. */
static kst_status open_source(struct progressive_worker *worker)
{
    const struct jpeg_progressive_source *source = &worker->coding->source;
    worker->tokens.coefficients = source->coefficients;
    if (source->coefficients)
        return KST_OK;
    const struct jpeg_frame *frame = source->result ? &source->result->transform->frame : source->sampler->frame;
    worker->tokens.coefficients = &worker->row;
    kst_status status = kst_jpeg_coefficients_create_part(worker->memory, frame, frame->mcus_w, 1, &worker->row);
    if (status)
        return status;
    return source->result ? open_result(worker, source->result) : open_picture(worker, source->sampler);
}

/*
 * Close the worker's source. If the coefficients are not kept in memory, also free the buffers that the scan's bits
 * have outgrown.
 */
static void close_source(struct progressive_worker *worker)
{
    if (!worker->coding->source.coefficients)
        kst_memory_trim(worker->memory);
    if (worker->picture.rows)
        kst_jpeg_cpu_picture_source_release(&worker->picture);
    kst_jpeg_cpu_result_reader_close(&worker->reader);
    kst_jpeg_coefficients_release(worker->memory, &worker->row);
}

static kst_status work_on_scan(struct progressive_coding *coding, const kst_scan *scan, struct scan *result)
{
    kst_status status = KST_OK;
    struct jpeg_scan_geometry geometry;
    const struct jpeg_encoding *encoding = coding->encoding;
    struct memory *memory = coding->op->memory;
    struct progressive_worker *worker = kst_memory_zeroed(memory, 1, sizeof *worker, &status);
    if (!worker)
        return status;
    kst_jpeg_scan_geometry(&encoding->frame, scan->component, scan->component_count, &geometry);
    result->restart_interval = kst_jpeg_restart_interval(&encoding->restart, &geometry);
    kst_jpeg_cpu_bit_string_init(&result->bits, memory);
    if (!coding->source.coefficients) {
        kst_jpeg_cpu_set_aside_begin(&result->aside, memory, coding->source.spill);
        worker->aside = &result->aside;
    }
    worker->coding = coding;
    worker->memory = memory;
    worker->blocks_left = coding->blocks_most;
    worker->bits = &result->bits;
    worker->tokens.dsp = coding->dsp;
    worker->tokens.frame = &encoding->frame;
    worker->tokens.scan = scan;
    worker->tokens.huffman = encoding->huffman;
    worker->tokens.restart_interval = result->restart_interval;
    worker->tokens.arg = worker;
    status = open_source(worker);
    if (!status && add_block(worker, &status)) {
        worker->tokens.token = worker->first->token;
        status = encode_scan(worker, result);
    }
    close_source(worker);
    while (worker->first)
        drop_first(worker);
    if (worker->aside)
        kst_jpeg_cpu_bit_string_release(&result->bits);
    kst_memory_release(memory, worker);
    return status;
}

/* Write the data of a scan whose bits are in memory. */
static kst_status write_bits(struct scan *scan, struct sink *sink)
{
    struct jpeg_joiner joiner = {.sink = sink};
    kst_jpeg_cpu_join_pieces(&joiner, &scan->bits);
    kst_jpeg_cpu_join_end(&joiner);
    kst_status status = scan->bits.status ? scan->bits.status : sink->status;
    kst_jpeg_cpu_bit_string_release(&scan->bits);
    return status;
}

static kst_status write_aside(struct scan *scan, struct sink *sink)
{
    kst_status status = kst_jpeg_cpu_set_aside_write(&scan->aside, sink);
    kst_jpeg_cpu_set_aside_release(&scan->aside);
    return status;
}

/* Write a scan. The caller holds the lock. */
static kst_status write_scan(struct progressive_coding *coding, size_t index)
{
    struct scan *scan = &coding->scan[index];
    const kst_scan *parameters = &coding->script[index];
    const enum jpeg_table_class table_class = parameters->ss == 0 ? JPEG_DC : JPEG_AC;
    struct jpeg_table_set set = {{{NULL}}};
    set.table[table_class][0] = &scan->table[0];
    set.table[table_class][1] = &scan->table[1];
    kst_jpeg_write_scan(coding->sink, &coding->state, coding->encoding, parameters, &set, scan->restart_interval);
    return coding->source.coefficients ? write_bits(scan, coding->sink) : write_aside(scan, coding->sink);
}

/* Estimate how long a scan takes: AC takes longer than DC, low bits take longer than high ones. */
static uint64_t effort(const struct progressive_coding *coding, const kst_scan *scan)
{
    struct jpeg_scan_geometry geometry;
    kst_jpeg_scan_geometry(&coding->encoding->frame, scan->component, scan->component_count, &geometry);
    uint64_t blocks = (uint64_t)geometry.mcus_w * geometry.mcus_h * geometry.mcu_blocks;
    return scan->ss == 0 ? blocks : 32 * blocks >> scan->al;
}

static void scan_task(void *arg, uint32_t place)
{
    struct progressive_coding *coding = arg;
    const uint32_t index = coding->scan[place].turn;
    pthread_mutex_lock(&coding->lock);
    kst_status status = coding->status;
    pthread_mutex_unlock(&coding->lock);
    if (!status)
        status = work_on_scan(coding, &coding->script[index], &coding->scan[index]);
    if (!kst_progress_step(coding->op->progress, effort(coding, &coding->script[index])) && !status)
        status = KST_ERROR_CANCELLED;
    pthread_mutex_lock(&coding->lock);
    coding->scan[index].done = true;
    while (!status && !coding->status && coding->written < coding->script_length && coding->scan[coding->written].done)
        status = write_scan(coding, coding->written++);
    if (!coding->status)
        coding->status = status;
    pthread_mutex_unlock(&coding->lock);
}

static void enter_stage(const struct progressive_coding *coding)
{
    uint64_t total = 0;
    for (size_t i = 0; i < coding->script_length; i++)
        total += effort(coding, &coding->script[i]);
    kst_progress_enter(coding->op->progress, total, 1);
}

/* Let several threads take the longest scans first, so that none is left with a long one while the others are idle. */
static void choose_turns(struct progressive_coding *coding)
{
    for (uint32_t i = 0; i < coding->script_length; i++) {
        uint32_t place = i;
        uint64_t mine = effort(coding, &coding->script[i]);
        for (; place > 0 && kst_pool_threads(coding->op->pool) > 1; place--) {
            if (effort(coding, &coding->script[coding->scan[place - 1].turn]) >= mine)
                break;
            coding->scan[place].turn = coding->scan[place - 1].turn;
        }
        coding->scan[place].turn = i;
    }
}

/*
 * Return the most blocks of tokens that one scan may keep, if coefficients are kept: such that the tokens of the scans
 * that are coded at the same time take at most half of the memory of the coefficients.
 */
static size_t blocks_most(const struct operation *op, const struct jpeg_frame *frame)
{
    size_t blocks = 0;
    for (uint32_t c = 0; c < frame->component_count; c++)
        blocks += (size_t)frame->component[c].padded_w * frame->component[c].padded_h;
    return blocks * 128 / 2 / sizeof(struct token_block) / kst_pool_threads(op->pool);
}

kst_status kst_jpeg_cpu_progressive_encode(const struct operation *op, const struct jpeg_dsp *dsp,
    const struct jpeg_encoding *encoding, const kst_scan *script, size_t script_length,
    const struct jpeg_progressive_source *source, struct sink *sink)
{
    kst_status status = KST_OK;
    struct progressive_coding coding = {.op = op,
        .dsp = dsp,
        .encoding = encoding,
        .source = *source,
        .script = script,
        .script_length = script_length,
        .sink = sink,
        .blocks_most = source->coefficients ? blocks_most(op, &encoding->frame) : 0};
    coding.scan = kst_memory_zeroed(op->memory, script_length, sizeof *coding.scan, &status);
    if (!coding.scan)
        return status;
    choose_turns(&coding);
    enter_stage(&coding);
    pthread_mutex_init(&coding.lock, NULL);
    kst_pool_run(op->pool, (uint32_t)script_length, scan_task, &coding);
    pthread_mutex_destroy(&coding.lock);
    for (size_t i = 0; i < script_length; i++) {
        if (coding.scan[i].bits.memory)
            kst_jpeg_cpu_bit_string_release(&coding.scan[i].bits);
        if (coding.scan[i].aside.memory)
            kst_jpeg_cpu_set_aside_release(&coding.scan[i].aside);
    }
    kst_memory_release(op->memory, coding.scan);
    return coding.status;
}
