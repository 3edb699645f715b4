/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks profiles: the encoder obeys what each demands, and each broken rule is reported, by the encoder and for
 * streams.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/j2k/coded.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { SAMPLES = 5 * 600 * 600, RSIZ = 6 };

static uint16_t samples[SAMPLES];

static int setup(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        random = random * 1664525 + 1013904223;
        samples[i] = (uint16_t)(i % 1777 + (random >> 25));
    }
    return 0;
}

/* A picture of planes, and how to code it. */
struct job {
    kst_image image;
    kst_j2k_options j2k;
};

static struct job job_of(uint32_t profile, uint32_t width, uint32_t height, uint32_t planes, uint32_t depth)
{
    struct job job;
    kst_image_init(&job.image);
    job.image.format = KST_FORMAT_RAW;
    job.image.colour = planes == 3 ? KST_COLOUR_RGB : KST_COLOUR_UNKNOWN;
    job.image.width = width;
    job.image.height = height;
    job.image.plane_count = planes;
    for (uint32_t p = 0; p < planes; p++)
        job.image.plane[p] = (kst_plane){.data = samples + (size_t)p * 600,
            .pitch = (ptrdiff_t)(width * (depth > 8 ? 2 : 1)),
            .width = width,
            .height = height,
            .depth = (uint8_t)depth};
    kst_j2k_options_init(&job.j2k);
    job.j2k.codestream = true;
    assert_int_equal(kst_j2k_options_profile(&job.j2k, profile), KST_OK);
    assert_true(job.j2k.codestream);
    return job;
}

static struct job standard(uint32_t profile)
{
    return job_of(profile, 300, 200, 3, 12);
}

static kst_status encode(const struct job *job, kst_buffer *output, kst_report *report)
{
    kst_encode_options options = j2k_coding(&job->j2k);
    kst_report_init(report);
    *output = (kst_buffer){.data = NULL};
    return kst_encode(context, &job->image, &options, output, report);
}

/* Return how many rules a stream breaks; `text` receives the last. */
static size_t breaches(const kst_buffer *stream, uint32_t profile, char *text)
{
    kst_decoder *decoder;
    size_t count = 0;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_false(kst_decoder_profile_breach(decoder, 0, text));
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    assert_int_equal(kst_decoder_info(decoder)->profile, profile);
    while (kst_decoder_profile_breach(decoder, count, text))
        count++;
    kst_decoder_destroy(&decoder);
    return count;
}

static void expect_kept(const struct job *job, const char *what)
{
    char text[KST_BREACH_LENGTH] = "";
    kst_buffer stream;
    kst_report report;
    if (encode(job, &stream, &report))
        fail_msg("%s: %s", what, report.message);
    if (breaches(&stream, job->j2k.profile, text) != 0)
        fail_msg("%s: %s", what, text);
    kst_buffer_release(context, &stream);
}

/* A stream that was made without the profile and labelled with it afterwards is reported to break that rule. */
static void expect_told(const struct job *job, const char *rule)
{
    char text[KST_BREACH_LENGTH] = "";
    kst_buffer stream;
    kst_report report;
    struct job plain = *job;
    plain.j2k.profile = KST_J2K_PROFILE_NONE;
    if (job->j2k.precinct_count == 0 && job->j2k.profile > KST_J2K_PROFILE_1) {
        plain.j2k.precinct_count = job->j2k.levels + 1;
        for (uint32_t i = 0; i <= job->j2k.levels; i++)
            plain.j2k.precinct_width[i] = plain.j2k.precinct_height[i] = i == job->j2k.levels ? 128 : 256;
    }
    assert_int_equal(encode(&plain, &stream, &report), KST_OK);
    stream.data[RSIZ] = (uint8_t)(job->j2k.profile >> 8);
    stream.data[RSIZ + 1] = (uint8_t)job->j2k.profile;
    size_t count = breaches(&stream, job->j2k.profile, text);
    bool found = false;
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream.data, stream.length), KST_OK);
    for (size_t i = 0; i < count; i++)
        found |= kst_decoder_profile_breach(decoder, i, text) && strstr(text, rule);
    if (!found)
        fail_msg("'%s' is not told of: %zu breaches, such as '%s'", rule, count, text);
    kst_decoder_destroy(&decoder);
    kst_buffer_release(context, &stream);
}

