/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes T.814's code-blocks bit by bit. */
#include <string.h>

#include "j2k/tables/ht.h"
#include "support/j2k/model_ht.h"

static void put(struct model_ht_bits *bits, uint64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bits->bit[bits->count++] = value >> i & 1;
}

/* Take bits; behind the last one all bits are `filling`. */
static uint32_t take(struct model_ht_bits *bits, uint32_t count, uint32_t filling)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, bits->at++)
        value |= (bits->at < bits->count ? bits->bit[bits->at] : filling) << i;
    return value;
}

static uint32_t bytes_forward(struct model_ht_bits *bits, uint32_t filling, uint8_t *to)
{
    uint32_t length = 0, previous = 0;
    for (bits->at = 0; bits->at < bits->count; length++)
        previous = to[length] = (uint8_t)take(bits, previous == 0xFF ? 7 : 8, filling);
    return length;
}

/* Store bytes from to[−1] downwards; `previous` is the byte that precedes them in this order. */
static uint32_t bytes_backward(struct model_ht_bits *bits, uint32_t previous, uint8_t *to)
{
    uint32_t length = 0;
    while (bits->at < bits->count) {
        uint32_t byte = take(bits, 7, 0);
        if (previous <= 0x8F || byte != 0x7F)
            byte |= take(bits, 1, 0) << 7;
        previous = *--to = (uint8_t)byte;
        length++;
    }
    return length;
}

static uint32_t mel_bytes(struct model_ht_bits *bits, uint8_t *to)
{
    uint32_t length = 0, previous = 0;
    for (bits->at = 0; bits->at < bits->count; length++) {
        uint32_t byte = 0;
        for (uint32_t i = previous == 0xFF ? 7 : 8; i-- > 0; bits->at++)
            byte |= (uint32_t)(bits->at < bits->count ? bits->bit[bits->at] : 0) << i;
        previous = to[length] = (uint8_t)byte;
    }
    return length;
}

static void put_event(struct model_ht *model, uint32_t event)
{
    uint32_t exponent = model_ht_exponent[model->mel_state];
    if (!event && ++model->mel_run < 1U << exponent)
        return;
    put(&model->mel, !event, 1);
    for (uint32_t i = exponent; event && i-- > 0;)
        put(&model->mel, model->mel_run >> i, 1);
    model->mel_state = event ? model->mel_state - (model->mel_state > 0) : model->mel_state + (model->mel_state < 12);
    model->mel_run = 0;
}

/* Return the index of the codeword that gives the most of the exponents' highest bits. */
static uint32_t find_code(uint32_t row, uint32_t context, uint32_t rho, uint32_t offset, uint32_t highest)
{
    uint32_t found = 1024, most = 0;
    for (uint32_t i = 128 * context; i < 128 * context + 128; i++) {
        uint32_t entry = model_ht_table[row > 0][i], known = J2K_HT_VLC_KNOWN(entry);
        if (J2K_HT_VLC_RHO(entry) == rho && J2K_HT_VLC_OFFSET(entry) == offset &&
            (highest & known) == J2K_HT_VLC_ONE(entry) &&
            (found == 1024 || (uint32_t)__builtin_popcount(known) > most)) {
            found = i;
            most = (uint32_t)__builtin_popcount(known);
        }
    }
    return found;
}

struct quad {
    uint32_t rho, context, u, most, entry;
};

static struct quad look_at_quad(struct model_ht *model, int32_t x, int32_t y)
{
    struct quad quad = {.rho = model_ht_rho(model, x, y), .context = model_ht_context(model, x, y)};
    uint32_t kappa = model_ht_kappa(model, x, y), highest = 0;
    for (int32_t i = 0; i < 4; i++) {
        uint32_t exponent = model_ht_at(model, x + i / 2, y + i % 2)->exponent;
        quad.most = exponent > quad.most ? exponent : quad.most;
    }
    quad.u = quad.most > kappa ? quad.most - kappa : 0;
    quad.most = kappa + quad.u;
    for (int32_t i = 0; i < 4 && quad.u > 0; i++)
        highest |= (uint32_t)(model_ht_at(model, x + i / 2, y + i % 2)->exponent == quad.most) << i;
    if (quad.context == 0)
        put_event(model, quad.rho != 0);
    if (quad.context == 0 && quad.rho == 0)
        return quad;
    uint32_t code = find_code((uint32_t)y, quad.context, quad.rho, quad.u > 0, highest);
    quad.entry = model_ht_table[y > 0][code];
    put(&model->vlc, code, J2K_HT_VLC_LENGTH(quad.entry));
    return quad;
}

static void put_samples(struct model_ht *model, int32_t x, int32_t y, const struct quad *quad, uint32_t plane)
{
    for (int32_t i = 0; i < 4; i++) {
        const struct model_ht_sample *sample = model_ht_at(model, x + i / 2, y + i % 2);
        if (sample->significant)
            put(&model->magsgn, 2 * ((sample->magnitude >> plane) - 1) + sample->negative,
                quad->most - (J2K_HT_VLC_KNOWN(quad->entry) >> i & 1));
    }
}

static void put_prefix(struct model_ht_bits *vlc, uint32_t u)
{
    if (u == 1 || u == 2)
        put(vlc, u, u);
    else if (u > 2)
        put(vlc, u < 5 ? 4 : 0, 3);
}

static void put_suffix(struct model_ht_bits *vlc, uint32_t u)
{
    if (u == 3 || u == 4)
        put(vlc, u - 3, 1);
    else if (u > 4)
        put(vlc, u < 33 ? u - 5 : 28 + (u - 33) % 4, 5);
}

