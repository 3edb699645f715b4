/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the coefficients that the library decodes, on several machines that must not differ. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_COEFFICIENTS_H
#define KOSTKA_TESTS_SUPPORT_JPEG_COEFFICIENTS_H

#include "core/context.h"
#include "core/report.h"
#include "jpeg/cpu/coefficients.h"
#include "jpeg/syntax/parse.h"
#include "support/sanitizers.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct machine {
    const char *tier; /* null: the best */
    uint32_t threads;
    kst_context *context;
};

/* Plain C and the best tier, each with one thread and with more; only with more where ThreadSanitizer runs. */
enum { machine_count = THREADS_WATCHED ? 3 : 5 };
extern struct machine machines[machine_count];

/* Setup and teardown for cmocka_run_group_tests(). */
int start_machines(void **state);
int stop_machines(void **state);

struct decoded {
    struct memory memory;
    struct jpeg_stream stream;
    struct jpeg_coefficients coefficients;
    kst_report report;
    kst_status status;
};

void decode_stream(kst_context *context, const uint8_t *data, size_t length, struct decoded *out);
/* Release the results, and check that nothing else is allocated. */
void drop_decoded(struct decoded *decoded);

#endif
