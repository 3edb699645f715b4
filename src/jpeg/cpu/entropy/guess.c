/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skips through chunks of a scan from guesses, in parallel, and joins the runs into checkpoints that count from its
 * start.
 */
#include "jpeg/cpu/entropy/guess.h"

#include "core/report.h"
#include "jpeg/cpu/entropy/borders.h"
#include "jpeg/syntax/parse.h"

enum {
    LEAST_CHUNK = 1 << 13, /* bytes of the smallest chunk */
    CHUNKS_PER_THREAD = 4,
    CHECKPOINTS = 128 /* checkpoints kept per run; when they are full, every second one is dropped */
};

/*
 * Describes one chunk, skipped through from a guess. MCUs and DC predictions count from the guess until they are
 * shifted.
 */
struct guessed_chunk {
    const uint8_t *end;        /* end of the chunk */
    struct jpeg_cursor cursor; /* the run's current position */
    struct jpeg_borders borders;
    struct jpeg_cursor checkpoint[CHECKPOINTS];
    uint32_t checkpoint_count;
    uint32_t spacing;        /* distance of the checkpoints, in MCUs */
    bool joined;             /* the run of the chunk before, continued, met one of this run's borders */
    uint32_t join;           /* the border that it met */
    bool again;              /* no border in common: the chunk was read again, with the right count */
    struct jpeg_shift shift; /* to the count of the run before; once linked, to the scan's count */
};

struct guess {
    const struct jpeg_entropy *entropy;
    const kst_searched *searched;
    struct guessed_chunk *run;
    uint32_t count;
};

/* Keep a checkpoint where one is due. Returns whether it was. */
static bool keep_checkpoint(struct guessed_chunk *run)
{
    if (run->cursor.mcu % run->spacing != 0)
        return false;
    if (run->checkpoint_count == CHECKPOINTS) {
        for (uint32_t i = 0; i < CHECKPOINTS / 2; i++)
            run->checkpoint[i] = run->checkpoint[2 * i];
        run->checkpoint_count = CHECKPOINTS / 2;
        run->spacing *= 2;
    }
    run->checkpoint[run->checkpoint_count++] = run->cursor;
    return true;
}

static void skip_one(const struct jpeg_entropy *entropy, struct jpeg_cursor *cursor)
{
    entropy->skip_mcu(entropy, cursor);
    cursor->mcu++;
}

static bool at_end(const struct jpeg_entropy *entropy, const struct guessed_chunk *run)
{
    const struct jpeg_cursor *cursor = &run->cursor;
    return cursor->bits.next >= run->end || cursor->mcu >= entropy->mcus || jpeg_bits_overrun(&cursor->bits);
}

static uint64_t chunk_place(const struct guess *guess, uint32_t index)
{
    uint64_t length;
    kst_jpeg_cpu_scan_data(guess->entropy, &length);
    return kst_jpeg_cpu_guess_place(guess->entropy, length * index / guess->count);
}

/* Skip to the end of the chunk, guessing that an MCU starts at its beginning. */
static void run_task(void *arg, uint32_t index)
{
    const struct guess *guess = arg;
    const struct jpeg_entropy *entropy = guess->entropy;
    struct guessed_chunk *run = &guess->run[index];
    uint64_t length;
    uint64_t start = chunk_place(guess, index);
    const uint8_t *data = kst_jpeg_cpu_scan_data(entropy, &length);
    size_t reported = start;
    run->end = data + chunk_place(guess, index + 1);
    kst_jpeg_cpu_cursor_start(entropy, &run->cursor, 0);
    jpeg_bits_start(&run->cursor.bits, data + start, (size_t)(length - start));
    while (!at_end(entropy, run)) {
        kst_jpeg_cpu_borders_keep(&run->borders, entropy, &run->cursor);
        if (keep_checkpoint(run))
            kst_jpeg_report_searched(guess->searched, data, &reported, (size_t)(run->cursor.bits.next - data));
        skip_one(entropy, &run->cursor);
    }
    kst_jpeg_report_part(guess->searched, data, reported, (size_t)(run->cursor.bits.next - data), (size_t)length);
}

/* Continue the run of the chunk before until it meets a border of this chunk's run, or passes all of them. */
static void join(const struct jpeg_entropy *entropy, const struct guessed_chunk *before, struct guessed_chunk *run)
{
    run->joined =
        kst_jpeg_cpu_borders_meet(&run->borders, run->borders.count, entropy, &before->cursor, &run->join, &run->shift);
}

static void join_task(void *arg, uint32_t index)
{
    const struct guess *guess = arg;
    join(guess->entropy, &guess->run[index], &guess->run[index + 1]);
}

