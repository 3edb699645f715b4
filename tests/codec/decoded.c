/* SPDX-License-Identifier: BSD-2-Clause */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoded.h"

struct machine machines[machine_count] = {
    {"c", 1, NULL}, {NULL, 1, NULL}, {NULL, 2, NULL}, {"c", 5, NULL}, {NULL, 5, NULL}};

int start_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < machine_count; i++) {
        kst_context_options options;
        kst_context_options_init(&options);
        options.device = "cpu";
        options.cpu = machines[i].tier;
        options.threads = machines[i].threads;
        assert_int_equal(kst_context_create(&options, &machines[i].context), KST_OK);
    }
    return 0;
}

int stop_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < machine_count; i++)
        kst_context_destroy(&machines[i].context);
    return 0;
}

void decode_stream(kst_context *context, const uint8_t *data, size_t length, struct decoded *out)
{
    kst_limits limits = context->limits;
    limits.pixels = 1 << 26; /* files of the corpus announce more and hold next to nothing */
    memset(out, 0, sizeof *out);
    kst_memory_init(&out->memory, &context->memory.allocator, UINT64_MAX);
    kst_report_init(&out->report);
    out->status = kst_jpeg_parse(&out->memory, &limits, data, length, &out->stream, &out->report);
    if (!out->status)
        out->status = kst_jpeg_decode_coefficients(
            context, &out->memory, &out->stream.plan, false, &out->coefficients, &out->report);
}

void drop_decoded(struct decoded *decoded)
{
    kst_jpeg_coefficients_release(&decoded->memory, &decoded->coefficients);
    kst_jpeg_stream_release(&decoded->memory, &decoded->stream);
    assert_int_equal(decoded->memory.used, 0);
    memset(decoded, 0, sizeof *decoded);
}

static uint8_t *read_file(const char *folder, const char *name, size_t *length)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*length + 1);
    assert_int_equal(fread(data, 1, *length, file), *length);
    fclose(file);
    return data;
}

static void corpus_folder(char folder[3000], const char *subfolder)
{
    const char *corpus = getenv("KOSTKA_CORPUS");
    snprintf(folder, 3000, "%s/jpeg/%s", corpus ? corpus : "../shared/corpus", subfolder);
}

uint8_t *read_corpus_file(const char *subfolder, const char *name, size_t *length)
{
    char folder[3000];
    corpus_folder(folder, subfolder);
    if (access(folder, R_OK) != 0)
        skip();
    return read_file(folder, name, length);
}

uint32_t for_each_corpus_file(const char *subfolder, void (*check)(const char *, const uint8_t *, size_t))
{
    char folder[3000];
    corpus_folder(folder, subfolder);
    DIR *directory = opendir(folder);
    uint32_t count = 0;
    if (!directory)
        skip();
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".jpg") != 0)
            continue;
        uint8_t *data = read_file(folder, entry->d_name, &length);
        check(entry->d_name, data, length);
        free(data);
        count++;
    }
    closedir(directory);
    return count;
}
