/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka video', which copies or converts a sequence of frames from one file or stream to another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/inputs.h"
#include "files/output.h"
#include "system/folder.h"
#include "system/interrupt.h"
#include "video/pattern.h"
#include "video/setup.h"

/* Read N, N/D, N:D or a decimal fraction such as 29.97, which stands for 30000/1001. */
static bool set_rate(const char *value, struct video_ratio *rate)
{
    static const struct video_ratio usual[] = {{24000, 1001}, {30000, 1001}, {60000, 1001}, {120000, 1001}};
    char *end;
    unsigned long over = strtoul(value, &end, 10), under = 1;
    double number;

    if (value[0] < '0' || value[0] > '9')
        return false;
    if (*end == '/' || *end == ':')
        under = end[1] >= '0' && end[1] <= '9' ? strtoul(end + 1, &end, 10) : 0;
    if (*end == '\0') {
        *rate = (struct video_ratio){(uint32_t)over, (uint32_t)under};
        return over > 0 && under > 0 && over <= INT32_MAX && under <= INT32_MAX;
    }
    number = strtod(value, &end);
    if (*end != '\0' || !(number >= 0.001 && number <= 1e6))
        return false;
    *rate = ratio_reduce((struct video_ratio){(uint32_t)(number * 1000 + 0.5), 1000});
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        double off = number - (double)usual[i].over / usual[i].under;
        if (off < 0.005 && off > -0.005)
            *rate = usual[i];
    }
    return true;
}

static bool set_format(const char *option, const char *value, const struct video_format **format)
{
    *format = video_format_by_name(value);
    if (*format == NULL)
        complain_usage("video", "%s is y4m, avi, mkv, mov, mp4, mxf, mjpeg, multipart or raw, not '%s'", option, value);
    return *format != NULL;
}

static bool set_size(const char *value, struct video_shape *shape)
{
    char *end;
    unsigned long width = value[0] >= '1' && value[0] <= '9' ? strtoul(value, &end, 10) : 0, height = 0;

    if (width > 0 && *end == 'x' && end[1] >= '1' && end[1] <= '9')
        height = strtoul(end + 1, &end, 10);
    if (height == 0 || *end != '\0' || width > INT32_MAX || height > INT32_MAX) {
        complain_usage("video", "--size takes WxH, such as 1920x1080, not '%s'", value);
        return false;
    }
    shape->width = (uint32_t)width;
    shape->height = (uint32_t)height;
    return true;
}

/* Read a number of bits; a k, M or G behind it means 10^3, 10^6 or 10^9. */
static bool set_bits(const char *option, const char *value, double *bits)
{
    static const char units[] = "kMG";
    char *end;
    double number = strtod(value, &end);
    const bool begins_with_digit = value[0] >= '0' && value[0] <= '9';

    for (size_t i = 0; number > 0 && *end != '\0' && i < sizeof units - 1; i++)
        if (end[0] == units[i] && end[1] == '\0') {
            number *= i == 0 ? 1e3 : i == 1 ? 1e6 : 1e9;
            end++;
        }
    if (!begins_with_digit || !(number > 0 && number <= 1e15) || *end != '\0') {
        complain_usage("video", "%s takes a number of bits, such as 40M or 250000, not '%s'", option, value);
        return false;
    }
    *bits = number;
    return true;
}

/* Read the number of a file. */
static bool set_number(const char *option, const char *value, uint64_t *number)
{
    enum { DIGITS_MOST = 15 };
    size_t length = strlen(value);

    if (length == 0 || length > DIGITS_MOST || strspn(value, "0123456789") < length) {
        complain_usage("video", "%s takes the number of a file, such as 1001, not '%s'", option, value);
        return false;
    }
    *number = strtoull(value, NULL, 10);
    return true;
}

/* Read the name of a matrix that makes Y, Cb and Cr. */
static bool set_matrix(const char *value, uint8_t *matrix)
{
    static const struct {
        const char *name;
        uint8_t matrix;
    } known[] = {{"bt601", MATRIX_BT601}, {"601", MATRIX_BT601}, {"bt709", MATRIX_BT709}, {"709", MATRIX_BT709},
        {"bt2020", MATRIX_BT2020}, {"2020", MATRIX_BT2020}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, value) == 0) {
            *matrix = known[i].matrix;
            return true;
        }
    complain_usage("video", "--matrix is bt601, bt709 or bt2020, not '%s'", value);
    return false;
}