/* Read a chunk again, from where the run before ended. Its shift stays 0, as it counts from the scan's start. */
static void read_again(
    const struct jpeg_entropy *entropy, const struct guessed_chunk *before, struct guessed_chunk *run)
{
    run->again = true;
    run->cursor = before->cursor;
    run->shift = (struct jpeg_shift){0};
    kst_jpeg_cpu_shift_cursor(&before->shift, &run->cursor);
    run->checkpoint_count = 0;
    while (!at_end(entropy, run)) {
        keep_checkpoint(run);
        skip_one(entropy, &run->cursor);
    }
}

/*
 * Make a run count from the start of the scan; the run before it does so already. If that run was read again, this run
 * had been joined with one that never was in step, so it is joined again.
 */
static void link_run(const struct jpeg_entropy *entropy, const struct guessed_chunk *before, struct guessed_chunk *run)
{
    if (before->again)
        join(entropy, before, run);
    if (!run->joined) {
        read_again(entropy, before, run);
        return;
    }
    run->shift.mcu += before->shift.mcu;
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++)
        run->shift.dc[i] += before->shift.dc[i];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->checkpoint_count; i++) {
        struct jpeg_cursor cursor = run->checkpoint[i];
        if (cursor.mcu < run->join)
            continue;
        kst_jpeg_cpu_shift_cursor(&run->shift, &cursor);
        if (cursor.mcu < entropy->mcus)
            run->checkpoint[kept++] = cursor;
    }
    run->checkpoint_count = kept;
}

static kst_status collect(struct memory *memory, const struct guess *guess, struct jpeg_checkpoints *checkpoints)
{
    kst_status status = KST_OK;
    size_t total = 0;
    for (uint32_t i = 0; i < guess->count; i++)
        total += guess->run[i].checkpoint_count;
    checkpoints->count = 0;
    checkpoints->cursor = kst_memory_array(memory, total, sizeof *checkpoints->cursor, &status);
    for (uint32_t i = 0; !status && i < guess->count; i++) {
        const struct guessed_chunk *run = &guess->run[i];
        memcpy(
            checkpoints->cursor + checkpoints->count, run->checkpoint, run->checkpoint_count * sizeof *run->checkpoint);
        checkpoints->count += run->checkpoint_count;
    }
    return status;
}

static uint32_t chunk_count(const struct jpeg_entropy *entropy, uint32_t threads)
{
    uint64_t length;
    kst_jpeg_cpu_scan_data(entropy, &length);
    uint64_t most = length / LEAST_CHUNK + 1;
    uint64_t wanted = (uint64_t)threads * CHUNKS_PER_THREAD;
    return (uint32_t)(wanted < most ? wanted : most);
}

kst_status kst_jpeg_cpu_checkpoints_find(const struct operation *op, const struct jpeg_entropy *entropy,
    uint32_t spacing, struct jpeg_checkpoints *checkpoints)
{
    kst_status status = KST_OK;
    struct guess guess = {
        .entropy = entropy, .searched = op->searched, .count = chunk_count(entropy, kst_pool_threads(op->pool))};
    guess.run = kst_memory_zeroed(op->memory, guess.count, sizeof *guess.run, &status);
    if (!guess.run)
        return status;
    for (uint32_t i = 0; i < guess.count; i++)
        guess.run[i].spacing = spacing;
    kst_pool_run(op->pool, guess.count, run_task, &guess);
    kst_pool_run(op->pool, guess.count - 1, join_task, &guess);
    for (uint32_t i = 1; i < guess.count; i++)
        link_run(entropy, &guess.run[i - 1], &guess.run[i]);
    status = collect(op->memory, &guess, checkpoints);
    kst_memory_release(op->memory, guess.run);
    return status;
}

void kst_jpeg_cpu_checkpoints_release(struct memory *memory, struct jpeg_checkpoints *checkpoints)
{
    kst_memory_release(memory, checkpoints->cursor);
    checkpoints->cursor = NULL;
    checkpoints->count = 0;
}

void kst_jpeg_cpu_checkpoints_seek(const struct jpeg_checkpoints *checkpoints, const struct jpeg_entropy *entropy,
    uint32_t mcu, struct jpeg_cursor *cursor)
{
    uint32_t low = 0, high = checkpoints->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (checkpoints->cursor[middle].mcu <= mcu)
            low = middle;
        else
            high = middle;
    }
    *cursor = checkpoints->cursor[low];
    cursor->to_go = entropy->mcus - cursor->mcu;
    cursor->ended = jpeg_bits_overrun(&cursor->bits);
    kst_jpeg_cpu_skip_mcus(entropy, cursor, mcu - cursor->mcu);
    kst_jpeg_cpu_damage_init(&cursor->damage);
}
