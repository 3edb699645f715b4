/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes streams whose structure a fuzzer's bytes choose. */
#include "made.h"

#include <stdlib.h>
#include <string.h>

void made_begin(struct made *made, const uint8_t *input, size_t length)
{
    *made = (struct made){.input = input, .left = length, .random = 2166136261U};
    for (size_t i = 0; i < length; i++)
        made->random = (made->random ^ input[i]) * 16777619U;
    made->random |= 1;
}

void made_end(struct made *made)
{
    free(made->data);
    made->data = NULL;
}

struct made made_apart(struct made *made)
{
    struct made apart = {.input = made->input, .left = made->left, .random = made->random, .stuffed = made->stuffed};
    return apart;
}

void made_join(struct made *made, struct made *apart)
{
    made_put_all(made, apart->data, apart->length);
    made->input = apart->input;
    made->left = apart->left;
    made->random = apart->random;
    made_end(apart);
}

uint32_t made_random(struct made *made, uint32_t bound)
{
    made->random ^= made->random << 13;
    made->random ^= made->random >> 17;
    made->random ^= made->random << 5;
    return (made->random >> 4) % bound;
}

uint32_t made_choose(struct made *made, uint32_t bound)
{
    size_t bytes = bound > 256 ? 2 : 1;
    uint32_t value = 0;
    if (made->left < bytes)
        return made_random(made, bound);
    made->left -= bytes;
    for (; bytes > 0; bytes--)
        value = value << 8 | *made->input++;
    return value % bound;
}

bool made_rarely(struct made *made, uint32_t one_in)
{
    return made_choose(made, one_in) == one_in - 1;
}

void made_put_all(struct made *made, const void *data, size_t length)
{
    if (made->length + length > made->room) {
        made->room = 2 * (made->length + length) + 256;
        made->data = realloc(made->data, made->room);
        fuzz_check(made->data != NULL, "there is memory for a stream");
    }
    if (length > 0)
        memcpy(made->data + made->length, data, length);
    made->length += length;
}

void made_put8(struct made *made, uint32_t value)
{
    uint8_t byte = (uint8_t)value;
    made_put_all(made, &byte, 1);
}

void made_put16(struct made *made, uint32_t value)
{
    made_put8(made, value >> 8);
    made_put8(made, value);
}

void made_put32(struct made *made, uint32_t value)
{
    made_put16(made, value >> 16);
    made_put16(made, value);
}

size_t made_open(struct made *made, uint32_t marker)
{
    made_put16(made, 0xFF00 | marker);
    made_put16(made, 0);
    return made->length - 2;
}

void made_close(struct made *made, size_t at)
{
    size_t length = made->length - at;
    made->data[at] = (uint8_t)(length >> 8);
    made->data[at + 1] = (uint8_t)length;
}

static void put_byte_of_bits(struct made *made)
{
    made_put8(made, made->bits);
    bool full = (made->bits & 0xFF) == 0xFF;
    made->bits = made->bit_count = 0;
    if (full && made->stuffed)
        made_put8(made, 0);
    else if (full)
        made->bit_count = 1;
}

void made_put_bits(struct made *made, uint32_t value, uint32_t count)
{
    while (count-- > 0) {
        made->bits = made->bits << 1 | (value >> count & 1);
        if (++made->bit_count == 8)
            put_byte_of_bits(made);
    }
}

void made_end_bits(struct made *made, uint32_t fill)
{
    while (made->bit_count > 0)
        made_put_bits(made, fill, 1);
}

void made_damage(struct made *made)
{
    uint32_t changes = made_rarely(made, 4) ? 1 + made_choose(made, 6) : 0;
    for (uint32_t i = 0; i < changes; i++)
        made->data[made_random(made, (uint32_t)made->length)] = (uint8_t)made_random(made, 256);
    if (made_rarely(made, 12))
        made->length -= made_random(made, (uint32_t)made->length);
}

uint8_t *made_copy(const struct made *made)
{
    uint8_t *copy = malloc(made->length > 0 ? made->length : 1);
    fuzz_check(copy != NULL, "there is memory for a stream");
    memcpy(copy, made->data, made->length);
    return copy;
}