static bool set_codec(const char *value, struct video_settings *settings)
{
    static const struct {
        const char *name;
        kst_codec codec;
        bool ht;
    } codecs[] = {{"jpeg", KST_CODEC_JPEG, false}, {"mjpeg", KST_CODEC_JPEG, false},
        {"jpeg2000", KST_CODEC_JPEG2000, false}, {"j2k", KST_CODEC_JPEG2000, false}, {"ht", KST_CODEC_JPEG2000, true}};

    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (strcmp(codecs[i].name, value) == 0) {
            settings->codec = codecs[i].codec;
            settings->ht = codecs[i].ht;
            return true;
        }
    complain_usage("video", "--codec is jpeg, jpeg2000 or ht, not '%s'", value);
    return false;
}

static bool handle(const char *verb, void *settings_pointer, int code, const char *value)
{
    struct video_settings *settings = settings_pointer;

    switch (code) {
    case OPTION_FIRST_NUMBER:
        settings->wishes.has_first = true;
        return set_number("--first", value, &settings->wishes.first);
    case OPTION_FIRST_OUT:
        return set_number("--first-out", value, &settings->first_out);
    case OPTION_MATRIX:
        return set_matrix(value, &settings->wishes.matrix);
    case OPTION_FPS:
        if (set_rate(value, &settings->wishes.rate))
            return true;
        complain_usage(verb, "--fps takes frames a second, such as 25, 30000/1001 or 29.97, not '%s'", value);
        return false;
    case OPTION_IN_FORMAT:
        return set_format("--in-format", value, &settings->in_format);
    case OPTION_OUT_FORMAT:
        return set_format("--out-format", value, &settings->out_format);
    case OPTION_SIZE:
        return set_size(value, &settings->wishes.shape);
    case OPTION_FORMAT:
        if (shape_set_layout(&settings->wishes.shape, value))
            return true;
        complain_usage(verb,
            "--format is yuv420p, yuv422p, yuv444p, yuv440p, yuv411p, gray or rgb, perhaps with a "
            "depth behind it: yuv420p10; not '%s'",
            value);
        return false;
    case OPTION_CODEC:
        return set_codec(value, settings);
    case OPTION_BITRATE:
        return set_bits("--bitrate", value, &settings->bitrate);
    case OPTION_BITS_PER_FRAME:
        return set_bits("--bits-per-frame", value, &settings->frame_bits);
    case OPTION_IN_PLACE:
        settings->in_place = true;
        return true;
    case OPTION_LATENCY:
        settings->latency = true;
        return true;
    default:
        settings->strict = settings->wishes.strict = true;
        return true;
    }
}

static struct option_group video_group(struct video_settings *settings)
{
    static const struct option_entry table[] = {{"fps", "N", OPTION_FPS, 0, 0},
        {"first", "N", OPTION_FIRST_NUMBER, 0, 0}, {"first-out", "N", OPTION_FIRST_OUT, 0, 0},
        {"matrix", "bt601|bt709|bt2020", OPTION_MATRIX, 0, 0},
        {"in-format", "y4m|avi|mkv|mov|mp4|mxf|mjpeg|multipart|raw", OPTION_IN_FORMAT, 0, 0},
        {"out-format", "y4m|avi|mkv|mov|mp4|mxf|mjpeg|multipart|raw", OPTION_OUT_FORMAT, 0, 0},
        {"codec", "jpeg|jpeg2000|ht", OPTION_CODEC, 0, 0}, {"size", "WxH", OPTION_SIZE, 0, 0},
        {"format", "yuv420p|yuv422p|yuv444p|gray|rgb", OPTION_FORMAT, 0, 0},
        {"bitrate", "BITS", OPTION_BITRATE, KIND_JPEG | KIND_JPEG2000, 0},
        {"bits-per-frame", "BITS", OPTION_BITS_PER_FRAME, KIND_JPEG | KIND_JPEG2000, 0},
        {"latency", NULL, OPTION_LATENCY, 0, 0}, {"in-place", NULL, OPTION_IN_PLACE, 0, 0},
        {"strict", NULL, OPTION_STRICT, 0, 0}, {"input", "FILE", OPTION_INPUT, 0, 0},
        {"output", "FILE", OPTION_OUTPUT, 0, 0}, {NULL, NULL, 0, 0, 0}};
    return (struct option_group){table, handle, settings};
}

static void tell_details(const char *name, const struct video_pass *pass, double seconds)
{
    const struct video_info *info = &pass->reader->info;
    double rate = (double)pass->reader->count / seconds;
    char shape[64];

    complain(name, "%s, %llu frames of %s in %.2f s, %.1f a second, %.1f times real time", pass->reader->format->name,
        (unsigned long long)pass->reader->count, shape_text(&pass->changed.shape, shape), seconds, rate,
        rate * info->rate.under / info->rate.over);
}

