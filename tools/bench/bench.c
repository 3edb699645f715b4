/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka bench': which cases it measures, and how it measures Kostka's own. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/copies.h"
#include "progress/progress.h"
#include "system/channels.h"

static bool bench_batch(const struct bench_settings *settings, struct bench_case *bench, uint32_t batch)
{
    struct bench_result result = {.engine = "kostka", .own = true, .batch = batch, .identical = -1, .psnr = -1};
    struct problem problem = {.text = "out of memory"};

    bool good = bench_device(settings, bench, &result, &problem);
    if (good)
        bench_tell(settings, bench, &result);
    free(result.times.run);
    if (good && result.identical == 0)
        good = problem_set(&problem, "the result is not the CPU's, so that these times mean nothing");
    if (!good)
        complain(bench->name, "%s", problem.text);
    if (good && settings->peers)
        bench_peers(settings, bench, batch);
    return good;
}

static bool bench_size(
    const struct bench_settings *settings, char *const *names, uint32_t count, struct bench_size size)
{
    struct problem problem = {.text = "out of memory"};
    struct bench_case bench;

    bool good = bench_case_open(&bench, settings, names, count, size, &problem);
    if (!good)
        complain(bench.name, "%s", problem.text);
    for (size_t i = 0; i < settings->batches && good; i++)
        good = bench_batch(settings, &bench, settings->batch[i]);
    bench_case_close(&bench, settings);
    progress_step();
    return good;
}

static int bench_all(struct bench_settings *settings, char **names, size_t count)
{
    size_t together = settings->mix ? count : 1;
    int code = EXIT_FINE;

    bench_tell_head(settings);
    settings->list = json_array();
    progress_begin(count / together * settings->sizes);
    for (size_t i = 0; i < count; i += together)
        for (size_t j = 0; j < settings->sizes; j++)
            if (!bench_size(settings, names + i, (uint32_t)together, settings->size[j]))
                code = EXIT_FAILED;
    progress_end();
    return bench_tell_end(settings, code);
}

/* Read sizes such as "64" and "64x48", separated by commas. */
static bool set_sizes(const char *verb, const char *value, struct bench_settings *settings)
{
    const char *at = value;

    for (settings->sizes = 0; settings->sizes < BENCH_LIST_MAX; at++) {
        char *end;
        unsigned long width = strtoul(at, &end, 10), height = width;
        if (*end == 'x')
            height = strtoul(end + 1, &end, 10);
        if (width < 1 || height < 1 || width > 65535 || height > 65535 || (*end != ',' && *end != '\0'))
            break;
        settings->size[settings->sizes++] = (struct bench_size){(uint32_t)width, (uint32_t)height};
        if (*end == '\0')
            return true;
        at = end;
    }
    complain_usage(verb, "--size takes sizes such as 512 or 1920x1080, with commas between, not '%s'", value);
    return false;
}

static bool set_batches(const char *verb, const char *value, struct bench_settings *settings)
{
    const char *at = value;

    for (settings->batches = 0; settings->batches < BENCH_LIST_MAX; at++) {
        char *end;
        unsigned long batch = strtoul(at, &end, 10);
        if (batch < 1 || batch > 4096 || (*end != ',' && *end != '\0'))
            break;
        settings->batch[settings->batches++] = (uint32_t)batch;
        if (*end == '\0')
            return true;
        at = end;
    }
    complain_usage(verb, "--batch takes numbers from 1 to 4096, with commas between, not '%s'", value);
    return false;
}

/* Set the memory of pixels. KST_MEMORY_CUDA stands for the device's memory, whatever the device is. */
static bool set_memory(const char *verb, const char *value, struct bench_settings *settings)
{
    static const char *const names[] = {"host", "pinned", "device"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(value, names[i]) != 0)
            continue;
        settings->memory = (kst_memory)i;
        settings->memory_given = true;
        return true;
    }
    complain_usage(verb, "--memory is host, pinned or device, not '%s'", value);
    return false;
}