static void put_u(struct model_ht *model, int32_t y, uint32_t first, uint32_t second)
{
    bool both = y == 0 && first > 0 && second > 0, large = first > 2 && second > 2;
    struct model_ht_bits *vlc = &model->vlc;
    if (both)
        put_event(model, large);
    if (both && large) {
        first -= 2;
        second -= 2;
    }
    put_prefix(vlc, first);
    if (both && !large && first > 2) {
        put(vlc, second - 1, 1);
        second = 0;
    }
    put_prefix(vlc, second);
    put_suffix(vlc, first);
    put_suffix(vlc, second);
    if (first >= 33)
        put(vlc, (first - 33) / 4, 4);
    if (second >= 33)
        put(vlc, (second - 33) / 4, 4);
}

static void find_significant(struct model_ht *model, uint32_t plane)
{
    for (int32_t y = 0; y < (int32_t)(model->height + 1) / 2 * 2; y++)
        for (int32_t x = 0; x < (int32_t)(model->width + 1) / 2 * 2; x++) {
            struct model_ht_sample *sample = model_ht_at(model, x, y);
            uint64_t magnitude = sample->magnitude >> plane;
            sample->significant = magnitude > 0;
            sample->exponent = (uint8_t)(magnitude > 0 ? model_ht_length(2 * magnitude - 1) : 0);
        }
}

static uint32_t finish(struct model_ht *model, uint8_t *to)
{
    uint32_t length = bytes_forward(&model->magsgn, 1, to);
    static uint8_t room[8192];
    uint8_t *end = room + sizeof room - 2, first;
    length -= length > 0 && to[length - 1] == 0xFF;
    if (model->mel_run > 0)
        put(&model->mel, 1, 1);
    uint32_t mel = mel_bytes(&model->mel, to + length);
    model->vlc.at = 0;
    uint32_t nibble = take(&model->vlc, 3, 0);
    if (nibble != 7)
        nibble |= take(&model->vlc, 1, 0) << 3;
    first = (uint8_t)(nibble << 4 | 15);
    uint32_t vlc = bytes_backward(&model->vlc, first, end);
    memcpy(to + length + mel, end - vlc, vlc);
    uint32_t suffix = mel + vlc + 2;
    length += suffix;
    to[length - 2] = (uint8_t)(nibble << 4 | (suffix & 15));
    to[length - 1] = (uint8_t)(suffix >> 4);
    return length;
}

uint32_t model_ht_encode(struct model_ht *model, uint32_t plane, uint8_t *cleanup)
{
    model->magsgn.count = model->mel.count = model->vlc.count = 0;
    model->mel_state = model->mel_run = 0;
    find_significant(model, plane);
    for (int32_t y = 0; y < (int32_t)model->height; y += 2)
        for (int32_t x = 0; x < (int32_t)model->width; x += 4) {
            struct quad pair[2] = {look_at_quad(model, x, y)};
            if (x + 2 < (int32_t)model->width)
                pair[1] = look_at_quad(model, x + 2, y);
            put_u(model, y, pair[0].u, pair[1].u);
            put_samples(model, x, y, &pair[0], plane);
            put_samples(model, x + 2, y, &pair[1], plane);
        }
    return finish(model, cleanup);
}

static void spread_group(struct model_ht *model, int32_t x0, int32_t y0, uint32_t plane)
{
    for (int32_t i = 0; i < 16; i++) {
        int32_t x = x0 + i / 4, y = y0 + i % 4;
        struct model_ht_sample *sample = model_ht_at(model, x, y);
        bool inside = x < (int32_t)model->width && y < (int32_t)model->height;
        if (!inside || sample->significant || !model_ht_is_near(model, x, y))
            continue;
        sample = model_ht_at(model, x, y);
        sample->fresh = sample->magnitude >> (plane - 1) & 1;
        put(&model->forward, sample->fresh, 1);
    }
    for (int32_t i = 0; i < 16; i++) {
        const struct model_ht_sample *sample = model_ht_at(model, x0 + i / 4, y0 + i % 4);
        if (sample->fresh)
            put(&model->forward, sample->negative, 1);
    }
}

uint32_t model_ht_encode_refinement(struct model_ht *model, uint32_t plane, uint32_t passes, uint8_t *refinement)
{
    static uint8_t room[8192];
    model->forward.count = model->backward.count = model->backward.at = 0;
    for (uint32_t i = 0; i < sizeof model->sample / sizeof model->sample[0]; i++)
        model->sample[i].fresh = 0;
    for (int32_t y = 0; y < (int32_t)model->height; y += 4)
        for (int32_t x = 0; x < (int32_t)model->width; x += 4)
            spread_group(model, x, y, plane);
    for (int32_t y = 0; y < (int32_t)model->height && passes > 2; y += 4)
        for (int32_t x = 0; x < (int32_t)model->width; x++)
            for (int32_t i = 0; i < 4; i++)
                if (model_ht_at(model, x, y + i)->significant)
                    put(&model->backward, model_ht_at(model, x, y + i)->magnitude >> (plane - 1) & 1, 1);
    uint32_t length = bytes_forward(&model->forward, 0, refinement);
    uint32_t more = bytes_backward(&model->backward, 0xFF, room + sizeof room);
    memcpy(refinement + length, room + sizeof room - more, more);
    length += more;
    if (length > 0 && refinement[length - 1] == 0xFF)
        refinement[length++] = 0;
    return length;
}