/* Warn of streams, and of whatever else the output has no place for. */
static void report_tracks(const char *name, const struct video_pass *pass)
{
    const struct video_reader *reader = pass->reader;
    const char *container = pass->writer->format->name;

    for (uint32_t i = 0; i < reader->tracks; i++)
        if (!reader->track[i].copied)
            complain(
                name, "warning: %s is left out, for which there is no place in %s", reader->track[i].name, container);
    if (pass->writer->cut * reader->info.rate.over > reader->info.rate.under)
        complain(name, "warning: %.2f s of sound behind the last frame are cut off, as %s ends with it",
            pass->writer->cut, container);
    if (reader->left_out > 0)
        complain(name, "warning: streams that are not copied are left out: %u", (unsigned)reader->left_out);
    if (reader->info.timecode[0] != '\0' && pass->writer->info.timecode[0] == '\0')
        complain(name, "warning: the time code %s is left out, for which there is no place in %s",
            reader->info.timecode, container);
}

/* Warn of files that are missing in a numbered sequence. */
static void report_numbers(const char *name, const struct video_losses *losses)
{
    if (losses->absent > 0)
        complain(name,
            "warning: %llu numbers are missing, in whose place the frame before is repeated; the first: %llu",
            (unsigned long long)losses->absent, (unsigned long long)losses->first_absent);
    if (losses->beyond > 0)
        complain(name,
            "warning: the numbers end at %llu; files of later numbers, up to %llu, are left out; --first N begins "
            "with one of them",
            (unsigned long long)losses->end, (unsigned long long)losses->beyond);
}

/* Count files that could not be read as frames that could not be decoded. */
static void count_damaged_files(struct video_pass *pass)
{
    if (pass->damaged + pass->warned == 0)
        pass->first_damage = pass->losses.first_damaged;
    pass->damaged += pass->losses.damaged;
}

/* Report how a sequence was made (if verbose), and what was wrong with it. */
static void report(const char *name, const struct video_pass *pass, double seconds)
{
    const struct video_reader *reader = pass->reader;

    if (pass->common->verbose)
        tell_details(name, pass, seconds);
    if (pass->damaged > 0)
        complain(name, "warning: %llu of %llu frames are damaged, and repeat the one before; the first: %s",
            (unsigned long long)pass->damaged, (unsigned long long)reader->count, pass->first_damage.text);
    if (pass->warned > 0)
        complain(name, "warning: %llu of %llu frames are decoded in spite of errors%s%s",
            (unsigned long long)pass->warned, (unsigned long long)reader->count,
            pass->damaged > 0 ? "" : "; the first: ", pass->damaged > 0 ? "" : pass->first_damage.text);
    if (pass->rate.over > 0)
        complain(name, "warning: %llu frames have more bits than they may, at the lowest quality",
            (unsigned long long)pass->rate.over);
    if (pass->rate.lowered > 0)
        complain(name, "warning: %llu frames have less than the quality asked for, to keep to their bits",
            (unsigned long long)pass->rate.lowered);
    if (reader->uneven > 0)
        complain(name,
            "warning: %llu frames are due at other times than %u/%u a second says, and are written at that rate; --fps "
            "sets it where there is no sound",
            (unsigned long long)reader->uneven, (unsigned)reader->info.rate.over, (unsigned)reader->info.rate.under);
    if (reader->skipped > 0)
        complain(name, "warning: %llu bytes between frames belong to none", (unsigned long long)reader->skipped);
    if (reader->missing > 0)
        complain(name, "warning: the file ends inside of a frame, which is left out");
    report_numbers(name, &pass->losses);
    report_tracks(name, pass);
}

/* With --strict, fail for what is wrong with the input as a whole: skipped bytes, or a frame that is cut off. */
static bool check_strict(const struct video_pass *pass, struct problem *problem)
{
    const struct video_reader *reader = pass->reader;

    if (pass->strict && reader->skipped > 0)
        return problem_set(problem, "%llu bytes between frames belong to none", (unsigned long long)reader->skipped);
    if (pass->strict && reader->missing > 0)
        return problem_set(problem, "the file ends inside of a frame");
    return true;
}

static bool write_all(struct video_pass *pass, struct problem *problem)
{
    struct video_writer *writer = pass->writer;

    return writer->format->begin(writer, problem) && video_pass_run(pass, problem) && check_strict(pass, problem) &&
           writer->format->end(writer, problem);
}

