/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what a pyramid holds. */
#include <stdio.h>
#include <string.h>

#include "print/json.h"
#include "print/plain.h"
#include "pyramid/run.h"

/* Return the name of the directory's photometric interpretation. */
static const char *photometric_name(uint32_t photometric)
{
    switch (photometric) {
    case 0:
        return "grey (white is zero)";
    case PHOTOMETRIC_BLACK_IS_ZERO:
        return "grey";
    case PHOTOMETRIC_OF_RGB:
        return "RGB";
    case 3:
        return "palette";
    case 5:
        return "CMYK";
    case PHOTOMETRIC_OF_YCBCR:
        return "YCbCr";
    default:
        return "unknown";
    }
}

static json_t *json_image(const struct pyramid_image *image)
{
    json_t *object = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:s, s:s, s:I, s:I, s:I}", "kind",
        pyramid_role_name(image->role), "offset", (json_int_t)image->at, "width", (json_int_t)image->width, "height",
        (json_int_t)image->height, "tile_width", (json_int_t)image->tile_width, "tile_height",
        (json_int_t)image->tile_height, "tiled", image->tiled, "compression", (json_int_t)image->compression,
        "compression_name", pyramid_compression_name(image->compression), "colour",
        photometric_name(image->photometric), "samples", (json_int_t)image->samples, "bits", (json_int_t)image->bits,
        "tiles", (json_int_t)image->across * image->down);

    if (image->fault[0] != '\0' && !pyramid_is_plain(image))
        json_object_set_new(object, "fault", json_text(image->fault));
    return object;
}

static int print_json(const struct pyramid *pyramid, const char *name)
{
    json_t *levels = json_array(), *others = json_array();

    for (size_t i = 0; i < pyramid->level_count; i++) {
        const struct pyramid_image *image = &pyramid->image[pyramid->level[i]];
        json_t *object = json_image(image);
        if (image->width > 0)
            json_object_set_new(object, "downsample", json_real((double)pyramid->image[0].width / image->width));
        json_array_append_new(levels, object);
    }
    for (size_t i = 0; i < pyramid->count; i++)
        if (pyramid->image[i].role != ROLE_LEVEL)
            json_array_append_new(others, json_image(&pyramid->image[i]));
    json_t *whole = json_pack("{s:o, s:s, s:b, s:o, s:o}", "file", json_text(name), "kind", pyramid->kind, "bigtiff",
        pyramid->bytes.wide, "levels", levels, "associated", others);
    if (pyramid->microns_x > 0)
        json_object_set_new(whole, "mpp_x", json_real(pyramid->microns_x));
    if (pyramid->microns_y > 0)
        json_object_set_new(whole, "mpp_y", json_real(pyramid->microns_y));
    if (pyramid->magnification > 0)
        json_object_set_new(whole, "magnification", json_real(pyramid->magnification));
    return json_print(whole, EXIT_FINE);
}

static void print_image(const struct pyramid_image *image)
{
    printf("%ux%u, %s, %u x %u bits, ", (unsigned)image->width, (unsigned)image->height,
        photometric_name(image->photometric), (unsigned)image->samples, (unsigned)image->bits);
    if (image->tiled)
        printf("%ux%u tiles of %ux%u", (unsigned)image->across, (unsigned)image->down, (unsigned)image->tile_width,
            (unsigned)image->tile_height);
    else
        printf("strips of %u rows", (unsigned)image->tile_height);
    printf(", %s\n", pyramid_compression_name(image->compression));
    if (image->fault[0] != '\0' && !pyramid_is_plain(image))
        printf("      is not decoded: %s\n", image->fault);
}

static int print_text(const struct pyramid *pyramid, const char *name)
{
    plain_puts(stdout, name);
    printf(": %s, %s, %zu level%s", pyramid->bytes.wide ? "BigTIFF" : "TIFF", pyramid->kind, pyramid->level_count,
        pyramid->level_count == 1 ? "" : "s");
    if (pyramid->microns_x > 0)
        printf(", %g x %g microns per pixel", pyramid->microns_x, pyramid->microns_y);
    if (pyramid->magnification > 0)
        printf(", %gx", pyramid->magnification);
    printf("\n");
    for (size_t i = 0; i < pyramid->level_count; i++) {
        const struct pyramid_image *image = &pyramid->image[pyramid->level[i]];
        printf("  level %zu (1/%.4g): ", i, image->width > 0 ? (double)pyramid->image[0].width / image->width : 1);
        print_image(image);
    }
    for (size_t i = 0; i < pyramid->count; i++)
        if (pyramid->image[i].role != ROLE_LEVEL) {
            printf("  %s: ", pyramid_role_name(pyramid->image[i].role));
            print_image(&pyramid->image[i]);
        }
    return finish_output(EXIT_FINE);
}

int pyramid_info(struct pyramid_settings *settings, char **names)
{
    struct pyramid pyramid;
    int code = pyramid_open_named(&pyramid, settings, names[0]);

    if (code != EXIT_FINE)
        return code;
    code = settings->json ? print_json(&pyramid, names[0]) : print_text(&pyramid, names[0]);
    pyramid_release(&pyramid);
    return code;
}