static bool handle(const char *verb, void *settings_pointer, int code, const char *value)
{
    struct bench_settings *settings = settings_pointer;
    uint64_t milliseconds;

    switch (code) {
    case OPTION_REPEAT:
        return value_number(verb, "--repeat", value, 1, 1000000, &settings->repeat);
    case OPTION_MOST_TIME:
        if (!value_number(verb, "--most-time", value, 1, 1000000, &milliseconds))
            return false;
        settings->seconds = (double)milliseconds * 1e-3;
        return true;
    case OPTION_SIZE:
        settings->recode = true;
        return set_sizes(verb, value, settings);
    case OPTION_BATCH:
        return set_batches(verb, value, settings);
    case OPTION_CALLS:
        return value_number(verb, "--calls", value, 1, BENCH_CALLS_MAX, &settings->calls);
    case OPTION_MEMORY:
        return set_memory(verb, value, settings);
    case OPTION_RECODE:
        settings->recode = true;
        return true;
    case OPTION_MIX:
        settings->mix = true;
        return true;
    default:
        settings->peers = true;
        return true;
    }
}

static bool on_cpu(const struct bench_settings *settings)
{
    kst_device_info info = {.size = sizeof info};

    kst_context_device(settings->files.context, &info);
    return info.kind == KST_DEVICE_CPU;
}

/* Choose the default memory of pixels, and measure how fast copies to that memory are. */
static int know_device(struct bench_settings *settings)
{
    kst_device_info info = {.size = sizeof info};
    kst_copy_times times = {.size = sizeof times};

    kst_context_device(settings->files.context, &info);
    if (info.kind == KST_DEVICE_CPU) {
        if (settings->memory == KST_MEMORY_CUDA)
            return complain_usage("bench", "the CPU has no memory of its own");
        return EXIT_FINE;
    }
    if (!settings->memory_given || settings->memory == KST_MEMORY_CUDA)
        settings->memory = info.kind == KST_DEVICE_CUDA ? KST_MEMORY_CUDA : KST_MEMORY_OPENCL;
    size_t length;
    kst_status status = copies_measure(settings->files.context, &length, &times);
    if (status) {
        complain(info.name, "%s", kst_status_text(status));
        return EXIT_DEVICE;
    }
    settings->up_rate = (double)length / times.up;
    settings->down_rate = (double)length / times.down;
    return EXIT_FINE;
}

/*
 * Open the context that is measured, and the CPU's context that prepares and checks. The latter has all processors if a
 * device is measured.
 */
static int open_contexts(struct bench_settings *settings, const struct common_options *common)
{
    struct common_options cpu = *common;
    int code = common_context(common, common->threads, &settings->files.context);

    if (code != EXIT_FINE)
        return code;
    cpu.device = "cpu";
    code = common_context(&cpu, on_cpu(settings) ? common->threads : 0, &settings->cpu);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    settings->threads = common->threads != 0 ? common->threads : processors > 0 ? (uint32_t)processors : 1;
    return code == EXIT_FINE ? know_device(settings) : code;
}

/*
 * Check the options. Encoding options apply to pictures that are encoded here; decoding options apply to these, and to
 * the files themselves.
 */
static bool check(struct bench_settings *settings, const struct options_given *given)
{
    bool coding = settings->encoding || settings->recode;
    unsigned target = !coding ? 0 : settings->j2k.given ? KIND_JPEG2000 : KIND_JPEG;

    if (settings->encoding && !options_refuse("bench", given, OPTION_RECODE, "'bench encode' always encodes"))
        return false;
    return options_refuse("bench", given, OPTION_VERBOSE, "the results say where the work was done") &&
           options_check("bench", given, target,
               settings->encoding ? KIND_ANY
               : settings->recode ? target
                                  : KIND_CODED,
               coding ? NULL : "; add --recode to encode the picture first") &&
           decode_options_check("bench", &settings->files) && encode_settings_finish("bench", &settings->encode) &&
           j2k_settings_choose("bench", &settings->j2k, &settings->encode.options);
}

