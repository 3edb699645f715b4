/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes streams of every shape with libjpeg. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_STREAMS_H
#define KOSTKA_TESTS_SUPPORT_JPEG_STREAMS_H

#include <kostka/kostka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct recipe {
    uint32_t width, height;
    kst_colour colour;  /* of the coded stream; decides the number of components */
    uint8_t h[4], v[4]; /* all 0: 1×1 */
    int quality;        /* 0: 75 */
    kst_coding coding;
    kst_restart restart;
    const kst_scan *script;
    size_t script_length;
    const kst_metadata *metadata;
    size_t metadata_count;
};

struct stream {
    uint8_t *data; /* freed by free() */
    size_t length;
};

uint32_t recipe_components(const struct recipe *recipe);

/*
 * Return the blocks in an MCU of a scan of all components; with several components libjpeg and T.81 allow at most 10.
 */
uint32_t recipe_mcu_blocks(const struct recipe *recipe);

/* Encode a picture of slopes, edges and noise as the recipe says. The test fails if libjpeg refuses. */
struct stream make_stream(const struct recipe *recipe);

/* Print a line about a recipe to the test's error output. */
void show_recipe(const struct recipe *recipe);

#endif
