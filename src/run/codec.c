/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the codecs, and finds the codec of a stream or of an encoder's options. */
#include "run/codec.h"

const struct codec *const kst_codecs[CODECS] = {
    &kst_jpeg_run_codec, &kst_j2k_run_codec, &kst_jpeg_run_lossless_codec, &kst_jpeg_run_deep_codec};

const struct codec *kst_codec_of(const void *data, size_t length)
{
    for (size_t i = 0; i < CODECS; i++)
        if (kst_codecs[i]->recognises && kst_codecs[i]->recognises(data, length))
            return kst_codecs[i];
    return &kst_jpeg_run_codec;
}

const struct codec *kst_codec_named(kst_codec kind)
{
    for (size_t i = 0; i < CODECS; i++)
        if (kst_codecs[i]->kind == kind)
            return kst_codecs[i];
    return &kst_jpeg_run_codec;
}
