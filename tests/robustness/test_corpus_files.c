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

/* A file, what its picture gives as a whole, and how many calls have compared machines for it. */
struct file {
    const char *name;
    const uint8_t *data;
    size_t length;
    struct outcome whole;
    uint32_t calls;
};

static void decode_in_time(struct file *file, const kst_decode_options *options)
{
    double from = seconds();
    file->whole = decode_outcome(contexts.context[0], file->data, file->length, options);
    if (!THREADS_WATCHED && seconds() - from > most_seconds) /* each access is watched, which is no measure */
        fail_msg("%s: %.2f seconds", file->name, seconds() - from);
}

/*
 * Compare machines. All of them decode the whole of a small picture, and every third one parts of it. The few large
 * pictures would take nearly all of the time: of their five calls each takes every fifth machine, beginning with the
 * next one, so that together they reach all machines.
 */
static void compare(struct file *file, const kst_decode_options *options)
{
    enum { LARGE = 1 << 20 };
    uint32_t call = file->calls++;
    bool large = (uint64_t)file->whole.width * file->whole.height > LARGE;
    uint32_t step = large ? 5 : call > 0 ? 3 : 1, first = 1 + call % step;
    if (fewer_cases())
        step = call > 0 ? 7 : large ? 5 : 4;
    if (call > 0)
        decode_on_all(&contexts, file->name, file->data, file->length, options, first, step);
    else
        expect_on_all(&contexts, file->name, file->data, file->length, options, &file->whole, first, step);
}

static void check_file(const char *name, const uint8_t *data, size_t length)
{
    struct file file = {.name = name, .data = data, .length = length};
    kst_decode_options options;
    kst_decode_options_init(&options);
    decode_in_time(&file, &options);
    compare(&file, &options);
    options.format = KST_FORMAT_RAW;
    compare(&file, &options);
    if (file.whole.status)
        return;
    const uint32_t width = file.whole.width, height = file.whole.height;
    options.format = KST_FORMAT_AUTO;
    options.reduce = 1;
    compare(&file, &options);
    options.reduce = 0;
    options.region = (kst_region){width / 3, height / 2, (width + 2) / 3, (height + 2) / 3};
    compare(&file, &options);
    options.strict = true;
    compare(&file, &options);
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
