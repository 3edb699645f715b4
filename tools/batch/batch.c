/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a verb over its inputs by several workers. */
#include "batch/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/resume.h"
#include "files/output.h"
#include "progress/progress.h"
#include "system/folder.h"
#include "system/interrupt.h"
#include "system/library.h"

enum {
    CPU_WORKERS_MAX = 64,
    THREADS_MAX = 1024,
    OPENING_BYTES = 1 << 26 /* bytes of inputs from which on it pays to open GPUs that the user did not name */
};

static char *join_path(const char *directory, const char *name, size_t stem, const char *extension)
{
    size_t capacity = strlen(directory) + stem + strlen(extension) + 3;
    bool separated = *directory != '\0' && directory[strlen(directory) - 1] == '/';
    char *path = malloc(capacity);

    if (path != NULL)
        snprintf(path, capacity, "%s%s%.*s.%s", directory, separated ? "" : "/", (int)stem, name, extension);
    return path;
}

static char *join_name(const char *stem, const char *extension)
{
    size_t room = strlen(stem) + strlen(extension) + 2;
    char *name = malloc(room);

    if (name != NULL)
        snprintf(name, room, "%s.%s", stem, extension);
    return name;
}

/* Make the folder of an output if the output keeps the place of its input below the folder that was walked through. */
static bool make_place(const char *path, const char *stem, size_t length, struct problem *problem)
{
    const char *slash = memchr(stem, '/', length) == NULL ? NULL : strrchr(path, '/');
    char *folder = slash == NULL ? NULL : strndup(path, (size_t)(slash - path));

    if (slash == NULL)
        return true;
    bool good = folder != NULL ? folder_make(folder, problem) : problem_set(problem, "out of memory");
    free(folder);
    return good;
}

char *task_path(const struct task *task, const char *extension, struct problem *problem)
{
    size_t length = 0;
    const char *stem = task->stem != NULL ? task->stem : input_stem(task->input, &length);
    char *path = task->path != NULL   ? strdup(task->path)
                 : task->stem != NULL ? join_name(task->stem, extension)
                                      : join_path(task->directory, stem, length, extension);

    if (path == NULL)
        problem_set(problem, "out of memory");
    if (path == NULL || task->path != NULL || task->stem != NULL ||
        (input_claim(task->inputs, task->input, path, problem) && make_place(path, stem, length, problem)))
        return path;
    free(path);
    return NULL;
}

bool task_write(struct task *task, struct picture *picture, struct problem *problem)
{
    const struct file_format *target = task->files.target;
    char *path = task_path(task, file_extension(target, picture), problem);
    bool good = path != NULL && picture_write(picture, path, target, &task->files, problem);

    free(path);
    return good;
}

bool task_convert(const void *settings, struct task *task, struct problem *problem)
{
    const struct file_format *found = file_format_of(task->source);
    struct picture picture;
    bool good;
    (void)settings;

    if (found != NULL && task->files.raw.width == 0 &&
        !options_suit(task->files.given, file_kind(task->files.target), found, problem))
        return false;
    if (task_by_rows(task, &good, problem))
        return good;
    picture_init(&picture);
    good = picture_read(&picture, task->source, &task->files, NULL, problem) && task_write(task, &picture, problem);
    picture_release(&picture);
    return good;
}

/* Return about how long reading or writing a picture takes in a format, in an arbitrary unit. */
static double effort(const struct file_format *format, bool writing, int compression)
{
    if ((file_kind(format) & KIND_JPEG2000) != 0)
        return writing ? 14 : 10;
    if (format == &file_png)
        return writing ? (compression == 0 ? 0.5 : compression > 6 ? 8 : 3) : 2;
    if (format == &file_tiff)
        return writing && compression > 0 ? 8 : 1;
    return format == &file_jpeg ? 1 : 0.2;
}

static double share_of_reading(const struct source *source, const struct file_settings *files)
{
    double reading = source->data == NULL ? 0.2 : effort(file_format_of(source), false, 0);
    return reading / (reading + effort(files->target, true, files->compression));
}

