/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares streams for measuring how fast they are transcoded to the other block coder. */
#include <string.h>

#include "bench/bench.h"

/* Return the 16-bit number at an offset of the stream; 0 beyond its end. */
static unsigned number_at(const struct bench_picture *one, size_t at)
{
    return at + 2 <= one->length ? one->stream[at] * 256U + one->stream[at + 1] : 0;
}

/*
 * Return whether the code-blocks are those of T.814: then CAP follows SIZ in the codestream, which begins with SOC and
 * SIZ.
 */
static bool has_ht(const struct bench_picture *one)
{
    enum { SOC = 0xFF4F, SIZ = 0xFF51, CAP = 0xFF50 };
    size_t at = 0;

    while (at < one->length && (number_at(one, at) != SOC || number_at(one, at + 2) != SIZ))
        at++;
    return number_at(one, at + 4 + number_at(one, at + 4)) == CAP;
}

bool bench_transcode_on_cpu(struct bench_picture *one, const struct bench_settings *settings, struct problem *problem)
{
    kst_report report;

    if (one->info.codec != KST_CODEC_JPEG2000)
        return problem_set(problem, "'bench transcode' changes the coder of JPEG 2000; with --recode, options such as "
                                    "--lossless or --ht make that of it");
    kst_transcode_options_init(&one->transcode);
    one->transcode.jpeg2000.ht = has_ht(one) ? KST_CHOICE_NO : KST_CHOICE_YES;
    kst_report_init(&report);
    kst_status status = kst_transcode(settings->cpu, one->stream, one->length, &one->transcode, &one->wanted, &report);
    return !status || jpeg_report_problem(&report, status, problem);
}
