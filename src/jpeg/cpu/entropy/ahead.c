/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a scan from a guessed place to tokens, and turns the tokens into coefficients once their MCUs are known. */
#include "jpeg/cpu/entropy/ahead.h"

#include "core/report.h"

/* Capacity for tokens: photographs have one to three per byte, the more the lower their quality. */
enum { TOKENS_PER_BYTE = 4 };

static size_t mcu_tokens(const struct jpeg_entropy *entropy)
{
    return (size_t)entropy->mcu_blocks * JPEG_BLOCK_TOKENS;
}

/*
 * Return the number of tokens to make room for. The MCUs of the picture limit it, too, because a scan's data may go on
 * long after the last MCU.
 */
static size_t capacity(const struct jpeg_entropy *entropy, uint64_t length)
{
    uint64_t most = (uint64_t)entropy->mcus * mcu_tokens(entropy);
    uint64_t wanted = length < most / TOKENS_PER_BYTE ? length * TOKENS_PER_BYTE : most;
    return wanted < UINT32_MAX ? (size_t)wanted : UINT32_MAX;
}

kst_status kst_jpeg_cpu_ahead_create(
    struct memory *memory, struct jpeg_ahead *ahead, const struct jpeg_entropy *entropy, double share, uint32_t step)
{
    kst_status status = KST_OK;
    uint64_t length;
    const uint8_t *data = kst_jpeg_cpu_scan_data(entropy, &length);
    uint64_t start = kst_jpeg_cpu_guess_place(entropy, (uint64_t)((double)length * share));
    *ahead = (struct jpeg_ahead){.entropy = entropy, .start = data + start, .step = step};
    ahead->token_capacity = capacity(entropy, length - start);
    ahead->token = kst_memory_array(memory, ahead->token_capacity, sizeof *ahead->token, &status);
    if (!status)
        ahead->first = kst_memory_array(memory, entropy->mcus, sizeof *ahead->first, &status);
    if (!status)
        ahead->checkpoint =
            kst_memory_array(memory, (size_t)entropy->mcus / step + 1, sizeof *ahead->checkpoint, &status);
    if (status) {
        kst_jpeg_cpu_ahead_release(memory, ahead);
        return status;
    }
    kst_jpeg_cpu_cursor_start(entropy, &ahead->checkpoint[0], 0);
    jpeg_bits_start(&ahead->checkpoint[0].bits, data + start, (size_t)(length - start));
    return KST_OK;
}

void kst_jpeg_cpu_ahead_release(struct memory *memory, struct jpeg_ahead *ahead)
{
    kst_memory_release(memory, ahead->token);
    kst_memory_release(memory, ahead->first);
    kst_memory_release(memory, ahead->checkpoint);
    ahead->token = NULL;
    ahead->first = NULL;
    ahead->checkpoint = NULL;
}

/*
 * Move the guess behind bits that were no code. This is possible because no other thread uses the guess until the first
 * `step` MCUs are complete.
 */
static void guess_again(struct jpeg_ahead *ahead, struct jpeg_cursor *cursor)
{
    cursor->mcu = 0;
    kst_jpeg_cpu_damage_init(&cursor->damage);
    ahead->borders.count = 0;
    ahead->token_count = 0;
}

/* Decode several MCUs before MCU `end` at once. Returns false if this is impossible or must be left to single MCUs. */
static bool read_run(struct jpeg_ahead *ahead, struct jpeg_cursor *cursor, uint32_t end)
{
    const struct jpeg_entropy *entropy = ahead->entropy;
    const struct jpeg_cursor before = *cursor;
    uint32_t length[JPEG_RUN_BLOCKS];
    uint32_t limit = end < entropy->mcus ? end : entropy->mcus;
    if (!entropy->store_run || ahead->borders.count < JPEG_BORDERS || cursor->mcu >= limit)
        return false;
    uint32_t count = limit - cursor->mcu < entropy->run_mcus ? limit - cursor->mcu : entropy->run_mcus;
    if ((ahead->token_capacity - ahead->token_count) / count < mcu_tokens(entropy))
        return false;
    if (!entropy->store_run(entropy, cursor, count, ahead->token + ahead->token_count, length)) {
        *cursor = before;
        return false;
    }
    for (uint32_t i = 0; i < count; i++, cursor->mcu++) {
        ahead->first[cursor->mcu] = (uint32_t)ahead->token_count;
        ahead->token_count += length[i];
    }
    return true;
}

bool kst_jpeg_cpu_ahead_read(struct jpeg_ahead *ahead)
{
    const struct jpeg_entropy *entropy = ahead->entropy;
    struct jpeg_cursor cursor = ahead->checkpoint[ahead->count / ahead->step];
    uint32_t end = ahead->count + ahead->step;
    size_t used = ahead->token_count;
    while (read_run(ahead, &cursor, end))
        continue;
    while (cursor.mcu < end) {
        if (cursor.mcu >= entropy->mcus || ahead->token_capacity - ahead->token_count < mcu_tokens(entropy))
            break;
        kst_jpeg_cpu_borders_keep(&ahead->borders, entropy, &cursor);
        ahead->first[cursor.mcu] = (uint32_t)ahead->token_count;
        uint16_t *behind = entropy->store_mcu(entropy, &cursor, ahead->token + ahead->token_count);
        ahead->token_count = (size_t)(behind - ahead->token);
        cursor.mcu++;
        if (jpeg_bits_overrun(&cursor.bits) || (cursor.damage.invalid > 0 && ahead->count > 0))
            break;
        if (cursor.damage.invalid > 0)
            guess_again(ahead, &cursor);
    }
    if (cursor.mcu < end || jpeg_bits_overrun(&cursor.bits) || cursor.damage.invalid > 0) {
        ahead->token_count = used;
        return false;
    }
    ahead->count = end;
    ahead->checkpoint[end / ahead->step] = cursor;
    return true;
}

void kst_jpeg_cpu_ahead_blocks(
    const struct jpeg_ahead *ahead, const struct jpeg_shift *shift, uint32_t mcu, int16_t *blocks, uint8_t *last)
{
    const struct jpeg_entropy *entropy = ahead->entropy;
    const uint16_t *token = ahead->token + ahead->first[mcu - shift->mcu];
    memset(blocks, 0, (size_t)entropy->mcu_blocks * 64 * sizeof *blocks);
    for (uint32_t i = 0; i < entropy->mcu_blocks; i++, blocks += 64) {
        blocks[0] = (int16_t)(uint16_t)(token[0] + shift->dc[entropy->block_component[i]]);
        last[i] = (uint8_t)(token[1] >> 8);
        const uint16_t *end = token + JPEG_TOKEN_HEAD + (token[1] & 255);
        for (token += JPEG_TOKEN_HEAD; token < end; token++) {
            uint32_t place = *token / JPEG_TOKEN_VALUES;
            uint32_t value = *token % JPEG_TOKEN_VALUES;
            if (__builtin_expect(value == JPEG_TOKEN_ESCAPE, 0))
                blocks[place] = (int16_t) * ++token;
            else
                blocks[place] = (int16_t)((int32_t)(value ^ JPEG_TOKEN_ESCAPE) - JPEG_TOKEN_ESCAPE);
        }
    }
}
