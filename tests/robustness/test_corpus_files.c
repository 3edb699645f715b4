/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes the files of the corpus, above all damaged ones, with many options, and checks that it is quick and gives the
 * same on every machine.
 */
#include <time.h>

#include "support/corpus.h"
#include "support/outcome.h"
#include "support/test.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* other programs on the machine do not count */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/*
 * The seconds that a damaged file may take. With sanitizers the largest picture, decoded in 0.1 s without, takes 1.2 to
 * 1.6.
 */
static const double most_seconds = SANITIZED ? 3.0 : 1.0;

static void check_time(const char *name, const uint8_t *data, size_t length, const kst_decode_options *options)
{
    double from = seconds();
    decode_outcome(contexts.context[0], data, length, options);
    if (seconds() - from > most_seconds)
        fail_msg("%s: %.2f seconds", name, seconds() - from);
}

static void check_file(const char *name, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    if (!THREADS_WATCHED) /* each access is, which is no measure */
        check_time(name, data, length, &options);
    struct outcome whole = decode_on_all(&contexts, name, data, length, &options, 1, SANITIZED ? 4 : 1);
    options.format = KST_FORMAT_RAW;
    decode_on_all(&contexts, name, data, length, &options, 1, SANITIZED ? 7 : 3);
    if (whole.status)
        return;
    options.format = KST_FORMAT_AUTO;
    options.reduce = 1;
    decode_on_all(&contexts, name, data, length, &options, 1, SANITIZED ? 7 : 3);
    options.reduce = 0;
    options.region = (kst_region){whole.width / 3, whole.height / 2, (whole.width + 2) / 3, (whole.height + 2) / 3};
    decode_on_all(&contexts, name, data, length, &options, 1, SANITIZED ? 7 : 3);
    options.strict = true;
    decode_on_all(&contexts, name, data, length, &options, 2, SANITIZED ? 7 : 3);
}

static void corpus(void **state)
{
    (void)state;
    for_each_corpus_file("jpeg/valid", check_file);
    for_each_corpus_file("jpeg/damaged", check_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corpus),
    };
    if (!corpus_present())
        return skip_all("there is no corpus");
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
