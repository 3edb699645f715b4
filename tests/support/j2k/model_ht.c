/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes T.814's code-blocks bit by bit, and computes what both directions derive from a sample's neighbours. */
#include "support/j2k/model_ht.h"

#include <string.h>

#include "j2k/tables/ht.h"
#include "j2k/tables/ht_vlc.h"

const uint16_t model_ht_table[2][1024] = {{J2K_HT_VLC_FIRST}, {J2K_HT_VLC_NEXT}};
const uint8_t model_ht_exponent[13] = {J2K_HT_MEL_EXPONENTS};

static uint32_t pitch_of(const struct model_ht *model)
{
    return (model->width + 1) / 2 * 2;
}

struct model_ht_sample *model_ht_at(struct model_ht *model, int32_t x, int32_t y)
{
    static struct model_ht_sample outside;
    int32_t width = (int32_t)pitch_of(model), height = (int32_t)(model->height + 1) / 2 * 2;
    memset(&outside, 0, sizeof outside);
    return x < 0 || y < 0 || x >= width || y >= height ? &outside : &model->sample[y * width + x];
}

uint32_t model_ht_length(uint64_t value)
{
    uint32_t length = 0;
    for (; value > 0; value >>= 1)
        length++;
    return length;
}

static uint32_t is_significant(struct model_ht *model, int32_t x, int32_t y)
{
    return model_ht_at(model, x, y)->significant;
}

/* Return the significance of a quad's samples, column by column. */
uint32_t model_ht_rho(struct model_ht *model, int32_t x, int32_t y)
{
    uint32_t rho = 0;
    for (int32_t i = 0; i < 4; i++)
        rho |= is_significant(model, x + i / 2, y + i % 2) << i;
    return rho;
}

uint32_t model_ht_context(struct model_ht *model, int32_t x, int32_t y)
{
    if (y == 0)
        return (is_significant(model, x - 2, 0) | is_significant(model, x - 2, 1)) +
               2 * is_significant(model, x - 1, 0) + 4 * is_significant(model, x - 1, 1);
    return (is_significant(model, x - 1, y - 1) | is_significant(model, x, y - 1)) +
           2 * (is_significant(model, x - 1, y) | is_significant(model, x - 1, y + 1)) +
           4 * (is_significant(model, x + 1, y - 1) | is_significant(model, x + 2, y - 1));
}

uint32_t model_ht_kappa(struct model_ht *model, int32_t x, int32_t y)
{
    uint32_t rho = model_ht_rho(model, x, y), most = 0;
    for (int32_t i = -1; i < 3 && y > 0; i++) {
        uint32_t exponent = model_ht_at(model, x + i, y - 1)->exponent;
        most = exponent > most ? exponent : most;
    }
    bool several = rho != 0 && rho != 1 && rho != 2 && rho != 4 && rho != 8;
    return several && most > 2 ? most - 1 : 1;
}

bool model_ht_is_near(struct model_ht *model, int32_t x, int32_t y)
{
    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) {
            bool inside = x + dx < (int32_t)model->width && y + dy < (int32_t)model->height;
            const struct model_ht_sample *other = model_ht_at(model, x + dx, y + dy);
            if (inside && !(model->causal && dy > 0 && y % 4 == 3) && (other->significant || other->fresh))
                return true;
        }
    return false;
}

static void put(struct model_ht_bits *bits, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count && bits->count < MODEL_HT_BITS; i++)
        bits->bit[bits->count++] = value >> i & 1;
}

static uint32_t take(struct model_ht_bits *bits, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, bits->at++)
        value |= (uint32_t)(bits->at < bits->count ? bits->bit[bits->at] : 0) << i;
    return value;
}

static void read_forward(struct model_ht_bits *bits, const uint8_t *data, uint32_t length)
{
    uint32_t previous = 0;
    bits->count = bits->at = 0;
    for (uint32_t i = 0; i < length; i++) {
        put(bits, data[i], previous == 0xFF ? 7 : 8);
        previous = data[i];
    }
}

static void read_backward(struct model_ht_bits *bits, const uint8_t *data, uint32_t length, uint32_t previous)
{
    for (uint32_t i = length; i-- > 0; previous = data[i])
        put(bits, data[i], previous > 0x8F && (data[i] & 0x7F) == 0x7F ? 7 : 8);
}

/* Read the bits of MEL, followed by as many ones as a block can need. */
static void read_mel(struct model_ht_bits *bits, const uint8_t *data, uint32_t length)
{
    uint32_t previous = 0;
    bits->count = bits->at = 0;
    for (uint32_t i = 0; i < length + 4096; i++) {
        uint32_t byte = i + 1 < length ? data[i] : i + 1 == length ? data[i] | 15U : 0xFF;
        for (uint32_t b = previous == 0xFF ? 7 : 8; b-- > 0;)
            put(bits, byte >> b, 1);
        previous = byte;
    }
}

