/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides the quantisation of one coefficient in plain C. */
#ifndef KOSTKA_JPEG_CPU_DSP_QUANTISE_H
#define KOSTKA_JPEG_CPU_DSP_QUANTISE_H

#include "jpeg/cpu/dsp/dsp.h"

static inline int16_t quantise(int16_t value, const struct jpeg_quantizer *q, int i)
{
    const uint32_t magnitude = (uint32_t)(value < 0 ? -value : value);
    const uint32_t quotient = ((magnitude + q->correction[i]) * q->reciprocal[i]) >> q->shift[i];
    return (int16_t)(value < 0 ? -(int32_t)quotient : (int32_t)quotient);
}

#endif