/* The encoder refuses to make it with the profile. */
static void expect_broken(const struct job *job, const char *rule)
{
    kst_buffer stream;
    kst_report report;
    assert_int_equal(encode(job, &stream, &report), KST_ERROR_J2K_PROFILE);
    if (!strstr(report.message, rule) || !strstr(report.message, "; "))
        fail_msg("'%s' is not '%s'", report.message, rule);
    assert_null(stream.data);
    expect_told(job, rule);
}

static const uint32_t videos[] = {KST_J2K_PROFILE_CINEMA_2K, KST_J2K_PROFILE_BROADCAST + 5,
    KST_J2K_PROFILE_BROADCAST_TILED + 1, KST_J2K_PROFILE_BROADCAST_REVERSIBLE + 6, KST_J2K_PROFILE_IMF_2K,
    KST_J2K_PROFILE_IMF_4K + 0x24, KST_J2K_PROFILE_IMF_8K + 0x9B, KST_J2K_PROFILE_IMF_2K_REVERSIBLE + 1,
    KST_J2K_PROFILE_IMF_4K_REVERSIBLE, KST_J2K_PROFILE_IMF_8K_REVERSIBLE + 0x11};
enum { VIDEOS = sizeof videos / sizeof *videos };

static void kept(void **state)
{
    struct job job;
    (void)state;
    for (size_t i = 0; i < VIDEOS; i++) {
        job = standard(videos[i]);
        expect_kept(&job, kst_j2k_profile_name(videos[i]));
    }
    job = standard(KST_J2K_PROFILE_CINEMA_4K);
    expect_kept(&job, "cinema4k");
    job.j2k.levels = 1;
    expect_kept(&job, "cinema4k of one level");
    for (uint32_t profile = KST_J2K_PROFILE_0; profile <= KST_J2K_PROFILE_1; profile++) {
        job = job_of(profile, 1100, 500, 1, 8);
        job.j2k.levels = 0; /* raised as far as it needs */
        expect_kept(&job, "profile 0 or 1");
    }
    job = standard(KST_J2K_PROFILE_0);
    job.j2k.tile_width = job.j2k.tile_height = 128;
    job.j2k.layers = 3;
    job.j2k.style = KST_J2K_TERMALL | KST_J2K_PREDICTABLE | KST_J2K_SYMBOLS;
    expect_kept(&job, "profile0 with tiles");
    job = job_of(KST_J2K_PROFILE_1, 1100, 500, 1, 8);
    job.j2k.tile_width = job.j2k.tile_height = 1024;
    job.j2k.style = KST_J2K_BYPASS;
    expect_kept(&job, "profile1 with tiles");
    job = standard(KST_J2K_PROFILE_BROADCAST_TILED + 3);
    job.j2k.tile_width = 150;
    job.j2k.tile_height = 100;
    expect_kept(&job, "four tiles");
    job = job_of(KST_J2K_PROFILE_IMF_2K_REVERSIBLE, 1100, 500, 1, 8);
    job.j2k.tile_width = job.j2k.tile_height = 1024;
    expect_kept(&job, "square tiles");
    job = standard(KST_J2K_PROFILE_IMF_2K);
    job.image.colour = KST_COLOUR_YCBCR;
    job.image.plane[1].width = job.image.plane[2].width = 150;
    expect_kept(&job, "4:2:2");
}