/* Add to a problem which file holds the frames that were recorded before it: a camera does not show them again. */
static void tell_part(const char *part, struct problem *problem)
{
    struct problem whole = *problem;

    problem_set_kind(problem, whole.kind, "%s; %s has the frames up to there", whole.text, part);
}

/* Give the output its name, or drop it. If something has failed, recorded frames stay under a temporary name. */
static bool end_output(struct video_pass *pass, bool good, struct problem *problem)
{
    struct output *output = &pass->writer->output;
    char *part = output->kept ? strdup(output->temporary.path) : NULL;

    if (good && !(pass->interrupted && pass->reader->input.regular))
        good = output_commit(output, problem);
    else
        output_discard(output);
    if (!good && part != NULL)
        tell_part(part, problem);
    free(part);
    return good;
}

/*
 * Write the output. If a signal ends the work early, the frames so far are kept only for a stream, which has no end of
 * its own.
 */
static bool write_output(const char *path, struct video_pass *pass, struct problem *problem)
{
    struct video_writer *writer = pass->writer;

    if (!writer->format->files && !output_open(&writer->output, path, problem))
        return false;
    if (writer->format->whole && output_in_order(&writer->output)) {
        output_discard(&writer->output);
        return problem_set(problem, "%s needs a file, since its headers are completed at the end; mjpeg does not",
            writer->format->name);
    }
    if (writer->format->add_packet == NULL)
        for (uint32_t i = 0; i < writer->tracks; i++)
            writer->track[i].copied = false;
    if (!writer->format->has_timecode)
        writer->info.timecode[0] = '\0';
    writer->records = writer->format->torn && !pass->reader->input.regular && !output_in_order(&writer->output);
    if (!writer->records && !writer->format->files && pass->common->threads != 1)
        output_share(&writer->output);
    interrupt_set(INTERRUPT_WAITS);
    bool good = write_all(pass, problem);
    if (writer->format->drop != NULL)
        writer->format->drop(writer);
    return writer->format->files ? good : end_output(pass, good, problem);
}

/*
 * End the process with _exit() if devices of CUDA stay open: exit() would let their driver free its buffers, which
 * takes up to a quarter of a second. All files are closed, and all threads have ended.
 */
static int end_process(const struct video_pass *pass, int code)
{
    if (!pass->leaves)
        return code;
    fflush(NULL);
    _exit(code);
}

static int run_pass(struct video_settings *settings, const char *in, const char *out)
{
    struct video_reader reader = {.format = NULL, .input.descriptor = -1};
    struct video_writer writer;
    struct video_pass pass = {.common = &settings->common, .reader = &reader, .writer = &writer};
    struct problem problem;
    double began = seconds_now();
    int code = EXIT_FAILED;

    if (!video_open_input(settings, in, &reader, &pass, &problem)) {
        complain(in, "%s", problem.text);
    } else if ((code = video_choose_work(settings, out, &pass)) == EXIT_FINE) {
        if (!write_output(out, &pass, &problem)) {
            complain(problem.kind == PROBLEM_WRITE ? out : in, "%s", problem.text);
            code = EXIT_FAILED;
        }
        count_damaged_files(&pass);
        report(in, &pass, seconds_now() - began);
    }
    if (code == EXIT_FINE && pass.interrupted) {
        complain(in, "interrupted after %llu frames%s", (unsigned long long)reader.count,
            reader.input.regular ? "; nothing is kept of them" : "");
        code = EXIT_INTERRUPTED;
    }
    video_change_close(&pass.change);
    frame_release(&pass.first);
    packets_release(&pass.packets);
    video_close_input(&reader);
    return end_process(&pass, code);
}

/* Check that there are an input and an output, and that neither is a folder. */
static int check_operands(char **operands, size_t count, bool in_place)
{
    const struct output_options one = {.directory = NULL};

    if (count != 2)
        return complain_usage(
            "video", "takes one input and one output ('-' is standard input or output), not %zu", count);
    for (size_t i = 0; i < count; i++)
        if (is_folder(operands[i]))
            return complain_usage("video", "%s is a folder: name files in it, such as frame%%05d.png", operands[i]);
    bool itself = output_is_source(operands[1], operands[0]) || pattern_is_same(operands[1], operands[0]);

    if (itself && !in_place)
        return complain_usage("video", "'%s' is the input itself: name another file, or add --in-place", operands[1]);
    return operands_check("video", &one, operands, count);
}

