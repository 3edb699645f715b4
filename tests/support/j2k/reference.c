/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the decoded pictures of T.803, in PGX and PNM. */
#include <stdlib.h>
#include <string.h>

#include "support/j2k/corpus.h"
#include "support/j2k/reference.h"
#include "support/test.h"

static uint32_t take_number(const char **text)
{
    char *end;
    unsigned long number = strtoul(*text, &end, 10);
    assert_true(end > *text);
    *text = end;
    return (uint32_t)number;
}

void j2k_reference_read(const char *name, struct j2k_reference *reference)
{
    size_t length;
    *reference = (struct j2k_reference){.channels = 1, .depth = 8};
    reference->file = j2k_corpus_read("references", name, &length);
    assert_non_null(reference->file);
    const char *text = (const char *)reference->file;
    if (text[0] == 'P' && text[1] == 'G') {
        reference->little = text[3] == 'L';
        text += 5 + (text[5] == ' ');
        reference->is_signed = *text == '-';
        text += *text == '+' || *text == '-';
        reference->depth = take_number(&text);
        reference->width = take_number(&text);
        reference->height = take_number(&text);
    } else {
        reference->channels = text[1] == '6' ? 3 : 1;
        text = strchr(text + 3, '\n') + 1;
        reference->width = take_number(&text);
        reference->height = take_number(&text);
        take_number(&text);
    }
    text += *text == '\r' && text[1] == '\n' ? 2 : 1;
    reference->sample = (const uint8_t *)text;
    size_t bytes = reference->depth > 8 ? 2 : 1;
    assert_true(length - (size_t)(reference->sample - reference->file) >=
                bytes * reference->channels * reference->width * reference->height);
}

int32_t j2k_reference_at(const struct j2k_reference *reference, size_t index)
{
    uint32_t value = reference->sample[index];
    uint32_t bits = 8;
    if (reference->depth > 8) {
        const uint8_t *at = reference->sample + 2 * index;
        value = reference->little ? (uint32_t)at[1] << 8 | at[0] : (uint32_t)at[0] << 8 | at[1];
        bits = 16;
    }
    return reference->is_signed && value >> (bits - 1) ? (int32_t)value - (1 << bits) : (int32_t)value;
}
