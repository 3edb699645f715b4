/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the decoded pictures of T.803, with which a decoder's samples are compared. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_REFERENCE_H
#define KOSTKA_TESTS_SUPPORT_J2K_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct j2k_reference {
    uint8_t *file; /* freed by the caller */
    const uint8_t *sample;
    uint32_t width, height, depth, channels;
    bool is_signed, little;
};

/*
 * Read a file of the corpus's folder "references": PGX, such as "PG ML + 8 128 128", whose sign and spaces may vary, or
 * PNM with comments. The test fails if the file is missing or too short.
 */
void j2k_reference_read(const char *name, struct j2k_reference *reference);

/* Return a sample; channels are interleaved. */
int32_t j2k_reference_at(const struct j2k_reference *reference, size_t index);

#endif
