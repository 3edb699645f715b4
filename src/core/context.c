/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes and ends contexts: checks the options, fills in the default limits, and picks the instruction tier and threads.
 */
#include "core/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1024, STANDARD_KEEP = 256 << 20 };

unsigned kst_version(void)
{
    return KST_VERSION_NUMBER;
}

const char *kst_version_string(void)
{
    return KST_VERSION_STRING;
}

const kst_limits kst_default_limits = {
    .pixels = UINT64_C(1) << 29,
    .memory = UINT64_C(4) << 30,
    .metadata = UINT64_C(64) << 20,
    .scans = 500,
    .markers = 10000,
    .components = 16384,
    .tiles = 65535,
    .precincts = UINT32_C(1) << 22,
    .boxes = 10000,
    .tile_parts = UINT32_C(1) << 20,
    .layers = 65535,
    .blocks = UINT32_C(1) << 24,
    .work = UINT32_C(1) << 16,
};

static kst_limits fill_limits(kst_limits limits)
{
    const kst_limits standard = kst_default_limits;
    return (kst_limits){
        .pixels = limits.pixels ? limits.pixels : standard.pixels,
        .memory = limits.memory ? limits.memory : standard.memory,
        .metadata = limits.metadata ? limits.metadata : standard.metadata,
        .scans = limits.scans ? limits.scans : standard.scans,
        .markers = limits.markers ? limits.markers : standard.markers,
        .components = limits.components ? limits.components : standard.components,
        .tiles = limits.tiles ? limits.tiles : standard.tiles,
        .precincts = limits.precincts ? limits.precincts : standard.precincts,
        .boxes = limits.boxes ? limits.boxes : standard.boxes,
        .tile_parts = limits.tile_parts ? limits.tile_parts : standard.tile_parts,
        .layers = limits.layers ? limits.layers : standard.layers,
        .blocks = limits.blocks ? limits.blocks : standard.blocks,
        .work = limits.work ? limits.work : standard.work,
    };
}

const char *kst_environment(const char *name)
{
    const char *value = secure_getenv(name);
    return value && value[0] ? value : NULL;
}

static kst_status choose_tier(const kst_context_options *options, enum cpu_tier *tier)
{
    const char *name = options->cpu ? options->cpu : kst_environment("KOSTKA_CPU");
    *tier = kst_cpu_best();
    return name ? kst_cpu_tier_by_name(name, tier) : KST_OK;
}

static kst_status choose_threads(const kst_context_options *options, uint32_t *threads)
{
    *threads = options->threads;
    if (*threads > 0)
        return *threads <= MAX_THREADS ? KST_OK : KST_ERROR_OPTIONS;
    const char *value = kst_environment("KOSTKA_THREADS");
    if (!value) {
        uint32_t count = kst_cpu_count();
        *threads = count <= MAX_THREADS ? count : MAX_THREADS;
        return KST_OK;
    }
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end || number < 1 || number > MAX_THREADS)
        return KST_ERROR_OPTIONS;
    *threads = (uint32_t)number;
    return KST_OK;
}

static kst_status check_options(const kst_context_options *options)
{
    if (options->size != sizeof *options)
        return KST_ERROR_OPTIONS;
    return !options->allocator.allocate == !options->allocator.release ? KST_OK : KST_ERROR_OPTIONS;
}

/* Return how many bytes the idle blocks may hold: never more than the memory limit of one operation. */
static uint64_t bytes_to_keep(const kst_context_options *options, const kst_limits *limits)
{
    if (options->keep == KST_KEEP_NONE)
        return 0;
    uint64_t bytes = options->keep ? options->keep : STANDARD_KEEP;
    return bytes < limits->memory ? bytes : limits->memory;
}

static kst_status make_context(
    const kst_context_options *options, enum cpu_tier tier, uint32_t threads, kst_context **out)
{
    kst_status status;
    struct memory memory;
    kst_memory_init(&memory, &options->allocator, UINT64_MAX);
    kst_context *context = kst_memory_zeroed(&memory, 1, sizeof *context, &status);
    if (!context)
        return status;
    kst_memory_init(&context->memory, &options->allocator, UINT64_MAX);
    context->log = options->log;
    context->searched = options->searched;
    context->limits = fill_limits(options->limits);
    kst_idle_init(&context->idle, bytes_to_keep(options, &context->limits));
    if (kst_memory_is_standard(&context->memory))
        context->memory.idle = &context->idle;
    context->tier = tier;
    strcpy(context->device, "cpu");
    status = kst_pool_create(&context->memory, threads, &context->pool);
    if (status) {
        kst_idle_destroy(&context->idle);
        kst_memory_release(&memory, context);
        return status;
    }
    *out = context;
    return KST_OK;
}

kst_status kst_context_make(const kst_context_options *options, kst_context **context)
{
    enum cpu_tier tier = CPU_C;
    uint32_t threads = 1;
    kst_status status = check_options(options);
    if (!status)
        status = choose_tier(options, &tier);
    if (!status)
        status = choose_threads(options, &threads);
    if (!status)
        status = make_context(options, tier, threads, context);
    return status;
}

void kst_context_drop(kst_context *context)
{
    kst_pool_destroy(&context->pool);
    kst_idle_destroy(&context->idle);
    struct memory memory;
    kst_memory_init(&memory, &context->memory.allocator, UINT64_MAX);
    kst_memory_release(&memory, context);
}

void kst_context_trim(kst_context *context)
{
    if (context)
        kst_idle_trim(&context->idle);
}

void kst_context_log(const kst_context *context, kst_log_level level, const char *format, ...)
{
    if (!context->log.write || level > context->log.level)
        return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    context->log.write(context->log.user, level, line);
}