static void profile_0(void **state)
{
    struct job job = standard(KST_J2K_PROFILE_0);
    kst_j2k_change changes[] = {{.progression = KST_PROGRESSION_RLCP, .resolution0 = 1}, {.resolution1 = 0}};
    (void)state;
    job.j2k.image_x = 3;
    expect_broken(&job, "begin at 0,0");
    job = standard(KST_J2K_PROFILE_0);
    job.j2k.tile_width = job.j2k.tile_height = 256;
    expect_broken(&job, "tiles of 128x128: they are 256x256");
    job = standard(KST_J2K_PROFILE_0);
    job.image.plane[2].width = 100;
    job.image.colour = KST_COLOUR_UNKNOWN;
    expect_broken(&job, "subsampled by 1, 2 or 4: component 2 is by 3x1");
    job = standard(KST_J2K_PROFILE_0);
    job.j2k.block_width = 32;
    expect_broken(&job, "those of component 0 are 32x64");
    job = standard(KST_J2K_PROFILE_0);
    job.j2k.style = KST_J2K_BYPASS;
    expect_broken(&job, "no bypass");
    job = standard(KST_J2K_PROFILE_0);
    job.j2k.precinct_count = 1;
    job.j2k.precinct_width[0] = job.j2k.precinct_height[0] = 64;
    expect_broken(&job, "are one precinct");
    job = standard(KST_J2K_PROFILE_0);
    job.j2k.change = changes;
    job.j2k.change_count = 2;
    expect_broken(&job, "begins at resolution 0 and component 0: at 1 and 0");
    job = standard(KST_J2K_PROFILE_0);
    job.j2k.tile_width = job.j2k.tile_height = 128;
    job.j2k.division = KST_J2K_DIVIDE_RESOLUTION;
    expect_broken(&job, "first tile-parts of all tiles");
}

static void profile_1(void **state)
{
    struct job job = standard(KST_J2K_PROFILE_1);
    (void)state;
    job.j2k.tile_width = job.j2k.tile_height = 256;
    expect_broken(&job, "square tiles of 1024 and more: they are 256x256");
    job = standard(KST_J2K_PROFILE_1);
    job.j2k.block_width = 128;
    job.j2k.block_height = 16;
    expect_broken(&job, "at most 64x64: those of component 0 are 128x16");
    job = job_of(KST_J2K_PROFILE_1, 1100, 500, 1, 8);
    job.j2k.component = &(kst_j2k_component){.fields = KST_J2K_OWN_LEVELS, .levels = 2};
    job.j2k.component_count = 1;
    expect_broken(&job, "at most 128x128: that of component 0 is 275x125");
    job = standard(KST_J2K_PROFILE_1);
    job.j2k.image_x = job.j2k.tile_x = INT32_MAX - 299;
    expect_broken(&job, "the picture ends below 2^31");
}

/* Check rules about what is not in the main header. */
static void headers(void **state)
{
    static const uint32_t profiles[] = {
        KST_J2K_PROFILE_0, KST_J2K_PROFILE_CINEMA_2K, KST_J2K_PROFILE_BROADCAST_TILED + 1, KST_J2K_PROFILE_IMF_2K};
    const kst_j2k_component own = {
        .component = 1, .fields = KST_J2K_OWN_TILE | KST_J2K_OWN_GUARD_BITS, .guard_bits = 3, .tile = 0};
    (void)state;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct job job = standard(profiles[i]);
        job.j2k.headers = KST_J2K_HEADERS_PPT;
        expect_broken(&job, "packet headers are not packed");
        job.j2k.headers = KST_J2K_HEADERS_PPM;
        expect_broken(&job, "packet headers are not packed");
        job = standard(profiles[i]);
        job.j2k.component = &own;
        job.j2k.component_count = 1;
        kst_buffer stream;
        kst_report report;
        assert_int_equal(encode(&job, &stream, &report), KST_ERROR_OPTIONS);
        assert_non_null(strstr(report.message, "a tile of its own in a profile"));
        expect_told(&job, "parameters are in the main header alone");
    }
}

/* Check the rules that all profiles of video have for the picture. */
static void video_picture(uint32_t profile)
{
    struct job job = standard(profile);
    job.j2k.image_y = 3;
    expect_broken(&job, "begin at 0,0");
    job = standard(profile);
    job.j2k.tile_width = 160;
    expect_broken(&job, "they are 160x200");
    job = standard(profile);
    job.image.plane[1].depth = job.image.plane[2].depth = 7;
    job.image.colour = KST_COLOUR_UNKNOWN;
    expect_broken(&job, "component 1 has 7");
    job = standard(profile);
    for (uint32_t p = 0; p < 3; p++)
        job.image.plane[p].is_signed = true;
    expect_broken(&job, "and a sign");
    job = standard(profile);
    job.image.colour = KST_COLOUR_UNKNOWN;
    job.image.plane[1].height = job.image.plane[2].height = 100;
    expect_broken(&job, "component 1 is subsampled by 1x2");
}

