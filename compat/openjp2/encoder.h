/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the state of a codec that encodes. */
#ifndef KOSTKA_COMPAT_ENCODER_H
#define KOSTKA_COMPAT_ENCODER_H

#include "codec.h"

enum { ENCODED_LAYERS = 100, ENCODED_CHANGES = 32 };

/* Describes the components for the boxes of a JP2 file. */
struct openjp2_colours {
    OPJ_COLOR_SPACE space;
    uint8_t *profile; /* ICC; null: none */
    uint32_t profile_length;
    uint32_t opaque; /* index of the component that is an opacity, plus 1; 0: none */
};

struct openjp2_encoder {
    bool set_up, started, encoded;
    kst_encode_options options;
    kst_j2k_options j2k;
    double layer_value[ENCODED_LAYERS];
    kst_j2k_change change[ENCODED_CHANGES];
    char *comment;
    kst_metadata metadata;

    opj_image_t *image; /* the picture; the encoder owns its samples */
    struct openjp2_colours colours;
    uint32_t columns, rows; /* of tiles */
    uint32_t next_tile;     /* the tile that opj_write_tile() expects next */
    kst_buffer output;
    uint8_t *front; /* bytes in front of the output; freed here if the writing function is left by longjmp() */
};

struct openjp2_encoder *openjp2_encoder_create(void);
void openjp2_encoder_destroy(struct openjp2_codec *codec);

/* Translate the caller's parameters for a picture. Complains about what Kostka cannot do. */
bool openjp2_encoder_options(
    struct openjp2_codec *codec, const opj_cparameters_t *parameters, const opj_image_t *image);

/* Encode the picture to the encoder's output, a bare codestream. */
bool openjp2_encoder_run(struct openjp2_codec *codec);

/* Write the output, as a JP2 file if the codec makes one. */
bool openjp2_encoder_write(struct openjp2_codec *codec, struct openjp2_stream *stream);

#endif