static int run_checked(struct bench_settings *settings, const struct common_options *common,
    const struct options_given *given, int argc, char **argv)
{
    const char *work = optind < argc ? argv[optind] : "";
    struct problem problem = {.text = ""};
    int code;

    settings->encoding = strcmp(work, "encode") == 0;
    settings->transcoding = strcmp(work, "transcode") == 0;
    if (!settings->encoding && !settings->transcoding && strcmp(work, "decode") != 0)
        return complain_usage("bench",
            "say what to measure: 'bench decode FILE...', 'bench encode FILE...' or 'bench transcode FILE...'");
    if (settings->transcoding && settings->peers)
        return complain_usage("bench", "--peers: no other library transcodes between JPEG 2000 and HTJ2K");
    if (optind + 1 >= argc)
        return complain_usage("bench", "no file named");
    settings->files.max_pixels = common_max_pixels(common);
    settings->files.max_memory = common_max_memory(common);
    if (!check(settings, given))
        return EXIT_USAGE;
    if (!json_library_load(&problem)) { /* results are kept as JSON until all of them are known */
        complain("bench", "%s", problem.text);
        return EXIT_FAILED;
    }
    settings->files.given = given;
    code = open_contexts(settings, common);
    if (code == EXIT_FINE)
        code = bench_all(settings, argv + optind + 1, (size_t)(argc - optind - 1));
    kst_context_destroy(&settings->cpu);
    kst_context_destroy(&settings->files.context);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct option_entry own[] = {{"repeat", "N", OPTION_REPEAT, 0, 0},
        {"most-time", "MS", OPTION_MOST_TIME, 0, 0}, {"size", "WxH,...", OPTION_SIZE, 0, 0},
        {"batch", "N", OPTION_BATCH, 0, 0}, {"calls", "N", OPTION_CALLS, 0, 0},
        {"memory", "host|pinned|device", OPTION_MEMORY, 0, 0}, {"recode", NULL, OPTION_RECODE, 0, 0},
        {"mix", NULL, OPTION_MIX, 0, 0}, {"peers", NULL, OPTION_PEERS, 0, 0}, {NULL, NULL, 0, 0, 0}};
    struct bench_settings settings = {.repeat = 10, .calls = 1, .sizes = 1, .batch = {1}, .batches = 1};
    struct common_options common = {0};
    struct options_given given;
    int code;

    ask_for_channels();
    encode_settings_init(&settings.encode);
    j2k_settings_init(&settings.j2k);
    kst_decode_options_init(&settings.files.decode);
    const struct option_group groups[] = {common_group(&common), json_group(&settings.json), {own, handle, &settings},
        decode_group(&settings.files.decode), encode_group(&settings.encode), j2k_group(&settings.j2k, false)};
    if (options_read(&verb_bench, argc, argv, groups, 6, &given, &code))
        code = run_checked(&settings, &common, &given, argc, argv);
    encode_settings_release(&settings.encode);
    return code;
}

const struct verb verb_bench = {
    .name = "bench",
    .summary = "measure how fast the library decodes, encodes or transcodes files",
    .actions = "decode|encode|transcode",
    .run = run,
    .help = "Usage: kostka bench decode [OPTIONS] FILE...\n"
            "       kostka bench encode [OPTIONS] FILE...\n"
            "       kostka bench transcode [OPTIONS] FILE...\n"
            "\n"
            "Times the library in this process: for each file the median, the fastest and the spread (between the\n"
            "quartiles) of several runs after some that do not count, megapixels, megabytes of JPEG and images per\n"
            "second by the median, whether all results are those of the CPU, and how many threads worked. Files to\n"
            "encode may be of any format, JPEG included.\n"
            "\n"
            "Transcoding is that of JPEG 2000 to HTJ2K, and back.\n"
            "\n"
            "Times are from memory to memory on the CPU; on a GPU from a stream in pinned memory to pixels in the\n"
            "device's, or from there to a stream in pinned memory, or between two streams there. Then it also tells\n"
            "how long the coded bytes need on the bus at least, and the pixels as they are, and the bus's rates.\n"
            "\n"
            "  --repeat N          runs for each file, default 10\n"
            "  --most-time N       end a measurement after N milliseconds, once there are a few runs\n"
            "  --batch N[,N...]    so many pictures at once, default 1\n"
            "  --calls N           so many calls beside each other, on a thread each: a run is as many of them\n"
            "  --size WxH[,...]    cut the picture to this size, or continue it by its mirror image, and encode it\n"
            "  --mix               all FILEs take turns, in a batch and from run to run, as if they were one\n"
            "  --recode            decode, transcode: encode the picture first, as the options of 'kostka encode' say\n"
            "  --memory WHERE      of the pixels: host, pinned, device\n"
            "  --peers             measure nvJPEG and libjpeg-turbo too, of JPEG 2000 nvJPEG2000, where they are "
            "installed\n"
            "  --threads N         default: KOSTKA_THREADS, else one for each processor\n"
            "  --json              the results as a JSON object\n"
            "  and the options of 'kostka decode' (--scale, --region, --format ...) and of 'kostka encode'\n"
            "  (-q, --subsampling, --optimize, --progressive, --restart ...). Any of those for JPEG 2000 (--lossless,\n"
            "  --ratio, --tiles ...; of --layers what is said for decoding) has it coded instead of JPEG\n",
};
