/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements Annex C of T.800, procedure by procedure. */
#include "support/j2k/model.h"

static const struct {
    uint16_t qe;
    uint8_t nmps, nlps, change;
} rows[47] = {{0x5601, 1, 1, 1}, {0x3401, 2, 6, 0}, {0x1801, 3, 9, 0}, {0x0AC1, 4, 12, 0}, {0x0521, 5, 29, 0},
    {0x0221, 38, 33, 0}, {0x5601, 7, 6, 1}, {0x5401, 8, 14, 0}, {0x4801, 9, 14, 0}, {0x3801, 10, 14, 0},
    {0x3001, 11, 17, 0}, {0x2401, 12, 18, 0}, {0x1C01, 13, 20, 0}, {0x1601, 29, 21, 0}, {0x5601, 15, 14, 1},
    {0x5401, 16, 14, 0}, {0x5101, 17, 15, 0}, {0x4801, 18, 16, 0}, {0x3801, 19, 17, 0}, {0x3401, 20, 18, 0},
    {0x3001, 21, 19, 0}, {0x2801, 22, 19, 0}, {0x2401, 23, 20, 0}, {0x2201, 24, 21, 0}, {0x1C01, 25, 22, 0},
    {0x1801, 26, 23, 0}, {0x1601, 27, 24, 0}, {0x1401, 28, 25, 0}, {0x1201, 29, 26, 0}, {0x1101, 30, 27, 0},
    {0x0AC1, 31, 28, 0}, {0x09C1, 32, 29, 0}, {0x08A1, 33, 30, 0}, {0x0521, 34, 31, 0}, {0x0441, 35, 32, 0},
    {0x02A1, 36, 33, 0}, {0x0221, 37, 34, 0}, {0x0141, 38, 35, 0}, {0x0111, 39, 36, 0}, {0x0085, 40, 37, 0},
    {0x0049, 41, 38, 0}, {0x0025, 42, 39, 0}, {0x0015, 43, 40, 0}, {0x0009, 44, 41, 0}, {0x0005, 45, 42, 0},
    {0x0001, 45, 43, 0}, {0x5601, 46, 46, 0}};

void model_mq_reset(struct model_mq *mq)
{
    for (uint32_t i = 0; i < J2K_CONTEXTS; i++)
        mq->row[i] = mq->mps[i] = 0;
    mq->row[0] = 4;
    mq->row[17] = 3;
    mq->row[18] = 46;
}

/* Adapt the context after a symbol, which was the less probable one if `less` is true. */
static void adapt(struct model_mq *mq, uint32_t context, bool less)
{
    uint32_t row = mq->row[context];
    if (less && rows[row].change)
        mq->mps[context] ^= 1;
    mq->row[context] = less ? rows[row].nlps : rows[row].nmps;
}

void model_mq_start_encoding(struct model_mq *mq, uint8_t *data)
{
    mq->a = 0x8000;
    mq->c = 0;
    mq->bp = data - 1;
    *mq->bp = 0;
    mq->ct = 12;
}

static void byte_out(struct model_mq *mq)
{
    bool stuff = *mq->bp == 0xFF;
    if (!stuff && mq->c >= 0x8000000) {
        ++*mq->bp;
        mq->c &= 0x7FFFFFF;
        stuff = *mq->bp == 0xFF;
    }
    mq->bp++;
    *mq->bp = (uint8_t)(mq->c >> (stuff ? 20 : 19));
    mq->c &= stuff ? 0xFFFFF : 0x7FFFF;
    mq->ct = stuff ? 7 : 8;
}

void model_mq_encode(struct model_mq *mq, uint32_t context, uint32_t bit)
{
    uint32_t qe = rows[mq->row[context]].qe;
    bool less = bit != mq->mps[context];
    mq->a -= qe;
    if (!less && (mq->a & 0x8000) != 0) {
        mq->c += qe;
        return;
    }
    if (less ? mq->a < qe : mq->a >= qe)
        mq->c += qe;
    else
        mq->a = qe;
    adapt(mq, context, less);
    do {
        mq->a <<= 1;
        mq->c <<= 1;
        if (--mq->ct == 0)
            byte_out(mq);
    } while ((mq->a & 0x8000) == 0);
}

static uint8_t *end_of(const struct model_mq *mq)
{
    return *mq->bp == 0xFF ? mq->bp : mq->bp + 1;
}

uint8_t *model_mq_flush(struct model_mq *mq)
{
    uint32_t top = mq->c + mq->a;
    mq->c |= 0xFFFF;
    if (mq->c >= top)
        mq->c -= 0x8000;
    mq->c <<= mq->ct;
    byte_out(mq);
    mq->c <<= mq->ct;
    byte_out(mq);
    return end_of(mq);
}

/* D.4.2 */
uint8_t *model_mq_flush_predictably(struct model_mq *mq)
{
    for (int32_t k = 12 - mq->ct; k > 0; k -= mq->ct) {
        mq->c <<= mq->ct;
        byte_out(mq);
    }
    return end_of(mq);
}

static uint32_t byte_at(const struct model_mq *mq, uint32_t index)
{
    return mq->end - mq->bp > (ptrdiff_t)index ? mq->bp[index] : 0xFF;
}

static void byte_in(struct model_mq *mq)
{
    if (byte_at(mq, 0) == 0xFF) {
        if (byte_at(mq, 1) > 0x8F) {
            mq->c += 0xFF00;
            mq->ct = 8;
            return;
        }
        mq->bp++;
        mq->c += byte_at(mq, 0) << 9;
        mq->ct = 7;
    } else {
        mq->bp++;
        mq->c += byte_at(mq, 0) << 8;
        mq->ct = 8;
    }
}

void model_mq_start_decoding(struct model_mq *mq, const uint8_t *data, size_t length)
{
    mq->bp = (uint8_t *)data;
    mq->end = data + length;
    mq->c = byte_at(mq, 0) << 16;
    byte_in(mq);
    mq->c <<= 7;
    mq->ct -= 7;
    mq->a = 0x8000;
}

uint32_t model_mq_decode(struct model_mq *mq, uint32_t context)
{
    uint32_t qe = rows[mq->row[context]].qe;
    bool less;
    mq->a -= qe;
    if (mq->c >> 16 < qe) {
        less = mq->a >= qe;
        mq->a = qe;
    } else {
        mq->c -= qe << 16;
        if ((mq->a & 0x8000) != 0)
            return mq->mps[context];
        less = mq->a < qe;
    }
    uint32_t bit = mq->mps[context] ^ less;
    adapt(mq, context, less);
    do {
        if (mq->ct == 0)
            byte_in(mq);
        mq->a <<= 1;
        mq->c <<= 1;
        mq->ct--;
    } while ((mq->a & 0x8000) == 0);
    return bit;
}