/* Check those for how it is coded. */
static void video_coding(uint32_t profile)
{
    struct job job = standard(profile);
    kst_j2k_change changes[] = {{.progression = KST_PROGRESSION_CPRL}, {.progression = KST_PROGRESSION_LRCP}};
    job.j2k.levels = 8;
    expect_broken(&job, "component 0 has 8");
    job = standard(profile);
    job.j2k.block_width = job.j2k.block_height = 16;
    expect_broken(&job, "those of component 0 are 16x16");
    job = standard(profile);
    job.j2k.style = KST_J2K_SYMBOLS;
    expect_broken(&job, "have no style");
    job = standard(profile);
    job.j2k.reversible = !job.j2k.reversible;
    job.j2k.target = job.j2k.reversible ? KST_J2K_LOSSLESS : KST_J2K_RATE;
    job.j2k.value = 4;
    expect_broken(&job, "the transform is the");
    job = standard(profile);
    job.j2k.precinct_count = 1;
    job.j2k.precinct_width[0] = job.j2k.precinct_height[0] = 256;
    expect_broken(&job, "resolution 0 of component 0 are 256x256");
    job = standard(profile);
    job.j2k.layers = 2;
    expect_broken(&job, "there are 2");
    job = standard(profile);
    job.j2k.progression = KST_PROGRESSION_RPCL;
    expect_broken(&job, "the progression is CPRL");
    job = standard(profile);
    job.j2k.change = changes;
    job.j2k.change_count = 2;
    expect_broken(&job, "POC");
    job = standard(profile);
    job.j2k.division = 0;
    expect_broken(&job, "tile-parts, one for each component");
    job = standard(profile);
    job.j2k.tile_part_lengths = false;
    expect_broken(&job, "there is TLM");
    job = job_of(profile, 300, 200, 3, profile <= KST_J2K_PROFILE_CINEMA_4K ? 12 : 8);
    if (!job.j2k.reversible) { /* fewer planes, so that they can be shifted */
        job.j2k.target = KST_J2K_STEP;
        job.j2k.value = 32;
    }
    job.j2k.interest = (kst_region){10, 10, 40, 40};
    expect_broken(&job, "no region of interest");
}

static void all_videos(void **state)
{
    (void)state;
    for (size_t i = 0; i < VIDEOS; i++) {
        video_picture(videos[i]);
        video_coding(videos[i]);
    }
    video_picture(KST_J2K_PROFILE_CINEMA_4K);
    video_coding(KST_J2K_PROFILE_CINEMA_4K);
}

static void pictures(void **state)
{
    struct job job = job_of(KST_J2K_PROFILE_CINEMA_2K, 2056, 16, 3, 12);
    (void)state;
    expect_broken(&job, "at most 2048x1080: it is 2056x16");
    job = job_of(KST_J2K_PROFILE_IMF_2K, 8, 1557, 3, 12);
    expect_broken(&job, "at most 2048x1556: it is 8x1557");
    job = job_of(KST_J2K_PROFILE_CINEMA_4K, 100, 80, 1, 12);
    expect_broken(&job, "3 to 3 components: there are 1");
    job = job_of(KST_J2K_PROFILE_IMF_4K, 100, 80, 4, 12);
    expect_broken(&job, "1 to 3 components: there are 4");
    job = job_of(KST_J2K_PROFILE_CINEMA_2K, 100, 80, 3, 8);
    expect_broken(&job, "12 to 12 bits and no sign: component 0 has 8");
    job = standard(KST_J2K_PROFILE_BROADCAST);
    expect_broken(&job, "main levels are 1 to 7: it claims 0");
    job = standard(KST_J2K_PROFILE_BROADCAST_REVERSIBLE + 5);
    expect_broken(&job, "main levels are 6 to 7: it claims 5");
    job = standard(KST_J2K_PROFILE_IMF_8K + 12);
    expect_broken(&job, "main levels are 0 to 11: it claims 12");
    job = standard(KST_J2K_PROFILE_IMF_8K + 0x34);
    expect_broken(&job, "sublevels go to 2: it claims 3");
    job = job_of(KST_J2K_PROFILE_IMF_4K_REVERSIBLE, 1100, 16, 1, 8);
    job.j2k.tile_width = job.j2k.tile_height = 1024;
    job.j2k.levels = 5;
    expect_broken(&job, "1 to 4 levels");
}

