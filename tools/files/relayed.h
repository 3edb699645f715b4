/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes and encodes through a relay (relay.h). From one stream to another, pixels stay on the device. Until it is
 * encoded the picture is pending then: its image has a size and a format, but no pixels.
 */
#ifndef KOSTKA_TOOL_RELAYED_H
#define KOSTKA_TOOL_RELAYED_H

#include "files/files.h"

/* Says which stream a pending picture will be decoded from, and how. */
struct pending {
    const struct source *source; /* must exist until the picture has been encoded */
    kst_decode_options decode;
    kst_resize_options resize;
    bool resizes;
};

/*
 * Decode and resize the stream of an open decoder, which the picture's image describes without pixels, and keep its
 * metadata. If the target is a stream and nothing else needs the pixels, the picture becomes pending instead. Returns
 * false, with the problem, on failure. `report` is that of the decoding, if there was any.
 */
bool relayed_decode(const kst_decoder *decoder, const struct source *source, const struct file_settings *settings,
    const kst_decode_options *options, struct picture *picture, kst_report *report, struct problem *problem);

/*
 * Reserve memory for a picture that is not coded, before it is read to be encoded by a relay: about four times the size
 * of its file.
 */
void relayed_reserve(const struct source *source, const struct file_settings *settings);

/* Encode a picture, which may be pending, to an output that is still empty. */
bool relayed_encode(struct output *output, const struct picture *picture, const kst_encode_options *options,
    const struct file_settings *settings, struct problem *problem);

#endif
