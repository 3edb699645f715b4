/* SPDX-License-Identifier: BSD-2-Clause */
/* What files of other formats begin with. */
#ifndef KOSTKA_CORE_SIGNATURE_H
#define KOSTKA_CORE_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

/* The name of the format whose signature the data begin with, for messages: "a WebP file". Null: none that is known. */
const char *kst_signature_find(const uint8_t *data, size_t length);

#endif
