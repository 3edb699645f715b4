/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes and encodes by a relay (relay.h). Where a stream becomes another one, its pixels stay on the device: the
 * picture is pending then, which means that its image has a size and a format and no pixels.
 */
#ifndef KOSTKA_TOOL_RELAYED_H
#define KOSTKA_TOOL_RELAYED_H

#include "files/files.h"

/* Says from what a pending picture will be decoded, and how. */
struct pending {
    const struct source *source; /* must stay until the picture has been encoded */
    kst_decode_options decode;
    kst_resize_options resize;
    bool resizes;
};

/*
 * Decode and resize the stream of an open decoder, which the picture's image describes without pixels, and keep its
 * metadata. Or let the picture be pending if the target is a stream and nothing needs its pixels before. Returns false,
 * with the problem, on failure. `report` is that of the decoding, if there was any.
 */
bool relayed_decode(const kst_decoder *decoder, const struct source *source, const struct file_settings *settings,
    const kst_decode_options *options, struct picture *picture, kst_report *report, struct problem *problem);

/*
 * Wait for memory for a picture that is not coded, about four times as much as its file has, before it is read for a
 * relay to encode it.
 */
void relayed_reserve(const struct source *source, const struct file_settings *settings);

/* Encode a picture, which may be pending, to an output that is still empty. */
bool relayed_encode(struct output *output, const struct picture *picture, const kst_encode_options *options,
    const struct file_settings *settings, struct problem *problem);

#endif
