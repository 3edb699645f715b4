/* SPDX-License-Identifier: BSD-2-Clause */
#include "api/codec.h"

const struct codec *kst_codec_of(const void *data, size_t length)
{
    static const struct codec *const codecs[] = {&kst_j2k_codec, &kst_jpeg_codec};
    enum { LAST = sizeof codecs / sizeof *codecs - 1 }; /* it takes what is left */
    for (size_t i = 0; i < LAST; i++)
        if (codecs[i]->recognises(data, length))
            return codecs[i];
    return codecs[LAST];
}