static int run(int argc, char **argv)
{
    struct video_settings settings = {.wishes.shape = {0, 0, 3, 8, 2, 2, false}, .first_out = 1};
    int code;

    encode_settings_init(&settings.encode);
    j2k_settings_init(&settings.j2k);
    kst_transcode_options_init(&settings.transcode);
    const struct option_group groups[] = {common_group(&settings.common), video_group(&settings),
        encode_group(&settings.encode), j2k_group(&settings.j2k, true), resize_group(&settings.resize)};
    if (options_read(&verb_video, argc, argv, groups, 5, &settings.given, &code)) {
        settings.wishes.max_pixels = common_max_pixels(&settings.common);
        settings.wishes.max_memory = common_max_memory(&settings.common);
        code = check_operands(argv + optind, (size_t)(argc - optind), settings.in_place);
        if (code == EXIT_FINE)
            code = run_pass(&settings, argv[optind], argv[optind + 1]);
    }
    encode_settings_release(&settings.encode);
    return code;
}

const struct verb verb_video = {
    .name = "video",
    .summary = "take a sequence of frames from one file or stream to another",
    .run = run,
    .help =
        "Usage: kostka video [OPTIONS] IN OUT\n"
        "\n"
        "Reads and writes Y4M (.y4m), MJPEG (.mjpeg), AVI with frames of JPEG or JPEG 2000 (.avi), the same in .mkv,\n"
        ".mov, .mp4 and, JPEG 2000 alone, .mxf through libavformat, multipart HTTP streams of JPEG (.multipart), "
        "planes\n"
        "without a header (.yuv), and files with numbers in their names (frame%05d.png), which may be of any format\n"
        "that 'kostka convert' knows. '-' is standard input or output. Sound goes along where both containers have "
        "it.\n"
        "Frames are decoded, encoded, or coded again where an option or the codec asks for that; otherwise they\n"
        "are passed on or, with --optimize, --progressive, --restart and --ht, rewritten without loss. Planes go\n"
        "to the codec as they are: neither colours nor sampling change.\n"
        "\n"
        "  --codec jpeg|jpeg2000|ht   what frames of AVI, MKV, MOV and MP4 are coded as (jpeg)\n"
        "  -q, --quality N, --lossless, --rate BPP, --ratio R ...   all options of 'kostka encode'; see there\n"
        "  --bitrate BITS      bits a second, such as 40M: JPEG shares them among frames, so that no row of frames "
        "has\n"
        "                      more than the bits of its time and of one second; JPEG 2000 gives each frame as many,\n"
        "                      or with --quality, --psnr or --lossless what that takes, up to the same limit\n"
        "  --bits-per-frame BITS   the most bits of each frame: the greatest quality that keeps to them\n"
        "  --first N, --first-out N   number of the first file that is read (the least), or written (1)\n"
        "  --matrix bt601|bt709|bt2020   what Y, Cb and Cr are made of, where IN does not say it (bt601) or is wrong\n"
        "  --fps N|N/D         frames a second, where IN does not say it (25) or is wrong\n"
        "  --in-format, --out-format y4m|avi|mkv|mov|mp4|mxf|mjpeg|multipart|raw   where bytes and names\n"
        "                      do not say it\n"
        "  --size WxH, --format yuv420p|yuv422p|yuv444p|gray|rgb[DEPTH]   what frames without a header are\n"
        "  --resize WxH|W|xH, --fit exact|inside|cover, --filter bicubic|box|bilinear|hamming|lanczos   another size;\n"
        "                      planes keep their sampling\n"
        "  --filters FILTER[,FILTER...]   those of 'kostka filter', on RGB or grey: Y4M gets 4:4:4 of them\n"
        "  --strict            damage ends the work; otherwise a frame that cannot be decoded repeats the one\n"
        "                      before, and is counted\n"
        "  --in-place          let the output replace the input, which is an error otherwise\n"
        "  --latency           each frame goes out before the next one is read\n"
        "  -i FILE, -o FILE    the input, the output: as the operands (--input, --output)\n"
        "  --threads N         default: KOSTKA_THREADS, else one for each processor\n"
        "  --device DEVICE     auto, cpu, cuda:N, opencl:N, all, or several with commas\n"
        "  --max-pixels N, --max-memory BYTES   limits (512M pixels, 4G)\n"
        "  -v, --verbose       print how many frames there were, and how long they took\n"
        "\n"
        "After SIGINT or SIGTERM the frames under way are finished. What they make is kept if IN is a pipe, which\n"
        "has no other end; the exit status is 4.\n",
};
