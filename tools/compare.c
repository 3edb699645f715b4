/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs 'kostka compare': it says how two pictures differ. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "options/options.h"
#include "print/json.h"
#include "print/plain.h"

/* The exit codes of 'compare'. As in cmp(1), pictures that differ and failures have different codes. */
enum { EXIT_DIFFERENT = 1, EXIT_TROUBLE = 2 };

/*
 * Convert two pictures to a common format so that they can be compared: a grey picture may equal one in RGB, and a
 * picture without alpha may equal an opaque one.
 */
static bool bring_together(struct picture *a, struct picture *b, struct problem *problem)
{
    kst_format left = a->image.format, right = b->image.format;
    bool inks = left == KST_FORMAT_CMYK || right == KST_FORMAT_CMYK;

    if (left == right || inks)
        return true;
    kst_format both = left == KST_FORMAT_RGBA || right == KST_FORMAT_RGBA ? KST_FORMAT_RGBA : KST_FORMAT_RGB;
    return picture_to_format(a, both, problem) && picture_to_format(b, both, problem);
}

static const char *explain(kst_status status)
{
    switch (status) {
    case KST_ERROR_IMAGE_SIZE:
        return "the pictures differ in size";
    case KST_ERROR_IMAGE_DEPTH:
        return "the pictures differ in bit depth";
    case KST_ERROR_IMAGE_FORMAT:
        return "the pictures differ in colour space";
    default:
        return kst_status_text(status);
    }
}

/* Return whether the samples of only one picture are signed. Such pictures cannot be compared. */
static bool differ_in_sign(const struct picture pictures[2])
{
    return pictures[0].image.plane[0].is_signed != pictures[1].image.plane[0].is_signed;
}

static int print_reason(const char *reason, bool json)
{
    if (json)
        return json_print(json_pack("{s:b, s:o}", "identical", 0, "reason", json_text(reason)), EXIT_DIFFERENT);
    printf("different: %s\n", reason);
    return EXIT_DIFFERENT;
}

static void print_size(const char *name, const struct picture *picture)
{
    static const char *const names[] = {"?", "grey", "RGB", "BGR", "RGBA", "BGRA", "CMYK"};

    plain_puts(stdout, name);
    printf(": %ux%u %s, %u bits\n", (unsigned)picture->image.width, (unsigned)picture->image.height,
        picture->image.format <= KST_FORMAT_CMYK ? names[picture->image.format] : names[0],
        (unsigned)picture_depth(picture));
}

static int print_comparison(const kst_comparison *result, bool json)
{
    int code = result->identical ? EXIT_FINE : EXIT_DIFFERENT;

    if (json)
        return json_print(
            json_pack("{s:b, s:I, s:I, s:I, s:f, s:f, s:o}", "identical", result->identical, "samples",
                (json_int_t)result->samples, "differing", (json_int_t)result->differing, "max_error",
                (json_int_t)result->max_error, "mean_error", result->mean_error, "mean_square_error",
                result->mean_square_error, "psnr", result->identical ? json_null() : json_real(result->psnr)),
            code);
    if (result->identical)
        printf("identical (%llu samples)\n", (unsigned long long)result->samples);
    else
        printf("different: %llu of %llu samples (%.4g %%), maximum error %u, mean %.6g, PSNR %.3f dB\n",
            (unsigned long long)result->differing, (unsigned long long)result->samples,
            100.0 * (double)result->differing / (double)result->samples, (unsigned)result->max_error,
            result->mean_error, result->psnr);
    return finish_output(code);
}

static int compare(char **names, struct picture pictures[2], const struct file_settings *settings,
    const struct options_given *given, bool json)
{
    const struct file_format *format[2] = {NULL, NULL};
    kst_comparison result = {.size = sizeof result};
    struct problem problem = {.text = ""};

    if (!picture_read_named(&pictures[0], names[0], settings, &format[0]) ||
        !picture_read_named(&pictures[1], names[1], settings, &format[1]))
        return EXIT_TROUBLE;
    /* Decoding options apply to the coded pictures of the two, even if only one is coded. */
    if (!options_check("compare", given, 0, readable_kinds(format[0]) | readable_kinds(format[1]), NULL))
        return EXIT_TROUBLE;
    if (differ_in_sign(pictures)) {
        int code = print_reason("the samples of one picture have signs, those of the other have none", json);
        return json ? code : finish_output(code);
    }
    if (!bring_together(&pictures[0], &pictures[1], &problem)) {
        complain(NULL, "%s", problem.text);
        return EXIT_TROUBLE;
    }
    kst_status status = kst_compare(&pictures[0].image, &pictures[1].image, &result);
    if (!status)
        return print_comparison(&result, json);
    if (json)
        return print_reason(explain(status), true);
    print_reason(explain(status), false);
    print_size(names[0], &pictures[0]);
    print_size(names[1], &pictures[1]);
    return finish_output(EXIT_DIFFERENT);
}

static int run(int argc, char **argv)
{
    struct common_options common = {0};
    struct file_settings settings = {0};
    struct picture pictures[2];
    struct options_given given;
    bool json = false;
    int code;

    kst_decode_options_init(&settings.decode);
    const struct option_group groups[] = {common_group(&common), json_group(&json), decode_group(&settings.decode)};
    if (!options_read(&verb_compare, argc, argv, groups, 3, &given, &code))
        return code;
    if (!decode_options_check("compare", &settings))
        return EXIT_USAGE;
    if (argc - optind != 2)
        return complain_usage("compare", "two pictures are compared, not %d", argc - optind);
    if ((code = common_context(&common, common.threads, &settings.context)) != EXIT_FINE)
        return code;
    settings.max_pixels = common_max_pixels(&common);
    settings.max_memory = common_max_memory(&common);
    settings.verbose = common.verbose;
    picture_init(&pictures[0]);
    picture_init(&pictures[1]);
    code = compare(argv + optind, pictures, &settings, &given, json);
    picture_release(&pictures[0]);
    picture_release(&pictures[1]);
    kst_context_destroy(&settings.context);
    return code;
}

const struct verb verb_compare = {
    .name = "compare",
    .summary = "say whether two pictures are the same, and how far apart",
    .run = run,
    .help = "Usage: kostka compare [OPTIONS] A B\n"
            "\n"
            "Compares the pixels of two files of any formats: JPEG, JPEG 2000, PNG, TIFF, BMP, WebP, GIF, PAM, PPM,\n"
            "PGM, PBM, PGX.\n"
            "Prints whether they are identical, or how many samples differ, the maximum and mean absolute error,\n"
            "and the PSNR.\n"
            "\n"
            "Exit status: 0 identical, 1 different, 2 the files could not be compared, 3 no such device.\n"
            "\n"
            "  --json              the result as a JSON object\n"
            "  --format, --scale, --region, --orient, --strict   how JPEG is decoded; see 'kostka decode'\n"
            "  --threads N, --device DEVICE, --max-pixels N, --max-memory BYTES, -v\n",
};
