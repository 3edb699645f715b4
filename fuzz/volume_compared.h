/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the fuzz targets for volumes decode one in several ways that must agree. */
#ifndef KOSTKA_FUZZ_VOLUME_COMPARED_H
#define KOSTKA_FUZZ_VOLUME_COMPARED_H

#include <kostka/kostka_volume.h>

#include "fuzz.h"

/*
 * Decode a codestream, if it describes a volume that is not too large, on both contexts, which must agree; and boxes of
 * it, which must be parts of the whole. The input gives options and boxes.
 */
void volume_compared(const uint8_t *data, size_t length, struct fuzz_input *input);

#endif