static size_t length_of(const struct job *job)
{
    kst_buffer stream;
    kst_report report;
    kst_status status = encode(job, &stream, &report);
    size_t length = stream.length;
    if (status)
        fail_msg("%s", report.message);
    kst_buffer_release(context, &stream);
    return length;
}

/* Ask for so many frames a second that little is left for one. */
static void limits(void **state)
{
    struct job job = standard(KST_J2K_PROFILE_CINEMA_2K);
    kst_buffer stream;
    kst_report report;
    (void)state;
    job.j2k.frame_rate = 2400;
    size_t length = length_of(&job);
    assert_true(length <= 13020 && length > 12500);
    job.image.plane[1].data = job.image.plane[2].data = calloc(300 * 200, 2); /* all in one component */
    job.j2k.keep_components = true;
    length = length_of(&job);
    assert_true(length <= 10416 + 600 && length > 9500);
    free(job.image.plane[1].data);
    job = standard(KST_J2K_PROFILE_IMF_2K + 0x11);
    job.j2k.frame_rate = 350;
    length = length_of(&job);
    assert_true(length <= 71428 && length > 71000);
    job.j2k.frame_rate = 400;
    assert_int_equal(encode(&job, &stream, &report), KST_ERROR_J2K_PROFILE);
    assert_non_null(strstr(report.message, "65 million samples a second: there are 72.0"));
    job = standard(KST_J2K_PROFILE_IMF_2K_REVERSIBLE + 0x11); /* lossless: as long as it is */
    job.j2k.frame_rate = 350;
    assert_int_equal(encode(&job, &stream, &report), KST_ERROR_J2K_PROFILE);
    assert_non_null(strstr(report.message, "at most 71428 bytes"));
    assert_null(stream.data);
    job.j2k.frame_rate = -1;
    assert_int_equal(encode(&job, &stream, &report), KST_ERROR_OPTIONS);
}

static void names(void **state)
{
    kst_j2k_options options;
    (void)state;
    kst_j2k_options_init(&options);
    assert_int_equal(kst_j2k_options_profile(&options, 5), KST_ERROR_OPTIONS);
    assert_int_equal(kst_j2k_options_profile(&options, 0xA00), KST_ERROR_OPTIONS);
    assert_int_equal(kst_j2k_options_profile(NULL, 3), KST_ERROR_ARGUMENT);
    assert_null(kst_j2k_profile_name(0));
    assert_null(kst_j2k_profile_name(0x4000));
    assert_string_equal(kst_j2k_profile_name(0x0445), "imf2k");
    assert_int_equal(kst_j2k_options_profile(&options, KST_J2K_PROFILE_NONE), KST_OK);
}

/* Transcoding keeps the claim where the rules are kept, and only there. */
static void transcoding(void **state)
{
    struct job job = standard(KST_J2K_PROFILE_CINEMA_2K);
    kst_transcode_options options;
    kst_buffer stream, again;
    kst_report report;
    char text[KST_BREACH_LENGTH];
    (void)state;
    assert_int_equal(encode(&job, &stream, &report), KST_OK);
    kst_transcode_options_init(&options);
    options.jpeg2000.division = KST_J2K_DIVIDE_COMPONENT;
    for (uint32_t broken = 0; broken < 2; broken++) {
        again = (kst_buffer){.data = NULL};
        options.jpeg2000.tile_part_lengths = broken ? KST_CHOICE_NO : KST_CHOICE_KEEP;
        assert_int_equal(kst_transcode(context, stream.data, stream.length, &options, &again, NULL), KST_OK);
        assert_int_equal(breaches(&again, broken ? 0 : KST_J2K_PROFILE_CINEMA_2K, text), 0);
        kst_buffer_release(context, &again);
    }
    kst_buffer_release(context, &stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept),
        cmocka_unit_test(profile_0),
        cmocka_unit_test(profile_1),
        cmocka_unit_test(headers),
        cmocka_unit_test(all_videos),
        cmocka_unit_test(pictures),
        cmocka_unit_test(limits),
        cmocka_unit_test(names),
        cmocka_unit_test(transcoding),
    };
    return run_with_context(2, tests, setup, NULL);
}