bool crew_record(struct crew *crew, const struct manifest_entry *entry, size_t count, struct problem *problem)
{
    bool good = crew->manifest.descriptor < 0 || manifest_add(&crew->manifest, entry, count, problem);

    if (!good && !atomic_exchange(&crew->unrecorded, true))
        complain(crew->manifest.path, "%s", problem->text);
    return good;
}

/* Record the outcome of an input: in the manifest, in the summary, and as a message if the input failed. */
static void record(
    struct crew *crew, const struct input *input, const struct outcome *outcome, const struct problem *failure)
{
    const char *why = failure != NULL ? failure->text : NULL;
    const struct manifest_entry entry = {
        .input = input->name, .output = input->output, .outcome = outcome, .failure = why};
    struct problem problem = {.text = ""};
    bool good = crew_record(crew, &entry, 1, &problem);

    if (failure != NULL)
        complain(strcmp(input->name, "-") == 0 ? "standard input" : input->name, "%s", why);
    summary_add(&crew->summary, input->size, outcome, failure);
    atomic_fetch_add(&crew->failures, failure != NULL || !good);
    atomic_fetch_add(&crew->done, 1);
}

bool crew_work(struct crew *crew, struct source *source, struct input *input, const char *stem, struct problem *problem)
{
    const struct batch *batch = crew->batch;
    struct task task = {
        .source = source,
        .path = crew->path,
        .directory = batch->output->directory,
        .inputs = &crew->inputs,
        .input = input,
        .stem = stem,
        .files = *batch->files,
    };

    task.files.context = crew->context;
    task.files.relay = crew->relay;
    task.files.threads = crew->threads;
    task.files.verbose = batch->common->verbose;
    bool good = batch->work(batch->settings, &task, problem);
    source_release(source);
    return good;
}

/* Do the work on the input with this index in the order by rank. */
static void do_one(struct crew *crew, size_t index)
{
    struct input *input = &crew->inputs.input[crew->inputs.by_rank[index]];
    const struct batch *batch = crew->batch;
    struct problem problem = {.text = ""};
    struct outcome outcome;
    outcome_begin(&outcome);
    struct source source = {.name = input->name};
    bool good = input->failure == NULL ? ahead_take(&crew->ahead, index, &source) || batch->unread ||
                                             source_read_picture(&source, input->name, batch->files, &problem)
                                       : problem_set_kind(&problem, PROBLEM_READ, "%s", input->failure);

    progress_file_begin(share_of_reading(&source, batch->files));
    good = good && crew_work(crew, &source, input, NULL, &problem);
    if (crew->relay != NULL)
        relay_rest(crew->relay);
    outcome_end();
    record(crew, input, &outcome, good ? NULL : &problem);
    outcome_release(&outcome);
    progress_file_end();
}

bool crew_stops(struct crew *crew)
{
    uint64_t most = crew->batch->output->many.max_failures;
    return interrupt_came() || atomic_load(&crew->unrecorded) || (most > 0 && atomic_load(&crew->failures) >= most);
}

static void *worker(void *argument)
{
    struct crew *crew = argument;
    size_t next;

    while (!crew_stops(crew) && (next = atomic_fetch_add(&crew->next, 1)) < crew->end) {
        const struct input *input = &crew->inputs.input[crew->inputs.by_rank[next]];
        if (!input->elsewhere && !input->done)
            do_one(crew, next);
    }
    return NULL;
}

/*
 * Process all inputs of a rank. The calling thread works, too; if a thread cannot be started, the others do its work.
 */
