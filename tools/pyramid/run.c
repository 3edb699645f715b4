/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a region of a level, or an associated picture, to a file. */
#include <stdio.h>
#include <string.h>

#include "files/resize.h"
#include "pyramid/run.h"

enum { ICC_MAX = 1 << 24 };

int pyramid_fail(const char *name, const struct problem *problem)
{
    complain(strcmp(name, "-") == 0 ? "standard input" : name, "%s", problem->text);
    return EXIT_FAILED;
}

int pyramid_open_named(struct pyramid *pyramid, const struct pyramid_settings *settings, const char *name)
{
    struct problem problem = {.text = ""};

    if (!pyramid_open(pyramid, name, settings->files.max_memory, &problem))
        return pyramid_fail(name, &problem);
    if (pyramid->damage == 0)
        return EXIT_FINE;
    if (settings->files.decode.strict) {
        problem_set(&problem, "no directory can be read at offset %llu", (unsigned long long)pyramid->damage_at);
        pyramid_release(pyramid);
        return pyramid_fail(name, &problem);
    }
    complain(name, "warning: no directory can be read at offset %llu; what would follow is left out",
        (unsigned long long)pyramid->damage_at);
    return EXIT_FINE;
}

void pyramid_report_losses(const char *name, const struct pyramid_losses *losses)
{
    if (losses->damaged == 1)
        complain(name, "warning: %s", losses->first);
    else if (losses->damaged > 1)
        complain(name, "warning: %s, and %llu more tiles are damaged", losses->first,
            (unsigned long long)losses->damaged - 1);
    if (losses->missing > 0)
        complain(name, "%llu tile%s not in the file, and white here", (unsigned long long)losses->missing,
            losses->missing == 1 ? " is" : "s are");
}

/* Scale a coordinate of the largest level to a smaller level. */
static uint32_t scaled(uint32_t at, uint32_t to, uint32_t from)
{
    return (uint32_t)((uint64_t)at * to / from);
}

/* Scale a region of the largest level to another one. It does not become empty. */
static kst_region scale(const kst_region *region, const struct pyramid_image *from, const struct pyramid_image *to)
{
    const uint32_t left = scaled(region->x, to->width, from->width), top = scaled(region->y, to->height, from->height);
    const uint32_t right = scaled(region->x + region->width, to->width, from->width);
    const uint32_t bottom = scaled(region->y + region->height, to->height, from->height);

    return (kst_region){
        .x = left, .y = top, .width = right > left ? right - left : 1, .height = bottom > top ? bottom - top : 1};
}

/*
 * Choose the picture to decode from, and the region in its pixels. Without --level the region is one of the largest
 * level, and the smallest level is chosen in which it has at least the pixels that --size asks for.
 */
static const struct pyramid_image *choose(
    const struct pyramid *pyramid, const struct pyramid_settings *settings, kst_region *region, struct problem *problem)
{
    const kst_resize_options *wanted = &settings->resize.options;
    const struct pyramid_image *image = settings->image != NULL ? pyramid_named(pyramid, settings->image, problem)
                                                                : pyramid_level(pyramid, settings->level, problem);

    *region = settings->region;
    if (image == NULL || !pyramid_fit_region(image, region, problem))
        return NULL;
    if (settings->image != NULL || settings->level_given || (wanted->width == 0 && wanted->height == 0))
        return image;
    const struct pyramid_image *largest = image;
    const kst_region whole = *region;
    for (size_t i = 1; i < pyramid->level_count; i++) {
        const struct pyramid_image *smaller = &pyramid->image[pyramid->level[i]];
        const kst_region part = scale(&whole, largest, smaller);
        if (part.width < wanted->width || part.height < wanted->height || smaller->fault[0] != '\0')
            break;
        image = smaller;
        *region = part;
    }
    return image;
}

/* Keep the size of a pixel as the picture's density, if that can express it. */
static void keep_density(const struct pyramid *pyramid, const struct pyramid_image *image, struct picture *picture)
{
    const struct pyramid_image *largest = &pyramid->image[0];
    const double scale = 1e4 / ((double)largest->width / image->width);
    const double across = scale / pyramid->microns_x, down = scale / pyramid->microns_y;

    if (image->role == ROLE_LEVEL && pyramid->microns_x > 0 && pyramid->microns_y > 0 && across >= 1 && down >= 1 &&
        across < UINT16_MAX && down < UINT16_MAX) {
        picture->density_unit = KST_DENSITY_CM;
        picture->density_x = (uint16_t)(across + 0.5);
        picture->density_y = (uint16_t)(down + 0.5);
    }
}

bool pyramid_keep_profile(const struct pyramid *pyramid, struct picture *picture)
{
    return pyramid->icc.count == 0 || pyramid->icc.length > ICC_MAX ||
           blob_set(&picture->icc, pyramid->icc.value, pyramid->icc.length);
}

static bool read_plain(const struct pyramid *pyramid, const struct pyramid_image *image,
    const struct pyramid_settings *settings, struct picture *picture, struct problem *problem)
{
    if (settings->region.width > 0)
        return problem_set(problem, "--region: the %s is read as a whole, for its tiles are not JPEG", settings->image);
    return pyramid_read_plain(pyramid, image, &settings->files, picture, problem);
}

static int decode(
    const struct pyramid *pyramid, const struct pyramid_settings *settings, char **names, struct picture *picture)
{
    struct problem problem = {.text = ""};
    struct pyramid_losses losses = {.damaged = 0};
    kst_region region;
    const struct pyramid_image *image = choose(pyramid, settings, &region, &problem);

    const bool read = image != NULL &&
                      (pyramid_is_plain(image)
                              ? read_plain(pyramid, image, settings, picture, &problem)
                              : pyramid_decode(pyramid, image, &region, &settings->files, picture, &losses, &problem));
    if (!read)
        return pyramid_fail(names[0], &problem);
    pyramid_report_losses(names[0], &losses);
    if (settings->resize.options.width == 0 && settings->resize.options.height == 0)
        keep_density(pyramid, image, picture);
    if (!pyramid_keep_profile(pyramid, picture))
        problem_set(&problem, "out of memory");
    else if (picture_resize(picture, names[0], &settings->files, &problem) &&
             picture_write(picture, names[1], settings->format, &settings->files, &problem))
        return EXIT_FINE;
    complain(strcmp(names[1], "-") == 0 ? "standard output" : names[1], "%s", problem.text);
    return EXIT_FAILED;
}

int pyramid_decode_file(struct pyramid_settings *settings, char **names)
{
    struct picture picture;
    struct pyramid pyramid;
    int code = pyramid_open_named(&pyramid, settings, names[0]);

    if (code != EXIT_FINE)
        return code;
    picture_init(&picture);
    code = decode(&pyramid, settings, names, &picture);
    picture_release(&picture);
    pyramid_release(&pyramid);
    return code;
}
