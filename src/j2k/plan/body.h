/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a codestream as a frame with the bytes of code-blocks left out, for the code that inserts them. */
#ifndef KOSTKA_J2K_PLAN_BODY_H
#define KOSTKA_J2K_PLAN_BODY_H

#include <stdint.h>

/* Describes bytes of a code-block that are left out. */
struct j2k_body {
    const uint8_t *data; /* where the coder says that the bytes are; nothing reads them through this pointer */
    uint32_t length;
    uint64_t at; /* the bytes belong in front of this byte of the frame */
};

#endif