static void work_off_rank(struct crew *crew, size_t begin)
{
    size_t started = 0, workers = crew->end - begin < crew->workers ? crew->end - begin : crew->workers;
    pthread_t threads[WORKERS_MAX];

    atomic_store(&crew->next, begin);
    while (started + 1 < workers && pthread_create(&threads[started], NULL, worker, crew) == 0)
        started++;
    worker(crew);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static size_t end_of_rank(const struct inputs *inputs, size_t begin)
{
    size_t rank = inputs->input[inputs->by_rank[begin]].rank, end = begin;

    while (end < inputs->count && inputs->input[inputs->by_rank[end]].rank == rank)
        end++;
    return end;
}

/*
 * Process all inputs, rank by rank. If several inputs may have the same output, the first one gets it, even if another
 * would be faster: the others wait.
 */
static void work_off(struct crew *crew)
{
    summary_begin(&crew->summary);
    if (crew_has_groups(crew)) {
        crew_work_off_groups(crew);
        return;
    }
    progress_begin(crew->inputs.own);
    for (size_t begin = 0; begin < crew->inputs.count && !crew_stops(crew); begin = crew->end) {
        crew->end = end_of_rank(&crew->inputs, begin);
        work_off_rank(crew, begin);
    }
    progress_end();
}

/* Return the exit code for what has been done. If inputs are left, say why. */
static int conclude(struct crew *crew)
{
    size_t failures = atomic_load(&crew->failures), left = crew->inputs.own - atomic_load(&crew->done);
    bool wanted = crew->batch->common->verbose || isatty(STDERR_FILENO);

    if (wanted && crew->batch->output->directory != NULL)
        summary_print(&crew->summary, crew->inputs.resumed, left);
    summary_end(&crew->summary);
    if (left > 0 && interrupt_came()) {
        complain(NULL, "interrupted, can be resumed: %zu of %zu inputs are left", left, crew->inputs.own);
        return EXIT_INTERRUPTED;
    }
    if (left > 0)
        complain(NULL, "stopped after %zu failure%s: %zu of %zu inputs are left", failures, failures == 1 ? "" : "s",
            left, crew->inputs.own);
    return failures == 0 ? EXIT_FINE : EXIT_FAILED;
}

/* Says what is wrong with the folder for outputs once, and not for each input. */
static int check_folder(const char *folder)
{
    struct problem problem = {.text = ""};
    struct stat state;

    if (stat(folder, &state) != 0 && !folder_make(folder, &problem))
        complain(folder, "%s", problem.text);
    else if (stat(folder, &state) == 0 && !S_ISDIR(state.st_mode))
        complain(folder, "is no folder, which --out-dir needs");
    else if (access(folder, W_OK | X_OK) != 0)
        complain(folder, "no files can be made there: %s", strerror(errno));
    else
        return EXIT_FINE;
    return EXIT_FAILED;
}

static int collect(struct crew *crew, char **operands, size_t count)
{
    const struct batch *batch = crew->batch;
    bool many = batch->output->directory != NULL;
    const struct input_choice choice = {
        .output = batch->output, .coded = batch->coded, .raw = batch->files->raw.width > 0};
    struct problem problem = {.text = ""};

    bool lasting = batch->transcode == NULL && !batch->output->in_place;

    if (!many && lasting && output_is_source(operands[1], operands[0]))
        return complain_usage(
            batch->verb->name, "'%s' is the input itself: name another file, or add --in-place", operands[1]);
    if (!many)
        crew->path = operands[1];
    if (!inputs_collect(&crew->inputs, operands, many ? count : 1, &choice, &problem)) {
        complain(NULL, "%s", problem.text);
        return EXIT_FAILED;
    }
    crew->inputs.lasting = lasting;
    return EXIT_FINE;
}

/*
 * Find the number of threads that workers share: from the option, from KOSTKA_THREADS, or one for each processor, as
 * the library does.
 */
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
        *threads = kst_device_get(0, &info) ? 1 : info.units;
    return true;
}

static bool resume(struct crew *crew, struct problem *problem)
{
    const struct output_options *output = crew->batch->output;

    if (!crew_has_groups(crew))
        return resume_skip(&crew->inputs, output, crew->batch->files->target, problem);
    crew->resumed = resumed_read(output, problem);
    return crew->resumed != NULL;
}

