/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the decoders and encoders that the extension registers. */
#ifndef KOSTKA_NVIMAGECODEC_CODERS_H
#define KOSTKA_NVIMAGECODEC_CODERS_H

#include "engine.h"

/* Describe the decoder of a plugin. The description refers to the plugin. */
nvimgcodecDecoderDesc_t decoder_describe(Plugin *plugin);

/* Describe the encoder of a plugin. The description refers to the plugin. */
nvimgcodecEncoderDesc_t encoder_describe(Plugin *plugin);

#endif