static uint32_t event(struct model_ht *model)
{
    if (model->mel_run == 0 && !model->mel_one) {
        uint32_t exponent = model_ht_exponent[model->mel_state];
        if (take(&model->mel, 1)) {
            model->mel_run = 1U << exponent;
            model->mel_state += model->mel_state < 12;
        } else {
            for (uint32_t i = 0; i < exponent; i++)
                model->mel_run = model->mel_run << 1 | take(&model->mel, 1);
            model->mel_one = true;
            model->mel_state -= model->mel_state > 0;
        }
    }
    if (model->mel_run > 0) {
        model->mel_run--;
        return 0;
    }
    model->mel_one = false;
    return 1;
}

static uint32_t take_quad(struct model_ht *model, int32_t x, int32_t y)
{
    uint32_t context = model_ht_context(model, x, y);
    if (context == 0 && !event(model))
        return 0;
    uint32_t at = model->vlc.at, entry = model_ht_table[y > 0][context << 7 | take(&model->vlc, 7)];
    model->vlc.at = at + J2K_HT_VLC_LENGTH(entry);
    for (int32_t i = 0; i < 4; i++)
        model_ht_at(model, x + i / 2, y + i % 2)->significant = J2K_HT_VLC_RHO(entry) >> i & 1;
    return entry;
}

static uint32_t take_prefix(struct model_ht_bits *vlc)
{
    return take(vlc, 1) ? 1 : take(vlc, 1) ? 2 : take(vlc, 1) ? 3 : 5;
}

static void take_u(struct model_ht *model, uint32_t row, const uint32_t entry[2], uint32_t u[2])
{
    struct model_ht_bits *vlc = &model->vlc;
    bool has[2] = {J2K_HT_VLC_OFFSET(entry[0]), J2K_HT_VLC_OFFSET(entry[1])}, both = row == 0 && has[0] && has[1];
    uint32_t prefix[2] = {0}, suffix[2] = {0}, more = both && event(model) ? 2 : 0;
    u[0] = u[1] = 0;
    if (has[0])
        prefix[0] = take_prefix(vlc);
    if (both && more == 0 && prefix[0] > 2) {
        u[1] = 1 + take(vlc, 1);
        has[1] = false;
    }
    if (has[1])
        prefix[1] = take_prefix(vlc);
    for (uint32_t i = 0; i < 2; i++)
        suffix[i] = prefix[i] == 3 ? take(vlc, 1) : prefix[i] == 5 ? take(vlc, 5) : 0;
    for (uint32_t i = 0; i < 2; i++)
        if (has[i])
            u[i] = prefix[i] + suffix[i] + (suffix[i] >= 28 ? 4 * take(vlc, 4) : 0) + more;
}

static uint64_t take_number(struct model_ht *model, uint32_t bits)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < bits; i++, model->magsgn.at++) {
        if (model->magsgn.at >= model->magsgn.count)
            model->damaged = true;
        else
            number |= (uint64_t)model->magsgn.bit[model->magsgn.at] << i;
    }
    return number;
}

static void take_samples(struct model_ht *model, int32_t x, int32_t y, uint32_t entry, uint32_t u)
{
    uint32_t most = model_ht_kappa(model, x, y) + u;
    if (J2K_HT_VLC_RHO(entry) != 0 && most > model->bits + 1)
        model->damaged = true;
    for (int32_t i = 0; i < 4 && !model->damaged; i++) {
        struct model_ht_sample *sample = model_ht_at(model, x + i / 2, y + i % 2);
        if (!sample->significant)
            continue;
        uint32_t bits = most - (J2K_HT_VLC_KNOWN(entry) >> i & 1);
        uint64_t number = take_number(model, bits) | (uint64_t)(J2K_HT_VLC_ONE(entry) >> i & 1) << bits;
        uint64_t magnitude = (number >> 1) + 1;
        if (model_ht_length(magnitude) > model->bits)
            model->damaged = true;
        sample->magnitude = magnitude << model->plane;
        sample->negative = number & 1;
        sample->plane = (uint8_t)model->plane;
        sample->exponent = (uint8_t)model_ht_length(2 * magnitude - 1);
    }
}

static void take_cleanup(struct model_ht *model)
{
    int32_t width = (int32_t)model->width, height = (int32_t)model->height;
    for (int32_t y = 0; y < height && !model->damaged; y += 2)
        for (int32_t x = 0; x < width && !model->damaged; x += 4) {
            uint32_t entry[2] = {take_quad(model, x, y)}, u[2];
            if (x + 2 < width)
                entry[1] = take_quad(model, x + 2, y);
            take_u(model, (uint32_t)y, entry, u);
            take_samples(model, x, y, entry[0], u[0]);
            take_samples(model, x + 2, y, entry[1], u[1]);
        }
    if (model->vlc.at > model->vlc.count)
        model->damaged = true;
}

