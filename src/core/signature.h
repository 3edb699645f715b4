/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognises other file formats by their first bytes, so that an error can say what was found instead of a picture. */
#ifndef KOSTKA_CORE_SIGNATURE_H
#define KOSTKA_CORE_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Return the name of the format whose signature the data begin with, for messages: "a WebP file". Returns null if none
 * is known.
 */
const char *kst_signature_find(const uint8_t *data, size_t length);

#endif
