/* SPDX-License-Identifier: BSD-2-Clause */
/* Times how long the plans of JPEG 2000 streams take, from parsed headers to all lists: THREADS ROUNDS FILES... */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/context.h"
#include "core/report.h"
#include "j2k/packets/build.h"

enum { ROUNDS_MAX = 10000 };

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct times {
    double wall[ROUNDS_MAX], processor[ROUNDS_MAX];
};

/* Plan once. Returns the number of code-blocks. */
static uint32_t plan(
    const kst_context *context, const uint8_t *data, size_t length, struct times *times, uint32_t round)
{
    const struct j2k_filter all = {.layers = 0};
    struct memory memory;
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    kst_report_init(&report);
    kst_memory_init_beside(&memory, &context->memory, context->limits.memory);
    const struct operation op = kst_context_operation(context, &memory, &report, NULL);
    if (kst_j2k_parse(&op, data, length, &stream)) {
        fprintf(stderr, "%s\n", report.message);
        exit(1);
    }
    const double wall = kst_seconds(), processor = processor_seconds();
    kst_status status = kst_j2k_plan_build(&op, &stream, &all, &plan);
    times->processor[round] = processor_seconds() - processor;
    times->wall[round] = kst_seconds() - wall;
    if (status) {
        fprintf(stderr, "%s\n", report.message);
        exit(1);
    }
    const uint32_t blocks = plan.block_count;
    kst_j2k_plan_release(&memory, &plan);
    kst_j2k_stream_release(&memory, &stream);
    return blocks;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const kst_context *context, const char *name, uint32_t rounds)
{
    static struct times times;
    static uint8_t data[64 << 20];
    FILE *file = fopen(name, "rb");
    size_t length = file ? fread(data, 1, sizeof data, file) : 0;
    uint32_t blocks = 0;
    if (file)
        fclose(file);
    for (uint32_t i = 0; i < rounds; i++)
        blocks = plan(context, data, length, &times, i);
    qsort(times.wall, rounds, sizeof times.wall[0], compare);
    qsort(times.processor, rounds, sizeof times.processor[0], compare);
    printf("%s: %u code-blocks; microseconds: least %.0f, median %.0f; of processors: %.0f, %.0f\n", name,
        (unsigned)blocks, times.wall[0] * 1e6, times.wall[rounds / 2] * 1e6, times.processor[0] * 1e6,
        times.processor[rounds / 2] * 1e6);
}

int main(int argc, char **argv)
{
    kst_context *context;
    kst_context_options options;
    const uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (argc < 4 || rounds == 0 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: kostka-plans THREADS ROUNDS FILES...\n");
        return 2;
    }
    kst_context_options_init(&options);
    options.threads = (uint32_t)strtoul(argv[1], NULL, 10);
    if (kst_context_make(&options, &context))
        return 1;
    for (int i = 3; i < argc; i++)
        measure(context, argv[i], rounds);
    kst_context_drop(context);
    return 0;
}