static bool is_inside(const struct model_ht *model, int32_t x, int32_t y)
{
    return x < (int32_t)model->width && y < (int32_t)model->height;
}

/* Decode a group of four columns in a stripe: all magnitudes, then the signs of the samples that became significant. */
static void spread_group(struct model_ht *model, int32_t x0, int32_t y0)
{
    for (int32_t i = 0; i < 16; i++) {
        int32_t x = x0 + i / 4, y = y0 + i % 4;
        struct model_ht_sample *sample = model_ht_at(model, x, y);
        if (!is_inside(model, x, y) || sample->significant || !model_ht_is_near(model, x, y))
            continue;
        sample = model_ht_at(model, x, y);
        sample->fresh = (uint8_t)take(&model->forward, 1);
    }
    for (int32_t i = 0; i < 16; i++) {
        struct model_ht_sample *sample = model_ht_at(model, x0 + i / 4, y0 + i % 4);
        if (!sample->fresh || !is_inside(model, x0 + i / 4, y0 + i % 4))
            continue;
        sample->magnitude = UINT64_C(1) << (model->plane - 1);
        sample->plane = (uint8_t)(model->plane - 1);
        sample->negative = (uint8_t)take(&model->forward, 1);
    }
}

static void refine_group(struct model_ht *model, int32_t x0, int32_t y0)
{
    for (int32_t i = 0; i < 16; i++) {
        struct model_ht_sample *sample = model_ht_at(model, x0 + i / 4, y0 + i % 4);
        if (!sample->significant || !is_inside(model, x0 + i / 4, y0 + i % 4))
            continue;
        sample->magnitude |= (uint64_t)take(&model->backward, 1) << (model->plane - 1);
        sample->plane = (uint8_t)(model->plane - 1);
    }
}

static void for_groups(struct model_ht *model, void (*function)(struct model_ht *, int32_t, int32_t))
{
    for (int32_t y = 0; y < (int32_t)model->height; y += 4)
        for (int32_t x = 0; x < (int32_t)model->width; x += 4)
            function(model, x, y);
}

/* Clear the results of the last block, and divide the bytes of the cleanup pass into streams. */
static void start(struct model_ht *model, const struct j2k_codeword *cleanup)
{
    const uint32_t length = cleanup->length;
    const uint8_t *data = cleanup->data;
    memset(model->sample, 0, sizeof model->sample);
    model->mel_state = model->mel_run = 0;
    model->mel_one = false;
    model->damaged = length < 2 || length > 65534;
    if (model->damaged)
        return;
    const uint32_t suffix = 16U * data[length - 1] + (data[length - 2] & 15U);
    model->damaged = suffix < 2 || suffix > length || suffix > 4079;
    if (model->damaged)
        return;
    const uint32_t first = data[length - 2] >> 4;
    read_forward(&model->magsgn, data, length - suffix);
    put(&model->magsgn, 0xFF, length > suffix && data[length - suffix - 1] == 0xFF ? 7 : 8);
    read_mel(&model->mel, data + length - suffix, suffix - 1);
    model->vlc.count = model->vlc.at = 0;
    put(&model->vlc, first, (first & 7) == 7 ? 3 : 4);
    read_backward(&model->vlc, data + length - suffix, suffix - 2, data[length - 2] | 15U);
}

void model_ht_decode(struct model_ht *model, const struct j2k_codeword *codewords, uint32_t count)
{
    const struct j2k_codeword *cleanup = NULL, *refinement = NULL;
    uint32_t pass = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((pass + codewords[i].passes) % 3 == 1 && codewords[i].length > 0) {
            cleanup = &codewords[i];
            model->plane = model->planes - 1 - (pass + codewords[i].passes - 1) / 3;
            refinement = i + 1 < count && codewords[i + 1].passes < 3 && (pass + codewords[i].passes) % 3 == 1 &&
                                 (pass + codewords[i].passes + codewords[i + 1].passes) % 3 != 1
                             ? &codewords[i + 1]
                             : NULL;
        }
        pass += codewords[i].passes;
    }
    memset(model->sample, 0, sizeof model->sample);
    model->damaged = false;
    if (!cleanup)
        return;
    model->bits = model->missing + model->planes - model->plane;
    start(model, cleanup);
    if (refinement && refinement->length > 2046)
        model->damaged = true;
    if (!model->damaged)
        take_cleanup(model);
    if (model->damaged || !refinement)
        return;
    read_forward(&model->forward, refinement->data, refinement->length);
    model->backward.count = model->backward.at = 0;
    read_backward(&model->backward, refinement->data, refinement->length, 0xFF);
    for_groups(model, spread_group);
    if (refinement->passes > 1)
        for_groups(model, refine_group);
}
