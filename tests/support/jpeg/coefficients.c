/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes coefficients on one thread and several, in plain C and in the best tier. */
#include "support/jpeg/coefficients.h"

#include <string.h>

#include "support/test.h"

struct machine machines[machine_count] = {
#if !THREADS_WATCHED
    {"c", 1, NULL}, {NULL, 1, NULL},
#endif
    {NULL, 2, NULL}, {"c", 5, NULL}, {NULL, 5, NULL}};

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
    struct operation op = kst_context_operation(context, &out->memory, &out->report, NULL);
    op.limits = &limits;
    out->status = kst_jpeg_parse(&op, data, length, &out->stream);
    if (!out->status)
        out->status = kst_jpeg_cpu_decode_coefficients(&op, &out->stream.plan, false, &out->coefficients);
}

void drop_decoded(struct decoded *decoded)
{
    kst_jpeg_coefficients_release(&decoded->memory, &decoded->coefficients);
    kst_jpeg_stream_release(&decoded->memory, &decoded->stream);
    assert_int_equal(decoded->memory.used, 0);
    memset(decoded, 0, sizeof *decoded);
}
