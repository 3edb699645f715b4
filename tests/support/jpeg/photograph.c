/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes photographs with further pictures and a video, and transcodes them. */
#include "support/jpeg/photograph.h"

#include <stdlib.h>
#include <string.h>

#include "support/jpeg/recipe.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

static uint32_t random_state = 1;

const struct album album_arrangements[ALBUM_ARRANGEMENTS] = {
    {.mpf = true},
    {.mpf = true, .big_endian = true},
    {.xmp = true},
    {.xmp = true, .elements = true, .first_length = true},
    {.mpf = true, .xmp = true, .first_length = true},
    {.mpf = true, .big_endian = true, .xmp = true, .elements = true},
    {.mpf = false},
};

struct contents album_picture(uint32_t width, uint32_t height, kst_format format, kst_subsampling subsampling)
{
    const struct recipe recipe = {
        .width = width, .height = height, .format = format, .subsampling = subsampling, .coding = KST_CODING_OPTIMIZED};
    return recipe_make(context, &recipe, &random_state);
}

void photograph_make(struct photograph *s, uint32_t width, uint32_t height, struct album like)
{
    s->first = album_picture(width, height, KST_FORMAT_RGB, KST_SUBSAMPLING_420);
    s->preview = album_picture(width / 2, height / 2, KST_FORMAT_RGB, KST_SUBSAMPLING_420);
    s->map = album_picture(width / 4, height / 4, KST_FORMAT_GREY, KST_SUBSAMPLING_444);
    s->video = (struct contents){.data = malloc(VIDEO), .length = VIDEO};
    for (size_t i = 0; i < VIDEO; i++)
        s->video.data[i] = (uint8_t)random_next(&random_state);
    s->album = like;
    s->album.first = s->first;
    s->album.count = 3;
    s->album.part[0] = (struct album_part){
        .bytes = s->preview, .attribute = PREVIEW_TYPE, .indexed = true, .semantic = "Preview", .mime = "image/jpeg"};
    s->album.part[1] = (struct album_part){
        .bytes = s->map, .attribute = GAIN_MAP_TYPE, .indexed = true, .semantic = "GainMap", .mime = "image/jpeg"};
    s->album.part[2] = (struct album_part){.bytes = s->video, .semantic = "MotionPhoto", .mime = "video/mp4", .gap = 9};
    s->file = album_make(&s->album);
}

void photograph_free(struct photograph *s)
{
    contents_free(&s->first);
    contents_free(&s->preview);
    contents_free(&s->map);
    contents_free(&s->video);
    contents_free(&s->file);
}

kst_buffer photograph_transcode(const struct contents *file, const kst_transcode_options *options, uint64_t warnings)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_transcode(context, file->data, file->length, options, &output, &report);
    if (status || report.warnings != warnings)
        print_error("%s, %u warnings\n", report.message, (unsigned)report.warnings);
    assert_int_equal(status, KST_OK);
    assert_int_equal(report.warnings, warnings);
    return output;
}

struct contents album_part_of(const kst_buffer *file, size_t index)
{
    size_t at = 0;
    for (size_t i = 0; i < index; i++)
        at += album_picture_length(file->data + at, file->length - at);
    return (struct contents){
        .data = file->data + at, .length = album_picture_length(file->data + at, file->length - at)};
}

void contents_check_same(const struct contents *one, const struct contents *two)
{
    assert_int_equal(one->length, two->length);
    assert_memory_equal(one->data, two->data, one->length);
}