/* Open the manifest if there is to be one, and skip what it says is done. */
static int open_manifest(struct crew *crew)
{
    const struct output_options *output = crew->batch->output;
    const char *path = output->many.manifest;
    struct problem problem = {.text = ""};

    crew->inputs.apart = path != NULL;
    if (path == NULL ||
        (manifest_open(&crew->manifest, path, &problem) && (!output->many.resume || resume(crew, &problem))))
        return EXIT_FINE;
    complain(path, "%s", problem.text);
    return EXIT_FAILED;
}

/*
 * Return the most inputs that can be worked on at once. Archives hold an unknown number of inputs, so they set no
 * limit.
 */
static size_t most_at_once(const struct crew *crew)
{
    return crew->inputs.archives > 0 ? WORKERS_MAX : crew->inputs.own;
}

/*
 * Divide the threads among workers. Threads are used best on whole pictures, one thread each; threads beyond the number
 * of pictures work inside the pictures.
 */
static void divide_threads(struct crew *crew, uint32_t threads)
{
    size_t inputs = most_at_once(crew), workers = inputs < threads ? inputs : threads;

    crew->workers = workers < 1 ? 1 : workers > CPU_WORKERS_MAX ? CPU_WORKERS_MAX : workers;
    crew->threads = threads / (uint32_t)crew->workers;
}

/*
 * Choose the number of workers for a relay. Workers that wait for devices use no processor, so as many are started as
 * keep the devices busy.
 */
static void crowd(struct crew *crew)
{
    size_t workers = relay_width(crew->relay);

    workers = most_at_once(crew) < workers ? most_at_once(crew) : workers;
    crew->workers = workers < 1 ? 1 : workers > WORKERS_MAX ? WORKERS_MAX : workers;
    crew->threads = 1;
    crew->context = relay_context(crew->relay);
}

/*
 * Return whether the CPU does the work whatever device is chosen, as when transcoding keeps the code-blocks as they
 * are.
 */
static bool is_the_cpus(const struct crew *crew)
{
    const kst_transcode_options *transcode = crew->batch->transcode;
    return transcode != NULL && transcode->jpeg2000.ht == KST_CHOICE_KEEP;
}

/*
 * Return whether a flow does the work. With "auto" that takes enough bytes of inputs: the CPU finishes small work
 * before a GPU is open.
 */
static bool wants_relay(const struct crew *crew)
{
    const struct common_options *common = crew->batch->common;
    const char *device = common->device != NULL ? common->device : getenv("KOSTKA_DEVICE");
    uint64_t bytes = 0;

    if (crew->batch->output->directory == NULL || (is_the_cpus(crew) && !common_names_many(common)))
        return false;
    if (device != NULL && *device != '\0' && strcmp(device, "auto") != 0)
        return true;
    for (size_t i = 0; i < crew->inputs.count; i++)
        bytes += crew->inputs.input[i].elsewhere || crew->inputs.input[i].done ? 0 : crew->inputs.input[i].size;
    return bytes >= OPENING_BYTES;
}

/* Open a relay's devices while the first inputs are read ahead. These are dropped if the CPU is the only device. */
static int open_relay(struct crew *crew, uint32_t threads)
{
    const struct relay_work work = {crew->batch->files->filters, is_the_cpus(crew) ? NULL : crew->batch->transcode};

    if (!crew_has_groups(crew) && !common_on_cpu(crew->batch->common))
        ahead_begin(&crew->ahead, &crew->inputs, crew->batch->files);
    int code = relay_open(crew->batch->common, threads, &work, &crew->relay);
    ahead_stop(&crew->ahead);
    if (crew->relay == NULL)
        ahead_release(&crew->ahead);
    return code;
}

