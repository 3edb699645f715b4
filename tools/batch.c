/* SPDX-License-Identifier: BSD-2-Clause */
#include "batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "progress.h"

enum { WORKERS_MAX = 64, THREADS_MAX = 1024 };

/* What the workers share. */
struct crew {
    const struct batch *batch;
    kst_context *context;
    char **inputs;
    size_t count;
    const char *path; /* null with --out-dir */
    atomic_size_t next;
    atomic_size_t failures;
};

/* The name without its directory and extension. */
static const char *stem_of(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const char *dot = strrchr(name, '.');

    if (strcmp(path, "-") == 0)
        name = "stdin";
    *length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    return name;
}

char *task_path(const struct task *task, const char *extension)
{
    size_t stem;
    const char *name = stem_of(task->source->name, &stem);

    if (task->path != NULL)
        return strdup(task->path);
    size_t capacity = strlen(task->directory) + stem + strlen(extension) + 3;
    char *path = malloc(capacity);
    if (path != NULL)
        snprintf(path, capacity, "%s/%.*s.%s", task->directory, (int)stem, name, extension);
    return path;
}

bool task_write(struct task *task, struct picture *picture, struct problem *problem)
{
    const struct file_format *target = task->files.target;
    char *path = task_path(task, file_extension(target, picture));
    bool good = path != NULL ? picture_write(picture, path, target, &task->files, problem)
                             : problem_set(problem, "out of memory");
    free(path);
    return good;
}

bool task_convert(const void *settings, struct task *task, struct problem *problem)
{
    struct picture picture;
    (void)settings;

    picture_init(&picture);
    bool good =
        picture_read(&picture, task->source, &task->files, NULL, problem) && task_write(task, &picture, problem);
    picture_release(&picture);
    return good;
}

static void do_one(struct crew *crew, const char *name)
{
    const struct batch *batch = crew->batch;
    struct problem problem = {""};
    struct source source = {.name = name};
    bool good = batch->unread || source_read(&source, name, &problem);

    if (good) {
        struct task task = {
            .source = &source,
            .path = crew->path,
            .directory = batch->output->directory,
            .files = *batch->files,
        };
        task.files.context = crew->context;
        task.files.verbose = batch->common->verbose;
        good = batch->work(batch->settings, &task, &problem);
        source_release(&source);
    }
    if (!good) {
        complain(strcmp(name, "-") == 0 ? "standard input" : name, "%s", problem.text);
        atomic_fetch_add(&crew->failures, 1);
    }
    progress_step();
}

static void *worker(void *argument)
{
    struct crew *crew = argument;
    size_t index;

    while ((index = atomic_fetch_add(&crew->next, 1)) < crew->count)
        do_one(crew, crew->inputs[index]);
    return NULL;
}

/* The calling thread works too; where a thread cannot be started the others do its work. */
static void work_off(struct crew *crew, size_t workers)
{
    pthread_t threads[WORKERS_MAX];
    size_t started = 0;

    while (started + 1 < workers && pthread_create(&threads[started], NULL, worker, crew) == 0)
        started++;
    worker(crew);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static int compare_stems(const void *left, const void *right)
{
    size_t length_a, length_b;
    const char *a = stem_of(*(char *const *)left, &length_a);
    const char *b = stem_of(*(char *const *)right, &length_b);
    int order = strncmp(a, b, length_a < length_b ? length_a : length_b);

    return order != 0 ? order : (length_a > length_b) - (length_a < length_b);
}

/* Two inputs may not make the same output. */
static bool names_differ(const struct verb *verb, char **inputs, size_t count)
{
    char **sorted = malloc(count * sizeof *sorted);
    bool good = true;

    if (sorted == NULL)
        return true;
    memcpy(sorted, inputs, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_stems);
    for (size_t i = 1; i < count && good; i++) {
        good = compare_stems(&sorted[i - 1], &sorted[i]) != 0;
        if (!good)
            complain_usage(verb->name, "%s and %s would become the same file in --out-dir", sorted[i - 1], sorted[i]);
    }
    free(sorted);
    return good;
}

static int check_operands(const struct batch *batch, char **operands, size_t count)
{
    const char *directory = batch->output->directory;
    struct stat state;

    if (count == 0)
        return complain_usage(batch->verb->name, "no input named");
    if (directory == NULL && count == 1)
        return complain_usage(batch->verb->name, "no output named: add OUT ('-' is standard output) or --out-dir DIR");
    if (directory == NULL && count > 2)
        return complain_usage(batch->verb->name, "more than one input: add --out-dir DIR");
    if (directory == NULL)
        return EXIT_FINE;
    if (stat(directory, &state) != 0 && mkdir(directory, 0777) != 0) {
        complain(directory, "the directory cannot be made; does the one above it exist?");
        return EXIT_FAILED;
    }
    return names_differ(batch->verb, operands, count) ? EXIT_FINE : EXIT_USAGE;
}

/* How many threads there are to share: the option, KOSTKA_THREADS, or one for each processor, as in the library. */
static bool count_threads(const struct batch *batch, uint32_t *threads)
{
    kst_device_info info = {.size = sizeof info};
    const char *wanted = getenv("KOSTKA_THREADS");
    uint64_t number;

    *threads = batch->common->threads;
    if (*threads == 0 && wanted != NULL && *wanted != '\0') {
        if (!value_number(batch->verb->name, "KOSTKA_THREADS", wanted, 1, THREADS_MAX, &number))
            return false;
        *threads = (uint32_t)number;
    }
    if (*threads == 0)
        *threads = kst_device_get(0, &info) == KST_OK ? info.units : 1;
    return true;
}

int batch_run(const struct batch *batch, int argc, char **argv)
{
    struct crew crew = {.batch = batch, .inputs = argv + optind, .count = (size_t)(argc - optind)};
    uint32_t threads;
    int code = check_operands(batch, crew.inputs, crew.count);

    if (code != EXIT_FINE)
        return code;
    if (batch->output->directory == NULL) {
        crew.path = argv[argc - 1];
        crew.count--;
    }
    if (!count_threads(batch, &threads))
        return EXIT_USAGE;
    /* Whole pictures side by side are the best use of threads; what is left over works inside them. */
    size_t workers = crew.count < threads ? crew.count : threads;
    workers = workers < 1 ? 1 : workers > WORKERS_MAX ? WORKERS_MAX : workers;
    if ((code = common_context(batch->common, threads / (uint32_t)workers, &crew.context)) != EXIT_FINE)
        return code;
    progress_begin(crew.count);
    work_off(&crew, workers);
    progress_end();
    kst_context_destroy(&crew.context);
    return atomic_load(&crew.failures) == 0 ? EXIT_FINE : EXIT_FAILED;
}
