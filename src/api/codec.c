/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/codec.h"

const struct codec *kst_codec_of(const void *data, size_t length)
{
    static const struct codec *const codecs[] = {&kst_j2k_codec, &kst_jpeg_codec}; /* the last takes what is left */
    size_t i = 0;
    while (codecs[i]->recognises && !codecs[i]->recognises(data, length))
        i++;
    return codecs[i];
}