/* Open the devices that do the work, and find out how many workers they need. */
static int open_devices(struct crew *crew, uint32_t threads)
{
    int code = wants_relay(crew) ? open_relay(crew, threads) : EXIT_FINE;

    if (code != EXIT_FINE)
        return code;
    if (crew->relay != NULL)
        crowd(crew);
    else
        divide_threads(crew, threads);
    if (crew->relay != NULL)
        return EXIT_FINE;
    struct common_options common = *crew->batch->common;
    if (crew->batch->output->directory != NULL && common_names_many(&common)) /* "all", and there is no GPU */
        common.device = "cpu";
    return common_context(&common, crew->threads, &crew->context);
}

/*
 * Return whether the contexts stay open until the process, which is about to end, is gone, so that the system frees
 * what they hold. CUDA's driver takes a quarter of a second to free the buffers of a folder's pictures one after the
 * other. Without a device, waiting for threads and unmapping buffers takes a fiftieth of the time of a small picture;
 * so does asking for the device, which describes the processor. Contexts of OpenCL are closed, because drivers may have
 * threads of their own that end with the contexts.
 */
static bool leaves_devices(const struct crew *crew)
{
    kst_device_info info = {.size = sizeof info};

    if (crew->relay != NULL)
        return relay_has(crew->relay, KST_DEVICE_CUDA) && !relay_has(crew->relay, KST_DEVICE_OPENCL);
    if (crew->context == NULL || !library_is_loaded("libOpenCL.so.1"))
        return true;
    return !kst_context_device(crew->context, &info) && info.kind != KST_DEVICE_OPENCL;
}

static bool is_on_cuda(const struct crew *crew)
{
    kst_device_info info = {.size = sizeof info};

    if (crew->relay != NULL)
        return relay_has(crew->relay, KST_DEVICE_CUDA);
    return crew->context != NULL && library_is_loaded("libcuda.so.1") && !kst_context_device(crew->context, &info) &&
           info.kind == KST_DEVICE_CUDA;
}

/*
 * Holds the relay and the context that stay open at the end of the process, so that their memory stays reachable (for
 * leak checkers).
 */
static struct {
    struct relay *volatile relay;
    kst_context *volatile context;
} left;

static void close_devices(struct crew *crew)
{
    if (leaves_devices(crew)) {
        left.relay = crew->relay;
        left.context = crew->context;
        crew->leaves_driver = is_on_cuda(crew);
        return;
    }
    if (crew->relay == NULL)
        kst_context_destroy(&crew->context);
    relay_close(&crew->relay);
}

static int process(struct crew *crew, uint32_t threads)
{
    int code = open_devices(crew, threads);

    if (code == EXIT_FINE) {
        if (crew->batch->output->directory != NULL)
            interrupt_set(INTERRUPT_WAITS);
        work_off(crew);
        ahead_release(&crew->ahead);
        code = conclude(crew);
    }
    close_devices(crew);
    return code;
}

/*
 * End the process with _exit() if devices of CUDA stay open: exit() would let their driver free its buffers. At this
 * point threads of the flow only wait for work, and all files are closed.
 */
static int end_process(const struct crew *crew, int code)
{
    if (!crew->leaves_driver)
        return code;
    fflush(NULL);
    _exit(code);
}

int batch_run(const struct batch *batch, int argc, char **argv)
{
    struct crew crew = {.batch = batch, .manifest.descriptor = -1};
    char **operands = argv + optind;
    size_t count = (size_t)(argc - optind);
    uint32_t threads;
    int code = operands_check(batch->verb->name, batch->output, operands, count);

    if (code == EXIT_FINE && batch->output->directory != NULL) {
        interrupt_set(INTERRUPT_LEAVES);
        code = check_folder(batch->output->directory);
    }
    if (code != EXIT_FINE)
        return code;
    if (!count_threads(batch, &threads))
        return EXIT_USAGE;
    if ((code = collect(&crew, operands, count)) != EXIT_FINE)
        return code;
    if ((code = open_manifest(&crew)) == EXIT_FINE)
        code = process(&crew, threads);
    manifest_close(&crew.manifest);
    resumed_release(&crew.resumed);
    inputs_release(&crew.inputs);
    return end_process(&crew, code);
}
